"""Distance of directions, with u = a/|a| and v = b/|b|:

    angle:      Delta(a, b) = angle(u, v) / pi = (2/pi) atan2(|u - v|, |u + v|)
    euclidean:  Delta(a, b) = |u - v| / 2

Both are metrics on directions; (1 - cosine)/2 is none. The arctangent keeps the digits of small angles, of which the
arc cosine of a product loses half, and gives exactly 0 for an item and itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from typeover.core.arrays import Action, Vector
from typeover.errors import InvalidInputError, nearest
from typeover.losses.items import ItemLoss, numbers

_DISTANCES = ("angle", "euclidean")
_SPELLINGS = "{item: vector}, or an array with one row for each of the items, all of one length"


class Vectors(ItemLoss):
    """How far apart two candidates are in meaning, from vectors that you have: only directions count.

    Choose this when an embedding model can say what is alike. Sentence or word vectors come as {item: vector}, or as
    rows with their `items` (else 0..n-1). An answer without a vector is `unknown` away from every candidate; less than
    half the largest Delta makes the loss no metric (`is_metric` then looks at every pair, once).

    >>> loss = Vectors({"king": [2, 0], "queen": [1, 1], "cabbage": [-1, 0]})
    >>> loss.deltas(["king", "queen", "cabbage"], "king")
    array([0.  , 0.25, 1.  ])
    """

    def __init__(
        self,
        vectors: Any,
        *,
        items: Iterable[Action] | None = None,
        distance: Literal["angle", "euclidean"] = "angle",
        unknown: float = 1.0,
    ) -> None:
        if distance not in _DISTANCES:
            raise InvalidInputError(
                f"distance is {distance!r}; it must be one of {_DISTANCES}; {nearest(distance, _DISTANCES)}"
            )
        if isinstance(vectors, Mapping):
            if items is not None:
                raise InvalidInputError("items came with a mapping, which names its items itself; leave items out")
            items, vectors = list(vectors), list(vectors.values())
        rows = numbers(vectors, name="vectors", axes=2, allowed=_SPELLINGS)
        names = tuple(range(len(rows))) if items is None else tuple(items)
        if len(names) != len(rows):
            raise InvalidInputError(f"vectors has shape {rows.shape} for {len(names)} items; it must be {_SPELLINGS}")
        super().__init__(names, unknown=unknown)
        largest = np.abs(rows).max(axis=1, initial=0.0)
        for i in np.flatnonzero(~np.isfinite(largest) | (largest == 0)):
            raise InvalidInputError(
                f"the vector of {names[i]!r} is zero or not finite and has no direction; repair it or leave it out"
            )
        rows /= largest[:, None]  # the square of no entry overflows or vanishes
        self._units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.distance = distance

    def _column(self, answer: int, places: list[int] | slice) -> Vector:
        u, v = self._units[places], self._units[answer]
        apart = _lengths(u - v)
        if self.distance == "euclidean":
            return np.minimum(apart / 2, 1.0)  # rounding can leave a unit vector a little too long
        angles: Vector = np.arctan2(apart, _lengths(u + v)) * (2 / np.pi)
        return angles

    def _largest(self) -> float:
        return max(float(self._column(place, slice(None)).max()) for place in range(len(self.items)))


def _lengths(rows: Vector) -> Vector:
    lengths: Vector = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return lengths
