"""Three estimates of Delta for Algorithm 2, and how long policies are kept under each (Section 4, Eq. 7 to Eq. 10).

    Biased           Deltabar = Deltahat = (1 - xi) Delta(., a_t) + xi Delta(., answer)         never asks
    DoublyRobust     Deltabar = h + Z (Delta(., answer) - h)/gamma,  Z ~ Ber(gamma)             asks at random
    ActiveQueries    Z where policies that are alive disagree, else Delta(., least policy's)    asks where it matters

Readings: docs/decisions/0020. Each is a setting; the arithmetic is in `kernels.corral`, the radii in `theory`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
import numpy as np

from typeover.core.arrays import Vector
from typeover.core.inputs import chance, real
from typeover.errors import InvalidInputError, nearest
from typeover.theory.empirical import doublings_needed
from typeover.theory.terms import BIAS, log_union

KINDS = ("none", "biased", "doubly_robust", "active")
CONTROLS = ("anchored", "played", "counterfactual")
RATES = ("printed", "fixed")
RADII = ("paper", "empirical")
FALLING = -1.0
"""In place of gamma: 0.5 t^(-1/3)."""
BY_BIAS, BY_RATE, BY_MOMENTS, BY_SQUARES, BY_QUERIES = range(5)
"""Eq. 7, Eq. 8, Eq. 10, from what was seen, Eq. 9: the radii, in the order of `kernels.corral`."""
LOST = "the probability with which a feasible policy may be lost"


class Biased(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="biased"):
    """Takes accepts and corrections at their word; never asks, so nothing can be capped.

    Sound only if whoever accepts is within `bias_bound` of what they want (Assumption 3).
    """

    asks: ClassVar[bool] = False

    bias_bound: float
    """nu: how far an accepted suggestion may be from the right one."""
    radius: str = "paper"
    """`paper` (Eq. 7) or `empirical` (from the spread that was seen, and twice the bias)."""
    failure: float = 0.05

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        real("bias_bound", self.bias_bound, meaning=BIAS, high=1.0)
        _one_of("radius", self.radius, RADII)
        chance("failure", self.failure, meaning=LOST)

    def second_moment(self, horizon: int) -> float:  # noqa: ARG002 - the same for every horizon
        """v^2, on average over the horizon."""
        return 1.0

    def plain(self, *, tolerance: float, horizon: int, n_policies: int) -> Vector:
        """In the order of `kernels.corral`."""
        form = BY_SQUARES if self.radius == "empirical" else BY_BIAS
        length = _length(form, horizon, n_policies, self.failure)
        return _plain(tolerance, horizon, kind="biased", bias=self.bias_bound, form=form, length=length)


class DoublyRobust(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="doubly_robust"
):
    """Asks at random, and undoes with what is heard the bias of a control h.

    At the printed rate with `bias_bound=0` it never asks: it is then `Biased(bias_bound=0)`.
    """

    control: str = "anchored"
    """h: `anchored` (Delta to the action of the alive policy of least estimate), `played` (Delta to the suggestion), or
    `counterfactual` (Deltahat, which also on audits knows what the user would have done: simulations only)."""
    rate: str = "fixed"
    """gamma_t: `fixed` 0.5 t^(-1/3), or `printed` nu / T^(1/4)."""
    bias_bound: float | None = None
    """nu; needed for the printed rate and for `counterfactual`, without effect elsewhere."""
    cap: float | None = 1.0
    """c: stop asking, and freeze the estimates, once c T^(2/3) audits were made; None: never."""
    radius: str = "paper"
    """`paper` (Eq. 8 where it applies, else Eq. 10 doubled) or `empirical` (from the spread that was seen)."""
    failure: float = 0.05

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        for name, value, known in (("control", self.control, CONTROLS), ("rate", self.rate, RATES)):
            _one_of(name, value, known)
        if self.bias_bound is not None:
            real("bias_bound", self.bias_bound, meaning=BIAS, high=1.0)
        elif self.rate == "printed" or self.control == "counterfactual":
            where = "the printed rate" if self.rate == "printed" else "the counterfactual control"
            raise InvalidInputError(f"bias_bound is None; {where} needs nu, a number from 0 to 1: {BIAS}")
        _check_cap(self.cap)
        _one_of("radius", self.radius, RADII)
        chance("failure", self.failure, meaning=LOST)

    @property
    def asks(self) -> bool:
        """Whether there are audits at all."""
        return self.rate == "fixed" or self._bias > 0

    @property
    def _bias(self) -> float:
        return 0.0 if self.bias_bound is None else self.bias_bound

    def second_moment(self, horizon: int) -> float:
        """v^2, on average over the horizon."""
        if not self.asks:
            return 1.0
        # the mean of 2 t^(1/3) over t <= T is at most this
        inverse = 1.5 * math.cbrt(horizon) + 2 / math.cbrt(horizon) ** 2
        if self.rate == "printed":
            inverse = _root(horizon) / self._bias
        return 2 + 2 * self._bias**2 * inverse if self.control == "counterfactual" else inverse  # lem:doubly_robust

    def plain(self, *, tolerance: float, horizon: int, n_policies: int) -> Vector:
        """In the order of `kernels.corral`."""
        if not self.asks:
            biased = Biased(bias_bound=0.0, radius=self.radius, failure=self.failure)
            return biased.plain(tolerance=tolerance, horizon=horizon, n_policies=n_policies)
        form = BY_RATE if (self.control, self.rate) == ("counterfactual", "printed") else BY_MOMENTS
        form = BY_SQUARES if self.radius == "empirical" else form
        return _plain(
            tolerance, horizon, kind="doubly_robust", control=self.control, bias=self._bias, form=form,
            gamma=self._bias / _root(horizon) if self.rate == "printed" else FALLING,
            budget=_budget(self.cap, horizon), length=_length(form, horizon, n_policies, self.failure),
        )  # fmt: skip


class ActiveQueries(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="active"
):
    """Asks where policies that are alive disagree by more than may be tolerated (Eq. 9).

    Needs a metric loss. Its sets rest on an argument of their own, so there is one radius only.
    """

    asks: ClassVar[bool] = True

    cap: float | None = 1.0
    """c: stop asking, and freeze the sets, once c T^(2/3) audits were made; None: never."""
    failure: float = 0.05

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        _check_cap(self.cap)
        chance("failure", self.failure, meaning=LOST)

    def second_moment(self, horizon: int) -> float:  # noqa: ARG002 - the same for every horizon
        """v^2, on average over the horizon."""
        return 1.0

    def plain(self, *, tolerance: float, horizon: int, n_policies: int) -> Vector:
        """In the order of `kernels.corral`."""
        length = _length(BY_QUERIES, horizon, n_policies, self.failure)
        budget = _budget(self.cap, horizon)
        return _plain(tolerance, horizon, kind="active", form=BY_QUERIES, budget=budget, length=length)


Constraint = Biased | DoublyRobust | ActiveQueries
_BY_KIND: dict[str, type[Constraint]] = {"biased": Biased, "doubly_robust": DoublyRobust, "active": ActiveQueries}


def constraint_of(given: object) -> Constraint:
    """A constraint as it is, or from its plain form: a mapping with its `kind`."""
    if isinstance(given, Constraint):
        return given
    if isinstance(given, Mapping) and isinstance(given.get("kind"), str):
        words: dict[str, Any] = dict(given)
        kind = words.pop("kind")
        if kind not in _BY_KIND:
            raise InvalidInputError(f"kind is {kind!r}; {nearest(kind, tuple(_BY_KIND))}")
        known = _BY_KIND[kind].__struct_fields__
        for name in words:
            if name not in known:
                raise InvalidInputError(f"constraint of kind {kind!r} has no {name!r}; {nearest(name, known)}")
        return _BY_KIND[kind](**words)
    raise InvalidInputError(
        f"constraint is {given!r:.80}; it must be typeover.constraints.Biased(bias_bound=...), DoublyRobust() or "
        "ActiveQueries()"
    )


def unconstrained() -> Vector:
    """In the order of `kernels.corral`: nothing is estimated and no policy is ruled out."""
    return _plain(0.0, 1, kind="none")


def _plain(
    tolerance: float, horizon: int, *, kind: str, control: str = "anchored", gamma: float = 0.0, bias: float = 0.0,
    budget: float = math.inf, form: int = BY_BIAS, length: float = 0.0,
) -> Vector:  # fmt: skip
    return np.array(
        [
            tolerance, KINDS.index(kind), CONTROLS.index(control), gamma, bias, budget, form, length, _root(horizon),
        ]
    )  # fmt: skip


def _length(form: int, horizon: int, n_policies: int, failure: float) -> float:
    """The logarithm in the radius; with BY_SQUARES the looks are still to come."""
    if form == BY_SQUARES:
        J = doublings_needed(horizon=horizon, n_policies=n_policies, failure=failure)
        return math.log(2 * n_policies * J / failure)
    two_sided = math.log(2) if form == BY_MOMENTS else 0.0  # as `theory.nested_width` has it
    return log_union(horizon, n_policies, failure) + two_sided


def _root(horizon: int) -> float:
    """T^(1/4)."""
    return math.sqrt(math.sqrt(horizon))


def _budget(cap: float | None, horizon: int) -> float:
    return math.inf if cap is None else cap * math.cbrt(horizon) ** 2


def _check_cap(cap: float | None) -> None:
    if cap is not None and real("cap", cap, meaning="c, where audits stop at c T^(2/3)") == 0:
        raise InvalidInputError("cap is 0; nothing could be asked: give a number above 0, or use Biased to never ask")


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidInputError(f"{name} is {value!r}; {nearest(value, known)}")
