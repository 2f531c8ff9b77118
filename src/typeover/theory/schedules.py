"""How long EFBO explores: the length T0 of each of its four blocks (Section 3.2).

    minimax      T0 = T^(2/3)
    aligned      T0 = T^(2/3) max(K log T, log(|Pi| T))^(1/3)    alpha = 1, d = O(T^-1/2)
    misaligned   T0 = T^(2/3) (K log(T |Pi|))^(1/3)              d of order 1

each rounded down, at least 1 and at most T/4. Departs from the paper: the regret printed for `aligned` is T^(2/3) times
the cube root of the *min* of the two logarithmic terms; this T0 gives T^(2/3) times the cube root of their *max*.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

from typeover.core.inputs import whole
from typeover.errors import InvalidInputError, nearest

Schedule: TypeAlias = Literal["minimax", "aligned", "misaligned"]
"""What one assumes about rewards and corrections: nothing, that they agree, that they do not."""


def block_length(
    horizon: int, schedule: Schedule = "minimax", n_actions: int | None = None, n_policies: int | None = None
) -> int:
    """T0 for T = `horizon` rounds; `n_actions` and `n_policies` are needed by "aligned" and "misaligned" only.

    >>> block_length(1_000_000)
    10000
    >>> block_length(1_000_000, "misaligned", n_actions=4, n_policies=100)
    41923
    """
    T = whole("horizon", horizon, meaning="how many rounds will be played")
    if T < 4:
        raise InvalidInputError(f"horizon is {T}; EFBO explores in four blocks, so give it at least 4 rounds")
    return max(1, min(_cube_root(T**2 * _cubed_factor(T, schedule, n_actions, n_policies)), T // 4))


def _cubed_factor(T: int, schedule: str, n_actions: int | None, n_policies: int | None) -> float:
    """What T^2 is multiplied by under the cube root."""
    if schedule not in get_args(Schedule):
        raise InvalidInputError(f"schedule is {schedule!r}; {nearest(schedule, get_args(Schedule))}")
    if schedule == "minimax":
        return 1
    if n_actions is None or n_policies is None:
        absent = " and ".join(n for n, v in (("n_actions", n_actions), ("n_policies", n_policies)) if v is None)
        raise InvalidInputError(f'schedule "{schedule}" needs {absent}; pass what is missing, or use "minimax"')
    K = whole("n_actions", n_actions, meaning="how many candidates a round has")
    N = whole("n_policies", n_policies, meaning="how many policies the class has")
    if schedule == "aligned":
        return max(K * math.log(T), math.log(N * T))  # Section 3.2, "Well-aligned signals"
    return K * math.log(T * N)  # Section 3.2, "Mis-aligned signals"


def _cube_root(number: float) -> int:
    """The greatest whole number whose cube is at most `number`; 1e6 ** (2/3) is 9999.99..., so floats are corrected."""
    root = round(math.cbrt(number))
    while root**3 > number:
        root -= 1
    while (root + 1) ** 3 <= number:
        root += 1
    return root
