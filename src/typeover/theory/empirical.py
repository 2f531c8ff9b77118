"""A radius from what was seen: the spread of the estimates in place of a bound on it.

    w = (sqrt(2 V l) + b l) / t,    l = log(2 |Pi| n (n+1) J / delta)

V sum over s <= t of (Deltabar_s - m_s)^2 · m_s running mean before s, clipped to [0, 1] · b largest |Deltabar - m|,
1 / min gamma with such m · n looks so far · J doublings of V. Not in the paper, which fears the worst gamma throughout.
A policy is kept while mean(pi) <= mean(best) + eps + w(pi) + w(best), best being the least mean among the alive.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.core.inputs import chance, real, whole
from typeover.theory.terms import FAILURE, POLICIES, counts


def empirical_width(
    *,
    squares: ArrayLike,
    total: ArrayLike,
    bound: float,
    n_policies: int,
    looks: int,
    doublings: int,
    failure: float,
) -> Vector:
    """How far the mean of each policy may be from the truth, at every look and for every policy at once.

    `squares` = V of each policy, `total` = t, or the sum of the weights if rounds are weighted, `bound` = b.

    For one rate x below 1 / b, sum (Deltabar - mean) <= l / x + x V / (2 (1 - b x)) at all times, by Ville's inequality
    and log(1 + y) >= y - y^2 psi for y >= -1; the best x turns it into sqrt(2 V l) + b l. V is not known beforehand, so
    J rates stand for J doublings of it. That costs a factor 1.015 on the root, and sqrt(2 V_0 l) where V is below the
    first doubling V_0. The factor n (n+1) pays for both if b is fixed in advance (Ville needs no union over looks), if
    log(n (n+1)) is at least 3.1 % of the rest of l, and if J is that of `doublings_needed`. If b grows from look to
    look, n (n+1) is spent on the looks: the root is then 1.5 % short.
    The range term b l is not optional, and without clipping m_s the true b is 2 / min gamma.

    >>> empirical_width(
    ...     squares=[0.0, 50.0], total=1000, bound=11.0, n_policies=50, looks=3, doublings=20, failure=0.05
    ... ).round(3)
    array([0.144, 0.18 ])
    """
    V = counts("squares", squares, meaning="V, the sum of squared distances from the running mean")
    t = counts("total", total, meaning="the rounds so far, or the sum of their weights", low=np.finfo(float).tiny)
    b = real("bound", bound, meaning="b, the largest distance of an estimate from the running mean")
    N = whole("n_policies", n_policies, meaning=POLICIES)
    n = whole("looks", looks, meaning="how often the estimates have been looked at, this time included")
    J = whole("doublings", doublings, meaning="J; doublings_needed(horizon, ...) computes one")
    length = math.log(2 * N * n * (n + 1) * J / chance("failure", failure, meaning=FAILURE))
    width: Vector = (np.sqrt(2 * V * length) + b * length) / t
    return width


def doublings_needed(*, horizon: int, n_policies: int, failure: float) -> int:
    """J: from V_0 = b^2 log(2)^2 / (2 l), which n (n+1) covers at the first look, to T b^2, all that V can be.

    >>> doublings_needed(horizon=100_000, n_policies=200, failure=0.05)
    23
    """
    T = whole("horizon", horizon, meaning="how many rounds will be played")
    N = whole("n_policies", n_policies, meaning=POLICIES)
    delta = chance("failure", failure, meaning=FAILURE)
    J = 1
    while 2**J * math.log(2) ** 2 < 2 * T * math.log(2 * N * J / delta):
        J += 1
    return J
