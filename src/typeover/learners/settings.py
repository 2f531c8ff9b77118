"""The settings of learners, checked once where they enter; keywords, JSON and TOML are spellings of them."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from typeover.errors import InvalidInputError, nearest
from typeover.oracles.saddle import STEPS
from typeover.theory import block_length

SCHEDULES = ("minimax", "aligned", "misaligned")
BLENDS = ("grid", "none")
SADDLES = ("exact", "mwu")


class ExploreSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long to explore before committing."""

    horizon: int
    """T: how many rounds there will be."""
    block: int | str = "minimax"
    """T0: rounds per block, or the schedule that computes it."""
    n_actions: int | None = None
    """K, which the schedules `aligned` and `misaligned` need in advance."""

    def check(self, n_blocks: int) -> None:
        """Refuse horizons that are too short for the blocks."""
        whole("horizon", self.horizon, least=4)
        if self.n_actions is not None:
            whole("n_actions", self.n_actions, least=1)
        if isinstance(self.block, str):
            if self.block not in SCHEDULES:
                raise InvalidInputError(f"block is {self.block!r}; {nearest(self.block, SCHEDULES)} Or give a whole number")
        elif whole("block", self.block, least=1) * n_blocks > self.horizon:
            raise InvalidInputError(
                f"horizon is {self.horizon}, too short for {n_blocks} blocks of {self.block} rounds; "
                f"it must be at least {n_blocks * self.block}, or block at most {self.horizon // n_blocks}"
            )

    def rounds_per_block(self, n_policies: int) -> int:
        """T0."""
        if not isinstance(self.block, str):
            return self.block
        return block_length(self.horizon, self.block, n_actions=self.n_actions, n_policies=n_policies)  # type: ignore[arg-type]


class EFBOSettings(ExploreSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Algorithm 1."""

    tolerance: float
    """epsilon: how much mean loss above the least of the class is allowed."""
    blends: str | tuple[float, ...] = "grid"
    """M: `grid` (Section 3.2), `none` (the unblended explore-first of Section 3.1), or the blends themselves."""
    saddle: str = "exact"
    """`exact` (envelope) or `mwu` (lines 7-11)."""
    step: str = "tuned"
    """Step size of `mwu`: `tuned` or `printed`."""
    iterations: int | None = None
    """S of `mwu`; left out: B T0 = T."""
    cap: float | None = None
    """B, the multiplier's upper end; left out: none for `exact`, T/T0 for `mwu`."""

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        self.check(n_blocks=2 if self.blends == "none" else 4)
        check_tolerance(self.tolerance)
        for name, value, known in (("saddle", self.saddle, SADDLES), ("step", self.step, STEPS)):
            if value not in known:
                raise InvalidInputError(f"{name} is {value!r}; {nearest(value, known)}")
        if self.iterations is not None:
            whole("iterations", self.iterations, least=1)
        if self.cap is not None and not (number(self.cap) and self.cap > 1):
            raise InvalidInputError(f"cap is {self.cap!r}; the multiplier's upper end must exceed 1")
        self._check_blends()

    def _check_blends(self) -> None:
        if isinstance(self.blends, str):
            if self.blends not in BLENDS:
                raise InvalidInputError(f"blends is {self.blends!r}; {nearest(self.blends, BLENDS)} Or give a list")
            return
        if not self.blends:
            raise InvalidInputError("blends is empty; give at least one number in [0, 1], 'grid' or 'none'")
        for blend in self.blends:
            check_blend(blend)


class LeaderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Follow the leader, looking again at geometrically growing times."""

    first: int = 10
    """Rounds before the first look."""
    growth: float = 1.1
    """Each look comes this much later than the one before."""

    def __post_init__(self) -> None:
        """Looks must come, and ever later."""
        whole("first", self.first, least=1)
        if not (number(self.growth) and 1 < self.growth < math.inf):
            raise InvalidInputError(f"growth is {self.growth!r}; it must be a number above 1, such as 1.1")


class NoSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing to set."""


Settings = EFBOSettings | ExploreSettings | LeaderSettings | NoSettings
Saddle = Literal["exact", "mwu"]


def number(value: Any) -> bool:
    """A real number, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole(name: str, value: Any, *, least: int) -> int:
    """A whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidInputError(f"{name} is {value!r}; it must be a whole number from {least}")
    return value


def check_tolerance(tolerance: Any) -> None:
    """Epsilon is a finite number from 0."""
    if not (number(tolerance) and 0 <= tolerance < math.inf):
        raise InvalidInputError(
            f"tolerance is {tolerance!r}; it must be a number from 0, such as 0.05: how much mean loss above the "
            "most faithful policy's is allowed"
        )


def check_blend(blend: Any) -> None:
    """Mu lies in [0, 1]."""
    if not (number(blend) and 0 <= blend <= 1):
        raise InvalidInputError(f"blend is {blend!r}; it must lie in [0, 1] (1 trusts rewards only, 0 corrections only)")
