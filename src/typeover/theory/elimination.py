"""Which policies are kept: how far a policy's mean estimate may lie above the least one after t rounds.

    biased           eps + 2 nu + 4 sqrt(2 L / t)                                            Eq. 7
    doubly robust    eps + 4 U_t,  U_t = 4 sqrt(max(1, nu T^(1/4)) L / t) + 4 T^(1/4) L / t  Eq. 8
    active           2 eps + 3 r_t,  r_t = 4 sqrt(2 L / t)                                   Eq. 9
    any estimate     eps + w_t, or eps + 2 w_t as provable                                   Eq. 10

L = log(T |Pi| / delta), for all t <= T and all policies at once. Every radius bounds *averages*, is paid above the
least average among the policies still alive, and has the shape of `number`, which may be an array. The radius from
what was seen in place of what was feared stands in `typeover.theory.empirical`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.core.inputs import real, whole
from typeover.errors import InvalidInputError
from typeover.theory.terms import BIAS, HORIZON, TOLERANCE, Form, counts, is_provable, log_union

_NUMBER = "the round t, counted from 1"


def biased_radius(
    *, number: ArrayLike, horizon: int, n_policies: int, tolerance: float, bias_bound: float, failure: float
) -> Vector:
    """The radius eps + 2 nu + 4 sqrt(2 L / t), for estimates in [0, 1] that are off by at most nu in the mean (Eq. 7).

    Provable as printed, with room: by Hoeffding 2 nu + sqrt(2 log(2 T |Pi| / delta) / t) is enough. The printed proof
    goes by w_t with v = b = 1 and drops its 4 L / t, rightly: where that exceeds the room, the radius exceeds 1.

    >>> float(
    ...     biased_radius(number=32, horizon=1, n_policies=1, tolerance=0.1, bias_bound=0.05, failure=math.exp(-1))
    ... )
    1.2
    """
    t = counts("number", number, meaning=_NUMBER, low=1)
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    nu = real("bias_bound", bias_bound, meaning=BIAS, high=1.0)
    radius: Vector = eps + 2 * nu + _azuma(t, log_union(horizon, n_policies, failure))  # Eq. 7
    return radius


def robust_audit_probability(*, horizon: int, bias_bound: float) -> float:
    """The rate gamma = nu / T^(1/4), the audit probability that Eq. 8 assumes; 0 if nothing is biased.

    >>> robust_audit_probability(horizon=10_000, bias_bound=0.2)
    0.02
    """
    T = whole("horizon", horizon, meaning=HORIZON)
    return real("bias_bound", bias_bound, meaning=BIAS, high=1.0) / math.sqrt(math.sqrt(T))


def robust_moments(*, bias_bound: float, audit_probability: float, form: Form = "printed") -> tuple[float, float]:
    """v^2 and b of the doubly robust estimate: E Deltabar^2 <= v^2 and |Deltabar| <= b (lem:doubly_robust).

    v^2 = 2 + 2 nu^2 / gamma; b = 1 as the lemma prints it, 1 + nu / gamma as its proof gives and as U_t has it. Only
    for a control within nu of the truth that does not depend on whether the round is an audit; for any other control
    in [0, 1] both are 1 / gamma.

    >>> robust_moments(bias_bound=0.2, audit_probability=0.1, form="provable")
    (2.8, 3.0)
    """
    nu = real("bias_bound", bias_bound, meaning=BIAS, high=1.0)
    gamma = real("audit_probability", audit_probability, meaning="gamma, how likely a round is an audit", high=1.0)
    if gamma == 0 < nu:
        raise InvalidInputError(
            f"audit_probability is 0 while bias_bound is {nu:g}; without audits nothing undoes a bias"
        )
    ratio = nu / gamma if gamma else 0.0
    return 2 + 2 * nu * ratio, 1 + ratio if is_provable(form) else 1.0  # lem:doubly_robust


def robust_width(*, number: ArrayLike, horizon: int, n_policies: int, bias_bound: float, failure: float) -> Vector:
    """U_t = 4 sqrt(max(1, nu T^(1/4)) L / t) + 4 T^(1/4) L / t: a deviation that no policy exceeds (Eq. 8).

    Provable as printed, with room: it is at least w_t (`nested_width`) for the v^2 and b of `robust_moments` at
    gamma = nu / T^(1/4). It does not apply to another audit probability or another control.
    """
    t = counts("number", number, meaning=_NUMBER, low=1)
    nu = real("bias_bound", bias_bound, meaning=BIAS, high=1.0)
    L = log_union(horizon, n_policies, failure)
    root = math.sqrt(math.sqrt(horizon))
    width: Vector = 4 * np.sqrt(max(1, nu * root) * L / t) + 4 * root * L / t
    return width


def robust_radius(
    *, number: ArrayLike, horizon: int, n_policies: int, tolerance: float, bias_bound: float, failure: float
) -> Vector:
    """The radius eps + 4 U_t (Eq. 8). Provable as printed; 2 U_t would do, and survivors lie within eps + 6 U_t."""
    U = robust_width(number=number, horizon=horizon, n_policies=n_policies, bias_bound=bias_bound, failure=failure)
    radius: Vector = real("tolerance", tolerance, meaning=TOLERANCE) + 4 * U  # Eq. 8
    return radius


class ActiveRule(NamedTuple):
    """The rule of active queries after t rounds."""

    width: Vector
    """r_t."""
    radius: Vector
    """2 eps + 3 r_t: what a policy's average over all t rounds may exceed the least one by."""
    threshold: Vector
    """eps + r_t / 2: two alive policies that disagree by this much are worth a query in round t."""
    violation: Vector
    """3 eps + 10 r_t: what a policy that is kept may lose more than the least."""


