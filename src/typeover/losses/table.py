"""Costs that somebody wrote down: Delta(a, b) = cost(a, b) / scale, with scale = max(1, largest cost).

cost(a, b) is what it costs to show a when the user wanted b: rows are candidates, columns are answers. Unless
`metric=False`, the table is a promise that is checked: zero diagonal, symmetry, triangle inequality (Assumption 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from typeover.core.arrays import Action, Vector
from typeover.errors import InvalidInputError, NotMetricError, nearest
from typeover.losses.items import ItemLoss, numbers
from typeover.losses.metric import check_metric

_SPELLINGS = "a square table of costs, {(shown, wanted): cost} or {shown: {wanted: cost}}"


class Table(ItemLoss):
    """What you say it costs to show one candidate when the user wanted another.

    Costs from a square table (with `items`, else 0..n-1), from {(a, b): cost} or from {a: {b: cost}}. In a mapping the
    diagonal may be left out (0), and for a metric one of the two directions. Costs may have any unit: beyond 1, all are
    divided by the largest. An answer that is no item is `unknown` away from every candidate. Choose this when people
    can say what a mistake costs. A table that is no metric needs `metric=False`, and estimators that need no metric.

    >>> loss = Table({("refund", "return"): 1, ("refund", "thanks"): 4, ("return", "thanks"): 4})
    >>> loss.deltas(["refund", "return", "thanks"], "refund"), loss.scale
    (array([0.  , 0.25, 1.  ]), 4.0)
    """

    def __init__(
        self, costs: Any, *, items: Iterable[Action] | None = None, metric: bool = True, unknown: float = 1.0
    ) -> None:
        names = None if items is None else tuple(items)
        if isinstance(costs, Mapping):
            pairs = _pairs(costs)
            names = tuple(dict.fromkeys(name for pair in pairs for name in pair)) if names is None else names
            super().__init__(names, unknown=unknown)
            table = self._filled(pairs, both_ways=metric)
        else:
            table = numbers(costs, name="costs", axes=2, allowed=_SPELLINGS)
            if table.shape[0] != table.shape[1]:
                raise InvalidInputError(f"costs has shape {table.shape}; it must be {_SPELLINGS}")
            names = tuple(range(len(table))) if names is None else names
            if len(names) != len(table):
                raise InvalidInputError(
                    f"costs is {len(table)} by {len(table)}, but items names {len(names)}; name each row"
                )
            super().__init__(names, unknown=unknown)
        for i, j in np.argwhere(~(np.isfinite(table) & (table >= 0))):
            raise InvalidInputError(
                f"the cost of {self.items[i]!r} when {self.items[j]!r} is wanted is {table[i, j]:g}; "
                "a cost must be a finite number, 0 or more"
            )
        self.scale = max(1.0, float(table.max()))
        """What the costs were divided by."""
        self._by_answer = np.ascontiguousarray(table.T) / self.scale
        self._is_metric_on_items = metric
        if metric:
            check_metric(self, self.items)
            self._check_unknown()

    def _column(self, answer: int, places: list[int] | slice) -> Vector:
        column: Vector = self._by_answer[answer, places]
        return column

    def _largest(self) -> float:
        return float(self._by_answer.max())

    def _filled(self, pairs: dict[tuple[Action, Action], Any], *, both_ways: bool) -> Vector:
        n, index = len(self.items), self._index
        table, given = np.zeros((n, n)), np.eye(n, dtype=np.bool_)
        for (shown, wanted), cost in pairs.items():
            for name in (shown, wanted):
                if name not in index:
                    raise InvalidInputError(f"costs names {name!r}, which is none of the items; {nearest(name, index)}")
            place = index[shown], index[wanted]
            table[place] = numbers(cost, name=f"the cost of {(shown, wanted)!r}", axes=0, allowed="one number")
            given[place] = True
        if both_ways:
            table, given = np.where(given, table, table.T), given | given.T
        for i, j in np.argwhere(~given):
            raise InvalidInputError(
                f"costs has no cost for {(self.items[i], self.items[j])!r}; give one for every pair of items"
                + ("" if both_ways else ", in both directions (metric=False)")
            )
        return table

    def _check_unknown(self) -> None:
        half = self._largest() / 2
        if self.unknown < half:
            raise NotMetricError(
                f"unknown is {self.unknown:g}, less than half the largest Delta of the table ({half:g}): two items "
                f"would be further apart than by way of a new answer; use {half:g} or more, or pass metric=False"
            )


def _pairs(costs: Mapping[Any, Any]) -> dict[tuple[Action, Action], Any]:
    """{(a, b): cost} from either spelling."""
    if all(isinstance(row, Mapping) for row in costs.values()):
        return {(shown, wanted): cost for shown, row in costs.items() for wanted, cost in row.items()}
    for key in costs:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InvalidInputError(f"costs has the key {key!r}; it must be {_SPELLINGS}, of one kind throughout")
    return dict(costs)
