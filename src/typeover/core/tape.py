"""A stretch of a tabular world with its randomness fixed: what a user would do is decided before anything is shown.

A compiled learner reads from it only what its own action reveals; that it decides exactly as the learner that is asked
round by round, which cannot see a tape, is tested for every learner that has such a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from typeover.core.arrays import Actions, Flags, Indices, Vector


class Tables(NamedTuple):
    """What a tabular world holds and does, per context x, candidate a and possible answer j."""

    contexts: Sequence[Any]
    actions: Sequence[Actions]
    """The candidates in each context, K of them everywhere."""
    answers: Sequence[Sequence[Any]]
    """What users may have in mind in each context, J of them everywhere, among the candidates or not."""
    acceptance: Vector
    """P(the user accepts a | x, j), shape (X, K, J)."""
    rewards: Vector
    """Mean reward of an accepted a, shape (X, K, J)."""
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

    def respond(self, shown: Indices, revealing: Flags) -> Responses:
        """What users do with what is shown; on a revealing round they answer unaided and earn nothing."""
        n_answers = self.tables.acceptance.shape[2]
        cell = (self.contexts.astype(np.int64) * self.tables.acceptance.shape[1] + shown) * n_answers + self.answers
        is_open = (shown >= 0) & ~revealing  # elsewhere the cell is another one's: read, then masked
        accepted = (self.accept_uniforms < self.tables.acceptance.reshape(-1)[cell]) & is_open
        mean = self.tables.rewards.reshape(-1)[cell]
        paid = (self.reward_uniforms < mean) if self.tables.is_coin else mean
        return Responses(accepted, np.where(accepted, paid, 0.0))


class Responses(NamedTuple):
    """What came back in each round; where it was not accepted, the answer was entered."""

    accepted: Flags
    rewards: Vector


class Plays(NamedTuple):
    """What a learner did on a tape, and what came back."""

    suggestions: Indices
    shown: Indices
    """Equal to the suggestion, or -1, or the named revealing action."""
    revealing: Flags
    responses: Responses
