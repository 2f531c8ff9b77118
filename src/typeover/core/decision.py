"""A round and the decision in it; `decide` and `learn` share nothing else, for answers come late, twice or never."""

from __future__ import annotations

from typing import Any

import msgspec

from typeover.core.arrays import Action, Actions, Vector, Votes
from typeover.errors import InvalidInputError

NOTHING = -1
"""The index of "nothing was shown"."""


class Round(msgspec.Struct, frozen=True, eq=False):
    """One question: which of these candidates, in this context?"""

    number: int
    """t, counted from 1 by the learner."""
    context: Any
    actions: Actions


class Decision(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What to show, and with which probabilities it was drawn."""

    round: Round
    action: Action | None
    """The candidate to show; None on an audit that shows nothing."""
    index: int
    """Its place among the candidates; -1 = nothing shown."""
    suggestion: int
    """The index drawn in every round from `propensities`, shown or not; equal to `index` unless revealing."""
    propensities: Vector
    """p_t over the candidates: what `suggestion` was drawn from."""
    revealing: bool = False
    """Z: we asked for the answer on purpose (an audit)."""
    audit_probability: float = 0.0
    """gamma_t: the probability with which this round was made an audit, kept in every round."""
    version: int = 0
    """How often the learner had published a new way to decide."""
    kept: Any = None
    """What the learner needs again when the answer comes; nobody else's business."""
    recommended: Votes | None = None
    """The policies' votes in this round, kept so that learning need not ask them again."""

    @property
    def probability(self) -> float:
        """The propensity of the suggestion, given that the round is no audit."""
        return float(self.propensities[self.suggestion])


def check_actions(actions: Actions, name: str = "actions") -> Actions:
    """The candidates of a round, refused if there are none or one stands twice."""
    if isinstance(actions, str) or not hasattr(actions, "__len__"):
        raise InvalidInputError(f"{name} is {actions!r}; it must be a list of names, such as ['refund', 'invoice']")
    if len(actions) == 0:
        raise InvalidInputError(f"{name} is empty; at least one is needed")
    try:
        distinct = len(set(actions))
    except TypeError:
        unhashable = next(a for a in actions if not is_name(a))
        raise InvalidInputError(f"{unhashable!r} in {name} cannot be a name; use strings or numbers") from None
    if distinct < len(actions):
        seen: set[Action] = set()
        twice = next(a for a in actions if a in seen or seen.add(a))  # type: ignore[func-returns-value]
        raise InvalidInputError(f"{twice!r} stands twice in {name}; each may stand once")
    return actions


def is_name(action: object) -> bool:
    """Whether it can be looked up; lists, dicts and tuples that hold one cannot."""
    try:
        hash(action)
    except TypeError:
        return False
    return True
