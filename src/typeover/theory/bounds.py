"""What EFBO is promised: the deviation V (Eq. 6), the conversion lemma and Theorem 2, per round.

T horizon · T0 block · M blends · mu blend · alpha alignment · d slack · eps tolerance · delta failure · B cap of the
multiplier · S iterations of the saddle point. Every constant that hides in an O() is 1: the curves show how a promise
moves with its arguments, only `blended_deviation` and `converted_regret` are true as numbers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.core.inputs import chance, real, vector, whole
from typeover.errors import InvalidInputError
from typeover.theory.terms import ACTIONS, ALIGNMENT, BLEND, HORIZON, POLICIES, SLACK, TOLERANCE

_BLOCK = "the rounds of one block, T0; block_length(horizon) computes one"
_FAILURE = "the probability with which the bound may fail; leave it out for the printed bound in expectation"


def blended_deviation(
    *,
    block: int,
    blend: float,
    n_actions: int,
    n_policies: int,
    second_moment: float = 1.0,
    failure: float | None = None,
) -> float:
    """How far the sum of T0 blended rewards of any policy may lie from its mean (Eq. 6).

        V(mu, v) = 2 sqrt(2 T0 (mu^2 K + (1-mu)^2 v^2) l) + (mu K + 1 - mu) l,    l = log(4 |Pi| T0)

    `second_moment` is v^2, a bound on E Delta^2; with `failure` = delta, l = log(4 |Pi| / delta) as in App. C.

    A valid bound, by Bernstein and a union over the policies, if Delta lies in [0, 1]; and a loose one. Bernstein at
    x = 3 l already stays below it, so it fails with probability at most delta^3 / (32 |Pi|^2). It holds for mixtures
    too, being linear in them. It bounds the deviation of the *objective*; that of the constraint is another one.

    >>> round(blended_deviation(block=10_000, blend=0.5, n_actions=4, n_policies=100) / 10_000, 3)
    0.127
    """
    T0 = whole("block", block, meaning=_BLOCK)
    mu = real("blend", blend, meaning=BLEND, high=1.0)
    K = whole("n_actions", n_actions, meaning=ACTIONS)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    square = real("second_moment", second_moment, meaning="v^2, a bound on the mean of the squared surrogate loss")
    return float(_deviation(T0, np.array([mu]), K, N, square, _failure(failure))[0])


def converted_regret(*, blended_regret: float, blend: float, alignment: float, slack: float) -> float:
    """Reward regret that a regret R in the blended objective allows (App. C, lem:lem4_zhang).

        (R + (1-mu) d) / (mu + alpha (1-mu))

    Infinite if blend and alignment are both 0: corrections that say nothing about rewards, and nothing else heard.

    The lemma holds, but not by the printed proof, which divides by alpha and puts an upper bound on the reward regret
    where a lower one is needed. Directly: with x the reward regret and y >= alpha x - d that of the corrections
    (Definition 1), R >= mu x + (1-mu) y >= (mu + alpha (1-mu)) x - (1-mu) d. It is about the regret against pi* alone,
    since Definition 1 is; App. C goes on to claim it "for any Q".

    >>> round(converted_regret(blended_regret=0.03, blend=0.5, alignment=1.0, slack=0.02), 6)
    0.04
    """
    R = real("blended_regret", blended_regret, meaning="regret in the blended objective, per round", low=-math.inf)
    mu = real("blend", blend, meaning=BLEND, high=1.0)
    alpha = real("alignment", alignment, meaning=ALIGNMENT)
    d = real("slack", slack, meaning=SLACK)
    return float(_converted(np.array([R]), np.array([mu]), alpha, d)[0])


def efbo_reward_regret(
    *,
    horizon: int,
    block: int,
    blends: ArrayLike,
    n_actions: int,
    n_policies: int,
    alignment: float,
    slack: float,
    failure: float | None = None,
    cap: float | None = None,
    iterations: int | None = None,
) -> float:
    """Reward regret of EFBO against the best feasible policy, per round (Theorem 2).

    In expectation, as printed:

        sqrt(K log(T0 |M|) / T0) + min over M of (2 V/T0 + (1-mu) d) / (mu + alpha (1-mu)) + T0/T

    With `failure` = delta, for the mixture played after the exploration (App. C); B = T/T0 and S = B T0 unless given:

        sqrt(K log(|M| / (2 delta)) / T0) + min over M of (2 V/T0 + sqrt(B/S) + (1-mu) d) / (mu + alpha (1-mu))

    The printed proof does not give all of this. It compares with a Q that is feasible *in the sample*. The population's
    best feasible policy can violate the sampled constraint by up to 2 w, w the deviation of the class's mean losses,
    and the saddle point then prefers another Q. That costs up to lambda 2 w more in the blended objective, where the
    multiplier lambda is at most B and at most (range of the objective) / eps, hence the extra term min(B, 1/eps) 2 w,
    which Theorem 2 lacks: at eps = 1/sqrt(T0) the loss is a constant while the printed bound falls to 0. For a fixed
    eps the term is of the printed order, with 1/eps inside the O(). Further: Hoeffding gives the selection term with K
    in place of sqrt(K) (Bernstein repairs it up to K log / T0) and log(|M| / delta), not log(|M| / (2 delta)); and
    multiplicative weights on [0, B] reach a gap of 3 B sqrt(log(B) / S) rather than sqrt(B/S).
    """
    T, T0 = _rounds(horizon, block)
    mu = vector("blends", blends, meaning=BLEND, low=0.0, high=1.0)
    K = whole("n_actions", n_actions, meaning=ACTIONS)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    alpha = real("alignment", alignment, meaning=ALIGNMENT)
    d = real("slack", slack, meaning=SLACK)
    delta = _failure(failure)
    blended = 2 * _deviation(T0, mu, K, N, 1.0, delta) / T0
    if delta is None:
        _refuse_saddle(cap, iterations)
        selection = math.sqrt(K * math.log(T0 * mu.size) / T0)
        return float(selection + _converted(blended, mu, alpha, d).min() + T0 / T)  # Theorem 2
    B, S = _saddle(T, T0, cap, iterations)
    looks = max(math.log(mu.size / (2 * delta)), 0.0)  # below 0 only for one blend, where nothing is selected
    return float(math.sqrt(K * looks / T0) + _converted(blended + math.sqrt(B / S), mu, alpha, d).min())  # App. C


def efbo_constraint_regret(
    *,
    horizon: int,
    block: int,
    n_policies: int,
    tolerance: float,
    failure: float | None = None,
    cap: float | None = None,
    iterations: int | None = None,
) -> float:
    """Constraint regret of EFBO against the best feasible policy, per round (Theorem 2).

    In expectation, as printed:                            eps + sqrt(log(T0 |Pi|) / T0) + T0/T
    With `failure` = delta, for the mixture (App. C):      eps + sqrt(log(|Pi| / delta) / T0) + 1/B + 1/sqrt(B S)

    B = T/T0 and S = B T0 unless given. The argument holds: losses and their minimum are compared within one sample,
    and pi* loses at least the minimum, so that eps is paid against the minimum, not against pi*. But 1/B stands for
    (range of the blended objective + gap) / B, and the objective's range in the sample may exceed 1 by 2 V/T0; and
    1/sqrt(B S) stands for the gap sqrt(B/S) divided by B, which multiplicative weights on [0, B] do not reach
    (3 B sqrt(log(B) / S)).
    """
    T, T0 = _rounds(horizon, block)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    eps = real("tolerance", tolerance, meaning=TOLERANCE)
    delta = _failure(failure)
    if delta is None:
        _refuse_saddle(cap, iterations)
        return eps + math.sqrt(math.log(T0 * N) / T0) + T0 / T  # Theorem 2
    B, S = _saddle(T, T0, cap, iterations)
    return eps + math.sqrt(math.log(N / delta) / T0) + 1 / B + 1 / math.sqrt(B * S)  # App. C, lem:saddle_point


def _deviation(T0: int, mu: Vector, K: int, N: int, square: float, delta: float | None) -> Vector:
    log = math.log(4 * N * T0) if delta is None else math.log(4 * N / delta)
    width: Vector = 2 * np.sqrt(2 * T0 * (mu**2 * K + (1 - mu) ** 2 * square) * log)  # Eq. 6, line 1
    return width + (mu * K + (1 - mu)) * log  # Eq. 6, line 2


def _converted(R: Vector, mu: Vector, alpha: float, d: float) -> Vector:
    heard = mu + alpha * (1 - mu)
    regret = np.full(mu.size, np.inf)
    with np.errstate(over="ignore"):  # next to nothing heard is as good as nothing: infinite
        np.divide(R + (1 - mu) * d, heard, out=regret, where=heard > 0)  # App. C, lem:lem4_zhang
    return regret


def _rounds(horizon: int, block: int) -> tuple[int, int]:
    T = whole("horizon", horizon, meaning=HORIZON)
    T0 = whole("block", block, meaning=_BLOCK)
    if 4 * T0 > T:
        raise InvalidInputError(f"block is {T0}; four blocks must fit into {T} rounds: use at most {T // 4}")
    return T, T0


def _failure(failure: float | None) -> float | None:
    return None if failure is None else chance("failure", failure, meaning=_FAILURE)


def _saddle(T: int, T0: int, cap: float | None, iterations: int | None) -> tuple[float, float]:
    """B and S, as given or as Theorem 2 sets them."""
    B = T / T0 if cap is None else real("cap", cap, meaning="B, the greatest multiplier; T/T0 in Theorem 2")
    if B == 0:
        raise InvalidInputError("cap is 0; the multiplier needs room: use a number above 0, or leave it out for T/T0")
    return B, B * T0 if iterations is None else whole("iterations", iterations, meaning="S, steps to the saddle point")


def _refuse_saddle(cap: float | None, iterations: int | None) -> None:
    for name, value in (("cap", cap), ("iterations", iterations)):
        if value is not None:
            raise InvalidInputError(
                f"{name} is {value!r}, but the bound in expectation has B = T/T0 and S = B T0 built in; "
                f"leave {name} out, or pass failure= for the bound that depends on it"
            )
