"""The non-decreasing upper concave envelope of points (d_i, r_i): every optimum of a problem with one constraint.

max over distributions q of  sum q_i r_i  subject to  sum q_i d_i <= cut  is the envelope read at the cut, so one pass
answers every cut. Sorting all points would cost more than the rest: most are thrown out first by comparing them with
the envelope of the best point per bucket of d, in linear time; only what survives is sorted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int64, njit, types
from numpy.typing import NDArray

_BUCKET_POINTS = 8  # points per bucket; fewer buckets prune less, more cost more than they save
_FEW = 64  # below this, sorting everything is cheaper than pruning
_SPANS = 1e-140, 1e140  # products of differences and the number of buckets over a span stay finite in between

_floats = types.Array(float64, 1, "C", readonly=True)
_indices = types.Array(int64, 1, "C", readonly=True)


class Ends(NamedTuple):
    """Where the envelope starts and stops."""

    left: int
    """Least d, of those the highest r, of those the lowest index."""
    top: int
    """Highest r, of those the least d, of those the lowest index."""
    is_finite: bool


_triple = types.Tuple((int64, int64, boolean))  # type: ignore[no-untyped-call]


@njit(_triple(_floats, _floats), cache=True)
def _ends(d: NDArray[np.float64], r: NDArray[np.float64]) -> tuple[int, int, bool]:
    left, top, total = 0, 0, 0.0
    for i in range(d.size):
        total += 0.0 * d[i] + 0.0 * r[i]  # stays 0 unless something is infinite or NaN
        if d[i] < d[left] or (d[i] == d[left] and r[i] > r[left]):
            left = i
        if r[i] > r[top] or (r[i] == r[top] and d[i] < d[top]):
            top = i
    return left, top, total == 0.0


@njit(int64[:](_floats, _floats, _indices), cache=True)
def _chain(d: NDArray[np.float64], r: NDArray[np.float64], index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Monotone chain over points in order of d; the places of the vertices, of equal points that of lowest index."""
    hull, size = np.empty(d.size, dtype=np.int64), 0
    for k in range(d.size):
        if size and r[k] <= r[hull[size - 1]]:
            last = hull[size - 1]
            if r[k] == r[last] and d[k] == d[last] and index[k] < index[last]:
                hull[size - 1] = k
            continue  # not above the best so far: the envelope is non-decreasing
        if size and d[k] == d[hull[size - 1]]:
            size -= 1  # same d, higher r
        while size >= 2:
            a, b = hull[size - 2], hull[size - 1]
            if (r[b] - r[a]) * (d[k] - d[a]) > (r[k] - r[a]) * (d[b] - d[a]):
                break  # b lies strictly above the chord from a to k
            size -= 1
        hull[size] = k
        size += 1
    return hull[:size]


@njit(int64[:](_floats, _floats, int64, int64, int64), cache=True)
def _best_per_bucket(
    d: NDArray[np.float64], r: NDArray[np.float64], left: int, top: int, n_buckets: int
) -> NDArray[np.int64]:
    """The highest point of each bucket of d between the ends; -1 where there is none."""
    scale = n_buckets / (d[top] - d[left])
    best = np.full(n_buckets, -1, dtype=np.int64)
    for i in range(d.size):
        if d[i] <= d[top]:
            b = min(int((d[i] - d[left]) * scale), n_buckets - 1)
            if best[b] < 0 or r[i] > r[best[b]] or (r[i] == r[best[b]] and d[i] < d[best[b]]):
                best[b] = i
    return best


@njit(int64[:](_floats, _floats, int64, int64), cache=True)
def _survivors(d: NDArray[np.float64], r: NDArray[np.float64], left: int, top: int) -> NDArray[np.int64]:
    """Points that may be vertices: those above the envelope of the best point per bucket, and its vertices."""
    n_buckets = max(4, min(1024, d.size // _BUCKET_POINTS))
    scale = n_buckets / (d[top] - d[left])
    best = _best_per_bucket(d, r, left, top, n_buckets)
    known = np.concatenate((np.array([left]), best[best >= 0]))
    hull = known[_chain(d[known], r[known], known)]
    size = hull.size
    # One line through each end of a bucket; inside, at most one vertex, so their minimum is the envelope there.
    at, slope = np.empty(n_buckets + 1), np.empty(n_buckets + 1)
    k = 0
    for b in range(n_buckets + 1):
        x = d[left] + b / scale
        while k < size - 2 and d[hull[k + 1]] <= x:
            k += 1
        slope[b] = (r[hull[k + 1]] - r[hull[k]]) / (d[hull[k + 1]] - d[hull[k]]) if size > 1 else 0.0
        at[b] = r[hull[k]] + slope[b] * (x - d[hull[k]])
    kept = np.empty(d.size, dtype=np.int64)
    n_kept = 0
    for i in range(d.size):
        if d[i] > d[top]:
            continue
        place = (d[i] - d[left]) * scale
        b = min(int(place), n_buckets - 1)
        step = (place - b) / scale
        line = min(at[b] + slope[b] * step, at[b + 1] + slope[b + 1] * (step - 1.0 / scale))
        if r[i] > line or best[b] == i or i == left:
            kept[n_kept] = i
            n_kept += 1
    return kept[:n_kept].copy()


def ends(d: NDArray[np.float64], r: NDArray[np.float64]) -> Ends:
    """The first and the last vertex, and whether every number is finite."""
    return Ends(*_ends(d, r))


def vertices(d: NDArray[np.float64], r: NDArray[np.float64], span: Ends) -> NDArray[np.int64]:
    """Indices of the envelope's vertices, from the least d to the highest r, slopes strictly falling."""
    if d[span.left] == d[span.top]:  # the point of least d is also the best
        return np.array([span.left])
    d, r = _in_range(d, span), _in_range(r, span)
    kept = np.arange(d.size) if d.size <= _FEW else _survivors(d, r, span.left, span.top)
    order = kept[np.argsort(d[kept])]
    return order[_chain(d[order], r[order], order)]


def _in_range(values: NDArray[np.float64], span: Ends) -> NDArray[np.float64]:
    """The same numbers, in a unit (a power of two) in which differences can be multiplied and divided."""
    rise = float(values[span.top]) - float(values[span.left])
    if _SPANS[0] < rise < _SPANS[1]:
        return values
    exponent = math.frexp(rise)[1] if math.isfinite(rise) else 1026
    with np.errstate(over="ignore", under="ignore"):  # points far outside the span are no vertices
        return np.ldexp(values, -exponent)
