from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from typeover.core.tape import Tape
from typeover.environments import Exact, TabularWorld, Tolerant, aligned_world, w1
from typeover.errors import InvalidInputError
from typeover.policies import PolicySet

NAMES = tiny.NAMES
CHANCE = 1e-6


def hoeffding(n, events):
    """How far a mean of n can be off, for that many means at once, but with probability CHANCE."""
    return math.sqrt(math.log(2 * events / CHANCE) / (2 * n))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_values_are_those_of_summing_over_everything_that_can_happen(seed, is_coin, is_randomised):
    world = tiny.world(seed, is_coin=is_coin)
    policies = (tiny.randomised if is_randomised else tiny.tables)(seed)
    rewards, losses = np.zeros(len(policies)), np.zeros(len(policies))
    for x in range(3):
        for a in range(3):
            for j in range(4):
                cell = world.weights[x] * world.answer_probabilities[x, j]
                earned = world.tables.acceptance[x, a, j] * world.tables.rewards[x, a, j]
                vote = policies.vote(x, NAMES)
                share = (vote == a) if vote.ndim == 1 else vote[:, a]
                rewards += share * cell * earned
                losses += share * cell * world.losses[x, a, j]
    found = world.values(policies)
    assert found[0] == pytest.approx(rewards, abs=1e-12)
    assert found[1] == pytest.approx(losses, abs=1e-12)


def test_contexts_and_answers_come_as_often_as_their_probabilities_say():
    """100,000 draws, 12 cells; fails with probability 1e-6 if the sampler is right."""
    world, n = tiny.world(3), 100_000
    contexts, answers = world.cells(np.random.default_rng(0).random(n))
    seen = np.zeros((3, 4))
    np.add.at(seen, (contexts, answers), 1 / n)
    joint = world.weights[:, None] * world.answer_probabilities
    assert np.abs(seen - joint).max() <= hoeffding(n, 12)


def test_users_accept_and_pay_as_often_as_their_probabilities_say():
    """100,000 rounds of showing the second candidate; fails with probability 1e-6."""
    world, n = tiny.world(3), 100_000
    tape = world.tape(*np.random.default_rng(1).random((3, n)))
    responses = tape.respond(np.full(n, 1, dtype=np.int32), np.zeros(n, dtype=bool))
    joint = world.weights[:, None] * world.answer_probabilities
    accepted = (joint * world.tables.acceptance[:, 1]).sum()
    assert abs(responses.accepted.mean() - accepted) <= hoeffding(n, 2)
    assert abs(responses.rewards.mean() - world.weights @ world.expected_rewards[:, 1]) <= hoeffding(n, 2)
    assert set(responses.rewards.tolist()) == {0.0, 1.0}
    assert not responses.rewards[~responses.accepted].any()


def test_in_a_session_what_users_want_accept_and_pay_are_drawn_independently():
    """100,000 rounds; fails with probability 1e-6. Shared uniforms would tie acceptance to the context."""
    world, policies, n = tiny.world(3), tiny.tables(), 100_000
    tape = world.session(seed=7, policies=policies, tolerance=0.1).tape(n)
    responses = tape.respond(np.full(n, 1, dtype=np.int32), np.zeros(n, dtype=bool))
    joint = world.weights[:, None] * world.answer_probabilities
    assert abs(responses.accepted.mean() - (joint * world.tables.acceptance[:, 1]).sum()) <= hoeffding(n, 2)
    assert abs(responses.rewards.mean() - world.weights @ world.expected_rewards[:, 1]) <= hoeffding(n, 2)


def test_without_coins_the_mean_itself_is_paid():
    world = tiny.world(3, is_coin=False)
    tape = world.tape(*np.random.default_rng(1).random((3, 100)))
    responses = tape.respond(np.full(100, 1, dtype=np.int32), np.zeros(100, dtype=bool))
    expected = np.where(responses.accepted, world.tables.rewards[tape.contexts, 1, tape.answers], 0)
    assert responses.rewards.tolist() == expected.tolist()


