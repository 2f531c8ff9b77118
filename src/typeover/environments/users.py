"""Models of users: what they accept, given how far the suggestion is from what they want.

U0 to U2 stand here, in rising distance from the paper's Assumption 3 (the user types over exactly what is further than
nu from the answer); habits that change any of them stand in `habits.py` (U3 to U6).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import msgspec
import numpy as np

from typeover.core.arrays import Flags, Vector
from typeover.core.inputs import chance, real, whole
from typeover.errors import InvalidInputError
from typeover.rng import stream

TENTH = 1.2815515655446004
"""How many standard deviations the 90th percentile of a normal distribution lies above its mean."""


class Conduct(NamedTuple):
    """What users do, per context x, candidate a and wanted answer j."""

    acceptance: Vector
    """P(accept a | x, j), shape (X, K, J)."""
    correction: Vector | None = None
    """P(an answer is entered | x, j, a was rejected), shape (X, K, J); None: always."""
    entering: Vector | None = None
    """P(i is entered | x, j is wanted), shape (X, J, J); None: j itself."""


@runtime_checkable
class Accepts(Protocol):
    """A user who accepts, or types over with the answer wanted."""

    def acceptance(self, losses: Vector, matches: Flags) -> Vector:
        """P(accept a | answer j), from Delta(a, j; x) and whether a is j, both of shape (X, K, J)."""
        ...


@runtime_checkable
class Acts(Protocol):
    """A user who may also enter nothing, or something else."""

    def conduct(self, losses: Vector, matches: Flags) -> Conduct:
        """What they do, from Delta(a, j; x) and whether a is j, both of shape (X, K, J)."""
        ...


User: TypeAlias = Accepts | Acts
"""A part that can be put on any world."""


def conduct(user: User, losses: Vector, matches: Flags) -> Conduct:
    """What a user of either kind does."""
    if isinstance(user, Acts):
        return user.conduct(losses, matches)
    if isinstance(user, Accepts):
        return Conduct(user.acceptance(losses, matches))
    raise InvalidInputError(
        f"user is {user!r:.80}; it must have a method acceptance(losses, matches), or conduct(losses, matches): "
        "typeover.environments.Tolerant(0.02), for instance"
    )


class Exact(msgspec.Struct, frozen=True):
    """U0: accepts exactly the answer that they have in mind; keeps the paper's Assumption 3."""

    def acceptance(self, losses: Vector, matches: Flags) -> Vector:  # noqa: ARG002 - the protocol's signature
        """1 where the suggestion is the answer."""
        return matches.astype(np.float64)


class Tolerant(msgspec.Struct, frozen=True):
    """U1: accepts whatever is within `bias_bound` (nu) of the answer; keeps the paper's Assumption 3."""

    bias_bound: float

    def __post_init__(self) -> None:
        """Nu lies where Delta does."""
        real("bias_bound", self.bias_bound, high=1.0, meaning="how far an accepted suggestion may be from the answer")

    def acceptance(self, losses: Vector, matches: Flags) -> Vector:  # noqa: ARG002 - the protocol's signature
        """1 where Delta <= nu."""
        return (losses <= self.bias_bound).astype(np.float64)


class Soft(msgspec.Struct, frozen=True):
    """U2: accepts less the further the suggestion is from the answer, without a sharp bound; breaks Assumption 3.

    P(accept) = sigmoid(b + steepness (bias_bound - Delta)). Each context has its own user with their own readiness b:
    of a suggestion at `bias_bound` the users between the 10th and the 90th percentile accept from `low` to `high`. The
    defaults are those of 61 writers with a language model.
    """

    bias_bound: float = 0.02
    steepness: float = 10.0
    low: float = 0.64
    high: float = 0.90
    seed: int = 0

    def __post_init__(self) -> None:
        """Nu lies where Delta does, and acceptance does not fall with fidelity."""
        real("bias_bound", self.bias_bound, high=1.0, meaning="where users differ from low to high in what they accept")
        real("steepness", self.steepness, meaning="how fast acceptance falls with Delta; 0: not at all")
        chance("low", self.low, meaning="what the 10th percentile of users accepts at bias_bound")
        chance("high", self.high, meaning="what the 90th percentile of users accepts at bias_bound")
        whole("seed", self.seed, low=0, meaning="which users they are")
        if self.low > self.high:
            raise InvalidInputError(f"low is {self.low!r} and high {self.high!r}; low must not be above high")

    def readiness(self, n_contexts: int) -> Vector:
        """The b of the user in each context: normal, with the percentiles asked for."""
        low, high = (float(np.log(share / (1 - share))) for share in (self.low, self.high))
        spread = (high - low) / (2 * TENTH)
        drawn = stream(self.seed, "soft users").standard_normal(n_contexts)
        return (low + high) / 2 + spread * drawn

    def acceptance(self, losses: Vector, matches: Flags) -> Vector:  # noqa: ARG002 - the protocol's signature
        """The sigmoid, in (0, 1)."""
        eager = self.readiness(len(losses))[:, None, None] + self.steepness * (self.bias_bound - losses)
        return np.exp(-np.logaddexp(0.0, -eager))
