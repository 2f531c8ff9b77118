"""The shipped contracts pass for our own parts and fail for broken ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

import made_tables
import tiny
from typeover import losses
from typeover.core.decision import check_actions
from typeover.core.feedback import Feedback
from typeover.core.state import State, header
from typeover.environments import h6, h20, hr, labelled, lower_bound, next_word, search_session, starving, turn, w1, w2
from typeover.learners import Uniform
from typeover.losses import EditDistance, Function, Table, Tree, Vectors, ZeroOne
from typeover.policies import Classifier, Constant, Lookup, PolicySet, TablePolicies, random_linear, random_tables
from typeover.testing import EnvironmentContract, LearnerContract, LossContract, PoliciesContract
from typeover.testing.checks import assert_close, assert_same_state, refused

WORDS = ["their", "there", "tree"]
LOSSES = {
    "ZeroOne": ZeroOne(),
    "Table": Table([[0, 0.2, 0.9], [0.2, 0, 0.7], [0.9, 0.7, 0]], items=WORDS),
    "Table, no metric": Table([[0, 1, 9], [2, 0, 7], [1, 1, 0]], items=WORDS, metric=False),
    "Tree": Tree({"their": ["a"], "there": ["a", "b"], "tree": ["c"]}),
    "Vectors": Vectors(np.eye(3) + 0.2, items=WORDS),
    "EditDistance": EditDistance(),
    "EditDistance, longest": EditDistance(normalised="longest"),
    "Function": Function(lambda action, answer, context: float(action != answer) / context),
}


class TestLosses(LossContract):
    @pytest.fixture(params=LOSSES)
    def loss(self, request):
        return LOSSES[request.param]

    @pytest.fixture
    def actions(self):
        return list(WORDS)

    @pytest.fixture
    def answers(self):
        return [*WORDS, "three"]

    @pytest.fixture
    def context(self):
        return 2.0


def test_every_public_loss_is_enrolled():
    named = {name for name in losses.__all__ if name[0].isupper()}
    assert {type(loss).__name__ for loss in LOSSES.values()} == named


class Guesser:
    """A stand-in for a fitted classifier."""

    classes_ = np.arange(3)

    def predict_proba(self, contexts):
        rows = np.array([[1.0, x, 2.0] for x in contexts])
        return rows / rows.sum(axis=1, keepdims=True)

    def predict(self, contexts):
        return self.predict_proba(contexts).argmax(axis=1)


FEATURES = np.random.default_rng(0).normal(size=(3, 4))
SETS = {
    "members": (
        PolicySet([Constant(2), Lookup({0: 1, 1: 2}, default=0), lambda contexts, actions: [0] * len(contexts)]),
        [0, 1, 2],
    ),
    "randomised members": (PolicySet([Constant(2), Classifier(Guesser(), randomised=True), Guesser()]), [0, 1, 5]),
    "table": (tiny.tables(), [2, 0, 1]),
    "named table": (TablePolicies([[0, 1], [1, 2]], names=["a", "b"]), [0, 1]),
    "randomised table": (tiny.randomised(), [2, 0, 1]),
    "random tables": (random_tables(n_contexts=4, n_actions=3, n_policies=5, seed=1), [3, 0]),
    "random linear": (random_linear(FEATURES, range(3), n_policies=5, seed=1), FEATURES),
}


class TestPolicies(PoliciesContract):
    @pytest.fixture(params=SETS)
    def pair(self, request):
        return SETS[request.param]

    @pytest.fixture
    def policies(self, pair):
        return pair[0]

    @pytest.fixture
    def contexts(self, pair):
        return pair[1]

    @pytest.fixture
    def actions(self):
        return [0, 1, 2]


class Counter:
    """A learner that breaks no promise, by the structural protocol alone."""

    def __init__(self, seed):
        self.rng, self.shown, self.open, self.rounds = np.random.default_rng(seed), np.zeros(8), [], 0

    def decide(self, context, actions):
        check_actions(actions)
        self.rounds += 1
        self.open.append(self.rounds)
        return tiny.decision(self.rounds, context, actions, int(self.rng.integers(len(actions))))

    def learn(self, decision, feedback):
        number = decision.round.number
        if not 1 <= number <= self.rounds:
            raise ValueError(f"round {number} is not mine")
        if number in self.open:
            self.open.remove(number)
            self.shown[decision.suggestion] += feedback.reward

    def figures(self):
        return {"rounds": self.rounds}

    def state(self):
        rng = {key: json.loads(json.dumps(value)) for key, value in self.rng.bit_generator.state.items()}
        words = {"rng": rng, "open": list(self.open), "rounds": self.rounds}
        return State(json=header("counter", 1) | words, arrays={"shown": self.shown.copy()})


def restored(state, kind=Counter):
    if state.json["format"] != "typeover.counter":
        raise ValueError("format is another")
    if state.json["version"] > 1:
        raise ValueError("version is newer than mine")
    learner = kind(0)
    learner.rng.bit_generator.state = state.json["rng"]
    learner.open, learner.rounds = list(state.json["open"]), state.json["rounds"]
    learner.shown = state.arrays["shown"].copy()
    return learner


class TestAThirdPartyLearner(LearnerContract):
    rounds = 40

    @pytest.fixture
    def make(self):
        return Counter

    @pytest.fixture
    def restore(self):
        return restored

    @pytest.fixture
    def world(self):
        return tiny.world()

    @pytest.fixture
    def policies(self):
        return tiny.tables()


class Forgetful(Counter):
    def state(self):
        return super().state().__class__(json=super().state().json | {"open": []}, arrays={"shown": self.shown})


class Gullible(Counter):
    def learn(self, decision, feedback):
        self.shown[decision.suggestion] += feedback.reward


class Overwriting(Counter):
    def learn(self, decision, feedback):
        self.shown[decision.suggestion] = feedback.reward


class Reckless(Counter):
    def decide(self, context, actions):
        self.rng.random()
        decision = super().decide(context, actions)
        return tiny.decision(decision.round.number, context, actions, 0)


class Meddling(Counter):
    def learn(self, decision, feedback):
        super().learn(decision, feedback)
        decision.propensities[:] = 0


class Unseeded(Counter):
    def __init__(self, seed):
        super().__init__(None)


class Boastful(Counter):
    """Counts amendments and keeps what the accepts had taught."""

    amended = 0

    def learn(self, decision, feedback):
        self.amended += decision.round.number not in self.open
        super().learn(decision, feedback)

    def figures(self):
        return super().figures() | {"amended": self.amended}


class Wavering(Counter):
    """Takes each correction that comes later for another amendment."""

    def learn(self, decision, feedback):
        if feedback.revealed and decision.round.number not in self.open:
            self.shown[decision.suggestion] -= 0.5
        super().learn(decision, feedback)


class Lax(Counter):
    def decide(self, context, actions):
        self.rounds += 1
        return tiny.decision(self.rounds, context, actions or ["anything"], 0)


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (Forgetful, "test_saved_to_a_file_and_restored_it_ends_the_same"),
        (Forgetful, "test_a_state_is_not_moved_by_what_comes_after"),
        (Gullible, "test_a_second_answer_changes_nothing"),
        (Gullible, "test_bad_input_is_refused_by_name_and_changes_nothing"),
        (Overwriting, "test_answers_teach_the_same_in_every_order"),
        (Boastful, "test_an_amendment_teaches_what_the_correction_alone_would_have"),
        (Wavering, "test_an_accept_is_amended_once_even_after_a_restart"),
        (Reckless, "test_suggestions_are_drawn_from_propensities_that_are_distributions"),
        (Meddling, "test_the_input_is_left_alone"),
        (Unseeded, "test_the_same_seed_gives_the_same_decisions"),
        (Lax, "test_bad_input_is_refused_by_name_and_changes_nothing"),
    ],
)
def test_a_learner_that_breaks_a_promise_is_caught(kind, promise, tmp_path):
    contract = LearnerContract()
    contract.rounds = 200
    given = {
        "make": kind,
        "restore": lambda state: restored(state, kind),
        "world": tiny.world(),
        "policies": tiny.tables(),
        "tmp_path": tmp_path,
    }
    test = getattr(contract, promise)
    wanted = {name: value for name, value in given.items() if name in test.__code__.co_varnames}
    with pytest.raises(AssertionError):
        test(**wanted)


class Leaky:
    """An environment that favours one learner: users depend on what was shown before."""

    def __init__(self, world):
        self.world = world

    def session(self, *, seed, policies, tolerance):
        inner = self.world.session(seed=seed, policies=policies, tolerance=tolerance)
        asked = inner.answer

        def answer(decision):
            if decision.index == 0:
                inner._streams["users"].random()
                inner._ahead = None if inner._at == 0 else inner._ahead
            feedback = asked(decision)
            return Feedback(correction=f"{feedback.correction} {decision.index}") if feedback.revealed else feedback

        inner.answer = answer
        return inner


def test_an_environment_whose_users_depend_on_the_learner_is_caught():
    with pytest.raises(AssertionError):
        EnvironmentContract().test_the_same_seed_gives_the_same_users_to_every_learner(
            Leaky(tiny.world()), tiny.tables()
        )


def test_a_loss_that_depends_on_who_stands_beside_it_is_caught():
    class Relative:
        def deltas(self, actions, answer, context=None):
            return np.arange(len(actions)) / len(actions)

    with pytest.raises(AssertionError):
        LossContract().test_a_candidate_costs_the_same_whoever_stands_beside_it(Relative(), WORDS, WORDS, None)


def test_a_refusal_has_to_come_and_to_say_what_is_wrong():
    with pytest.raises(AssertionError, match="bad input was taken"), refused("reward"):
        Feedback(reward=1.0)
    with pytest.raises(AssertionError, match="lacking in the refusal"), refused("colour"):
        Feedback(reward=2.0)
    with refused("reward", "2.0"):
        Feedback(reward=2.0)


def test_states_are_compared_to_the_bit_and_values_to_the_tolerance():
    setting = w1(n_policies=3)
    one = Uniform(policies=setting.policies, seed=1).state()
    with pytest.raises(AssertionError, match="published: 0 and 1"):
        assert_same_state(one, State(json=one.json | {"published": 1}))
    with pytest.raises(AssertionError, match="array a differs"):
        assert_same_state(State(json={}, arrays={"a": np.ones(2)}), State(json={}, arrays={"a": np.ones(2) + 1e-15}))
    assert_close({"a": [1.0]}, {"a": [1.0 + 1e-12]})
    for other in ({"a": [1.1]}, {"a": [1.0, 2.0]}, {"b": [1.0]}, {"a": "x"}):
        with pytest.raises(AssertionError):
            assert_close({"a": [1.0]}, other)


ENVIRONMENTS = {
    "coins": (tiny.world(), tiny.tables()),
    "no coins": (tiny.world(is_coin=False), tiny.tables()),
    "w1": w1(n_policies=10)[:2],
    "next word": next_word(n_contexts=20, n_policies=6)[:2],
    "lower bound": lower_bound(tilt=0.1)[:2],
    "search session": search_session(n_queries=20, n_policies=6)[:2],
    "labelled": labelled(made_tables.numbers(), n_models=2)[:2],
    "habits": (tiny.world(user=tiny.USERS["stacked"]), tiny.tables()),
    "told": (tiny.world(user=tiny.USERS["stacked"], is_told=True), tiny.tables()),
    "turn": turn(w2(careless=0, n_policies=10), w2(careless=1, n_policies=10), 700)[:2],
}


class TestEnvironments(EnvironmentContract):
    @pytest.fixture(params=ENVIRONMENTS)
    def pair(self, request):
        return ENVIRONMENTS[request.param]

    @pytest.fixture
    def environment(self, pair):
        return pair[0]

    @pytest.fixture
    def policies(self, pair):
        return pair[1]


SMALL = {"n_contexts": 20, "n_policies": 10}
WORLDS = {name: (tiny.world(user=user), tiny.tables()) for name, user in tiny.USERS.items()} | {
    "w2": w2(**SMALL, careless=0.7)[:2],
    "h6": h6(**SMALL)[:2],
    "h20": h20(**SMALL)[:2],
    "hr": hr(**SMALL)[:2],
    "starving": starving(n_contexts=20, n_policies=102, good=2)[:2],
    "turn between kinds of users": turn(w2(**SMALL), w2(**SMALL)._replace(world=w2(**SMALL).world.with_user(
        tiny.USERS["stacked"])), 131)[:2],
}  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_stepping_and_a_tape_say_the_same_of_every_user_in_every_world(name):
    contract = EnvironmentContract()
    contract.rounds = 400
    contract.test_a_tape_holds_the_rounds_and_the_tally_that_stepping_gives(*WORLDS[name])