def test_cells_of_probability_zero_are_never_drawn_and_the_last_takes_rounding():
    world = TabularWorld(
        contexts=["never", "x", "not either"], actions=["a"], answers=["a", "b", "c"], user=Exact(),
        weights=[0, 1, 0], answer_probabilities=[[1, 0, 0], [0.5, 0.5, 0], [1, 0, 0]],
        losses=np.zeros((3, 1)), rewards=np.zeros((3, 1)),
    )  # fmt: skip
    contexts, answers = world.cells(np.array([0.0, 0.25, 0.5, 1 - 2**-53]))
    assert contexts.tolist() == [1, 1, 1, 1]
    assert answers.tolist() == [0, 0, 1, 1]


def test_on_an_audit_nobody_accepts_whatever_is_shown():
    world = tiny.world()
    tape = world.tape(*np.random.default_rng(1).random((3, 100)))
    shown = np.arange(100, dtype=np.int32) % 4 - 1
    assert not tape.respond(shown, np.ones(100, dtype=bool)).accepted.any()
    assert not tape.respond(np.full(100, -1, dtype=np.int32), np.zeros(100, dtype=bool)).accepted.any()


def test_a_cut_of_a_tape_holds_the_rounds_between():
    tape = tiny.world().tape(*np.random.default_rng(1).random((3, 10)))
    part = tape.cut(3, 7)
    assert isinstance(part, Tape)
    assert part.contexts.tolist() == tape.contexts[3:7].tolist()
    assert part.reward_uniforms.tolist() == tape.reward_uniforms[3:7].tolist()


def test_the_loss_of_a_world_is_its_table_and_knows_no_other_world():
    world = tiny.world()
    assert world.loss.deltas(NAMES, "a complaint", 1).tolist() == world.losses[1, :, 3].tolist()
    for actions, answer, context in ((NAMES, "refund", 9), (NAMES, "unheard of", 1), (NAMES[::-1], "refund", 1)):
        with pytest.raises(InvalidInputError, match="is not of this world"):
            world.loss.deltas(actions, answer, context)


def test_one_table_of_losses_serves_every_answer():
    world = TabularWorld(
        contexts=[0], actions=["a", "b"], answers=["a", "b"], answer_probabilities=[[0.5, 0.5]], losses=[[0.2, 0.3]],
        rewards=[[1, 0]], user=Exact(),
    )  # fmt: skip
    assert world.losses.tolist() == [[[0.2, 0.2], [0.3, 0.3]]]


def test_the_same_world_may_have_other_users():
    world = tiny.world()
    other = world.with_user(Exact())
    assert other.losses.tolist() == world.losses.tolist()
    assert other.answer_probabilities.tolist() == world.answer_probabilities.tolist()
    assert other.tables.acceptance.tolist() != world.tables.acceptance.tolist()
    assert other.tables.acceptance[0].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


def test_the_same_world_may_pay_otherwise_or_tell_every_answer():
    world = tiny.world(user=Exact())
    paid = world.but(rewards=np.zeros((3, 3)))
    assert not paid.tables.rewards.any()
    assert (paid.user, paid.tables.is_told) == (world.user, False)
    told = world.but(is_told=True)
    assert told.tables.is_told
    assert told.tables.rewards.tolist() == world.tables.rewards.tolist()
    assert told.but(user=tiny.USERS["soft"]).tables.is_told


def test_other_users_may_live_where_candidates_are_numbers():
    world = w1(n_policies=1).world
    other = world.with_user(Exact())
    assert other.tables.actions == world.tables.actions
    assert all(candidates is other.tables.actions[0] for candidates in other.tables.actions)


# Users


def test_an_exact_user_accepts_the_answer_alone():
    world = tiny.world(user=Exact())
    assert world.tables.acceptance.sum() == 3 * 3
    assert world.expected_rewards == pytest.approx(
        world.answer_probabilities[:, :3] * np.stack([np.diag(world.tables.rewards[x]) for x in range(3)])
    )


@given(st.floats(0, 1), st.integers(0, 100))
def test_a_tolerant_user_replaces_a_suggestion_exactly_when_it_is_further_than_the_bias_bound(nu, seed):
    """Assumption 3: what is accepted is within nu of the answer."""
    world = tiny.world(seed, user=Tolerant(nu))
    assert np.array_equal(world.tables.acceptance == 1, world.losses <= nu)
    assert set(np.unique(world.tables.acceptance)) <= {0.0, 1.0}


