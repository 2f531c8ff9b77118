from __future__ import annotations

import math

import numpy as np
import pytest

from typeover.environments import w1, w2
from typeover.evaluation import simulate
from typeover.evaluation.committed import efbo_promise, expected_regret, phases
from typeover.learners import EFBO
from typeover.theory import blend_grid, efbo_constraint_regret, efbo_reward_regret, similarity_curve


def efbo(setting, horizon, **others):
    world, policies, tolerance = setting
    return EFBO(policies=policies, loss=world.loss, tolerance=tolerance, horizon=horizon, seed=1, **others)


@pytest.mark.parametrize("setting", [w1(alignment=0.5, seed=3), w2(careless=0.7, seed=3)], ids=["w1", "w2"])
def test_expected_regret_is_what_playing_it_out_costs(setting):
    """Contexts and the mixture's draws are bounded by 1 a round: Hoeffding fails with probability 1e-9 per figure."""
    horizon = 200_000
    expected = expected_regret(setting.world, efbo(setting, horizon), horizon=horizon, seed=5)
    run = simulate(setting.world, efbo(setting, horizon), rounds=horizon, seed=5)
    slack = math.sqrt(2 * math.log(2e9) / horizon)  # differences of rewards and of losses lie in [-1, 1]
    assert run.reward_regret[-1] / horizon == pytest.approx(expected.reward, abs=slack)
    assert run.constraint_regret[-1] / horizon == pytest.approx(expected.constraint, abs=slack)
    assert run.reward_regret_mixture[-1] / horizon == pytest.approx(expected.reward_mixture, abs=slack)


def test_after_the_exploration_the_regret_of_the_mixture_is_added_exactly():
    setting = w2(careless=0.7, seed=1)
    horizon, learner = 10_000, efbo(setting, 10_000, block=20)
    found = expected_regret(setting.world, learner, horizon=horizon, seed=2)
    explored = simulate(setting.world, efbo(setting, horizon, block=20), rounds=80, seed=2)
    rewards, losses = setting.world.values(setting.policies)
    benchmark = setting.world.benchmark(setting.policies, setting.tolerance)
    played = np.zeros(len(setting.policies))
    played[learner.mixture.support] = learner.mixture.weights
    reward = explored.reward_regret[-1] + (horizon - 80) * (rewards[benchmark.policy] - played @ rewards)
    constraint = explored.constraint_regret[-1] + (horizon - 80) * (played @ losses - losses[benchmark.policy])
    assert found.reward == pytest.approx(reward / horizon, abs=1e-12)
    assert found.constraint == pytest.approx(constraint / horizon, abs=1e-12)
    mixture = explored.reward_regret_mixture[-1] + (horizon - 80) * (benchmark.mixture.reward - played @ rewards)
    assert found.reward_mixture == pytest.approx(mixture / horizon, abs=1e-12)


def test_what_is_promised_is_the_least_bound_over_alignments():
    setting, horizon = w1(alignment=0.5, seed=0), 100_000
    (promise,) = efbo_promise([setting], [horizon])
    rewards, losses = setting.world.values(setting.policies)
    curve = similarity_curve(rewards, losses, 0.05)
    block = efbo(setting, horizon).block
    bounds = [
        efbo_reward_regret(
            horizon=horizon, block=block, blends=blend_grid(6, horizon), n_actions=6, n_policies=200,
            alignment=alpha, slack=curve(alpha),
        )
        for alpha in np.linspace(0, 4, 401).tolist()
    ]  # fmt: skip
    assert promise.promised.reward <= min(bounds) + 1e-3
    assert promise.promised.constraint == efbo_constraint_regret(
        horizon=horizon, block=block, n_policies=200, tolerance=0.05
    )
    assert promise.uniform == pytest.approx(rewards[curve.best] - setting.world.expected_rewards.mean())


def test_whether_the_constraint_costs_reward_is_said():
    """In W1 what is unfaithful is typed over and earns nothing; in W2 users let the bait pass."""
    horizons = [1000]
    assert not any(promise.binds for promise in efbo_promise([w1(alignment=0.5, seed=s) for s in range(3)], horizons))
    assert all(promise.binds for promise in efbo_promise([w2(careless=1.0, seed=s) for s in range(3)], horizons))


def test_without_the_constraint_or_with_the_worst_blend_the_figures_tell(monkeypatch):
    """What the comparison with Theorem 2 must be able to see."""
    settings, horizons = [w2(careless=1.0, seed=s) for s in range(3)], [100_000]
    sound = np.mean([promise.measured.constraint for promise in efbo_promise(settings, horizons)])
    with monkeypatch.context() as patch:
        saddle = EFBO._saddle
        patch.setattr(EFBO, "_saddle", lambda self, r, d: saddle(self, r, d * 0))
        free = np.mean([promise.measured.constraint for promise in efbo_promise(settings, horizons)])
    assert free > sound + 0.1
    sound = np.mean([promise.measured.reward for promise in efbo_promise(settings, horizons)])
    with monkeypatch.context() as patch:
        mean = EFBO._mean
        patch.setattr(EFBO, "_mean", lambda self, name: -mean(self, name) if name == "selection" else mean(self, name))
        worst = np.mean([promise.measured.reward for promise in efbo_promise(settings, horizons)])
    assert worst > sound


def test_the_phases_add_up_to_the_regret_per_round_and_to_every_round_shown():
    setting, horizon = w2(careless=0.7, seed=2), 10_000
    learner = efbo(setting, horizon)
    exploring, committed = phases(setting.world, learner, horizon=horizon, seed=3)
    found = expected_regret(setting.world, efbo(setting, horizon), horizon=horizon, seed=3)
    for name in ("reward", "constraint", "reward_mixture"):
        assert getattr(found, name) == pytest.approx((getattr(exploring, name) + getattr(committed, name)) / horizon)
    assert exploring.shown + committed.shown == horizon - 2 * learner.block


def test_the_fidelity_of_what_was_committed_to_is_counted_against_the_most_faithful_policy():
    setting, horizon = w2(careless=1.0, seed=2), 10_000
    learner = efbo(setting, horizon)
    committed = phases(setting.world, learner, horizon=horizon, seed=3).committed
    losses = setting.world.values(setting.policies)[1]
    played = learner.mixture.weights @ losses[learner.mixture.support]
    assert committed.fidelity / committed.shown == pytest.approx(played - losses.min())
