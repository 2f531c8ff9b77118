"""Intervals for a mean over seeds, by Student's t; exact for whole degrees of freedom, without scipy.

With nu degrees of freedom, theta = atan(t / sqrt(nu)) and c = cos(theta), P(|T| <= t) is a finite sum
(Abramowitz and Stegun, 26.7.3 and 26.7.4):
nu even: sin(theta) (1 + 1/2 c^2 + (1 3)/(2 4) c^4 + ... up to c^(nu-2));
nu odd:  2/pi (theta + sin(theta) (c + 2/3 c^3 + (2 4)/(3 5) c^5 + ... up to c^(nu-2))).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from typeover.errors import InvalidInputError


class Interval(NamedTuple):
    """A mean and the ends between which the true mean lies with the confidence asked for."""

    mean: float
    low: float
    high: float


def mean_interval(values: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """The mean of one figure per seed; a single seed bounds nothing, its ends are infinite.

    >>> mean_interval([1.0, 2.0, 3.0])
    Interval(mean=2.0, low=-0.48..., high=4.48...)
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0 or not np.isfinite(sample).all():
        raise InvalidInputError(f"values is {values!r}; give a flat list of finite numbers, one per seed, at least one")
    mean = float(sample.mean())
    if sample.size == 1:
        return Interval(mean, -math.inf, math.inf)
    error = float(sample.std(ddof=1)) / math.sqrt(sample.size)
    half = t_quantile(sample.size - 1, confidence=confidence) * error
    return Interval(mean, mean - half, mean + half)


@lru_cache(maxsize=256)
def t_quantile(degrees: int, *, confidence: float = 0.95) -> float:
    """The t with P(|T| <= t) = confidence.

    >>> round(t_quantile(19), 4)
    2.093
    """
    if degrees < 1:
        raise InvalidInputError(f"degrees is {degrees!r}; a whole number of at least 1, one less than there are seeds")
    if not 0 < confidence < 1:
        raise InvalidInputError(f"confidence is {confidence!r}; it must lie between 0 and 1, such as 0.95")
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:  # until no number lies between
        low, high = (middle, high) if _within(middle, degrees) < confidence else (low, middle)
    return math.sqrt(degrees) * math.tan(low)


def _within(theta: float, degrees: int) -> float:
    """P(|T| <= sqrt(degrees) tan(theta))."""
    odd = degrees % 2
    k = np.arange(1, (degrees - odd) // 2)  # each term is the one before times (2k - 1 + odd)/(2k + odd) c^2
    ratios = (2 * k - 1 + odd) / (2 * k + odd) * math.cos(theta) ** 2
    series = 1.0 + float(np.cumprod(ratios).sum())
    if not odd:
        return math.sin(theta) * series
    rest = math.sin(theta) * math.cos(theta) * series if degrees > 1 else 0.0
    return 2 / math.pi * (theta + rest)
