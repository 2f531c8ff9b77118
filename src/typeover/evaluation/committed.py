"""EFBO at any horizon, beside what Theorem 2 promises: exploration is simulated, what follows is exact.

Once it has committed to a mixture Q its expected regret per round is r(pi*) - r(Q), so 1e8 rounds cost no more than the
exploration. Theorem 2 holds for every alpha with its slack d(alpha), so the least of the bounds over alpha is compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, cast

from typeover.environments import Setting, TabularWorld
from typeover.evaluation.simulate import simulate
from typeover.learners import EFBO
from typeover.policies import Mixture
from typeover.theory import blend_grid, efbo_constraint_regret, efbo_reward_regret, least_bound, similarity_curve


class Regret(NamedTuple):
    """Per round, against the best feasible policy where not said otherwise."""

    reward: float
    """Audits earn nothing."""
    constraint: float
    """An audit that shows nothing counts as Delta = 1."""
    reward_mixture: float
    """Reward, against the best feasible mixture."""


class Sums(NamedTuple):
    """Over a stretch of rounds; the regrets as in `Regret`, not yet divided."""

    reward: float
    constraint: float
    reward_mixture: float
    fidelity: float
    """Over rounds that showed something: Delta minus that of the most faithful policy."""
    shown: float


class Phases(NamedTuple):
    """What exploring cost and what is lost after it."""

    exploring: Sums
    committed: Sums


class Promise(NamedTuple):
    """One horizon and seed: what was measured and what was promised."""

    horizon: int
    seed: int
    measured: Regret
    promised: Regret
    """Against the best feasible policy; Theorem 2 says nothing about mixtures, so that entry is infinite."""
    uniform: float
    """Reward regret of uniform play: a bound above it says nothing."""
    binds: bool
    """Whether the constraint costs reward in this world; if not, it tests nothing."""


def efbo_promise(settings: Iterable[Setting], horizons: Iterable[int]) -> list[Promise]:
    """EFBO with T0 = T^(2/3) in each of these worlds (numbered by seed) at each horizon."""
    lengths = list(horizons)
    return [promise(setting, horizon, seed=seed) for seed, setting in enumerate(settings) for horizon in lengths]


def phases(world: TabularWorld, learner: EFBO, *, horizon: int, seed: int) -> Phases:
    """Simulate the exploration and the first round after it; compute the rest."""
    run = simulate(world, learner, rounds=learner.explores + 1, seed=seed, at=[learner.explores])
    exploring = (run.reward_regret, run.constraint_regret, run.reward_regret_mixture, run.fidelity_regret, run.shown)
    benchmark = world.benchmark(learner.policies, learner.tolerance)
    mixture = cast("Mixture", learner.mixture)  # a round after the exploration was played, so it has committed
    earned = float(mixture.weights @ benchmark.rewards[mixture.support])
    lost = float(mixture.weights @ benchmark.losses[mixture.support])
    rest, star = horizon - learner.explores, benchmark.policy
    committed = Sums(
        reward=rest * (float(benchmark.rewards[star]) - earned),
        constraint=rest * (lost - float(benchmark.losses[star])),
        reward_mixture=rest * (benchmark.mixture.reward - earned),
        fidelity=rest * (lost - float(benchmark.losses[benchmark.least])),
        shown=float(rest),
    )
    return Phases(Sums(*(float(sums[0]) for sums in exploring)), committed)


def expected_regret(world: TabularWorld, learner: EFBO, *, horizon: int, seed: int) -> Regret:
    """Both phases together, per round."""
    found = phases(world, learner, horizon=horizon, seed=seed)
    reward, constraint, mixture, *_ = ((a + b) / horizon for a, b in zip(*found, strict=True))
    return Regret(reward, constraint, mixture)


def promise(setting: Setting, horizon: int, *, seed: int) -> Promise:
    """EFBO with T0 = T^(2/3) in this world at this horizon, measured and promised."""
    world, policies, tolerance = setting
    learner = EFBO(policies=policies, loss=world.loss, tolerance=tolerance, horizon=horizon, seed=seed)
    rewards, losses = world.values(policies)
    n_actions, block = world.expected_rewards.shape[1], learner.block
    curve = similarity_curve(rewards, losses, tolerance)
    least = least_bound(
        curve,
        lambda alpha, slack: efbo_reward_regret(
            horizon=horizon, block=block, blends=blend_grid(n_actions, horizon), n_actions=n_actions,
            n_policies=len(policies), alignment=alpha, slack=slack,
        ),
    )  # fmt: skip
    uniform = float(rewards[curve.best] - world.weights @ world.expected_rewards.mean(axis=1))
    allowed = efbo_constraint_regret(horizon=horizon, block=block, n_policies=len(policies), tolerance=tolerance)
    measured = expected_regret(world, learner, horizon=horizon, seed=seed)
    binds = bool(rewards.max() > rewards[curve.best])
    return Promise(horizon, seed, measured, Regret(least, allowed, math.inf), uniform, binds)
