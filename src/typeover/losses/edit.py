"""Keystrokes between two texts, of lengths |a| and |b|, with lev their Levenshtein distance:

    metric:   Delta(a, b) = 2 lev / (|a| + |b| + lev)      (Yujian Li and Bo Liu, IEEE TPAMI 29(6), 2007)
    longest:  Delta(a, b) = lev / max(|a|, |b|)

The first is a metric. The second, though common, is none: 'ab' and 'ba' are 1 apart, but 1/3 + 1/3 by way of 'aba'.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from typeover.core.arrays import Actions, Vector
from typeover.core.decision import is_missing
from typeover.errors import InvalidInputError, missing, nearest


class EditDistance:
    """How much of the text would have to be typed anew; every answer may be new.

    Choose this for words and sentences that users correct by hand. Compares `str()` of both, so that 1 and '1' are the
    same; None and NaN are no text and are refused. Upper and lower case differ.

    >>> EditDistance().deltas(["their", "there", "tree"], "there").round(3)
    array([0.333, 0.   , 0.364])
    >>> EditDistance(normalised="longest").deltas(["aba", "ba"], "ab").round(3)
    array([0.333, 1.   ])
    """

    ignores_context = True

    def __init__(self, *, normalised: Literal["metric", "longest"] = "metric") -> None:
        if normalised not in tuple(_FORMULAS):
            raise InvalidInputError(
                f"normalised is {normalised!r}; it must be 'metric' or 'longest' (which is no metric); "
                f"{nearest(normalised, _FORMULAS)}"
            )
        try:
            from rapidfuzz.distance import Levenshtein
        except ImportError:
            raise missing("rapidfuzz", extra="text", purpose="the loss EditDistance") from None
        self.normalised = normalised
        self.is_metric = normalised == "metric"
        self._edits = Levenshtein.distance
        self._formula = _FORMULAS[normalised]

    def __reduce__(self) -> tuple[partial[EditDistance], tuple[()]]:  # rapidfuzz's compiled functions cannot be pickled
        return partial(EditDistance, normalised=self.normalised), ()

    def deltas(self, actions: Actions, answer: Any, context: Any = None) -> Vector:  # noqa: ARG002  same in every context
        """Delta(a, answer) for each candidate a."""
        text, edits, formula = _text(answer, "the answer"), self._edits, self._formula
        words = [_text(action, "candidate") for action in actions]
        return np.array([formula(edits(word, text), len(word), len(text)) for word in words], dtype=np.float64)


def _text(value: Any, role: str) -> str:
    if not isinstance(value, str) and is_missing(value):  # its str() would be as near to 'none' or 'nan' as a word
        raise InvalidInputError(f"{role} {value!r} is no text but a missing value; leave it out")
    return str(value)


def _metric(edits: int, a: int, b: int) -> float:
    return 2 * edits / (a + b + edits) if edits else 0.0


def _longest(edits: int, a: int, b: int) -> float:
    return edits / max(a, b) if edits else 0.0


_FORMULAS = {"metric": _metric, "longest": _longest}
