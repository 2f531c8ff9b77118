"""Every public learner keeps the contract that the package ships."""

from typing import ClassVar

import numpy as np
import pytest

import tiny
from typeover import environments, learners
from typeover.constraints import ActiveQueries, Biased, DoublyRobust
from typeover.environments import w1
from typeover.kernels import shared
from typeover.learners import (
    EFBO,
    AnytimeEFBO,
    ConstrainedExp4,
    CorralledExp4,
    CorrectionOnly,
    Fixed,
    RewardOnly,
    SharedExp4,
    Uniform,
)
from typeover.testing import LearnerContract

SETTING = w1(n_policies=30)
WORLD, POLICIES = SETTING.world, SETTING.policies

CORRAL = ("corralled", "corralled biased", "corralled played", "corralled active")


def kindness(deltas):
    return (1 - deltas) ** 2


def by_context(context, actions):
    return actions[context % len(actions)]


SHARED = {"tolerance": 0.05}
LOSSY = {EFBO, AnytimeEFBO, ConstrainedExp4, CorralledExp4, CorrectionOnly, SharedExp4}
"""Those that are given a loss."""
EFBO_BASE = {"tolerance": 0.05, "horizon": 120}
PARTS = ("transform", "revealing")
"""What a state cannot hold."""
ACTIVE = ActiveQueries(cap=0.5, failure=0.99)
TRIED = {
    "efbo": (EFBO, {}),
    "efbo none": (EFBO, {"blends": "none"}),
    "efbo list": (EFBO, {"blends": [0, 0.25, 1]}),
    "efbo mwu": (EFBO, {"saddle": "mwu"}),
    "efbo mwu printed": (EFBO, {"saddle": "mwu", "step": "printed", "cap": 3.0, "iterations": 50}),
    "efbo cap": (EFBO, {"cap": 2.0}),
    "efbo transform": (EFBO, {"transform": kindness}),
    "efbo named audit": (EFBO, {"revealing": 4}),
    "efbo audit by context": (EFBO, {"revealing": by_context}),
    "efbo block": (EFBO, {"block": 7}),
    "efbo numpy numbers": (EFBO, {"block": np.int64(7), "blends": np.linspace(0, 1, 3, dtype=np.float32)}),
    "efbo aligned": (EFBO, {"block": "aligned", "n_actions": 6}),
    "efbo zero tolerance": (EFBO, {"tolerance": 0}),
    "reward-only": (RewardOnly, {"horizon": 120}),
    "reward-only block": (RewardOnly, {"horizon": 100, "block": 100}),
    "correction-only": (CorrectionOnly, {}),
    "correction-only growth": (CorrectionOnly, {"first": 1, "growth": 1.5}),
    "shared": (SharedExp4, SHARED),
    "shared fixed": (SharedExp4, SHARED | {"audits": "fixed"}),
    "shared without audits": (SharedExp4, SHARED | {"audits": 0}),
    "shared budget": (SharedExp4, SHARED | {"audit_budget": 9, "blends": [0.0, 0.5, 1.0], "reserve": False}),
    "shared named audit": (SharedExp4, SHARED | {"revealing": 4}),
    "corralled": (CorralledExp4, EFBO_BASE),
    "corralled biased": (CorralledExp4, EFBO_BASE | {"constraint": Biased(bias_bound=0.02), "blends": [0.0, 1.0]}),
    "corralled played": (
        CorralledExp4,
        EFBO_BASE | {"constraint": DoublyRobust(control="played", rate="printed", bias_bound=0.9, cap=0.2)},
    ),
    "corralled active": (CorralledExp4, {"tolerance": 0, "horizon": 120, "constraint": ACTIVE}),
    "corralled named audit": (CorralledExp4, EFBO_BASE | {"revealing": 4, "hedge_scale": 3.0, "n_actions": 6}),
    "constrained": (ConstrainedExp4, EFBO_BASE | {"blend": 0.5}),
    "constrained empirical": (
        ConstrainedExp4,
        EFBO_BASE | {"blend": 0.2, "constraint": Biased(bias_bound=0.02, radius="empirical")},
    ),
    "constrained active": (ConstrainedExp4, {"tolerance": 0, "horizon": 120, "blend": 0.0, "constraint": ACTIVE}),
    "unconstrained": (ConstrainedExp4, {"tolerance": 0.05, "blend": 1, "constraint": None}),
    "uniform": (Uniform, {}),
    "anytime": (AnytimeEFBO, SHARED),
    "anytime without audits": (AnytimeEFBO, SHARED | {"audits": 0}),
    "anytime named audit": (AnytimeEFBO, SHARED | {"revealing": 4}),
    "anytime audit by context": (AnytimeEFBO, SHARED | {"revealing": by_context}),
    "anytime blends": (AnytimeEFBO, {"tolerance": 0, "blends": np.array([1, 0.5]), "growth": np.float64(1.5)}),
    "fixed": (Fixed, {"policy": 3}),
    "fixed mixture": (Fixed, {"mixture": [(4, 0.75), (0, 0.25)]}),
}


