"""Rounds in the form that the kernels of `Stagewise` want: one answered round, or a stretch of a tabular world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Action, Actions, Flags, Indices, Vector, Votes
from typeover.core.decision import NOTHING, Decision
from typeover.core.feedback import Feedback
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Tables
from typeover.errors import InvalidInputError, nearest
from typeover.policies import by_context

Revealing = Action | Callable[[Any, Actions], Action] | None
"""The revealing action a0: None shows nothing; a name; or a function of context and candidates that names it."""


class Heard(NamedTuple):
    """Answers to n rounds of one stage, with the same number of candidates."""

    first: int
    """Number of the first round."""
    votes: Votes
    """By context, as the kernels want them."""
    contexts: Indices
    """Rows of `votes`."""
    suggestions: Indices
    n_actions: int
    rewards: Vector
    revealed: Flags
    deltas: Vector
    """Delta(., answer; x), shape (n, K); rows count only where revealed."""


class Bound(NamedTuple):
    """What policies, loss and revealing action say in every cell of a tabular world."""

    tables: Tables
    votes: NDArray[Any]
    deltas: Vector
    """Shape (X, J, K); zeros for a learner without a loss."""
    revealing: Indices
    """The revealing action's index in each context."""


def heard(decision: Decision, feedback: Feedback, loss: SurrogateLoss | None) -> Heard:
    """One answered round, with the votes that were cast in it."""
    context, actions = decision.round.context, decision.round.actions
    deltas = np.zeros(len(actions))
    if feedback.revealed and loss is not None:
        deltas = check_deltas(loss.deltas(actions, feedback.answer, context), actions, feedback.answer)
    return Heard(
        first=decision.round.number,
        votes=np.ascontiguousarray(decision.recommended)[None],
        contexts=np.zeros(1, dtype=np.int32),
        suggestions=np.array([decision.suggestion], dtype=np.int32),
        n_actions=len(actions),
        rewards=np.array([feedback.reward], dtype=np.float64),
        revealed=np.array([feedback.revealed]),
        deltas=deltas[None],
    )


def bind(tables: Tables, policies: Policies, loss: SurrogateLoss | None, revealing: Revealing) -> Bound:
    """Work out once what never changes in this world."""
    n_contexts, n_actions, n_answers = tables.acceptance.shape
    deltas = np.zeros((n_contexts, n_answers, n_actions))
    if loss is not None:
        cells = zip(tables.contexts, tables.actions, tables.answers, strict=True)
        deltas = np.array([[check_deltas(loss.deltas(a, j, x), a, j) for j in wanted] for x, a, wanted in cells])
    places = [place(revealing, x, actions) for x, actions in zip(tables.contexts, tables.actions, strict=True)]
    votes = by_context(policies, tables.contexts, tables.actions)
    return Bound(tables, votes, deltas, np.array(places, dtype=np.int32))


def between(tables: Tables, loss: SurrogateLoss) -> Vector:
    """Delta of every candidate to every candidate, as if it had been entered: shape (X, K, K), by what was entered."""
    cells = zip(tables.contexts, tables.actions, strict=True)
    return np.array([[check_deltas(loss.deltas(a, b, x), a, b) for b in a] for x, a in cells])


def place(revealing: Revealing, context: Any, actions: Actions) -> int:
    """The index of the revealing action; -1 shows nothing."""
    if revealing is None:
        return NOTHING
    named = revealing(context, actions) if callable(revealing) else revealing
    for index, action in enumerate(actions):
        if action == named:
            return index
    raise InvalidInputError(
        f"revealing action {named!r} is no candidate of this round; {nearest(named, actions)} "
        "Leave revealing out to show nothing on audits"
    )


def check_deltas(deltas: Any, actions: Actions, answer: Any) -> Vector:
    """A loss's answer, refused unless it holds one number in [0, 1] per candidate."""
    row = np.asarray(deltas, dtype=np.float64)
    if row.shape != (len(actions),) or not ((row >= 0) & (row <= 1)).all():  # NaN fails too
        raise InvalidInputError(
            f"loss gave {row.tolist()!r:.120} for the answer {answer!r}; it must give one number in [0, 1] for each of "
            f"the {len(actions)} candidates"
        )
    return row
