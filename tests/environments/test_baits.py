"""Worlds with a bait: what they are made of, and the figures that they are known by."""

from __future__ import annotations

import numpy as np
import pytest

from typeover.environments import STARVING_BLENDS, STARVING_TOLERANCE, bait_world, h6, h20, hr, starving, w2
from typeover.errors import InvalidInputError

ROWS = np.arange(300)
SEEDS = range(20)


def parts(setting):
    """What is wanted, the bait, and the votes."""
    world, policies, _ = setting
    n_actions = world.losses.shape[1]
    wanted = world.answer_probabilities.argmax(axis=1)
    return wanted, world.tables.rewards[:, :, 0].argmax(axis=1), policies.votes(ROWS, range(n_actions))


def truth(setting):
    """Reward of the best feasible policy, reward of the bait, and by how much the bait exceeds the tolerance."""
    world = setting.world
    benchmark = world.benchmark(setting.policies, setting.tolerance)
    _, bait, _ = parts(setting)
    excess = world.expected_losses[ROWS, bait].mean() - benchmark.losses.min() - setting.tolerance
    return benchmark.rewards[benchmark.policy], world.expected_rewards[ROWS, bait].mean(), excess


@pytest.mark.parametrize(("careless", "feasible", "bait"), [(0.7, 0.60, 0.72), (1.0, 0.64, 0.95)])
def test_w2_is_known_by_its_figures(careless, feasible, bait):
    """Means over 20 seeds; a single world is off by 0.01."""
    found = np.mean([truth(w2(careless=careless, seed=seed)) for seed in SEEDS], axis=0)
    assert found == pytest.approx([feasible, bait, 0.24], abs=0.02)


@pytest.mark.parametrize(
    ("make", "figures"),
    [
        (lambda seed: h6(seed=seed), [0.65, 0.95, 0.18]),
        (lambda seed: h20(seed=seed), [0.62, 0.95, 0.21]),
        (lambda seed: hr(seed=seed), [0.69, 0.95, 0.11]),
    ],
)
def test_in_every_world_with_a_bait_it_pays_more_than_any_feasible_policy_and_breaks_the_constraint(make, figures):
    found = np.mean([truth(make(seed)) for seed in SEEDS], axis=0)
    assert found == pytest.approx(figures, abs=0.02)


@pytest.mark.parametrize("n_actions", [6, 20])
def test_rewards_and_users_are_those_of_the_description(n_actions):
    world = bait_world(careless=0.7, n_actions=n_actions, seed=4)
    rewards = world.tables.rewards[:, :, 0]
    assert world.tables.is_coin
    assert (world.tables.rewards == rewards[:, :, None]).all()
    assert ((rewards == 0.95).sum(axis=1) == 1).all()
    rest = rewards[rewards < 0.95]
    assert ((rest >= 0.3) & (rest <= 0.8)).all()
    is_wrong = world.losses > 0.02
    assert world.tables.acceptance[is_wrong] == pytest.approx(np.full(is_wrong.sum(), 0.7))
    assert (world.tables.acceptance[~is_wrong] == 1).all()
    assert set(np.unique(world.answer_probabilities)) == {0.0, 1.0}


def test_w2_holds_one_policy_that_plays_what_is_wanted_and_one_that_plays_the_bait():
    wanted, bait, votes = parts(w2(seed=4))
    assert votes.shape == (300, 200)
    assert (votes == wanted[:, None]).all(axis=0).sum() == 1
    assert (votes == bait[:, None]).all(axis=0).sum() == 1


@pytest.mark.parametrize("make", [h6, h20, hr])
def test_no_other_world_with_a_bait_holds_an_exact_policy(make):
    wanted, bait, votes = parts(make(seed=4))
    assert votes.shape == (300, 200)
    for aim in (wanted, bait):
        assert (votes == aim[:, None]).mean(axis=0).max() < 0.95


@pytest.mark.parametrize(("make", "low", "high"), [(w2, 0.7, 1.0), (h6, 0.55, 0.85), (h20, 0.55, 0.85)])
def test_policies_run_evenly_from_what_is_wanted_to_the_bait_with_the_quality_stated(make, low, high):
    """Hits of either aim: q + (1 - q) 2 / K where the two differ, and each aim is met equally often on average."""
    wanted, bait, votes = parts(make(n_policies=1000, seed=4))
    apart = wanted != bait
    right, lured = (votes[apart] == wanted[apart, None]).mean(axis=0), (votes[apart] == bait[apart, None]).mean(axis=0)
    q, n_actions = (low + high) / 2, 20 if make is h20 else 6
    assert (right + lured).mean() == pytest.approx(q + (1 - q) * 2 / n_actions, abs=0.02)
    assert right.mean() == pytest.approx(lured.mean(), abs=0.02)
    share = np.sort(lured / (right + lured))
    assert np.abs(share - np.linspace(0, 1, 1000)).max() < 0.15
    order = np.corrcoef(np.arange(1000), lured)[0, 1]
    assert abs(order) < 0.16  # shuffled; by chance above that with probability 4e-7


