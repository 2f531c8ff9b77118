"""What the bounds share: what their arguments mean, the two forms of a constant, unions and checks."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Vector
from typeover.core.inputs import chance, real, whole
from typeover.errors import InvalidInputError, nearest

Form: TypeAlias = Literal["printed", "provable"]
"""Constants as the paper prints them, with 1 for each O(), or as a proof gives them."""

ACTIONS = "how many candidates a round has"
ALIGNMENT = "alpha of Definition 1"
AUDITS = "the expected number of audits, sum E Z"
BIAS = "nu, how far an accepted suggestion may be from the right one"
BLEND = "0 trusts corrections only, 1 trusts rewards only"
FAILURE = "the probability with which the bound may fail"
HORIZON = "how many rounds will be played"
MOMENT = "v^2, a bound on the mean of the squared surrogate loss or of its estimate"
POLICIES = "how many policies the class has"
SLACK = "d of Definition 1; similarity_curve computes it for every alpha"
TOLERANCE = "how much more surrogate loss than the least a policy may have"


def is_provable(form: str) -> bool:
    """Whether the provable constants are wanted; anything but the two forms is refused."""
    if form not in get_args(Form):
        raise InvalidInputError(f"form is {form!r}; {nearest(form, get_args(Form))}")
    return form == "provable"


def log_union(horizon: int, n_policies: int, failure: float) -> float:
    """L = log(T |Pi| / delta): a union over rounds and policies."""
    T = whole("horizon", horizon, meaning=HORIZON)
    N = whole("n_policies", n_policies, meaning=POLICIES)
    return math.log(T * N / chance("failure", failure, meaning=FAILURE))


def failure_of(failure: float | None, horizon: int) -> float:
    """The delta that a provable bound in expectation pays for: as given, or min(1/2, 1/T)."""
    T = whole("horizon", horizon, meaning=HORIZON)
    return min(0.5, 1 / T) if failure is None else chance("failure", failure, meaning=FAILURE)


def no_failure(failure: float | None) -> None:
    """Refuse a failure probability where the printed bound has none."""
    if failure is not None:
        raise InvalidInputError(
            f'failure is {failure!r}, but the printed bound has none; leave failure out, or pass form="provable"'
        )


def counts(name: str, values: ArrayLike, *, meaning: str, low: float = 0.0) -> Vector:
    """A number, or an array of any shape, from `low`; checked at the cost of one pass."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} is {values!r}; it must be a number or an array of them: {meaning}") from None
    if not np.all((array >= low) & (array < np.inf)):
        raise InvalidInputError(f"{name} is {values!r}; it must be finite and at least {low:g}: {meaning}")
    return array


def costs_at(blends: Vector, n_actions: int, second_moment: float) -> Vector:
    """C(mu) = mu^2 K + (1-mu)^2 v^2, what a blended loss costs a learner that hears one action a round."""
    K = whole("n_actions", n_actions, meaning=ACTIONS)
    square = real("second_moment", second_moment, meaning=MOMENT)
    cost: Vector = blends**2 * K + (1 - blends) ** 2 * square
    return cost


def policies(n_policies: int) -> int:
    """|Pi|, checked."""
    return whole("n_policies", n_policies, meaning=POLICIES)
