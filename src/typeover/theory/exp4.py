"""Exp4 over the policies still alive, at one blend mu: its rate, and what it is promised (cor:exp4_bound, Theorem 6).

C = mu^2 K + (1-mu)^2 v^2 · eta_t = eta_0 / sqrt(t) · v^2 bounds E Deltabar^2 for the estimate in use.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.core.inputs import real, whole
from typeover.errors import InvalidInputError
from typeover.theory.bounds import blended_deviation, converted_regret
from typeover.theory.terms import (
    AUDITS,
    BLEND,
    HORIZON,
    POLICIES,
    TOLERANCE,
    Form,
    costs_at,
    counts,
    failure_of,
    is_provable,
    no_failure,
)


def exp4_rate(
    *, number: ArrayLike, blend: float, n_actions: int, n_policies: int, second_moment: float = 1.0
) -> Vector:
    """eta_t = sqrt(log|Pi| / C) / sqrt(t), which balances cor:exp4_bound; 0 for a single policy.

    If estimates may be negative, keep eta_t (1-mu) times their size at most 1.

    >>> float(exp4_rate(number=4, blend=1.0, n_actions=4, n_policies=1).round(3))
    0.0
    """
    t = counts("number", number, meaning="the round t, counted from 1", low=1)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    rate: Vector = math.sqrt(math.log(N) / _cost(blend, n_actions, second_moment)) / np.sqrt(t)
    return rate


def exp4_blended_regret(
    *,
    horizon: int,
    blend: float,
    n_actions: int,
    n_policies: int,
    second_moment: float = 1.0,
    rate: float | None = None,
    audits: float = 0.0,
    has_negative_estimates: bool = False,
    form: Form = "printed",
) -> float:
    """Blended regret of Exp4 against any policy that stays alive, *cumulative* (cor:exp4_bound).

        printed     sqrt(T) (log|Pi| / eta_0 + eta_0 C) + sum E Z
        provable    sqrt(T) (log|Pi| / eta_0 + 2 eta_0 C) + sum E Z

    `rate` = eta_0, sqrt(log|Pi| / C) unless given, which makes the provable one 3 sqrt(T C log|Pi|) + sum E Z. The
    printed proof has a 2 from (x + y)^2 <= 2 x^2 + 2 y^2 and drops it, and takes sum 1/sqrt(t) for sqrt(T);
    exp(-x) <= 1 - x + x^2 / 2 gives half of that back, but only for losses that are never negative. A doubly robust
    estimate can be: exp(-x) <= 1 - x + (e-2) x^2 for x >= -1, hence 4 (e-2) in place of 2. The corollary prints 1 - Z
    for Z, a slip.

    >>> exp4_blended_regret(horizon=100, blend=1.0, n_actions=4, n_policies=1, audits=5.0)
    5.0
    """
    T = whole("horizon", horizon, meaning=HORIZON)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    C = _cost(blend, n_actions, second_moment)
    eta = math.sqrt(math.log(N) / C) if rate is None else real("rate", rate, meaning="eta_0; leave it out to balance")
    spent = real("audits", audits, meaning=AUDITS)
    if eta == 0 and N > 1:
        raise InvalidInputError("rate is 0; Exp4 needs a rate above 0 to learn, or leave it out to balance")
    factor = stability(has_negative_estimates=has_negative_estimates) if is_provable(form) else 1.0
    penalty = math.log(N) / eta if N > 1 else 0.0
    return math.sqrt(T) * (penalty + factor * eta * C) + spent


def stability(*, has_negative_estimates: bool) -> float:
    """The factor of eta_0 C sqrt(T) that the proof of cor:exp4_bound gives: 2, or 4 (e-2) with negative estimates."""
    return 4 * (math.e - 2) if has_negative_estimates else 2.0


def exp4_reward_regret(
    *,
    horizon: int,
    blend: float,
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
    """Reward regret of Exp4 at one blend against the best feasible policy, *per round* (Theorem 6).

        printed     (V_T/T + (1-mu) d) / (mu + alpha (1-mu)) + sum E Z / T
        provable    the same with 3 sqrt(C log|Pi| / T) for V_T/T (more with negative estimates), plus delta

    V is Eq. 6, with 1 for the O(). Printed is the larger of the two (but for delta) while |Pi| <= (4 T)^8 and no
    estimate is negative: its logarithm is log(4 |Pi| T). The proof that is printed would divide sum Z by the
    denominator too; to have it outside, convert the rounds without audits alone, which needs the similarity on *those*:
    true if audits are drawn without looking at the context, not shown for active queries. delta is the chance that pi*
    is lost, min(1/2, 1/T) unless given.
    """
    spent = real("audits", audits, meaning=AUDITS)
    if is_provable(form):
        blended = exp4_blended_regret(
            horizon=horizon,
            blend=blend,
            n_actions=n_actions,
            n_policies=n_policies,
            second_moment=second_moment,
            has_negative_estimates=has_negative_estimates,
            form="provable",
        )
        lost = failure_of(failure, horizon)
    else:
        no_failure(failure)
        T = whole("horizon", horizon, meaning=HORIZON)
        blended = blended_deviation(
            block=T, blend=blend, n_actions=n_actions, n_policies=n_policies, second_moment=second_moment
        )  # fmt: skip
        lost = 0.0
    regret = converted_regret(blended_regret=blended / horizon, blend=blend, alignment=alignment, slack=slack)
    return regret + spent / horizon + lost  # Theorem 6


def kept_constraint_regret(
    *,
    tolerance: float,
    violations: ArrayLike,
    audits: float = 0.0,
    failure: float | None = None,
    form: Form = "printed",
) -> float:
    """Constraint regret of whatever plays only policies that are kept, *per round* (Theorem 6, Theorem 8).

    printed eps + mean of eps_t; provable the same plus (sum E Z) / T + delta. `violations` = eps_t for t = 1..T: what a
    policy that is kept in round t may exceed the tolerance by. Theorem 6 leaves out that an audit shows nothing and
    counts Delta = 1, and that the sets may fail.

    >>> kept_constraint_regret(tolerance=0.05, violations=[0.3, 0.1], audits=1.0, failure=0.01, form="provable")
    0.76
    """
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    each = counts("violations", violations, meaning="eps_t, one for each round")
    if each.ndim != 1 or each.size == 0:
        raise InvalidInputError(f"violations has shape {each.shape}; give one number for each round")
    spent = real("audits", audits, meaning=AUDITS)
    if not is_provable(form):
        no_failure(failure)
        return eps + float(each.mean())
    return eps + float(each.mean()) + spent / each.size + failure_of(failure, each.size)


def _cost(blend: float, n_actions: int, second_moment: float) -> float:
    mu = real("blend", blend, meaning=BLEND, high=1.0)
    cost = float(costs_at(np.array([mu]), n_actions, second_moment)[0])
    if cost == 0:
        raise InvalidInputError("second_moment is 0 at blend 0; without any loss there is nothing to learn: raise one")
    return cost
