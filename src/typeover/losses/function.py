"""Any measure of your own: Delta(a, answer; x) = f(a, answer, x), each value checked to lie in [0, 1].

With `metric=True` it is a promise, checked on the given items in the given context: zero diagonal, symmetry, triangle
inequality (Assumption 2). On other items and in other contexts it remains a promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from typeover.core.arrays import Action, Actions, Vector
from typeover.errors import InvalidInputError
from typeover.losses.metric import check_metric

_NUMBERS = (float, int, np.floating, np.integer, np.bool_)


class Function:
    """Your own measure: a callable f(action, answer, context) -> number in [0, 1].

    0: the answer itself would have been as good; 1: of no use. Choose this when what a mistake costs depends on the
    context, or when none of the other losses fits. `metric=True` promises symmetry and the triangle inequality, which
    estimators that compare with the accepted suggestion need, and checks them on `items`.

    >>> loss = Function(lambda action, answer, context: abs(action - answer) / context["range"])
    >>> loss.deltas([10, 30], 20, {"range": 40})
    array([0.25, 0.25])
    """

    def __init__(
        self,
        f: Callable[[Any, Any, Any], float],
        *,
        metric: bool = False,
        items: Iterable[Action] | None = None,
        context: Any = None,
    ) -> None:
        if not callable(f):
            raise InvalidInputError(f"f is {f!r}; it must be a callable f(action, answer, context) -> number in [0, 1]")
        tried = tuple(items or ())
        if metric and not tried:
            raise InvalidInputError("metric=True came without items; name items=[...] on which to check that promise")
        if tried and not metric:
            raise InvalidInputError(
                "items came without metric=True; they serve only to check that promise: make it, or leave items out"
            )
        self._f = f
        self.is_metric = metric
        if metric:
            check_metric(self, tried, context)

    def deltas(self, actions: Actions, answer: Any, context: Any = None) -> Vector:
        """f(a, answer, context) for each candidate a."""
        return np.array([self._value(a, answer, context) for a in actions], dtype=np.float64)

    def _value(self, action: Action, answer: Any, context: Any) -> float:
        value: Any = self._f(action, answer, context)
        if isinstance(value, _NUMBERS) and 0 <= value <= 1:  # NaN fails too
            return float(value)
        raise InvalidInputError(
            f"f({action!r}, {answer!r}, context) is {value!r}; a surrogate loss must return a number in [0, 1]: "
            "divide by the largest value, or call float() on what is no plain number"
        )