def active_rule(
    *,
    number: ArrayLike,
    horizon: int,
    n_policies: int,
    tolerance: float,
    failure: float,
    form: Form = "provable",
) -> ActiveRule:
    """r_t, and what is compared with it (Eq. 9, lem:version_space_incl, lem:version_space_ineq).

    r_t = 4 sqrt(2 log(|Pi| / delta) / t) as printed; the appendix needs log(T |Pi| / delta), the default. With it the
    two lemmas hold with room (1.4 r_t in place of 3 r_t, 5.4 in place of 10), because sum r_i / 2 <= t r_t. The printed
    r_t lives off that room: it is sound as long as 4 T <= (|Pi| / delta)^63. Both need Delta to be a metric.

    >>> rule = active_rule(number=[100, 10_000], horizon=10_000, n_policies=50, tolerance=0.05, failure=0.05)
    >>> rule.threshold.round(3)
    array([1.186, 0.164])
    """
    t = counts("number", number, meaning=_NUMBER, low=1)
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    L = log_union(horizon if is_provable(form) else 1, n_policies, failure)
    r = _azuma(t, L)
    return ActiveRule(r, 2 * eps + 3 * r, eps + r / 2, 3 * eps + 10 * r)  # Eq. 9, lem:version_space_ineq


def nested_width(
    *,
    number: ArrayLike,
    total_moment: ArrayLike,
    bound: ArrayLike,
    total_bias: ArrayLike,
    horizon: int,
    n_policies: int,
    failure: float,
    form: Form = "provable",
) -> Vector:
    """w_t = (sqrt(2 sum v_s^2 L) + 2 b L + sum beta_s) / t: how far an average may be off (Eq. 10).

    `total_moment` = sum v_s^2, `bound` = b, `total_bias` = sum beta_s, over s <= t. As provable L = log(2 T |Pi| /
    delta): Freedman's inequality holds on one side and both are used. v_s and b have to be fixed in advance; if audits
    are made more or less likely on the way, they are not, and `empirical_width` is the one to take.
    """
    t = counts("number", number, meaning=_NUMBER, low=1)
    square = counts("total_moment", total_moment, meaning="the sum of v_s^2 over the rounds so far")
    b = counts("bound", bound, meaning="b, the largest size of an estimate")
    bias = counts("total_bias", total_bias, meaning="the sum of beta_s over the rounds so far")
    L = log_union(horizon, n_policies, failure) + (math.log(2) if is_provable(form) else 0)
    width: Vector = (np.sqrt(2 * square * L) + 2 * b * L + bias) / t  # Eq. 10
    return width


def nested_radius(*, width: ArrayLike, tolerance: float, form: Form = "provable") -> Vector:
    """The radius eps + w_t as printed, eps + 2 w_t as provable (Eq. 10).

    With w_t alone a feasible policy can be lost, since it and the best one may both be off by w_t, in opposite
    directions. Eq. 10 also prints the tolerance once on a sum; it belongs to the average.
    """
    w = counts("width", width, meaning="w_t; nested_width computes it")
    radius: Vector = real("tolerance", tolerance, meaning=TOLERANCE) + (2 * w if is_provable(form) else w)  # Eq. 10
    return radius


def nested_violation(*, width: ArrayLike, tolerance: float, form: Form = "provable") -> Vector:
    """What a kept policy may lose more than the least (lem:shrinking_pol_set2).

    eps + 2 w_t as printed, eps + 4 w_t as provable. The printed half of the lemma about this holds for the printed
    radius; its other half, that feasible policies are kept, does not.
    """
    w = counts("width", width, meaning="w_t; nested_width computes it")
    return nested_radius(width=2 * w, tolerance=tolerance, form=form)  # lem:shrinking_pol_set2


def _azuma(t: Vector, L: float) -> Vector:
    width: Vector = 4 * np.sqrt(2 * L / t)
    return width
