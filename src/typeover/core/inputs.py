"""Numbers from outside, checked once: each refusal says name, value, what is allowed, and what the number means."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.errors import InvalidInputError

_LARGEST = sys.float_info.max


def whole(name: str, value: object, *, meaning: str, low: int = 1) -> int:
    """A whole number from `low`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < low:
        raise InvalidInputError(f"{name} is {value!r}; it must be a whole number from {low}: {meaning}")
    return int(value)


def real(name: str, value: object, *, meaning: str, low: float = 0.0, high: float = math.inf) -> float:
    """A finite number from `low` to `high`, both allowed."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not max(low, -_LARGEST) <= value <= min(high, _LARGEST):  # type: ignore[operator]
        raise InvalidInputError(f"{name} is {value!r}; it must be {_span(low, high)}: {meaning}")
    return float(value)  # type: ignore[arg-type]


def chance(name: str, value: object, *, meaning: str) -> float:
    """A probability strictly between 0 and 1."""
    number = real(name, value, meaning=meaning, high=1.0)
    if number in {0.0, 1.0}:
        raise InvalidInputError(f"{name} is {value!r}; it must lie strictly between 0 and 1: {meaning}")
    return number


def vector(name: str, values: ArrayLike, *, meaning: str, low: float = -math.inf, high: float = math.inf) -> Vector:
    """A list of at least one finite number from `low` to `high`."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{name} is {values!r:.80}; it must be a list of numbers: {meaning}") from None
    if np.ndim(values) != 1 or array.size == 0:
        raise InvalidInputError(f"{name} has shape {np.shape(values)}; it must be a list of at least one: {meaning}")
    strays = np.flatnonzero(~(np.isfinite(array) & (low <= array) & (array <= high)))
    if strays.size:
        at = int(strays[0])
        raise InvalidInputError(f"{name}[{at}] is {array[at]}; it must be {_span(low, high)}: {meaning}")
    return array


def _span(low: float, high: float) -> str:
    if math.isinf(high):
        return "a finite number" if math.isinf(low) else f"a finite number from {low:g}"
    return f"a number from {low:g} to {high:g}"