def test_in_hr_the_answer_is_drawn_anew_in_its_share_of_rounds():
    setting = hr(redrawn=0.3, seed=4)
    wanted, _, _ = parts(setting)
    expected = 0.7 * np.eye(6)[wanted] + 0.05
    assert setting.world.answer_probabilities == pytest.approx(expected)
    assert hr(redrawn=0, seed=4).world.answer_probabilities.tolist() == h6(seed=4).world.answer_probabilities.tolist()


def test_carelessness_changes_users_and_nothing_else():
    one, other = (w2(careless=careless, seed=3) for careless in (0.0, 1.0))
    assert one.world.losses.tolist() == other.world.losses.tolist()
    assert one.world.tables.rewards.tolist() == other.world.tables.rewards.tolist()
    assert parts(one)[2].tolist() == parts(other)[2].tolist()
    assert one.world.tables.acceptance.tolist() != other.world.tables.acceptance.tolist()


@pytest.mark.parametrize("make", [w2, h6, h20, hr, starving])
def test_the_same_seed_makes_the_same_world_and_another_seed_another(make):
    one, same, other = (make(seed=seed) for seed in (3, 3, 4))
    assert one.world.losses.tolist() == same.world.losses.tolist() != other.world.losses.tolist()
    assert parts(one)[2].tolist() == parts(same)[2].tolist() != parts(other)[2].tolist()


@pytest.mark.parametrize("good", [0, 1, 7, 100])
def test_starving_holds_a_hundred_imitators_and_as_many_followers_as_asked_one_of_each_exact(good):
    setting = starving(good=good, seed=4)
    wanted, paying, votes = parts(setting)
    assert votes.shape == (300, 200)
    right, paid = (votes == wanted[:, None]).mean(axis=0), (votes == paying[:, None]).mean(axis=0)
    assert right.max() == 1
    assert (paid.max() == 1) == (good > 0)
    # q + (1 - q) / 30 of q = sqrt(U) lies below 0.15 with probability 0.014, so nearly all can be told apart
    assert (right > 0.15).sum() == pytest.approx(100, abs=8)
    assert (paid > 0.15).sum() == pytest.approx(good, abs=8)


def test_in_starving_all_is_let_pass_all_is_feasible_and_every_round_tells_the_answer():
    world, policies, tolerance = starving(seed=4)
    wanted, paying, _ = parts(starving(seed=4))
    assert tolerance == STARVING_TOLERANCE == 1
    assert world.benchmark(policies, tolerance).n_feasible == 200
    assert (world.tables.acceptance == 1).all()
    assert world.tables.is_told
    assert np.sort(world.expected_rewards, axis=1)[:, -3:].tolist() == [[0.1, 0.6, 0.9]] * 300
    assert (wanted != paying).all()
    assert world.benchmark(policies, tolerance).rewards.max() == pytest.approx(0.9)
    assert sorted(STARVING_BLENDS) == [0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: w2(careless=1.5), r"share is 1\.5; it must be a number from 0 to 1"),
        (lambda: w2(n_policies=0), r"n_policies is 0; it must be a whole number from 1"),
        (lambda: h6(n_contexts=0), r"n_contexts is 0; it must be a whole number from 1"),
        (lambda: hr(redrawn=2), r"redrawn is 2; it must be a number from 0 to 1"),
        (lambda: bait_world(careless=1, n_actions=1, seed=0), r"n_actions is 1; it must be a whole number from 2"),
        (lambda: starving(good=-1), r"good is -1; it must be a whole number from 0"),
        (lambda: starving(good=101), r"good is 101; with 100 imitators among 200 policies it may be at most 100"),
        (lambda: starving(n_policies=50), r"n_policies is 50; it must be a whole number from 100"),
    ],
)
def test_bad_settings_are_refused_by_name(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


def test_one_policy_alone_plays_what_is_wanted():
    wanted, _, votes = parts(w2(n_policies=2, seed=1))
    assert (votes == wanted[:, None]).all(axis=0).sum() == 1
    assert w2(n_policies=1, seed=1).policies.votes(ROWS, range(6)).shape == (300, 1)