class Enrolled(LearnerContract):
    rounds = 120
    apart: ClassVar = {"book": slice(shared.TYPED_LOSS, shared.TYPED_WRONG_SQUARES + 1)}
    policies_of, world_of = POLICIES, WORLD

    @pytest.fixture(params=TRIED)
    def kind(self, request):
        learner, settings = TRIED[request.param]
        settings = (EFBO_BASE if learner is EFBO else {}) | settings
        return learner, settings, {"loss": self.world_of.loss} if learner in LOSSY else {}

    @pytest.fixture
    def make(self, kind):
        learner, settings, loss = kind
        return lambda seed: learner(policies=self.policies_of, seed=seed, **settings, **loss)

    @pytest.fixture
    def restore(self, kind):
        learner, settings, loss = kind
        parts = {name: settings[name] for name in PARTS if name in settings}
        return lambda state: learner.from_state(state, policies=self.policies_of, **parts, **loss)

    @pytest.fixture
    def world(self):
        return self.world_of

    @pytest.fixture
    def policies(self):
        return self.policies_of


class TestLearnersOverTables(Enrolled):
    pass


class TestLearnersOverRandomisedPolicies(Enrolled):
    """In a world with coins, careless users and answers that are no candidates."""

    policies_of, world_of = tiny.randomised(), tiny.world()

    @pytest.fixture(
        params=[
            "efbo",
            "efbo mwu",
            "reward-only",
            "correction-only",
            "shared",
            "shared without audits",
            "anytime",
            "anytime without audits",
            "fixed mixture",
            *CORRAL,
        ]
    )
    def kind(self, request):
        learner, settings = TRIED[request.param]
        settings = (EFBO_BASE if learner is EFBO else {}) | settings
        return learner, settings, {"loss": self.world_of.loss} if learner in LOSSY else {}


class TestLearnersWithCandidatesOfTheContext(Enrolled):
    """Next word: the candidates differ by context."""

    typing = environments.next_word(n_contexts=20, n_policies=8)
    policies_of, world_of = typing.policies, typing.world

    @pytest.fixture(params=["efbo", "reward-only", "correction-only", "shared", "uniform", "anytime", "fixed", *CORRAL])
    def kind(self, request):
        learner, settings = TRIED[request.param]
        settings = (EFBO_BASE if learner is EFBO else {}) | settings
        return learner, settings, {"loss": self.world_of.loss} if learner in LOSSY else {}


class TestLearnersAmongUsersWithHabits(Enrolled):
    """Users who dismiss, let pass, have moods and slip: what is entered is seldom all that is wanted."""

    policies_of, world_of = tiny.tables(), tiny.world(user=tiny.USERS["stacked"])

    @pytest.fixture(
        params=[
            "efbo",
            "reward-only",
            "correction-only",
            "shared",
            "shared without audits",
            "anytime",
            "anytime without audits",
            "fixed mixture",
            *CORRAL,
        ]
    )
    def kind(self, request):
        learner, settings = TRIED[request.param]
        settings = (EFBO_BASE if learner is EFBO else {}) | settings
        return learner, settings, {"loss": self.world_of.loss} if learner in LOSSY else {}


class TestLearnersThatAreTold(TestLearnersAmongUsersWithHabits):
    """The answer comes with every round, accepted or not."""

    world_of = tiny.world(user=tiny.USERS["stacked"], is_told=True)


class TestLearnersWhoseUsersChange(TestLearnersAmongUsersWithHabits):
    """Exact users until round 50, then others."""

    world_of = environments.TurningWorld(
        before=tiny.world(user=tiny.USERS["exact"]), after=tiny.world(user=tiny.USERS["stacked"]), at=50
    )


def test_every_public_learner_is_enrolled():
    assert {learner.__name__ for learner, _ in TRIED.values()} == set(learners.__all__)
