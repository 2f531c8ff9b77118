"""Models of users: what they accept, given how far the suggestion is from what they want."""

from __future__ import annotations

from typing import Protocol

import msgspec
import numpy as np

from typeover.core.arrays import Flags, Vector
from typeover.core.inputs import real


class User(Protocol):
    """Accepts or types over; a part that can be put on any world."""

    def acceptance(self, losses: Vector, matches: Flags) -> Vector:
        """P(accept a | answer j), from Delta(a, j; x) and whether a is j, both of shape (X, K, J)."""
        ...


class Exact(msgspec.Struct, frozen=True):
    """U0: accepts exactly the answer that they have in mind."""

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
