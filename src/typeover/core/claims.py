"""What a run was to show, and whether it did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """One thing that a run was to show, the bar it had to reach, and what was measured."""

    claim: str
    bar: str | float
    figure: str | float
    holds: bool
