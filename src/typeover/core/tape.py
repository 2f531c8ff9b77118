"""A stretch of a tabular world with its randomness fixed: what a user would do is decided before anything is shown.

A compiled learner reads from it only what its own action reveals; that it decides exactly as the learner that is asked
round by round, which cannot see a tape, is tested for every learner that has such a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from typeover.core.arrays import Actions, Flags, Indices, Vector
from typeover.core.draw import draw


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
    correction: Vector | None = None
    """P(an answer is entered | x, j, a was rejected), shape (X, K, J); None: always."""
    entering: Vector | None = None
    """Running sums of P(i is entered | x, j is wanted), shape (X, J, J), as `draw` reads them; None: j itself."""
    is_told: bool = False
    """Every round tells the answer, even where it was accepted: no user does, but a learner may be tried that way."""


class Tape(NamedTuple):
    """n rounds: their contexts, the answers users have in mind, and the uniforms behind what users do."""

    tables: Tables
    contexts: Indices
    answers: Indices
    accept_uniforms: Vector
    reward_uniforms: Vector
    correction_uniforms: Vector | None = None
    """None where every rejection brings an answer."""
    slip_uniforms: Vector | None = None
    """None where what is entered is what is wanted."""

    def cut(self, start: int, stop: int) -> Tape:
        """The rounds start..stop-1."""
        rounds = slice(start, stop)
        return Tape(
            self.tables,
            self.contexts[rounds],
            self.answers[rounds],
            self.accept_uniforms[rounds],
            self.reward_uniforms[rounds],
            None if self.correction_uniforms is None else self.correction_uniforms[rounds],
            None if self.slip_uniforms is None else self.slip_uniforms[rounds],
        )

    def respond(self, shown: Indices, revealing: Flags) -> Responses:
        """What users do with what is shown; on a revealing round they always answer, unaided, and earn nothing."""
        tables, n_answers = self.tables, self.tables.acceptance.shape[2]
        cell = (self.contexts.astype(np.int64) * tables.acceptance.shape[1] + shown) * n_answers + self.answers
        is_open = (shown >= 0) & ~revealing  # elsewhere the cell is another one's: read, then masked
        accepted = (self.accept_uniforms < tables.acceptance.reshape(-1)[cell]) & is_open
        mean = tables.rewards.reshape(-1)[cell]
        paid = (self.reward_uniforms < mean) if tables.is_coin else mean
        if tables.is_told:
            revealed = np.ones(len(cell), dtype=np.bool_)
        elif tables.correction is None or self.correction_uniforms is None:
            revealed = ~accepted
        else:
            corrects = self.correction_uniforms < tables.correction.reshape(-1)[cell]
            revealed = (corrects | ~is_open) & ~accepted
        return Responses(accepted, np.where(accepted, paid, 0.0), revealed, self._entered(revealed))

    def _entered(self, revealed: Flags) -> Indices:
        """What is entered where something is."""
        if self.tables.entering is None or self.slip_uniforms is None:
            return np.where(revealed, self.answers, np.int32(-1))
        entered = np.full(len(revealed), -1, dtype=np.int32)
        running = self.tables.entering[self.contexts[revealed], self.answers[revealed]]
        entered[revealed] = draw(running, self.slip_uniforms[revealed])
        return entered


class Responses(NamedTuple):
    """What came back in each round."""

    accepted: Flags
    rewards: Vector
    revealed: Flags
    """xi: an answer was entered (or told)."""
    entered: Indices
    """Which of the answers; -1 = nothing was entered."""

    def among(self, chosen: Flags) -> Responses:
        """Those of some of the rounds."""
        return Responses(self.accepted[chosen], self.rewards[chosen], self.revealed[chosen], self.entered[chosen])


class Plays(NamedTuple):
    """What a learner did on a tape, and what came back."""

    suggestions: Indices
    shown: Indices
    """Equal to the suggestion, or -1, or the named revealing action."""
    revealing: Flags
    responses: Responses
