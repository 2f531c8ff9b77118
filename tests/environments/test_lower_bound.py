"""The instance of App. B: its exact truths, and that only pi2's action tells its two users apart."""

from __future__ import annotations

import numpy as np
import pytest

import tiny
from typeover import EFBO, CorralledExp4, SharedExp4, simulate
from typeover.core.tape import Tape
from typeover.environments import lower_bound, revealing_action
from typeover.environments.lower_bound import signs
from typeover.errors import InvalidInputError
from typeover.losses import matrix
from typeover.theory import best_feasible

PI1, PI2 = 0, 1


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("tilt", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("gap", [0.0, 0.3, 1.0])
def test_losses_are_a_quarter_and_differ_by_the_tilt_and_rewards_by_the_gap(k, tilt, gap):
    world, policies, _ = lower_bound(k=k, reward_gap=gap, tilt=tilt)
    rewards, losses = world.values(policies)
    assert losses == pytest.approx([0.25 + tilt / 2, 0.25 - tilt / 2], abs=1e-12)
    assert rewards == pytest.approx([gap, 0.0], abs=1e-12)
    assert len(world.tables.contexts) == 2**k


def test_pi1_is_best_under_s1_and_not_feasible_under_s2():
    for tilt, best in ((0.0, PI1), (0.051, PI2)):
        world, policies, tolerance = lower_bound(tilt=tilt)
        assert tolerance == 0.05
        assert best_feasible(*world.values(policies), tolerance) == best


def test_the_sign_of_a_context_is_the_product_of_its_entries():
    for x, sgn in enumerate(signs(16)):
        entries = [-1 if x >> i & 1 else 1 for i in range(4)]
        assert sgn == np.prod(entries)
        assert revealing_action(x, (-1, 1)) == -sgn


def test_loss_is_zero_where_the_sign_is_one_and_zero_one_elsewhere():
    world = lower_bound(k=2).world
    for x, sgn in enumerate(signs(4)):
        expected = np.zeros((2, 2)) if sgn == 1 else 1 - np.eye(2)
        assert matrix(world.loss, [-1, 1], x).tolist() == expected.tolist()


def everything(world, shown, revealing, n=400):
    """What a learner hears that shows these."""
    tape: Tape = world.tape(*np.random.default_rng(3).random((3, n)))
    return tape, tape.respond(shown(tape.contexts), np.full(n, revealing))


def test_without_showing_pi2s_action_nothing_tells_the_users_apart():
    fair, tilted = lower_bound(tilt=0.0), lower_bound(tilt=0.4)

    def pi1(contexts):
        return fair.policies.votes(contexts, (-1, 1))[:, PI1]

    (tape, one), (other_tape, other) = (everything(setting.world, pi1, revealing=False) for setting in (fair, tilted))
    assert tape.contexts.tolist() == other_tape.contexts.tolist()
    assert tape.answers.tolist() != other_tape.answers.tolist()
    for mine, theirs in zip(one, other, strict=True):
        assert mine.tolist() == theirs.tolist()
    assert one.accepted.all()
    assert not one.revealed.any()


@pytest.mark.parametrize("revealing", [False, True])
def test_showing_pi2s_action_reveals_what_is_wanted_and_earns_nothing(revealing):
    world, policies, _ = lower_bound(tilt=0.4)
    tape, came = everything(world, lambda x: policies.votes(x, (-1, 1))[:, PI2], revealing=revealing)
    assert came.revealed.all()
    assert not came.accepted.any()
    assert not came.rewards.any()
    assert came.entered.tolist() == tape.answers.tolist()


@pytest.mark.parametrize(
    "make",
    [
        lambda setting, **kinds: EFBO(
            policies=setting.policies, loss=setting.world.loss, tolerance=0.05, horizon=4000, seed=1, **kinds
        ),
        lambda setting, **kinds: CorralledExp4(
            policies=setting.policies, loss=setting.world.loss, tolerance=0.05, horizon=4000, seed=1, **kinds
        ),
        lambda setting, **kinds: SharedExp4(
            policies=setting.policies, loss=setting.world.loss, tolerance=0.05, seed=1, **kinds
        ),
    ],
    ids=["EFBO", "CorralledExp4", "SharedExp4"],
)
def test_learners_audit_with_pi2s_action_and_play_it_compiled_as_round_by_round(make):
    setting = lower_bound(tilt=0.1)
    stepped, played = (
        simulate(setting.world, make(setting, revealing=revealing_action), rounds=1500, seed=2, compiled=compiled)
        for compiled in (False, True)
    )
    assert stepped.audits[-1] > 0
    assert stepped.shown.tolist() == stepped.rounds.tolist()  # an audit shows pi2's action
    for name in ("audits", "reward_regret", "constraint_regret", "accepted"):
        assert getattr(stepped, name) == pytest.approx(getattr(played, name), abs=1e-9)
    unnamed = simulate(setting.world, make(setting), rounds=1500, seed=2)
    assert unnamed.shown[-1] == 1500 - unnamed.audits[-1]


def test_a_round_of_pi2_costs_the_gap_in_reward_under_s1_and_nothing_in_loss():
    world, policies, tolerance = lower_bound(reward_gap=0.3)
    session = world.session(seed=1, policies=policies, tolerance=tolerance)
    for number in range(1, 201):
        context, actions = session.ask()
        shown = list(actions).index(revealing_action(context, actions))
        session.answer(tiny.decision(number, context, actions, shown))
    assert session.tally()["reward_regret"] == pytest.approx(200 * 0.3)
    assert session.tally()["constraint_regret"] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k is 0; it must be a whole number from 1"),
        ({"tilt": 0.6}, r"tilt is 0\.6"),
        ({"reward_gap": -0.1}, r"reward_gap is -0\.1"),
        ({"tolerance": 2}, "tolerance is 2"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, message):
    with pytest.raises(InvalidInputError, match=message):
        lower_bound(**settings)
