"""One uniform number becomes one action, the same way for a single round and for a million."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Indices, Vector


def cumulative(propensities: Vector) -> Vector:
    """Running sums along the last axis, closed at 1 from the last possible action on, whatever rounding did."""
    running = np.cumsum(propensities, axis=-1)
    running[running >= running[..., -1:]] = np.inf  # the last action with probability > 0 takes the rest
    return running


def draw(running: Vector, uniforms: NDArray[Any] | float) -> Indices:
    """Index i when running[i - 1] <= u < running[i]; rows of `running` belong to the uniforms, or one row to all."""
    if running.ndim == 1:
        return np.searchsorted(running, uniforms, side="right").astype(np.int32)
    passed: Indices = (running <= np.asarray(uniforms)[:, None]).sum(axis=1, dtype=np.int32)
    return passed
