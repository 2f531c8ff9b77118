"""Habits of users: what each changes, what it leaves alone, and the truth about what is wanted, which none changes."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny
from typeover.environments import Careless, Exact, Hurried, Moody, Slipping, Soft, Tolerant, aligned_world
from typeover.environments.habits import nearest
from typeover.environments.users import Conduct, conduct

CHANCE = 1e-6
SHARES = st.floats(0, 1)


def cells(seed=0):
    """Losses and matches of a tiny world."""
    losses = tiny.world(seed).losses
    return losses, np.broadcast_to(np.eye(3, 4, dtype=bool), losses.shape)


def acted(user, seed=0):
    return conduct(user, *cells(seed))


@given(SHARES, SHARES)
def test_a_hurried_user_accepts_the_same_and_corrects_less(one, other):
    inner, outer = acted(Soft()), acted(Hurried(Hurried(Soft(), one), other))
    assert np.array_equal(outer.acceptance, inner.acceptance)
    assert outer.correction == pytest.approx(np.full((3, 3, 4), one * other))
    assert outer.entering is None


@given(SHARES, st.integers(0, 50))
def test_a_careless_user_lets_a_share_of_the_wrong_pass_and_accepts_the_right_as_before(share, seed):
    inner, outer = (acted(user, seed).acceptance for user in (Soft(), Careless(Soft(), share)))
    matches = cells()[1]
    assert np.array_equal(outer[matches], inner[matches])
    assert (1 - outer[~matches]) == pytest.approx((1 - share) * (1 - inner[~matches]))


def test_a_careless_user_of_share_0_is_the_one_that_is_wrapped_and_of_share_1_rejects_nothing_wrong():
    assert np.array_equal(acted(Careless(Tolerant(0.3), 0)).acceptance, acted(Tolerant(0.3)).acceptance)
    assert (acted(Careless(Tolerant(0.3), 1)).acceptance[~cells()[1]] == 1).all()


@given(SHARES, st.integers(0, 50))
def test_a_mood_turns_its_share_of_accepts_or_of_rejections_and_keeps_probabilities(swing, seed):
    user = Moody(Soft(), swing, seed)
    inner, outer, moods = acted(Soft()).acceptance, acted(user).acceptance, user.moods(3)
    assert np.abs(moods).max() <= swing
    for x, mood in enumerate(moods):
        if mood > 0:
            assert 1 - outer[x] == pytest.approx((1 - mood) * (1 - inner[x]))
        else:
            assert outer[x] == pytest.approx((1 + mood) * inner[x])
    assert ((outer >= 0) & (outer <= 1)).all()


def test_moods_have_nothing_to_do_with_delta():
    """The mood of a context is the same whatever the losses in it are."""
    user = Moody(Exact(), 0.5, seed=3)
    one, other = (acted(user, seed).acceptance for seed in (0, 1))
    assert np.array_equal(one, other)  # an exact user does not look at losses either
    assert len(set(user.moods(300))) == 300


@given(SHARES)
def test_a_slipping_user_enters_the_wanted_answer_or_the_nearest_other(share):
    outer, near = acted(Slipping(Soft(), share)), nearest(cells()[0])
    assert np.array_equal(outer.acceptance, acted(Soft()).acceptance)
    for x in range(3):
        for j in range(4):
            expected = np.zeros(4)
            expected[j] += 1 - share
            expected[near[x, j]] += share
            assert outer.entering[x, j] == pytest.approx(expected)


def test_the_nearest_other_answer_on_a_line_is_the_neighbour():
    world = aligned_world(alignment=1, n_contexts=40, seed=5)
    near = nearest(world.losses)
    others = world.losses + 2 * np.eye(6)
    assert np.array_equal(near, others.argmin(axis=1))


def test_an_answer_that_is_the_only_one_cannot_be_missed():
    assert nearest(np.zeros((2, 3, 1))).tolist() == [[0], [0]]
    assert conduct(Slipping(Exact(), 1.0), np.zeros((2, 3, 1)), np.ones((2, 3, 1), dtype=bool)).entering.tolist() == [
        [[1.0]],
        [[1.0]],
    ]


def test_slips_of_two_wrappers_follow_each_other():
    twice, near = acted(Slipping(Slipping(Exact(), 1.0), 1.0)).entering, nearest(cells()[0])
    for x in range(3):
        assert twice[x].argmax(axis=1).tolist() == near[x][near[x]].tolist()


@pytest.mark.parametrize("name", tiny.USERS)
def test_habits_change_what_is_earned_through_acceptance_alone_and_never_what_is_wanted(name):
    """Exact sums over everything that can happen, with what was entered summed out."""
    world, plain = tiny.world(user=tiny.USERS[name]), tiny.world()
    for a in range(3):
        rewards, losses = np.zeros(3), np.zeros(3)
        for x, j, accepted, probability in tiny.outcomes(world, [a] * 3):
            rewards[x] += accepted * probability / world.weights[x] * world.tables.rewards[x, a, j]
            losses[x] += probability / world.weights[x] * world.losses[x, a, j]
        assert world.expected_rewards[:, a] == pytest.approx(rewards, abs=1e-12)
        assert world.expected_losses[:, a] == pytest.approx(losses, abs=1e-12)
    assert np.array_equal(world.expected_losses, plain.expected_losses)


@pytest.mark.parametrize("name", tiny.USERS)
def test_corrections_and_slips_come_as_often_as_their_probabilities_say(name):
    """100,000 rounds of showing the second candidate; Hoeffding, fails with probability 1e-6."""
    world, n = tiny.world(user=tiny.USERS[name]), 100_000
    tape = world.session(seed=2, policies=tiny.tables(), tolerance=0.1).tape(n)
    responses = tape.respond(np.full(n, 1, dtype=np.int32), np.zeros(n, dtype=bool))
    own = conduct(world.user, world.losses, cells()[1])
    joint = world.weights[:, None] * world.answer_probabilities
    corrects = 1.0 if own.correction is None else own.correction[:, 1]
    revealed = joint * (1 - own.acceptance[:, 1]) * corrects
    entered = revealed if own.entering is None else np.einsum("xj,xji->xi", revealed, own.entering)
    off = math.sqrt(math.log(2 * 13 / CHANCE) / (2 * n))
    assert abs(responses.revealed.mean() - revealed.sum()) <= off
    seen = np.zeros((3, 4))
    np.add.at(seen, (tape.contexts[responses.revealed], responses.entered[responses.revealed]), 1 / n)
    assert np.abs(seen - entered).max() <= off
    assert (responses.entered[~responses.revealed] == -1).all()


def test_habits_shift_no_stream_that_was_there_before():
    plain, *others = (
        tiny.world(user=user).session(seed=3, policies=tiny.tables(), tolerance=0.1).tape(50)
        for user in tiny.USERS.values()
    )
    for tape in others:
        for column in ("contexts", "answers", "accept_uniforms", "reward_uniforms"):
            assert np.array_equal(getattr(tape, column), getattr(plain, column))
    stacked = others[-1]
    assert len(np.intersect1d(stacked.correction_uniforms, stacked.slip_uniforms)) == 0


def test_audits_are_always_answered_and_their_answers_are_not_volunteered():
    world = tiny.world(user=Hurried(Exact(), 0.0))
    session = world.session(seed=3, policies=tiny.tables(), tolerance=0.1)
    for number in range(1, 101):
        context, actions = session.ask()
        feedback = session.answer(tiny.decision(number, context, actions, 0, revealing=number % 2 == 0))
        assert feedback.revealed == (number % 2 == 0)
    tally = session.tally()
    assert (tally["audits"], tally["corrections"]) == (50, 0)
    assert 0 < tally["accepted"] < 50  # the rest was dismissed


def test_users_with_habits_are_compared_and_printed_by_their_settings():
    user = Slipping(Hurried(Careless(Soft())))
    assert user == Slipping(Hurried(Careless(Soft(0.02), 0.2), 0.85), 0.08)
    assert repr(user).startswith("Slipping(user=Hurried(user=Careless(user=Soft(")
    with pytest.raises(AttributeError):
        user.share = 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hurried(Exact(), 1.1), "correction_share is 1.1; it must be a number from 0 to 1"),
        (lambda: Careless(Exact(), -0.1), "share is -0.1; it must be a number from 0 to 1"),
        (lambda: Moody(Exact(), 2), "swing is 2; it must be a number from 0 to 1"),
        (lambda: Moody(Exact(), seed=0.5), "seed is 0.5; it must be a whole number from 0"),
        (lambda: Slipping(Exact(), math.nan), "share is nan; it must be a number from 0 to 1"),
        (lambda: tiny.world(user=Hurried(3)), r"user is 3; it must have a method acceptance"),
        (lambda: tiny.world(user=Wild(correction=np.full((3, 3, 4), 2.0))), "how often the user corrects contains 2.0"),
        (
            lambda: tiny.world(user=Wild(entering=np.ones((3, 4, 4)))),
            "what the user enters has entries from 1 and sums",
        ),
        (lambda: tiny.world(user=Wild(entering=np.eye(4))), r"what the user enters has shape \(4, 4\)"),
    ],
)
def test_bad_habits_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


class Wild(msgspec.Struct):
    correction: np.ndarray | None = None
    entering: np.ndarray | None = None

    def conduct(self, losses, matches):
        return Conduct(matches.astype(float), self.correction, self.entering)
