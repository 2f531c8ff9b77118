"""Is a loss a metric on these items? With M[i, j] = Delta(item i, item j; x), up to a tolerance:

    0 <= M[i, j] <= 1,   M[i, i] = 0,   M[i, j] = M[j, i],   M[i, j] <= M[i, m] + M[m, j]      (Assumption 2)

Different items may be 0 apart: the theory asks for no more than a pseudometric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from typeover.core.arrays import Action, Vector
from typeover.core.protocols import SurrogateLoss
from typeover.errors import InvalidInputError, NotMetricError

_NEXT = "change these values, or promise no metric (metric=False) and use no estimator that needs one"


def matrix(loss: SurrogateLoss, items: Sequence[Action], context: Any = None) -> Vector:
    """Delta of every item (rows) to every item as the answer (columns).

    >>> from typeover.losses import ZeroOne
    >>> matrix(ZeroOne(), ["a", "b"])
    array([[0., 1.],
           [1., 0.]])
    """
    n = len(items)
    table = np.empty((n, n))
    for j, answer in enumerate(items):
        column = np.asarray(loss.deltas(items, answer, context))
        if column.shape != (n,):
            raise InvalidInputError(
                f"deltas gave shape {column.shape} for {n} candidates; it must be ({n},): one number per candidate"
            )
        table[:, j] = column
    return table


def check_metric(loss: SurrogateLoss, items: Sequence[Action], context: Any = None, tolerance: float = 1e-9) -> None:
    """Raise NotMetricError, naming the items and their numbers, unless the loss is a metric on them.

    >>> from typeover.losses import EditDistance
    >>> check_metric(EditDistance(), ["ab", "aba", "ba"])
    >>> check_metric(EditDistance(normalised="longest"), ["ab", "aba", "ba"])
    Traceback (most recent call last):
    ...
    typeover.errors.NotMetricError: Delta('ab', 'ba') is 1, more than ... = 0.333333 + 0.333333; ...
    """
    if not tolerance >= 0:  # NaN fails too
        raise InvalidInputError(f"tolerance is {tolerance!r}; it must be 0 or more, such as the default 1e-9")
    table = matrix(loss, items, context)

    def delta(i: int, j: int) -> str:
        return f"Delta({items[i]!r}, {items[j]!r})"

    for i, j in np.argwhere(~((table >= -tolerance) & (table <= 1 + tolerance))).tolist():  # NaN fails too
        raise NotMetricError(f"{delta(i, j)} is {table[i, j]:g}; it must lie in [0, 1]: divide by the largest value")
    for i in np.flatnonzero(table.diagonal() > tolerance).tolist():
        raise NotMetricError(f"{delta(i, i)} is {table[i, i]:g}; an item must be 0 from itself; {_NEXT}")
    for i, j in np.argwhere(np.abs(table - table.T) > tolerance).tolist():
        raise NotMetricError(
            f"{delta(i, j)} is {table[i, j]:g}, but {delta(j, i)} is {table[j, i]:g}; a metric is symmetric; {_NEXT}"
        )
    excess = np.empty_like(table)
    for m in range(len(items)):
        np.subtract(table, table[:, m, None], out=excess)
        np.subtract(excess, table[m], out=excess)  # M[i, j] - M[i, m] - M[m, j]
        i, j = divmod(int(excess.argmax()), len(items))
        if excess[i, j] > tolerance:
            raise NotMetricError(
                f"{delta(i, j)} is {table[i, j]:g}, more than {delta(i, m)} + {delta(m, j)} = "
                f"{table[i, m]:g} + {table[m, j]:g}; a metric has the triangle inequality; {_NEXT}"
            )
