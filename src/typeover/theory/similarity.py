"""How well corrections stand in for rewards: the similarity curve of Definition 1.

    d(alpha) = max over policies of  alpha (r* - r(pi)) - (c(pi) - c*)

r* and c* belong to pi*, the best feasible policy: the highest reward among those whose loss is at most min c + eps.
Corrections are (alpha, d)-similar to rewards exactly if d >= d(alpha). pi* itself makes d >= 0; the policy of least
loss is feasible, so r* is at least its reward, d(0) <= eps and d never falls. A maximiser of -c - alpha r is a vertex
of the upper concave envelope of the points (r, -c), and alpha is the slope at which one vertex hands over to the next:
the whole curve costs one sort. A mixture's point lies between its policies' points, so d(alpha) covers mixtures too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeover.core.arrays import Vector
from typeover.core.inputs import real, vector
from typeover.errors import InvalidInputError

_DIGITS = 12
_ROUNDING = 10.0**-_DIGITS
"""Slack of comparisons of losses; why stands in `best_feasible`."""
_LIMIT = 1e6
"""Rewards and losses lie in [0, 1], estimates of them not far outside."""
ALIGNMENTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Tried beside the breakpoints of d(alpha), where a bound may have its least value."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SimilarityCurve:
    """d(alpha), called as a function; piece k lies between breakpoints k - 1 and k."""

    best: int
    """pi*, the best feasible policy."""
    breakpoints: Vector
    """The alphas where the maximiser changes, rising."""
    maximisers: NDArray[np.int64]
    """The policy that is furthest from pi* on each piece: one more than breakpoints."""
    slopes: Vector
    """r* - r of the maximiser: rises from piece to piece."""
    intercepts: Vector
    """c* - c of the maximiser."""

    @overload
    def __call__(self, alignment: float) -> float: ...
    @overload
    def __call__(self, alignment: Vector) -> Vector: ...
    def __call__(self, alignment: float | Vector) -> float | Vector:
        """The least d at this alpha, or at each of these."""
        if np.ndim(alignment) == 0:
            return float(self._at(np.array([real("alignment", alignment, meaning="alpha of Definition 1")]))[0])
        return self._at(vector("alignment", alignment, meaning="alpha of Definition 1", low=0.0))

    def _at(self, alpha: Vector) -> Vector:
        piece = np.searchsorted(self.breakpoints, alpha)
        # pi* is a candidate, so only rounding can lie below 0
        return np.maximum(self.slopes[piece] * alpha + self.intercepts[piece], 0.0)  # Definition 1


def similarity_curve(rewards: ArrayLike, losses: ArrayLike, tolerance: float) -> SimilarityCurve:
    """The curve of a finite class from each policy's mean reward r and mean surrogate loss c.

    Exact to 1e-12 (1 + alpha).

    >>> curve = similarity_curve(rewards=[0.9, 0.6, 0.1], losses=[0.3, 0.1, 0.5], tolerance=0.25)
    >>> curve.best, curve.breakpoints, round(curve(0.0), 3), round(curve(2.0), 3)
    (0, array([0.8]), 0.2, 1.4)
    """
    from typeover.kernels.envelope import ends, vertices

    r, c = _points(rewards, losses)
    best = _best(r, c, _tolerance(tolerance))
    # Policies that only rounding tells apart are one point of the envelope: an edge between them has no slope.
    x, y = np.round(r, _DIGITS), np.round(-c, _DIGITS)
    hull = vertices(x, y, ends(x, y))[::-1]  # from the least loss (alpha = 0) to the least reward (alpha large)
    handovers = np.diff(y[hull]) / np.diff(x[hull])
    return SimilarityCurve(
        best=best,
        breakpoints=np.maximum.accumulate(handovers),  # rising but for rounding
        maximisers=hull,
        slopes=r[best] - r[hull],
        intercepts=c[best] - c[hull],
    )


def least_bound(curve: SimilarityCurve, bound: Callable[[float, float], float]) -> float:
    """The least of a bound that holds for every alpha with its slack d(alpha); `bound` takes both."""
    alignments: Vector = np.union1d(curve.breakpoints, ALIGNMENTS)
    return min(bound(alpha, curve(alpha)) for alpha in alignments.tolist())


def best_feasible(rewards: ArrayLike, losses: ArrayLike, tolerance: float) -> int:
    """pi*: the highest reward among policies whose loss is at most the least plus `tolerance` (Eq. 1).

    Ties go to the lowest loss, then to the lowest index. Losses are compared with a slack of 1e-12, far below what any
    sample can tell apart: 0.7 + 0.1 < 0.8 in floats, and a policy on the boundary must not be lost to that.

    >>> best_feasible(rewards=[0.2, 0.9, 1.0], losses=[0.7, 0.8, 0.9], tolerance=0.1)
    1
    """
    return _best(*_points(rewards, losses), _tolerance(tolerance))


def feasible(losses: Vector, tolerance: float) -> NDArray[np.bool_]:
    """Which policies keep the constraint, with the slack that `best_feasible` explains."""
    kept: NDArray[np.bool_] = losses <= losses.min() + tolerance + _ROUNDING  # Eq. 1
    return kept


def _best(r: Vector, c: Vector, eps: float) -> int:
    among = np.flatnonzero(feasible(c, eps))
    highest = among[r[among] == r[among].max()]
    return int(highest[np.argmin(c[highest])])


def _points(rewards: ArrayLike, losses: ArrayLike) -> tuple[Vector, Vector]:
    r = vector("rewards", rewards, meaning="the mean reward of each policy", low=-_LIMIT, high=_LIMIT)
    c = vector("losses", losses, meaning="the mean surrogate loss of each policy", low=-_LIMIT, high=_LIMIT)
    if r.size != c.size:
        raise InvalidInputError(f"rewards has {r.size} entries and losses {c.size}; give one of each per policy")
    return r, c


def _tolerance(tolerance: float) -> float:
    return real("tolerance", tolerance, meaning="how much more surrogate loss than the least a policy may have")
