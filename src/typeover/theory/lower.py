"""What no learner can beat: little reward regret costs constraint regret, and the other way round (Theorem 1).

Two users that only the revealing action tells apart: under the first both policies are feasible and pi1 earns c more,
under the second pi1 loses gamma > eps more. Few reveals in the first world mean many violations in the second.
"""

from __future__ import annotations

import math

from typeover.core.inputs import real, whole
from typeover.errors import InvalidInputError
from typeover.theory.terms import HORIZON, TOLERANCE, Form, is_provable

_TILT = 0.44
"""The largest tilt gamma for which KL <= 2 gamma^2 holds on the instance; at 1/2 it is infinite."""


def least_reward_regret(*, horizon: int, tolerance: float, constraint_regret: float) -> float:
    """min(T eps, T / sqrt(reg_c)), *cumulative*, with 1 for the Omega (Theorem 1 as printed).

    The printed theorem exchanges the two regrets of its own proof: exploring first for T^a rounds, a < 0.6, stays far
    below this curve. `least_constraint_regret` is what the proof shows.

    >>> least_reward_regret(horizon=10_000, tolerance=0.1, constraint_regret=400.0)
    500.0
    """
    T = whole("horizon", horizon, meaning=HORIZON)
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    regret = real("constraint_regret", constraint_regret, meaning="summed over all rounds")
    return min(T * eps, T / math.sqrt(regret)) if regret else T * eps  # Theorem 1


def least_constraint_regret(
    *, horizon: int, tolerance: float, reward_regret: float, reward_gap: float, form: Form = "provable"
) -> float:
    """Constraint regret in the second world, of a learner with this reward regret in the first, *cumulative*.

        printed     min(T eps, T sqrt(c / reg_r)), with 1 for the Omega
        provable    1/2 sqrt(c / reg_r) (T/2 - reg_r / c), while eps < 1/2 sqrt(c / reg_r) < 0.44

    `reward_gap` = c. In general gamma (T - reg_r/c - gamma T sqrt(reg_r/c)) at gamma = 1/2 sqrt(c / reg_r), raised to
    eps (below it pi1 is feasible in both worlds) and lowered to 0.44; 0 if that leaves nothing. The printed proof has
    gamma up to 1/2, where the divergence is infinite. Nothing in it gives the T eps: for a small eps more is shown than
    is printed, for eps above sqrt(c / reg_r) nothing is (Theorem 1).

    >>> least_constraint_regret(horizon=10_000, tolerance=0.01, reward_regret=100.0, reward_gap=1.0)
    245.0
    """
    T = whole("horizon", horizon, meaning=HORIZON)
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    regret = real("reward_regret", reward_regret, meaning="summed over all rounds")
    c = real("reward_gap", reward_gap, meaning="c, what the better policy earns more in a round", high=1.0)
    if c == 0:
        raise InvalidInputError("reward_gap is 0; the two policies must differ: use a number above 0")
    reveals = regret / c  # how often the other policy is played in the first world
    if not is_provable(form):
        return min(T * eps, T / math.sqrt(reveals)) if reveals else T * eps
    if eps >= _TILT:
        return 0.0
    gamma = max(eps, min(_TILT, 0.5 / math.sqrt(reveals) if reveals else _TILT))
    return max(0.0, gamma * (T - reveals - gamma * T * math.sqrt(reveals)))  # App. B
