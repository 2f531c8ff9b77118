"""Three ways to estimate the constraint, and what each promises of both regrets (Theorem 3, Theorem 4, Theorem 5).

Reward regrets are cumulative, but per round in Theorem 5; constraint regrets are per round. `form="printed"` puts 1 for
each O(); `form="provable"` adds what the proofs leave out, delta = min(1/2, 1/T) unless given.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from typeover.core.inputs import real, whole
from typeover.errors import InvalidInputError
from typeover.theory.corral import corralled_reward_regret
from typeover.theory.elimination import robust_audit_probability
from typeover.theory.terms import (
    BIAS,
    HORIZON,
    SLACK,
    TOLERANCE,
    Form,
    failure_of,
    is_provable,
    log_union,
    no_failure,
    policies,
)


def biased_reward_regret(
    *, horizon: int, blends: ArrayLike, n_actions: int, n_policies: int, alignment: float, slack: float,
    bias_bound: float, failure: float | None = None, form: Form = "printed",
) -> float:  # fmt: skip
    """Reward regret with the biased estimate, *cumulative* (Theorem 3).

    printed min of phi(mu, 1, T, d + nu), provable d + 2 nu: the estimates of pi and of pi* may be off by nu in opposite
    directions, and "immediately" in the printed proof counts one of them. Plus delta T.
    """
    nu = real("bias_bound", bias_bound, meaning=BIAS, high=1.0)
    d = real("slack", slack, meaning=SLACK) + (2 * nu if is_provable(form) else nu)
    return corralled_reward_regret(
        horizon=horizon, blends=blends, n_actions=n_actions, n_policies=n_policies, alignment=alignment, slack=d,
        failure=failure, form=form,
    )  # fmt: skip


def biased_constraint_regret(
    *, horizon: int, n_policies: int, tolerance: float, bias_bound: float, failure: float | None = None,
    form: Form = "printed",
) -> float:  # fmt: skip
    """Constraint regret with the biased estimate, *per round* (Theorem 3).

        printed     eps + 4 nu + 8 sqrt(2 log(T |Pi|) / T)
        provable    eps + 4 nu + 16 sqrt(2 log(T |Pi| / delta) / T) + delta

    The printed proof bounds round t by 8 sqrt(2 L / t) and sums as if t were T: sum 1/sqrt(t) is 2 sqrt(T).

    >>> biased_constraint_regret(horizon=10**6, n_policies=1, tolerance=0.05, bias_bound=0.0) < 0.1
    True
    """
    T, N = whole("horizon", horizon, meaning=HORIZON), policies(n_policies)
    start = real("tolerance", tolerance, meaning=TOLERANCE) + 4 * real("bias_bound", bias_bound, meaning=BIAS, high=1.0)
    if is_provable(form):
        delta = failure_of(failure, T)
        return start + 16 * math.sqrt(2 * log_union(T, N, delta) / T) + delta
    no_failure(failure)
    return start + 8 * math.sqrt(2 * math.log(T * N) / T)  # Theorem 3


def robust_reward_regret(
    *, horizon: int, blends: ArrayLike, n_actions: int, n_policies: int, alignment: float, slack: float,
    bias_bound: float, failure: float | None = None, form: Form = "printed",
) -> float:  # fmt: skip
    """Reward regret with the doubly robust estimate at gamma = nu / T^(1/4), *cumulative* (Theorem 4).

        printed     min of phi(mu, v, T, d), v = max(1, nu T^(1/4))
        provable    the same with v^2 = 2 + 2 nu T^(1/4) and negative estimates, plus nu T^(3/4) + delta T

    The printed line squares v, where the lemma gives v^2 itself; and it drops the audits of Theorem 8, nu T^(3/4): at
    mu = 1, where v does not enter, it is then too small as soon as nu is above T^(-1/4). Needs the counterfactual
    control, which cannot be had outside a simulation.
    """
    gamma = robust_audit_probability(horizon=horizon, bias_bound=bias_bound)
    growth = gamma * math.sqrt(horizon)  # nu T^(1/4)
    provable = is_provable(form)
    return corralled_reward_regret(
        horizon=horizon, blends=blends, n_actions=n_actions, n_policies=n_policies, alignment=alignment, slack=slack,
        second_moment=2 + 2 * growth if provable else max(1, growth) ** 2, audits=gamma * horizon if provable else 0.0,
        has_negative_estimates=True, failure=failure, form=form,
    )  # fmt: skip


def robust_constraint_regret(
    *, horizon: int, n_policies: int, tolerance: float, bias_bound: float, failure: float | None = None,
    form: Form = "printed",
) -> float:  # fmt: skip
    """Constraint regret with the doubly robust estimate at gamma = nu / T^(1/4), *per round* (Theorem 4).

        printed     eps + sqrt(nu log(T |Pi|) / T^(3/4)) + log(T |Pi|)^2 / T^(3/4)
        provable    eps + 48 sqrt(max(1, nu T^(1/4)) L / T) + 24 L (1 + log T) / T^(3/4) + nu / T^(1/4) + delta

    The provable line averages eps + 6 U_t (Eq. 8); an audit counts Delta = 1. The printed one lacks the "1 or" of U_t:
    at nu = 0 it falls below what any estimate can know, 1/sqrt(T). It also lacks the audits, which outgrow its first
    term where nu is above T^(-1/4).
    """
    T, N = whole("horizon", horizon, meaning=HORIZON), policies(n_policies)
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    gamma = robust_audit_probability(horizon=T, bias_bound=bias_bound)
    if is_provable(form):
        delta = failure_of(failure, T)
        L = log_union(T, N, delta)
        root = 48 * math.sqrt(max(1, gamma * math.sqrt(T)) * L / T)  # 6 * 4 * 2
        return eps + root + 24 * L * (1 + math.log(T)) / math.pow(T, 0.75) + gamma + delta
    no_failure(failure)
    log = math.log(T * N)
    return eps + math.sqrt(bias_bound * log / math.pow(T, 0.75)) + log**2 / math.pow(T, 0.75)  # Theorem 4


def active_queries(
    *, horizon: int, n_policies: int, margin: float, failure: float | None = None, form: Form = "printed"
) -> float:
    """How many queries low noise of margin tau needs, at most T (lem:query_complexity_massart).

    printed 80 log(T |Pi| / delta) / tau^2, provable 3200: 10 r_n <= tau with r_n = 4 sqrt(2 L / n). Even that only if
    the most faithful policy is the only one within 3 eps + tau. The printed condition lets others disagree with it by
    up to eps + tau/2, while r_t/2 has fallen below tau/20: on such contexts the rule asks for ever.

    >>> active_queries(horizon=10**6, n_policies=1, margin=0.5, failure=0.1) < 6000
    True
    """
    T = whole("horizon", horizon, meaning=HORIZON)
    tau = real("margin", margin, meaning="tau, how much worse than the best every other action is")
    if tau == 0:
        raise InvalidInputError("margin is 0; without a margin queries need not stop: use a number above 0")
    factor = 3200 if is_provable(form) else 80
    return min(float(T), factor * log_union(T, n_policies, failure_of(failure, T)) / tau**2)


def active_reward_regret(
    *, horizon: int, blends: ArrayLike, n_actions: int, n_policies: int, alignment: float, slack: float,
    tolerance: float, margin: float, failure: float | None = None, form: Form = "printed",
) -> float:  # fmt: skip
    """Reward regret with active queries, *per round* (Theorem 5).

        printed     log(T |Pi|) / (T tau^2) + min of phi(mu, 1, T, d + eps) / T
        provable    queries / T + min of phi(mu, 1, T, d + 2 eps + 2 r_T) / T + delta

    The paper prints phi undivided beside a left side per round. As in Theorem 3 the estimates of two policies are off
    in opposite directions, each by eps + r_t / 2. d is that of the losses against the most faithful policy, and it has
    to hold on the rounds without a query, which the printed proof does not say.
    """
    T = whole("horizon", horizon, meaning=HORIZON)
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    d = real("slack", slack, meaning=SLACK)
    asked = active_queries(horizon=T, n_policies=n_policies, margin=margin, failure=failure, form=form)
    if is_provable(form):
        d += 2 * eps + 2 * _last_width(T, n_policies, failure_of(failure, T))
    else:
        no_failure(failure)
        asked = math.log(T * n_policies) / margin**2
        d += eps
    return asked / T + corralled_reward_regret(
        horizon=T, blends=blends, n_actions=n_actions, n_policies=n_policies, alignment=alignment, slack=d,
        failure=failure, form=form,
    ) / T  # fmt: skip


def active_constraint_regret(
    *, horizon: int, n_policies: int, tolerance: float, margin: float, failure: float | None = None,
    form: Form = "printed",
) -> float:  # fmt: skip
    """Constraint regret with active queries, *per round* (Theorem 5).

    printed 3 eps + sqrt(log(T |Pi|) / T), provable 3 eps + 20 r_T + queries / T + delta: the mean of 10 r_t is at most
    20 r_T, and a query counts Delta = 1, which the theorem leaves out.
    """
    T, N = whole("horizon", horizon, meaning=HORIZON), policies(n_policies)
    start = 3 * real("tolerance", tolerance, meaning=TOLERANCE)
    asked = active_queries(horizon=T, n_policies=N, margin=margin, failure=failure, form=form)
    if is_provable(form):
        delta = failure_of(failure, T)
        return start + 20 * _last_width(T, N, delta) + asked / T + delta
    no_failure(failure)
    return start + math.sqrt(math.log(T * N) / T)  # Theorem 5


def _last_width(T: int, N: int, delta: float) -> float:
    return 4 * math.sqrt(2 * log_union(T, N, delta) / T)  # r_T of Eq. 9
