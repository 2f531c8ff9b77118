"""The settings of learners, checked once where they enter; keywords, JSON and TOML are spellings of them."""

from __future__ import annotations

from typing import cast, get_args

import msgspec
import numpy as np

from typeover.constraints import Constraint, DoublyRobust
from typeover.core.arrays import Vector
from typeover.core.inputs import chance, real, whole
from typeover.errors import InvalidInputError, nearest
from typeover.oracles.saddle import STEPS
from typeover.theory import block_length
from typeover.theory.schedules import Schedule

SCHEDULES = get_args(Schedule)
BLENDS = ("grid", "none")
SADDLES = ("exact", "mwu")
AUDITS = (0, "need", "fixed")
"""In the order of `kernels.shared`."""
BASES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
"""mu: the blends that learners without a horizon try."""


class ExploreSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long to explore before committing."""

    horizon: int
    """T: how many rounds there will be."""
    block: int | str = "minimax"
    """T0: rounds per block, or the schedule that computes it."""
    n_actions: int | None = None
    """K, which the schedules `aligned` and `misaligned` need in advance."""

    def _check_blocks(self, n_blocks: int) -> None:
        """Refuse horizons that are too short for the blocks."""
        whole("horizon", self.horizon, low=4, meaning="how many rounds there will be, 4 blocks at least")
        if self.n_actions is not None:
            whole("n_actions", self.n_actions, meaning="how many candidates a round has")
        if isinstance(self.block, str):
            if self.block not in SCHEDULES:
                raise InvalidInputError(
                    f"block is {self.block!r}; {nearest(self.block, SCHEDULES)} Or give a whole number"
                )
        elif whole("block", self.block, meaning="rounds per block, or a schedule's name") * n_blocks > self.horizon:
            blocks = "a block" if n_blocks == 1 else f"{n_blocks} blocks"
            raise InvalidInputError(
                f"horizon is {self.horizon}, too short for {blocks} of {self.block} rounds; "
                f"it must be at least {n_blocks * self.block}, or block at most {self.horizon // n_blocks}"
            )

    def rounds_per_block(self, n_policies: int) -> int:
        """T0."""
        if not isinstance(self.block, str):
            return int(self.block)
        schedule = cast("Schedule", self.block)
        return block_length(self.horizon, schedule, n_actions=self.n_actions, n_policies=n_policies)


class RewardOnlySettings(ExploreSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Explore first on rewards alone."""

    def __post_init__(self) -> None:
        """One block."""
        self._check_blocks(1)


