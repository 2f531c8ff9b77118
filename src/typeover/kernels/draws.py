"""Many draws from many distributions: out[t] = how many entries of row rows[t] are <= uniforms[t]."""

from __future__ import annotations

import numpy as np
from numba import float64, int32, njit, types
from numpy.typing import NDArray

_matrix = types.Array(float64, 2, "C", readonly=True)
_ints = types.Array(int32, 1, "C", readonly=True)
_floats = types.Array(float64, 1, "C", readonly=True)


@njit(int32[::1](_matrix, _ints, _floats), cache=True)
def draw_rows(
    running: NDArray[np.float64], rows: NDArray[np.int32], uniforms: NDArray[np.float64]
) -> NDArray[np.int32]:
    """Index i when running[row, i - 1] <= u < running[row, i], by bisection; `core.draw` closes the rows."""
    out = np.empty(rows.size, dtype=np.int32)
    for t in range(rows.size):
        low, high = 0, running.shape[1] - 1
        while low < high:
            middle = (low + high) // 2
            if running[rows[t], middle] <= uniforms[t]:
                low = middle + 1
            else:
                high = middle
        out[t] = low
    return out
