"""The saddle point of Algorithm 1 over a finite set of policies (Eq. 4, with the tolerance of Eq. 1).

    max over mixtures Q  min over lam in [0, B]   L(Q, lam) = R(Q) - lam (D(Q) - cut),    cut = min D + tolerance

R(pi) is the reward of a policy (blended or not) and D(pi) its mean surrogate loss. With one constraint an optimum mixes
at most two policies: the non-decreasing upper concave envelope of the points (D, R), read at the cut. One pass over the
policies therefore answers every tolerance (`frontier`). `mwu` is the paper's own way, lines 6-10. Both return a
certificate: `lower <= saddle value <= upper`, measured, not promised.
Departs from the paper: Eq. 4 lacks the tolerance that Eq. 1 and App. C have (docs/decisions/0002).
"""

from __future__ import annotations

import math
import sys
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeover.core.arrays import Vector
from typeover.core.inputs import real, whole
from typeover.errors import InvalidInputError, nearest

STEPS = ("tuned", "printed")
_ROUNDING = 1e-12
"""Slack of comparisons with the cut, as in `theory.best_feasible`: losses are means in [0, 1], and 0.7 + 0.1 < 0.8.

Sound: the loss exceeds the cut by at most this, `violation` says by how much, and the bracket holds as it is measured.
Without it a policy on the boundary is lost wherever the envelope is steep: two losses that only rounding tells apart.
"""


