"""Rounds in the form that the kernels of `Stagewise` want: one answered round, or a stretch of a tabular world."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Action, Actions, Flags, Indices, Vector, Votes
from typeover.core.decision import NOTHING, Decision
from typeover.core.feedback import Feedback, Outcome
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Responses, Tables
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
    accepted: Flags
    deltas: Vector
    """Delta(., answer; x), shape (n, K); rows count only where revealed, and where accepted if accepts are trusted."""
    probabilities: Vector
    """Of the suggestion, when it was drawn."""
    revealing: Flags
    audit_probabilities: Vector
    control: Vector | None
    """h = Delta(., anchor's choice; x), shape (n, K); None where there is no anchor."""


class Bound(NamedTuple):
    """What policies, loss and revealing action say in every cell of a tabular world."""

    tables: Tables
    votes: NDArray[Any]
    deltas: Vector
    """Shape (X, J, K); zeros for a learner without a loss."""
    revealing: Indices
    """The revealing action's index in each context."""
    near: Vector | None
    """Delta of every candidate to every candidate, as `between` gives it; for learners that trust accepts."""

    def told(self, contexts: Indices, suggestions: Indices, responses: Responses) -> Vector:
        """Delta to what was entered, or accepted; another answer's where neither is known."""
        deltas: Vector = self.deltas[contexts, responses.entered]
        if self.near is not None:
            kept = responses.accepted & ~responses.revealed
            deltas[kept] = self._rows(contexts[kept], suggestions[kept])
        return deltas

    def control(self, anchor: int, contexts: Indices) -> Vector | None:
        """h: Delta of every candidate to the anchor's choice."""
        if anchor < 0 or self.near is None:
            return None
        return self._rows(contexts, likeliest(self.votes[:, anchor], axis=1)[contexts])

    def _rows(self, contexts: Indices, candidates: Indices) -> Vector:
        """Delta of every candidate to this one, in each round."""
        assert self.near is not None  # noqa: S101 - asked by learners that trust accepts
        rows: Vector = self.near[np.minimum(contexts, len(self.near) - 1), candidates]
        return rows


def likeliest(votes: Votes, axis: int = 0) -> Indices:
    """What one policy chooses: its index, or the likeliest where it gives probabilities; a row for each context."""
    is_random = votes.dtype.kind == "f"
    found: Indices = votes.argmax(axis=axis) if is_random else votes
    return found


def heard(decision: Decision, feedback: Feedback, loss: SurrogateLoss | None, *, is_trusting: bool = False) -> Heard:
    """One answered round, with the votes that were cast in it."""
    context, actions = decision.round.context, decision.round.actions
    deltas = np.zeros(len(actions))
    accepted = feedback.outcome is Outcome.ACCEPTED and not decision.revealing
    answer = feedback.answer
    if answer is None and accepted and is_trusting:
        answer = actions[decision.suggestion]
    if answer is not None and loss is not None:
        deltas = check_deltas(loss.deltas(actions, answer, context), actions, answer)
    return Heard(
        first=decision.round.number,
        votes=np.ascontiguousarray(decision.recommended)[None],
        contexts=np.zeros(1, dtype=np.int32),
        suggestions=np.array([decision.suggestion], dtype=np.int32),
        n_actions=len(actions),
        rewards=np.array([feedback.reward], dtype=np.float64),
        revealed=np.array([feedback.revealed]),
        accepted=np.array([accepted]),
        deltas=deltas[None],
        probabilities=np.array([decision.probability]),
        revealing=np.array([decision.revealing]),
        audit_probabilities=np.array([decision.audit_probability]),
        control=None if decision.kept is None else decision.kept[None],
    )


def bind(
    tables: Tables, policies: Policies, loss: SurrogateLoss | None, revealing: Revealing, *, is_trusting: bool = False
) -> Bound:
    """Work out once what never changes in this world."""
    n_contexts, n_actions, n_answers = tables.acceptance.shape
    deltas = np.zeros((n_contexts, n_answers, n_actions))
    if loss is not None:
        cells = zip(tables.contexts, tables.actions, tables.answers, strict=True)
        deltas = np.array([[check_deltas(loss.deltas(a, j, x), a, j) for j in wanted] for x, a, wanted in cells])
    places = [place(revealing, x, actions) for x, actions in zip(tables.contexts, tables.actions, strict=True)]
    votes = by_context(policies, tables.contexts, tables.actions)
    near = between(tables, loss) if is_trusting and loss is not None else None
    return Bound(tables, votes, deltas, np.array(places, dtype=np.int32), near)


def between(tables: Tables, loss: SurrogateLoss) -> Vector:
    """Delta of every candidate to every candidate, as if it had been entered: shape (X, K, K), by what was entered.

    One table for all contexts, (1, K, K), where it cannot differ: that of 150 candidates in 18,000 contexts has 3 GB.
    """
    is_one = getattr(loss, "ignores_context", False) and tables.actions.count(tables.actions[0]) == len(tables.actions)
    cells = itertools.islice(zip(tables.contexts, tables.actions, strict=True), 1 if is_one else None)
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
