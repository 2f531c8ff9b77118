"""A round and the decision in it; `decide` and `learn` share nothing else, for answers come late, twice or never."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, MappingView
from collections.abc import Set as AbstractSet
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
    """The candidates, in the order that every index below refers to."""

    def __repr__(self) -> str:
        return f"Round({self.number}, context={_short(self.context)}, actions={_short(self.actions)})"


class Decision(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What to show, and with which probabilities it was drawn.

    Show `action`. If it is None, show nothing and ask: the learner wants to hear what the user enters unaided (an
    audit). Keep the decision until the user has answered, and give both to `learn`:

        decision = learner.decide(context, candidates)
        typed = ask(context, suggestion=decision.action)  # your own front end; None: an empty field
        is_accepted = typed == decision.action and not decision.revealing
        learner.learn(decision, Feedback(reward=1.0) if is_accepted else Feedback(correction=typed))

    >>> import numpy as np
    >>> asked = Round(number=1, context="where is my money?", actions=("refund", "invoice"))
    >>> Decision(round=asked, action="refund", index=0, suggestion=0, propensities=np.array([0.75, 0.25]))
    Decision(round 1: show 'refund', probability 0.75)
    >>> Decision(round=asked, action=None, index=-1, suggestion=0, propensities=np.array([0.75, 0.25]), revealing=True)
    Decision(round 1: show nothing and ask; audit)
    """

    round: Round
    action: Action | None
    """The candidate to show; None: show nothing and ask."""
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

    def __repr__(self) -> str:
        shown = "nothing and ask" if self.index == NOTHING else _short(self.action)
        how = "audit" if self.revealing else f"probability {self.probability:.4g}"
        return f"Decision(round {self.round.number}: show {shown}{'; ' if self.revealing else ', '}{how})"


def check_actions(actions: Actions, name: str = "actions") -> Actions:
    """The candidates of a round as a tuple of the caller's own objects; a tuple or a range comes back as it is.

    Refused if there are none, if one stands twice, cannot be looked up, or means nothing (None, NaN).
    """
    candidates = check_distinct(actions, name)
    if isinstance(candidates, range):
        return candidates
    try:
        is_whole = None not in candidates and not any(map(operator.ne, candidates, candidates))
    except (TypeError, ValueError):  # pandas' NA does not even say whether it equals itself
        is_whole = False
    if not is_whole:
        nothing = next((a for a in candidates if is_missing(a)), None)
        raise InvalidInputError(f"{nothing!r} in {name} cannot be a name, since it stands for nothing; leave it out")
    return candidates


def check_distinct(values: Iterable[Any], name: str) -> Actions:
    """A list in a fixed order whose entries can be looked up, each once, as a tuple or range."""
    if isinstance(values, Mapping | MappingView | AbstractSet):
        raise InvalidInputError(
            f"{name} is {_short(values)}, a {type(values).__name__}; give a list in a fixed order, such as list(...)"
        )
    if not isinstance(values, tuple | range):
        values = _listed(values, name)
    if len(values) == 0:
        raise InvalidInputError(f"{name} is empty; at least one is needed")
    if isinstance(values, range):
        return values
    try:
        distinct = len(set(values))
    except TypeError:
        unhashable = next(a for a in values if not is_name(a))
        raise InvalidInputError(f"{_short(unhashable)} in {name} cannot be a name; use strings or numbers") from None
    if distinct < len(values):
        seen: set[Action] = set()
        twice = next(a for a in values if a in seen or seen.add(a))  # type: ignore[func-returns-value]
        raise InvalidInputError(f"{twice!r} stands twice in {name}; each may stand once")
    return values


def is_name(action: object) -> bool:
    """Whether it can be looked up; lists, dicts and tuples that hold one cannot."""
    try:
        hash(action)
    except TypeError:
        return False
    return True


def is_missing(value: object) -> bool:
    """Whether it stands for nothing: None, and what does not equal itself, such as NaN."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        return True


def _listed(values: Any, name: str) -> tuple[Any, ...]:
    try:
        if not isinstance(values, str | bytes | bytearray) and len(values) >= 0:
            return tuple(values)
    except TypeError:  # no length, or no entries
        pass
    raise InvalidInputError(f"{name} is {_short(values)}; it must be a list of names, such as ['refund', 'invoice']")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