class Solution(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """A mixture, and how far it can be from the best one."""

    support: NDArray[np.int64]
    """The policies in the mixture, by ascending D."""
    weights: Vector
    reward: float
    """R(Q)."""
    loss: float
    """D(Q)."""
    multiplier: float
    """lam: the price of fidelity, reward gained per unit of tolerance (the mean of the iterates for `mwu`)."""
    violation: float
    """max(0, D(Q) - cut)."""
    lower: float
    """min over lam in [0, B] of L(Q, lam)."""
    upper: float
    """max over policies of L(pi, multiplier)."""
    iterations: int

    @property
    def gap(self) -> float:
        """How far this is from a saddle point; 0 up to rounding for `exact`."""
        return self.upper - self.lower


class Frontier(NamedTuple):
    """The best reward at every tolerance at once: the vertices of the envelope, by ascending D."""

    vertices: NDArray[np.int64]
    losses: Vector
    rewards: Vector

    def at(self, tolerance: float, *, cap: float | None = None) -> Solution:
        """The saddle point at this tolerance, with the multiplier capped at B if a cap is given."""
        cut, last = float(self.losses[0]) + _tolerance(tolerance), self.vertices.size - 1
        k = int(np.searchsorted(self.losses, cut + _ROUNDING, side="right")) - 1  # the last vertex that is feasible
        multiplier = self._slope(k)
        limit = math.inf if cap is None else _cap(cap)
        if multiplier > limit:  # infeasible policies are worth their price: the first vertex where no more are
            while self._slope(k) > limit:
                k += 1
            chosen, weights, multiplier = np.array([k]), np.ones(1), limit
        elif k == last or cut <= self.losses[k]:
            chosen, weights = np.array([k]), np.ones(1)
        else:
            share = (cut - self.losses[k]) / (self.losses[k + 1] - self.losses[k])
            chosen, weights = np.array([k, k + 1]), np.array([1.0 - share, share])
        return self._certified(chosen, weights, multiplier, cut, limit, iterations=1)

    def _slope(self, k: int) -> float:
        """Reward gained per unit of loss beyond vertex k; nothing is gained beyond the last."""
        if k + 1 == self.vertices.size:
            return 0.0
        rise = float(self.rewards[k + 1]) - float(self.rewards[k])
        return min(rise / (float(self.losses[k + 1]) - float(self.losses[k])), sys.float_info.max)

    def _certified(
        self, chosen: NDArray[np.int64], weights: Vector, multiplier: float, cut: float, cap: float, iterations: int
    ) -> Solution:
        """The mixture of these vertices with its bracket; a best response to any multiplier is a vertex."""
        reward, loss = float(weights @ self.rewards[chosen]), float(weights @ self.losses[chosen])
        excess = loss - cut
        dearest = 0.0 if excess <= 0 else min(cap, multiplier) if math.isinf(cap) else cap  # argmin over [0, B]
        return Solution(
            support=self.vertices[chosen],
            weights=weights,
            reward=reward,
            loss=loss,
            multiplier=multiplier,
            violation=max(0.0, excess),
            lower=reward - dearest * excess,
            upper=float(np.max(self.rewards - multiplier * (self.losses - cut))),
            iterations=iterations,
        )


def frontier(rewards: ArrayLike, losses: ArrayLike) -> Frontier:
    """The whole frontier of reward against loss.

    >>> frontier([0.2, 0.9, 0.5], [0.0, 0.4, 0.1]).vertices.tolist()
    [0, 2, 1]
    """
    from typeover.kernels import envelope

    r, d = _numbers("rewards", rewards), _numbers("losses", losses)
    if r.ndim != 1 or r.shape != d.shape or r.size == 0:
        raise InvalidInputError(
            f"rewards has shape {r.shape} and losses {d.shape}; both must hold one number per policy, at least one"
        )
    span = envelope.ends(d, r)
    if not span.is_finite:
        raise InvalidInputError(_not_finite(rewards=r, losses=d))
    vertices = envelope.vertices(d, r, span)
    return Frontier(vertices, d[vertices], r[vertices])


def exact(rewards: ArrayLike, losses: ArrayLike, tolerance: float, *, cap: float | None = None) -> Solution:
    """The saddle point itself, in one pass.

    >>> solution = exact([0.2, 0.9, 0.5], [0.0, 0.4, 0.1], tolerance=0.25)
    >>> solution.support.tolist(), solution.weights.round(6).tolist()
    ([2, 1], [0.5, 0.5])
    """
    return frontier(rewards, losses).at(tolerance, cap=cap)


def mwu(
    rewards: ArrayLike,
    losses: ArrayLike,
    tolerance: float,
    *,
    cap: float,
    iterations: int,
    step: Literal["tuned", "printed"] = "tuned",
) -> Solution:
    """Multiplicative weights on lam against best responses (Algorithm 1, lines 6-10); Q is the mean of the responses.

    The printed step sqrt(1/(S B)) spends its budget on climbing from 1/B to order 1 (docs/decisions/0003); `tuned`,
    2 sqrt(ln(B)/S), has gap at most 3 B sqrt(ln(B)/S) for D in [0, 1], tolerance <= 1, B >= 1.34 and S >= 4 ln B.
    """
    from typeover.kernels.multiplier import multiplicative_weights

    if step not in STEPS:
        raise InvalidInputError(f"step is {step!r}; {nearest(step, STEPS)}")
    whole("iterations", iterations, meaning="S, the steps to take")
    if _cap(cap) <= 1:
        raise InvalidInputError(f"cap is {cap!r}; multiplicative weights start at 1/cap, so it must exceed 1")
    edge = frontier(rewards, losses)
    cut = float(edge.losses[0]) + _tolerance(tolerance)
    rate = math.sqrt(1 / (iterations * cap)) if step == "printed" else 2 * math.sqrt(math.log(cap) / iterations)
    counts, multiplier = multiplicative_weights(edge.losses, edge.rewards, cut, float(cap), rate, int(iterations))
    chosen = np.flatnonzero(counts)
    return edge._certified(chosen, counts[chosen] / iterations, multiplier, cut, float(cap), int(iterations))  # noqa: SLF001 - same module


def _numbers(name: str, values: ArrayLike) -> Vector:
    try:
        return np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{name} is {values!r:.80}; it must hold one number per policy") from None


def _tolerance(tolerance: float) -> float:
    return real("tolerance", tolerance, meaning="how much mean loss above the least is allowed")


def _cap(cap: float) -> float:
    if real("cap", cap, meaning="the multiplier's upper end B") == 0:
        raise InvalidInputError("cap is 0; the multiplier's upper end B must be above 0; leave it out for no cap")
    return float(cap)


def _not_finite(**columns: Any) -> str:
    name = next(name for name, values in columns.items() if not np.isfinite(values).all())
    place = int(np.flatnonzero(~np.isfinite(columns[name]))[0])
    return f"{name}[{place}] is {columns[name][place]}; every policy needs a finite number: drop the policy or mend it"
