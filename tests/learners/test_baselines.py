from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from typeover.core.feedback import Feedback
from typeover.core.state import State
from typeover.environments import Exact, TabularWorld, w1
from typeover.errors import InvalidInputError
from typeover.evaluation import simulate
from typeover.learners import CorrectionOnly, Fixed, RewardOnly, Uniform
from typeover.losses import Table
from typeover.policies import Constant, Mixture, PolicySet

NAMES = tiny.NAMES
LINE = Table([[0, 0.2, 0.9], [0.2, 0, 0.7], [0.9, 0.7, 0]], items=NAMES)
EACH = PolicySet([Constant(name) for name in NAMES], names=NAMES)


def hear(learner, suggestion, feedback, context="x"):
    decision = learner.decide(context, NAMES)
    learner.learn(msgspec.structs.replace(decision, suggestion=suggestion, index=suggestion), feedback)
    return decision


# RewardOnly


def test_reward_only_explores_one_block_and_then_plays_the_best_mean_reward():
    learner = RewardOnly(policies=EACH, horizon=10, block=3, seed=1)
    shown = [hear(learner, a, Feedback(reward=r)) for a, r in ((0, 0.2), (1, 0.5), (0, 0.4))]
    assert [d.propensities.tolist() for d in shown] == [[1 / 3] * 3] * 3
    assert learner._sums["rewards"].tolist() == pytest.approx([1.8, 1.5, 0])  # 3 (0.2 + 0.4), 3 * 0.5
    assert [learner.decide("x", NAMES).action for _ in range(5)] == ["refund"] * 5
    assert learner.figures()["plays"] == {"refund": 1.0}


def test_reward_only_is_deaf_to_what_was_entered():
    plain, told = (RewardOnly(policies=EACH, horizon=10, block=3, seed=1) for _ in range(2))
    for a in (0, 1, 2):
        hear(plain, a, Feedback())
        hear(told, a, Feedback(correction="thanks"))
    assert plain._sums["rewards"].tolist() == told._sums["rewards"].tolist() == [0, 0, 0]
    assert plain.decide("x", NAMES).action == told.decide("x", NAMES).action
    assert (plain.figures()["dismissals"], told.figures()["corrections"]) == (3, 3)


def test_reward_only_never_audits_and_learns_nothing_after_its_block():
    learner = RewardOnly(policies=EACH, horizon=10, block=1, seed=1)
    hear(learner, 1, Feedback(reward=1.0))
    before = learner._sums["rewards"].copy()
    for _ in range(9):
        assert not hear(learner, 0, Feedback(reward=1.0)).revealing
    assert learner._sums["rewards"].tolist() == before.tolist()
    assert learner.figures()["audits"] == 0


def test_reward_only_follows_late_answers():
    learner = RewardOnly(policies=EACH, horizon=10, block=1, seed=1)
    first = msgspec.structs.replace(learner.decide("x", NAMES), suggestion=2)
    assert learner.decide("x", NAMES).action == "refund"  # nothing heard: the first of equals
    learner.learn(first, Feedback(reward=1.0))
    assert learner.decide("x", NAMES).action == "thanks"


def test_reward_only_falls_for_the_bait():
    """What pays most is furthest from what users want, and they let it pass.

    Means of 3 r 1(a = .) over 10,000 rounds are 0.4 apart and move by at most 6 a round: by Hoeffding the wrong one
    leads with probability below 2 exp(-2 10,000 (0.4 / 6)^2) = 5e-39.
    """

    class Careless:
        def acceptance(self, losses, matches):
            return np.ones(losses.shape)

    world = TabularWorld(
        contexts=[0],
        actions=NAMES,
        answers=NAMES,
        answer_probabilities=[[1, 0, 0]],
        losses=[LINE.deltas(NAMES, "refund")],
        rewards=[[0.2, 0.5, 0.9]],
        user=Careless(),
    )
    learner = RewardOnly(policies=EACH, horizon=20_000, block=10_000, seed=2)
    run = simulate(world, learner, rounds=20_000, seed=0, tolerance=0.05, at=[10_000])
    assert learner.figures()["plays"] == {"thanks": 1.0}
    assert world.values(EACH)[1].argmax() == 2
    late = run.between(10_000, 20_000)
    assert late["reward_regret"] == pytest.approx(0.2 - 0.9)  # it looks better than what is allowed
    assert late["violation"] == pytest.approx(0.9 - 0.05)


# CorrectionOnly


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=40))
def test_correction_only_sums_the_losses_of_what_users_typed(rounds):
    world, policies = tiny.world(), tiny.randomised()
    learner = CorrectionOnly(policies=policies, loss=world.loss, seed=1)
    expected = np.zeros(len(policies))
    for x, j in rounds:
        learner.learn(learner.decide(x, NAMES), Feedback(correction=tiny.ANSWERS[j]))
        expected += policies.vote(x, NAMES) @ world.losses[x, :, j]
    assert learner._sums["losses"] == pytest.approx(expected)
    assert learner.figures()["learnt_from"] == len(rounds)


def test_correction_only_hears_no_reward():
    learner = CorrectionOnly(policies=EACH, loss=LINE, first=3, seed=1)
    for _ in range(3):
        hear(learner, 2, Feedback(reward=1.0))
    hear(learner, 0, Feedback(accepted=None, reward=1.0))
    hear(learner, 0, Feedback())
    assert learner._sums["losses"].tolist() == [0, 0, 0]
    assert learner.figures()["learnt_from"] == 0


