"""Multiplicative weights on one multiplier against a best-responding player (Algorithm 1, lines 6-9).

    lambda_1 = 1/B,   lambda_{s+1} = min(B, lambda_s exp(rate (D(Q_s) - cut))),   Q_s = argmax_Q R(Q) - lambda_s D(Q)

A best response is a vertex of the envelope, and the vertices are sorted by the slopes at which they take over, so a
step walks to a neighbour instead of searching all policies: the printed iterates at a few nanoseconds each.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, njit, types
from numpy.typing import NDArray

_floats = types.Array(float64, 1, "C", readonly=True)


_counts_and_mean = types.Tuple((int64[:], float64))  # type: ignore[no-untyped-call]


@njit(_counts_and_mean(_floats, _floats, float64, float64, float64, int64), cache=True)
def multiplicative_weights(
    d: NDArray[np.float64], r: NDArray[np.float64], cut: float, cap: float, rate: float, iterations: int
) -> tuple[NDArray[np.int64], float]:
    """How often each vertex was the best response, and the mean multiplier; ties go to the smaller d."""
    n = d.size
    slopes = np.zeros(n)  # of the edge that leaves vertex k; nothing leaves the last
    factors = np.empty(n)
    for k in range(n):
        factors[k] = np.exp(rate * (d[k] - cut))
        if k + 1 < n:
            slopes[k] = (r[k + 1] - r[k]) / (d[k + 1] - d[k])
    counts = np.zeros(n, dtype=np.int64)
    multiplier, total, k = 1.0 / cap, 0.0, 0
    for _ in range(iterations):
        while k > 0 and slopes[k - 1] <= multiplier:
            k -= 1
        while k + 1 < n and slopes[k] > multiplier:
            k += 1
        counts[k] += 1
        total += multiplier
        multiplier = min(cap, multiplier * factors[k])
    return counts, total / iterations