class EFBOSettings(ExploreSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Algorithm 1."""

    tolerance: float
    """epsilon: how much mean loss above the least of the class is allowed."""
    blends: str | tuple[float, ...] = "grid"
    """M: `grid` (Section 3.2), `none` (the unblended explore-first of Section 3.1), or the blends themselves."""
    saddle: str = "exact"
    """`exact` (envelope) or `mwu` (lines 6-10)."""
    step: str = "tuned"
    """Step size of `mwu`: `tuned` or `printed`."""
    iterations: int | None = None
    """S of `mwu`; left out: B T0 = T."""
    cap: float | None = None
    """B, the multiplier's upper end; left out: none for `exact`, T/T0 for `mwu`."""

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        self._check_blocks(2 if self.blends == "none" else 4)
        real("tolerance", self.tolerance, meaning="how much mean loss above the most faithful policy's is allowed")
        for name, value, known in (("saddle", self.saddle, SADDLES), ("step", self.step, STEPS)):
            if value not in known:
                raise InvalidInputError(f"{name} is {value!r}; {nearest(value, known)}")
        if self.iterations is not None:
            whole("iterations", self.iterations, meaning="S, the steps of mwu")
        if self.cap is not None:
            least = 1.0 if self.saddle == "mwu" else 0.0  # mwu starts at 1/B, below B
            if real("cap", self.cap, meaning="the multiplier's upper end B") <= least:
                raise InvalidInputError(f"cap is {self.cap!r}; the multiplier's upper end B must exceed {least:g} here")
        self._check_blends()

    def _check_blends(self) -> None:
        if isinstance(self.blends, str):
            if self.blends not in BLENDS:
                raise InvalidInputError(f"blends is {self.blends!r}; {nearest(self.blends, BLENDS)} Or give a list")
            return
        if not isinstance(self.blends, tuple):
            raise InvalidInputError(f"blends is {self.blends!r}; give a list of numbers in [0, 1], 'grid' or 'none'")
        if not self.blends:
            raise InvalidInputError("blends is empty; give at least one number in [0, 1], 'grid' or 'none'")
        for blend in self.blends:
            real("blend", blend, high=1.0, meaning="1 trusts rewards only, 0 corrections only")


class LeaderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Follow the leader, looking again at geometrically growing times."""

    first: int = 10
    """Rounds before the first look."""
    growth: float = 1.1
    """Each look comes this much later than the one before."""

    def __post_init__(self) -> None:
        """Looks must come, and ever later."""
        whole("first", self.first, meaning="rounds before the first look")
        _check_growth(self.growth)


class SharedSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The default learner for a finite set."""

    tolerance: float
    """epsilon: how much mean loss above the least of the class is allowed."""
    audits: str | int = "need"
    """`need`, `fixed` (0.5 t^(-1/3)), or 0: never, fidelity then rests on what users volunteer."""
    audit_budget: int | None = None
    """At most this many audits in all; afterwards the constraint is frozen."""
    blends: tuple[float, ...] = BASES
    """mu of each base learner; rising, so that the reserve finds the one that trusts rewards only."""
    base_rate: float = 4.0
    master_rate: float = 2.0
    reserve: bool = True
    """Keep a falling share, t^(-1/3), for the largest blend, so that it cannot starve."""
    strictness: float = 1.0
    """How many standard errors a policy may seem beyond the tolerance, by a fiftieth of it at most, and be played."""
    failure: float = 0.05
    """With which probability the elimination may lose a feasible policy."""

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        real("tolerance", self.tolerance, meaning="how much mean loss above the most faithful policy's is allowed")
        if self.audits not in AUDITS or isinstance(self.audits, bool):
            raise InvalidInputError(f"audits is {self.audits!r}; it must be 'need', 'fixed' or 0 (never ask)")
        if self.audit_budget is not None:
            whole("audit_budget", self.audit_budget, low=0, meaning="how many audits there may be in all")
        if not self.blends:
            raise InvalidInputError("blends is empty; give at least one number in [0, 1]")
        for blend in self.blends:
            real("blend", blend, high=1.0, meaning="1 trusts rewards only, 0 corrections only")
        if list(self.blends) != sorted(set(self.blends)):
            raise InvalidInputError(f"blends is {list(self.blends)!r}; give each once, in rising order")
        for name, value in (("base_rate", self.base_rate), ("master_rate", self.master_rate)):
            if real(name, value, meaning="a step size's constant") == 0:
                raise InvalidInputError(f"{name} is 0; nothing would be learnt: give a number above 0, such as 2")
        real("strictness", self.strictness, meaning="standard errors of doubt that a shortlisted policy may have")
        chance("failure", self.failure, meaning="the probability with which a feasible policy may be lost")

    def plain(self) -> Vector:
        """In the order of `kernels.shared`."""
        budget = np.inf if self.audit_budget is None else float(self.audit_budget)
        return np.array(
            [
                self.tolerance, self.base_rate, self.master_rate, float(self.reserve), AUDITS.index(self.audits),
                budget, self.failure, self.strictness,
            ]
        )  # fmt: skip


class AnytimeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Explore first, blend optimally, again and again."""

    tolerance: float
    """epsilon: how much mean loss above the least of the class is allowed."""
    blends: tuple[float, ...] = BASES
    """mu: what is tried at every look."""
    growth: float = 1.1
    """Each look comes this much later than the one before."""
    audits: str | int = "falling"
    """`falling` (0.5 t^(-1/3)), or 0: never, fidelity then rests on what users volunteer."""

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        real("tolerance", self.tolerance, meaning="how much mean loss above the most faithful policy's is allowed")
        if not isinstance(self.blends, tuple) or not self.blends:
            raise InvalidInputError(f"blends is {self.blends!r:.80}; give a list of at least one number in [0, 1]")
        for blend in self.blends:
            real("blend", blend, high=1.0, meaning="1 trusts rewards only, 0 corrections only")
        _check_growth(self.growth)
        if self.audits not in ("falling", 0) or isinstance(self.audits, bool):
            raise InvalidInputError(f"audits is {self.audits!r}; it must be 'falling' or 0 (never ask)")


class FixedSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One mixture for good."""

    mixture: tuple[tuple[int, float], ...]
    """Places in the set, each with its weight."""


class ConstrainedSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exp4 at one blend over the policies still alive."""

    tolerance: float
    """epsilon: how much mean loss above the least of the class is allowed."""
    blend: float
    """mu: 1 trusts rewards only, 0 corrections only."""
    horizon: int | None = None
    """T: how many rounds there will be; the constraint needs it."""
    constraint: Constraint | None = DoublyRobust()
    """How Delta is estimated and policies are ruled out; None: not at all, at blend 1 only."""

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        real("tolerance", self.tolerance, meaning="how much mean loss above the most faithful policy's is allowed")
        real("blend", self.blend, high=1.0, meaning="1 trusts rewards only, 0 corrections only")
        if self.constraint is None and self.blend < 1:
            raise InvalidInputError(
                f"blend is {self.blend!r} without a constraint, so there is nothing to blend rewards with; give "
                "blend=1 to learn from rewards alone, or a constraint such as typeover.constraints.DoublyRobust()"
            )
        if self.constraint is not None or self.horizon is not None:
            whole("horizon", self.horizon, meaning="how many rounds there will be")


class CorralledSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Algorithm 2."""

    tolerance: float
    """epsilon: how much mean loss above the least of the class is allowed."""
    horizon: int
    """T: how many rounds there will be."""
    constraint: Constraint = DoublyRobust()
    """How Delta is estimated and policies are ruled out."""
    blends: str | tuple[float, ...] = "grid"
    """mu of each base: `grid` (Section 3.2), or the blends themselves."""
    hedge_scale: float = 1.0
    """What multiplies the regret R_m that the hedge assumes of a base; 3 is what a base's own bound proves."""
    n_actions: int | None = None
    """K, on which grid and hedge rest; left out: that of the first round."""

    def __post_init__(self) -> None:
        """Name, value received, what is allowed."""
        real("tolerance", self.tolerance, meaning="how much mean loss above the most faithful policy's is allowed")
        whole("horizon", self.horizon, meaning="how many rounds there will be")
        real("hedge_scale", self.hedge_scale, meaning="what the regret assumed of a base is multiplied by")
        if self.n_actions is not None:
            whole("n_actions", self.n_actions, meaning="how many candidates a round has")
        if isinstance(self.blends, str):
            if self.blends != "grid":
                raise InvalidInputError(f"blends is {self.blends!r}; give 'grid' or a list of numbers in [0, 1]")
        elif not self.blends:
            raise InvalidInputError("blends is empty; give at least one number in [0, 1], or 'grid'")
        else:
            for blend in self.blends:
                real("blend", blend, high=1.0, meaning="1 trusts rewards only, 0 corrections only")
            if len(set(self.blends)) < len(self.blends):
                raise InvalidInputError(f"blends is {list(self.blends)!r}; give each once")


class NoSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing to set."""


def _check_growth(growth: float) -> None:
    if real("growth", growth, low=1.0, meaning="how much later each look comes") <= 1:
        raise InvalidInputError("growth is 1; it must be above 1, such as 1.1, so that each look comes later")


Settings = EFBOSettings | RewardOnlySettings | LeaderSettings | AnytimeSettings | FixedSettings | NoSettings
