"""A stretch of a tabular world with its randomness fixed: what a user would do is decided before anything is shown.

A compiled learner reads from it only what its own action reveals; that it decides exactly as the learner that is asked
round by round, which cannot see a tape, is tested for every learner that has such a path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from typeover.core.arrays import Flags, Indices, Vector


class Tables(NamedTuple):
    """What a tabular world does, per context x, candidate a and possible answer j."""

    acceptance: Vector
    """P(the user accepts a | x, j), shape (X, K, J)."""
    rewards: Vector
    """Mean reward of an accepted a, shape (X, K, J)."""
    deltas: Vector
    """Delta(a, answer j; x), shape (X, K, J)."""
    is_coin: bool
    """Rewards are coins with that mean (True) or the mean itself (False)."""


class Tape(NamedTuple):
    """n rounds: their contexts, the answers users have in mind, and the uniforms behind accepting and paying."""

    tables: Tables
    contexts: Indices
    answers: Indices
    accept_uniforms: Vector
    reward_uniforms: Vector

    def cut(self, start: int, stop: int) -> Tape:
        """The rounds start..stop-1."""
        rounds = slice(start, stop)
        return Tape(
            self.tables,
            self.contexts[rounds],
            self.answers[rounds],
            self.accept_uniforms[rounds],
            self.reward_uniforms[rounds],
        )

    def accepted(self, shown: Indices) -> Flags:
        """Whether the user accepts what is shown in each round; nothing shown (-1) is never accepted."""
        probability = self.tables.acceptance[self.contexts, shown, self.answers]
        return (self.accept_uniforms < probability) & (shown >= 0)

    def rewards(self, shown: Indices, accepted: Flags) -> Vector:
        """The observed rewards: 0 unless accepted."""
        mean = self.tables.rewards[self.contexts, shown, self.answers]
        paid = (self.reward_uniforms < mean).astype(np.float64) if self.tables.is_coin else mean
        return np.where(accepted, paid, 0.0)

    def deltas(self, rounds: slice) -> Vector:
        """Delta(., answer; x) in these rounds, shape (n, K)."""
        return self.tables.deltas[self.contexts[rounds], :, self.answers[rounds]]


class Plays(NamedTuple):
    """What a learner did on a tape."""

    suggestions: Indices
    shown: Indices
    """Equal to the suggestion, or -1, or the named revealing action."""
    revealing: Flags
