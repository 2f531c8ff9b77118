"""What a task writes down of a simulation: rows at log-spaced rounds, so far and lately."""

from __future__ import annotations

from typing import Any

import numpy as np

from typeover.core.protocols import Environment, Learner
from typeover.evaluation import simulate

PER_DECADE = 6
FIRST = 100
"""Rounds before the first row."""


def marks(rounds: int) -> list[int]:
    """Log-spaced rounds from `FIRST`, the last one always.

    >>> marks(1_000)
    [100, 147, 215, 316, 464, 681, 1000]
    """
    if rounds <= FIRST:
        return [rounds]
    n = round(PER_DECADE * np.log10(rounds / FIRST)) + 1
    return sorted({*np.geomspace(FIRST, rounds, n).round().astype(int).tolist(), rounds})


def curve(
    environment: Environment, learner: Learner, *, rounds: int, seed: int, tolerance: float
) -> list[dict[str, Any]]:
    """Simulate; a row per mark: means over all rounds up to it, and, as `late_...`, over the last tenth of those."""
    ends = marks(rounds)
    starts = [end - max(1, end // 10) for end in ends]
    run = simulate(
        environment, learner, rounds=rounds, seed=seed, tolerance=tolerance, at=[*filter(None, starts), *ends]
    )
    rows = []
    for start, end in zip(starts, ends, strict=True):
        late = {f"late_{name}": figure for name, figure in run.between(start, end).items()}
        rows.append({"rounds": end} | run.between(0, end) | late)
    return rows