def test_correction_only_looks_again_at_growing_times():
    learner = CorrectionOnly(policies=EACH, loss=LINE, first=4, growth=2.0, seed=1)
    versions = [hear(learner, 0, Feedback(correction="thanks")).version for _ in range(40)]
    changes = [t + 1 for t in range(1, 40) if versions[t] > versions[t - 1]]
    assert changes == [5, 11, 23]  # each stage ends at twice its first round
    assert learner.decide("x", NAMES).action == "thanks"


def test_correction_only_is_misled_by_users_who_let_things_pass():
    """Only invoices are typed over, with what is nearest to them: the policy that users want is never learnt."""

    class Selective:
        def acceptance(self, losses, matches):
            accepts = np.ones(losses.shape)
            accepts[:, :, 1] = matches[:, :, 1]  # who wants an invoice corrects; all others let pass
            return accepts

    world = TabularWorld(
        contexts=[0],
        actions=NAMES,
        answers=NAMES,
        answer_probabilities=[[0.2, 0.1, 0.7]],
        losses=np.stack([LINE.deltas(NAMES, answer) for answer in NAMES], axis=1)[None],
        rewards=np.ones((1, 3)),
        user=Selective(),
    )
    learner = CorrectionOnly(policies=EACH, loss=world.loss, seed=1)
    simulate(world, learner, rounds=2000, seed=0, tolerance=0.05)
    assert learner.figures()["plays"] == {"invoice": 1.0}
    assert world.values(EACH)[1].argmin() == 2


# Uniform


def test_uniform_shows_each_candidate_as_often_and_learns_nothing():
    """4,000 draws of 3; by Hoeffding a share is off by 0.05 with probability below 3 * 2 exp(-20) = 1.3e-8."""
    learner = Uniform(policies=EACH, seed=5)
    shown = []
    for _ in range(4000):
        decision = learner.decide("x", NAMES)
        learner.learn(decision, Feedback(reward=float(decision.index == 0), accepted=decision.index == 0))
        shown.append(decision.index)
    assert np.bincount(shown) / 4000 == pytest.approx([1 / 3] * 3, abs=0.05)
    assert {name.partition(".")[0] for name in learner.state().arrays} == {"ledger"}
    assert learner.figures()["plays"] == "uniform over the candidates"
    assert learner.figures()["accepted_share"] == pytest.approx(1 / 3, abs=0.05)


def test_uniform_takes_as_many_candidates_as_there_are():
    learner = Uniform(policies=EACH, seed=5)
    for n in (1, 2, 7):
        assert learner.decide("x", list(range(n))).propensities.tolist() == [1 / n] * n


def test_learners_of_different_kinds_with_one_seed_draw_from_streams_of_their_own():
    one, other = Uniform(policies=EACH, seed=5), RewardOnly(policies=EACH, horizon=1000, block=1000, seed=5)
    drawn = [[learner.decide("x", [*NAMES, *range(1000)]).index for _ in range(10)] for learner in (one, other)]
    assert drawn[0] != drawn[1]


def test_a_generator_may_take_the_place_of_a_seed():
    one, other = (Uniform(policies=EACH, rng=np.random.default_rng(3)) for _ in range(2))
    assert [one.decide("x", NAMES).index for _ in range(20)] == [other.decide("x", NAMES).index for _ in range(20)]


def test_in_one_world_all_baselines_meet_the_same_users():
    world = tiny.world(user=Exact())
    runs = [
        simulate(
            world, Uniform(policies=tiny.tables(), seed=seed), rounds=50, seed=9, tolerance=0.05, compiled=compiled
        )
        for seed, compiled in ((1, True), (1, False))
    ]
    assert runs[0].reward.tolist() == runs[1].reward.tolist()


# Fixed


@pytest.mark.parametrize("policy", [1, "invoice", np.int64(1)])
def test_fixed_plays_one_policy_by_place_or_name_whatever_it_hears(policy):
    learner = Fixed(policies=EACH, policy=policy, seed=1)
    for _ in range(10):
        decision = learner.decide("x", NAMES)
        assert (decision.action, decision.propensities.tolist()) == ("invoice", [0, 1, 0])
        learner.learn(decision, Feedback(correction="refund"))
    assert learner.figures()["plays"] == {"invoice": 1.0}
    assert learner.figures()["corrections"] == 10


def test_fixed_plays_a_saved_mixture_with_its_propensities(tmp_path):
    world, policies = tiny.world(), tiny.randomised()
    path = Mixture(policies, support=[3, 1], weights=[0.75, 0.25]).state().save(tmp_path / "mixture.npz")
    mixture = Mixture.from_state(State.load(path), policies=policies)
    learner = Fixed(policies=policies, mixture=mixture, seed=1)
    for x in range(3):
        expected = 0.75 * policies.vote(x, NAMES)[3] + 0.25 * policies.vote(x, NAMES)[1]
        assert learner.decide(x, NAMES).propensities == pytest.approx(expected, abs=1e-15)
    run = simulate(world, learner, rounds=100, seed=1, tolerance=0.1)
    assert run.audits[-1] == 0


def test_fixed_has_no_regret_where_it_plays_the_benchmark():
    world, policies, tolerance = w1(n_policies=20)
    best = world.benchmark(policies, tolerance)
    policy = simulate(world, Fixed(policies=policies, policy=best.policy, seed=1), rounds=500, seed=2, tolerance=0.05)
    assert policy.reward_regret[-1] == pytest.approx(0, abs=1e-9)


def test_a_mixture_over_other_policies_is_refused():
    mixture = Mixture(tiny.tables(policies=4), support=[0], weights=[1.0])
    with pytest.raises(InvalidInputError, match="over other policies; give the set that it was made with"):
        Fixed(policies=tiny.tables(), mixture=mixture)
