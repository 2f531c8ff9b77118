"""The corralling master: Hedged FTRL with the Tsallis potential, over M base learners (decision 0017).

    p_t = argmin over the simplex of  <p, L_{t-1}> - 2 sqrt(t) sum sqrt(p_i) + sum G_i(p_i)
    G_i'(p) = -R_i (sqrt(max(rho_{t-1,i}, 1/p)) - sqrt(rho_{0,i}))

L importance-weighted losses of the bases (M,) · R hedge scales (M,) · rho largest inverse probabilities so far (M,).

With u = 1/sqrt(p), stationarity is  L_i - sqrt(t) u_i - R_i (max(sqrt(rho_i), u_i) - sqrt(rho_{0,i})) = x,  x the
multiplier of sum p = 1. Let x_i be the x at which p_i = 1, k the base where it is least, delta_i = x_i - x_k >= 0 and
w = x_k - x >= 0. Then u_i is 1 plus the lesser of two lines in delta_i + w, sums of terms >= 0: no digit is lost,
however far the losses spread. Only delta is a difference of large numbers; it is taken in doubled precision.
(sum p_i)^(-1/2) is concave and increasing in w: Newton's step on it never passes the root from the left and leads
from the right to its left, at worst below the bracket's end w = 0.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64, njit, types, void
from numpy.typing import NDArray

_EPSILON = 2.0**-52
_MOST = 100  # residual times slope falls at least fourfold per step: 36 steps do for R = 1e5 sqrt(t)
_BELOW_ONE = 1.0 - 4.0 * _EPSILON  # at a bend either side's slope is right
_SPLITTER = 2.0**27 + 1.0  # cuts a double into two halves whose products are exact

_floats = types.Array(float64, 1, "C", readonly=True)
_pair = types.UniTuple(float64, 2)  # type: ignore[no-untyped-call]
_certificate = types.Tuple((int64, float64, float64))  # type: ignore[no-untyped-call]


@njit(_pair(float64, float64), cache=True, error_model="numpy")
def _plus(a: float, b: float) -> tuple[float, float]:
    """The sum, and what rounding took from it (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


@njit(_pair(float64, float64), cache=True, error_model="numpy")
def _times(a: float, b: float) -> tuple[float, float]:
    """The product, and what rounding took from it (Dekker)."""
    product = a * b
    high_a, high_b = _SPLITTER * a, _SPLITTER * b
    high_a -= high_a - a
    high_b -= high_b - b
    low_a, low_b = a - high_a, b - high_b
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


@njit(_pair(float64), cache=True, error_model="numpy")
def _root(a: float) -> tuple[float, float]:
    """The square root, and what rounding took from it."""
    root = math.sqrt(a)
    square, lost = _times(root, root)
    return root, ((a - square) - lost) / (2.0 * root)


@njit(_pair(float64, float64, float64, float64), cache=True, error_model="numpy")
def _height(loss: float, scale: float, rho: float, rho0: float) -> tuple[float, float]:
    """x_i + sqrt(t) = L_i - R_i (sqrt(max(rho_i, 1)) - sqrt(rho_{0,i})), and what rounding took from it."""
    root, root_lost = _root(max(1.0, rho))
    root0, root0_lost = _root(rho0)
    gap, gap_lost = _plus(root, -root0)
    gap, gap_lost = _plus(gap, gap_lost + (root_lost - root0_lost))
    hedge, hedge_lost = _times(scale, gap)
    height, lost = _plus(loss, -hedge)
    return _plus(height, lost - (hedge_lost + scale * gap_lost))


@njit(int64(_floats, _floats, _floats, _floats, float64[::1], float64[::1]), cache=True, error_model="numpy")
def _differences(L, R, rho, rho0, delta, lost):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Fills delta; returns k."""
    for i in range(L.size):
        delta[i], lost[i] = _height(L[i], R[i], rho[i], rho0[i])
    k = 0
    for i in range(L.size):
        if delta[i] < delta[k] or (delta[i] == delta[k] and lost[i] < lost[k]):
            k = i
    least, least_lost = delta[k], lost[k]
    for i in range(L.size):
        delta[i] = (delta[i] - least) + (lost[i] - least_lost)
    return k


@njit(_pair(float64, float64, float64[::1], float64[:, ::1]), cache=True, error_model="numpy")
def _weigh(w, a, p, scratch):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Fills p for this w; returns its sum, and minus half the derivative of the sum by w."""
    delta, lift, slope, pulls = scratch[0], scratch[1], scratch[2], scratch[4]
    flat_slope = 1.0 / a
    for i in range(p.size):
        flat = (delta[i] + w) * flat_slope  # 1/p <= rho: the hedge is constant
        steep = (delta[i] + w + lift[i]) * slope[i]  # 1/p > rho: it adds to the potential
        u = 1.0 + min(flat, steep)
        p[i] = 1.0 / (u * u)
        pulls[i] = p[i] / u * (flat_slope if flat <= steep else slope[i])
    total, pull = 0.0, 0.0
    for i in range(p.size):
        total += p[i]
        pull += pulls[i]
    return total, pull


@njit(float64(float64, float64, _floats, float64[::1], float64[:, ::1]), cache=True, error_model="numpy")
def _close(w, a, R, p, scratch):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Divides p by its sum; returns the largest violation of stationarity, in units of the relative change of u_i."""
    delta, root, off = scratch[0], scratch[3], scratch[4]
    total, lost = 0.0, 0.0
    for i in range(p.size):
        total, more = _plus(total, p[i])
        lost += more
    total += lost
    for i in range(p.size):
        p[i] /= total
        u = 1.0 / math.sqrt(p[i])
        stiffness = a + (R[i] if u > root[i] * _BELOW_ONE else 0.0)
        off[i] = abs(a * (u - 1.0) + R[i] * (max(u, root[i]) - root[i]) - (delta[i] + w)) / (stiffness * u)
    violation = 0.0
    for i in range(p.size):
        violation = max(violation, off[i])
    return violation


@njit(
    _certificate(_floats, float64, _floats, _floats, _floats, float64[::1], float64[:, ::1]),
    cache=True,
    error_model="numpy",
)
def hedged_ftrl(
    L: NDArray[np.float64],
    t: float,
    R: NDArray[np.float64],
    rho: NDArray[np.float64],
    rho0: NDArray[np.float64],
    p: NDArray[np.float64],
    scratch: NDArray[np.float64],
) -> tuple[int, float, float]:
    """Overwrite p, any positive start (best p_{t-1}), by p_t; `scratch` is (5, M), of any content.

    Returns Newton steps, |sum p - 1| before p was divided by its sum, and the largest violation of stationarity (as a
    relative change of 1/sqrt(p_i)).
    """
    a = math.sqrt(t)
    delta, lift, slope, root = scratch[0], scratch[1], scratch[2], scratch[3]
    k = _differences(L, R, rho, rho0, delta, lift)
    for i in range(L.size):
        root[i] = math.sqrt(max(1.0, rho[i]))
        lift[i] = R[i] * (root[i] - 1.0)
        slope[i] = 1.0 / (a + R[i])
    u = max(1.0, 1.0 / math.sqrt(p[k]))
    w = a * (u - 1.0) + R[k] * (max(u, root[k]) - root[k])  # where base k keeps its weight
    total, pull = _weigh(w, a, p, scratch)
    n_steps = 0
    while abs(total - 1.0) > _EPSILON * (L.size + 8) and n_steps < _MOST:
        w = max(0.0, w + total * (math.sqrt(total) - 1.0) / pull)
        total, pull = _weigh(w, a, p, scratch)
        n_steps += 1
    return n_steps, abs(total - 1.0), _close(w, a, R, p, scratch)


@njit(void(float64[::1], float64[::1], _floats, int64, float64, boolean), cache=True, error_model="numpy")
def charge(
    L: NDArray[np.float64],
    rho: NDArray[np.float64],
    p: NDArray[np.float64],
    asked: int,
    loss: float,
    is_audit: bool,
) -> None:
    """After a round: rho_i = max(rho_i, 1/p_i) for every base; L_m += loss / p_m for the asked one, unless an audit."""
    for i in range(p.size):
        rho[i] = max(rho[i], 1.0 / p[i])
    if not is_audit:
        L[asked] += loss / p[asked]
