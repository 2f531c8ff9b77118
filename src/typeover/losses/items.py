"""What the losses over a fixed set of items share: a place for every name, and the Delta of a new answer.

    Delta(a, b; x) = column of b, at the place of a;   Delta(a, new; x) = unknown

A candidate has to be known, so none is identical to a new answer. If the items are a metric space, it remains one with
the new answer in it exactly as long as `unknown` is at least half the largest Delta.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Action, Actions, Vector
from typeover.core.decision import is_missing, is_name
from typeover.errors import InvalidInputError, nearest

KEPT = 1024
"""Up to this many items (8 MB), an answer's column is kept once it was needed; beyond, only candidates are computed."""


class ItemLoss(ABC):
    """A loss between known items, the same in every context."""

    ignores_context = True
    _is_metric_on_items: bool = True

    def __init__(self, items: Iterable[Action], *, unknown: float) -> None:
        self.items = tuple(items)
        self._index = _places(self.items)
        if not isinstance(unknown, int | float | np.floating) or not 0 <= unknown <= 1:  # NaN fails too
            raise InvalidInputError(
                f"unknown is {unknown!r}; it must lie in [0, 1]: it is the Delta of every candidate to an answer "
                "that is no item; 1 counts a new answer as entirely missed"
            )
        self.unknown = float(unknown)
        self._columns: dict[int, Vector] = {}

    @abstractmethod
    def _column(self, answer: int, places: list[int] | slice) -> Vector:
        """Delta of the items at these places to the item at place `answer`."""

    @abstractmethod
    def _largest(self) -> float:
        """The largest Delta between two items."""

    @final
    @cached_property
    def is_metric(self) -> bool:
        """Whether it is a metric on the items and a new answer; found when first asked for."""
        return self._is_metric_on_items and (self.unknown >= 0.5 or self.unknown >= self._largest() / 2)

    @final
    def deltas(self, actions: Actions, answer: Any, context: Any = None) -> Vector:  # noqa: ARG002  same in every context
        """Delta(a, answer) for each candidate a; `unknown` for all of them if the answer is no item."""
        index = self._index
        try:
            places = [index[a] for a in actions]
        except (KeyError, TypeError):
            self._refuse(actions)
        try:
            place = index.get(answer)
        except TypeError:  # a list or a dict that the user entered is no item either
            place = None
        if place is None:
            return np.full(len(places), self.unknown)
        column = self._columns.get(place)
        if column is not None:
            return column.take(places)
        if len(self.items) > KEPT:
            return self._column(place, places)
        column = self._columns[place] = self._column(place, slice(None))
        return column.take(places)

    def _refuse(self, actions: Actions) -> NoReturn:
        for action in actions:
            if not is_name(action) or action not in self._index:
                raise InvalidInputError(
                    f"candidate {action!r} is none of the {len(self.items)} items of this {type(self).__name__}; every "
                    f"candidate must be an item, only the answer may be new; {nearest(action, self.items)}"
                )
        raise AssertionError  # pragma: no cover


def numbers(values: Any, *, name: str, axes: int, allowed: str) -> NDArray[np.float64]:
    """A copy of the values as float64 with this many axes; finite or not is for the caller to say."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{name} cannot be read as numbers ({values!r:.60}); it must be {allowed}") from None
    if array.ndim != axes:
        raise InvalidInputError(f"{name} has shape {array.shape}; it must be {allowed}")
    return array


def _places(items: tuple[Action, ...]) -> dict[Action, int]:
    if not items:
        raise InvalidInputError("items is empty; a loss needs at least one item that can be a candidate")
    index: dict[Action, int] = {}
    for place, item in enumerate(items):
        if not is_name(item) or is_missing(item):
            raise InvalidInputError(f"item {item!r} cannot be a name; use strings or numbers")
        if index.setdefault(item, place) != place:
            raise InvalidInputError(f"item {item!r} stands twice among the items; each may stand once")
    return index
