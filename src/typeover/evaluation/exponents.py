"""How fast regret grows: the exponent of a power of the rounds, fitted to means over seeds.

m_h = mean over seeds of the regret at horizon T_h · x_h = log T_h minus its mean · w_h = x_h / sum x^2
exponent = sum w_h log m_h, least squares of log m on log T. Its first-order change with seed i is sum w_h y_ih / m_h
(sum w_h = 0), so that the mean over seeds of exponent + sum w_h y_ih / m_h is the exponent and their spread its error.
Single seeds may have negative regret; means may not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.errors import InvalidInputError
from typeover.evaluation.intervals import Interval, mean_interval


def exponent(rounds: ArrayLike, totals: ArrayLike, *, confidence: float = 0.95) -> Interval | None:
    """The slope of log mean regret over log rounds; None where a mean is not above 0, so that there is nothing to fit.

    `totals` is cumulative regret, shape (seeds, rounds); the same seeds at every number of rounds.

    >>> [round(end, 3) for end in exponent([100, 10_000], [[10.0, 100.0], [20.0, 200.0]])]
    [0.5, 0.5, 0.5]
    """
    at, sums = np.asarray(rounds, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    if at.ndim != 1 or sums.ndim != 2 or sums.shape[1] != at.size or len(sums) == 0 or np.unique(at).size < 2:
        raise InvalidInputError(
            f"totals has shape {sums.shape} for {at.size} numbers of rounds; give a row per seed with one figure for "
            "each, two different numbers of rounds at least"
        )
    means: Vector = sums.mean(axis=0)
    if not (means > 0).all():
        return None
    x = np.log(at) - np.log(at).mean()
    weights = x / (x @ x)
    return mean_interval(weights @ np.log(means) + (sums / means) @ weights, confidence=confidence)
