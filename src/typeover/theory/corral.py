"""The corralling master over M blends: its settings, and what it is promised (Eq. 14, Theorem 7, Theorem 8).

C_m = mu_m^2 K + (1-mu_m)^2 v^2 · R_m = sqrt(C_m T log|Pi|) · rho_{0,m} = M max(1, C_m / C^2) · C the master's scale, 1
in Theorem 8. A base that was asked with probability at least 1/rho suffers sqrt(rho) R_m; the hedge pays for that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.core.inputs import real, vector, whole
from typeover.errors import InvalidInputError
from typeover.theory.bounds import converted_regret
from typeover.theory.exp4 import stability
from typeover.theory.terms import (
    ALIGNMENT,
    AUDITS,
    BLEND,
    HORIZON,
    POLICIES,
    SLACK,
    Form,
    costs_at,
    counts,
    failure_of,
    is_provable,
    no_failure,
)


class CorralSettings(NamedTuple):
    """One entry per base."""

    costs: Vector
    """C_m."""
    regrets: Vector
    """R_m, what the hedge assumes of a base that is always asked."""
    inverses: Vector
    """rho_{0,m}, from which the hedge starts."""


def corral_settings(
    *,
    blends: ArrayLike,
    horizon: int,
    n_actions: int,
    n_policies: int,
    second_moment: float = 1.0,
    scale: float = 1.0,
    hedge_scale: float = 1.0,
) -> CorralSettings:
    """C_m, R_m and rho_{0,m} for these blends; `hedge_scale` multiplies R_m (3 is what a base's own bound proves).

    The appendix has R_m = sqrt(2 C_m T log|Pi|) where it defines stability and sqrt(C_m T log|Pi|) in Theorem 7.

    >>> corral_settings(blends=[0.0, 1.0], horizon=100, n_actions=4, n_policies=1).inverses
    array([2., 8.])
    """
    mu = _blends(blends)
    C = _scale(scale)
    T = whole("horizon", horizon, meaning=HORIZON)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    costs = costs_at(mu, n_actions, second_moment)
    hedge = real("hedge_scale", hedge_scale, meaning="what R_m is multiplied by")
    return CorralSettings(costs, hedge * np.sqrt(costs * T * math.log(N)), mu.size * np.maximum(1, costs / C**2))


def corral_rate(
    *, total_inverse: ArrayLike, total_moment: ArrayLike, blends: ArrayLike, n_actions: int, n_policies: int
) -> Vector:
    """eta_{t,m} = sqrt(log|Pi| / sum over s <= t of (mu^2 K rho_{s,m} + (1-mu)^2 v_s^2)), the rate of each base.

    `total_inverse` = sum of rho_{s,m} for each base, `total_moment` = sum of v_s^2. A base that was always asked and a
    constant v give `exp4_rate`.
    """
    mu = _blends(blends)
    K = whole("n_actions", n_actions, meaning="how many candidates a round has")
    N = whole("n_policies", n_policies, meaning=POLICIES)
    asked = counts("total_inverse", total_inverse, meaning="the sum of rho over the rounds so far, t or more", low=1)
    square = counts("total_moment", total_moment, meaning="the sum of v^2 over the rounds so far")
    spread = mu**2 * K * asked + (1 - mu) ** 2 * square
    if not np.all(spread > 0):
        raise InvalidInputError("total_moment is 0 at blend 0; without any loss there is nothing to learn: raise one")
    rate: Vector = np.sqrt(math.log(N) / spread)
    return rate


def stable_reward_regret(
    *,
    inverse: float,
    horizon: int,
    blend: float,
    n_actions: int,
    n_policies: int,
    alignment: float,
    slack: float,
    second_moment: float = 1.0,
    has_negative_estimates: bool = False,
    form: Form = "printed",
) -> float:
    """Reward regret of a base that is asked with probability at least 1/rho, *per round* (Eq. 14).

    printed (sqrt(rho log(T |Pi|) C_m / T) + (1-mu) d) / (mu + alpha (1-mu)), provable the same with 3 sqrt(rho log|Pi|
    C_m / T), for the rate of `corral_rate`. Both are against pi* while it is kept; `inverse` = rho. rho multiplies all
    of C_m although only its reward part is inflated. Printed is too small by up to 3 where T <= |Pi|^8.
    """
    rho = counts("inverse", inverse, meaning="rho, the largest 1/P_m so far", low=1)
    T = whole("horizon", horizon, meaning=HORIZON)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    mu = real("blend", blend, meaning=BLEND, high=1.0)
    cost = float(costs_at(np.array([mu]), n_actions, second_moment)[0])
    if is_provable(form):
        factor = 1 + stability(has_negative_estimates=has_negative_estimates)
        blended = factor * math.sqrt(float(rho) * math.log(N) * cost / T)
    else:
        blended = math.sqrt(float(rho) * math.log(T * N) * cost / T)  # Eq. 14
    return converted_regret(blended_regret=blended, blend=mu, alignment=alignment, slack=slack)


def master_regret(
    *, horizon: int, n_policies: int, n_bases: int, cost: float, scale: float = 1.0, form: Form = "printed"
) -> float:
    """Regret of the corralling master against a base of regret sqrt(C_m T log|Pi|), *cumulative* (Theorem 7).

        printed     2 max(C, C_m/C) sqrt(M T log|Pi|) + sqrt(2 M T)
        provable    (C + max(sqrt(C_m), C_m/C)) sqrt(M T log|Pi|) + 4 sqrt(M T)

    `cost` = C_m, `scale` = C. The provable first term never exceeds the printed one. The paper omits the proof; C at 0
    is allowed in print and infinite. (C + C_m/C) would be too little where C_m < C^2, as at K = 2, mu = 1/2.

    >>> master_regret(horizon=100, n_policies=1, n_bases=4, cost=1.0, form="provable")
    80.0
    """
    T = whole("horizon", horizon, meaning=HORIZON)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    M = whole("n_bases", n_bases, meaning="how many blends are corralled")
    C, Cm = _scale(scale), real("cost", cost, meaning="C_m; corral_settings computes it")
    hedged = math.sqrt(M * T * math.log(N))
    if is_provable(form):
        return (C + max(math.sqrt(Cm), Cm / C)) * hedged + 4 * math.sqrt(M * T)
    return 2 * max(C, Cm / C) * hedged + math.sqrt(2 * M * T)  # Theorem 7


def phi(
    *,
    horizon: int,
    blends: ArrayLike,
    n_actions: int,
    n_policies: int,
    alignment: float,
    slack: float,
    second_moment: float = 1.0,
    has_negative_estimates: bool = False,
    form: Form = "printed",
) -> Vector:
    """phi(mu, v, T, d) at each of these blends, *cumulative*; infinite where mu + alpha (1-mu) is 0.

        printed     (C_m sqrt(T log|Pi| log T) + T (1-mu) d) / (mu + alpha (1-mu))
        provable    3 (1 + max(s, s^2)) sqrt(M T log|Pi|) + 4 sqrt(M T) + T (1-mu) d / (mu + alpha (1-mu))

    s = sqrt(C_m) / (mu + alpha (1-mu)), M = the number of blends, 3 as in `exp4_blended_regret`. `second_moment` is
    v^2. The base's regret in rewards is its blended one divided by mu + alpha (1-mu), and the master at C = 1 squares
    what it is given: the denominator enters squared, not once as printed. The hedge has to carry the denominator too,
    so for alpha < 1 it must know alpha; with R_m as printed there is no proof. log T stands for M <= 2 + 2 log2(T).
    """
    mu = _blends(blends)
    T = whole("horizon", horizon, meaning=HORIZON)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    alpha, d = real("alignment", alignment, meaning=ALIGNMENT), real("slack", slack, meaning=SLACK)
    costs = costs_at(mu, n_actions, second_moment)
    if not is_provable(form):
        learnt = costs * math.sqrt(math.log(N) * math.log(T) / T)
        return T * _converted(learnt, mu, alpha, d)
    s = _converted(np.sqrt(costs), mu, alpha, 0.0)
    factor = 1 + stability(has_negative_estimates=has_negative_estimates)
    hedged = factor * (1 + np.maximum(s, s**2)) * math.sqrt(mu.size * T * math.log(N)) if N > 1 else 0.0
    total: Vector = hedged + 4 * math.sqrt(mu.size * T) + T * _converted(0 * mu, mu, alpha, d)
    return total


def corralled_reward_regret(
    *,
    horizon: int,
    blends: ArrayLike,
    n_actions: int,
    n_policies: int,
    alignment: float,
    slack: float,
    second_moment: float = 1.0,
    audits: float = 0.0,
    has_negative_estimates: bool = False,
    failure: float | None = None,
    form: Form = "printed",
) -> float:
    """Reward regret of the corralled bases against the best feasible policy, *cumulative* (Theorem 8).

    min over these blends of phi, plus sum E Z; provable plus delta T. The paper takes the least over [0, 1], with 1 for
    the O(); its grid stands for that only up to a constant. The constraint's side is `kept_constraint_regret`.
    """
    spent = real("audits", audits, meaning=AUDITS)
    each = phi(
        horizon=horizon,
        blends=blends,
        n_actions=n_actions,
        n_policies=n_policies,
        alignment=alignment,
        slack=slack,
        second_moment=second_moment,
        has_negative_estimates=has_negative_estimates,
        form=form,
    )
    if not is_provable(form):
        no_failure(failure)
        return float(each.min()) + spent  # Theorem 8
    return float(each.min()) + spent + failure_of(failure, horizon) * horizon


def _converted(blended: Vector, mu: Vector, alpha: float, d: float) -> Vector:
    return np.array([
        converted_regret(blended_regret=float(R), blend=float(m), alignment=alpha, slack=d)
        for R, m in zip(blended, mu, strict=True)
    ])  # fmt: skip


def _blends(blends: ArrayLike) -> Vector:
    return vector("blends", blends, meaning=BLEND, low=0.0, high=1.0)


def _scale(scale: float) -> float:
    C = real("scale", scale, meaning="C, the scale of the master")
    if C == 0:
        raise InvalidInputError("scale is 0; the bound is infinite there: use a number above 0")
    return C