def test_a_suggestion_at_the_bias_bound_itself_is_accepted():
    assert Tolerant(0.25).acceptance(np.array([0.0, 0.25, 0.26]), None).tolist() == [1, 1, 0]


# W1


def test_w1_is_the_world_of_its_description():
    world, policies, tolerance = w1(alignment=0.5, bias_bound=0.1, seed=4)
    assert (len(world.tables.contexts), len(policies), tolerance) == (300, 200, 0.05)
    assert world.losses.shape == (300, 6, 6)
    assert world.weights.tolist() == [1 / 300] * 300
    assert world.losses == pytest.approx(world.losses.swapaxes(1, 2))
    assert not world.losses[:, range(6), range(6)].any()
    for i, m, j in ((0, 1, 2), (3, 5, 4)):  # distances on a line
        assert (world.losses[:, i, j] <= world.losses[:, i, m] + world.losses[:, m, j] + 1e-12).all()
    assert set(np.unique(world.answer_probabilities)) == {0.0, 1.0}
    assert np.array_equal(world.tables.acceptance == 1, world.losses <= 0.1)
    assert world.tables.is_coin


def test_alignment_says_how_far_rewards_agree_with_fidelity():
    wholly, half, not_at_all = (aligned_world(alignment=a, seed=4) for a in (1, 0.5, 0))
    assert wholly.tables.rewards == pytest.approx(1 - wholly.losses)
    assert half.tables.rewards == pytest.approx((wholly.tables.rewards + not_at_all.tables.rewards) / 2)
    noise = not_at_all.tables.rewards
    assert (noise == noise[:, :, :1]).all()  # says nothing about the answer
    assert abs(noise[:, :, 0].mean() - 0.5) <= hoeffding(1800, 1)


def test_policies_of_w1_play_what_is_wanted_or_what_pays_with_their_quality():
    """With probability q + (1 - q)/6 a policy hits its aim; over 2,000 policies the mean of q = sqrt(U) is 2/3."""
    world, policies, _ = w1(alignment=0, n_policies=2000, seed=4)
    votes = policies.votes(range(300), range(6))
    wanted = world.answer_probabilities.argmax(axis=1)
    paying = world.tables.rewards[np.arange(300), :, wanted].argmax(axis=1)
    right, paid = (votes == wanted[:, None]).mean(axis=0), (votes == paying[:, None]).mean(axis=0)
    best = np.maximum(right, paid)
    # 2,000 independent q, each policy's share 300 draws: Hoeffding over both
    assert abs(best.mean() - (2 / 3 + 1 / 3 / 6)) <= 5 / 6 * hoeffding(2000, 1) + hoeffding(300 * 2000, 1)
    aims = right > paid
    assert 900 <= aims.sum() <= 1100  # half of them; the careless ones may look like either
    assert 400 <= aims[:1000].sum() <= 600  # shuffled: by Hoeffding off by 100 with probability below 4e-9


def test_the_same_seed_makes_the_same_w1_and_another_seed_another():
    one, same, other = (w1(seed=seed, n_policies=5) for seed in (3, 3, 4))
    assert one.world.losses.tolist() == same.world.losses.tolist()
    assert one.policies.votes(range(300), range(6)).tolist() == same.policies.votes(range(300), range(6)).tolist()
    assert one.world.losses.tolist() != other.world.losses.tolist()


def test_a_world_may_have_one_context_and_one_candidate():
    world = TabularWorld(
        contexts=["x"], actions=["a"], answers=["a", "b"], answer_probabilities=[[0.5, 0.5]], losses=[[[0, 1]]],
        rewards=[[1]], user=Exact(),
    )  # fmt: skip
    assert world.values(PolicySet([{"x": "a"}]))[0].tolist() == [0.5]


def test_losses_whose_axes_cannot_be_told_apart_are_refused():
    with pytest.raises(
        InvalidInputError, match=r"losses has shape \(3, 3\), which may be .* write losses\[:, :, None\]"
    ):
        TabularWorld(
            contexts=range(3), actions=range(3), answers=range(3), answer_probabilities=np.eye(3), losses=1 - np.eye(3),
            rewards=np.ones((3, 3)), user=Exact(),
        )  # fmt: skip
