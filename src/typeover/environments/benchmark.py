"""What regret is counted against: the best feasible policy, the best feasible mixture and the most faithful policy.

Regret of a round = value of the benchmark in this context minus expected value of what was shown. Its mean over
contexts is the paper's regret (Section 2); counting it context by context takes the luck of the contexts out.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Indices, Vector
from typeover.oracles import Solution, exact
from typeover.policies.mixture import spread
from typeover.theory import best_feasible, feasible

AUDIT_LOSS = 1.0
"""What an audit that shows nothing counts as in the constraint regret, as in the paper's bounds."""


class Benchmark(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Values per policy, the benchmarks among them, and their values per context."""

    tolerance: float
    rewards: Vector
    """E[r(pi)] per policy."""
    losses: Vector
    """E[Delta(pi)] per policy."""
    policy: int
    """pi*: the best feasible policy."""
    mixture: Solution
    """The best feasible mixture; mixes at most two policies."""
    least: int
    """The most faithful policy."""
    reward_table: Vector
    """E[r | x, a], the last column for nothing shown."""
    loss_table: Vector
    """E[Delta | x, a], the last column (`AUDIT_LOSS`) for nothing shown."""
    by_context: Vector
    """Shape (5, X): reward of policy and mixture, loss of least, policy and mixture, in each context."""

    @classmethod
    def build(
        cls, rewards: Vector, losses: Vector, tolerance: float, votes: NDArray[np.generic], reward_table: Vector,
        loss_table: Vector,
    ) -> Benchmark:  # fmt: skip
        """From the values per policy and what each policy does in each context."""
        mixture = exact(rewards, losses, tolerance)
        policy, least = best_feasible(rewards, losses, tolerance), int(np.argmin(losses))
        n_actions = reward_table.shape[1]

        def played(support: list[int], weights: Vector) -> Vector:
            return spread(votes[:, support], weights, n_actions)

        one = np.ones(1)
        star, best = played([policy], one), played(mixture.support.tolist(), mixture.weights)
        faithful = played([least], one)
        tables = (
            (star, reward_table),
            (best, reward_table),
            (faithful, loss_table),
            (star, loss_table),
            (best, loss_table),
        )
        nothing = np.zeros((len(reward_table), 1))
        return cls(
            tolerance=float(tolerance),
            rewards=rewards,
            losses=losses,
            policy=policy,
            mixture=mixture,
            least=least,
            reward_table=np.hstack([reward_table, nothing]),
            loss_table=np.hstack([loss_table, nothing + AUDIT_LOSS]),
            by_context=np.stack([(p * table).sum(axis=1) for p, table in tables]),
        )

    @property
    def n_feasible(self) -> int:
        """How many policies keep the constraint; if all do, it tests nothing."""
        return int(feasible(self.losses, self.tolerance).sum())

    def count(self, contexts: Indices, shown: Indices, revealing: NDArray[np.bool_]) -> Vector:
        """The regrets of these rounds, one row per field up to `shown` and `audits`: shape (8, n)."""
        reward_policy, reward_mixture, loss_least, loss_policy, loss_mixture = self.by_context[:, contexts]
        reward = np.where(revealing, 0.0, self.reward_table[contexts, shown])  # an audit earns nothing
        loss = self.loss_table[contexts, shown]
        is_shown = (shown >= 0).astype(np.float64)
        return np.stack(
            [
                reward_policy - reward, reward_mixture - reward, (loss - loss_least) * is_shown, loss * is_shown,
                loss - loss_policy, loss - loss_mixture, is_shown, revealing.astype(np.float64),
            ]
        )  # fmt: skip
