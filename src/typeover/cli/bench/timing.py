"""Seconds taken side by side: ratios of one run, for machines are noisy."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any

BUDGET = 0.6
"""Seconds spent on each group of rivals, at least three turns each."""


def side_by_side(rivals: Mapping[str, Callable[[], Any]], *, budget: float = BUDGET) -> dict[str, float]:
    """Best seconds of each, taken in turns so that a slow moment of the machine meets all of them."""
    best = {name: _once(run) for name, run in rivals.items()}
    began, turns = time.perf_counter(), 0
    gc.collect()
    is_on = gc.isenabled()
    gc.disable()
    try:
        while turns < 3 or time.perf_counter() - began < budget:
            for name, run in rivals.items():
                best[name] = min(best[name], _once(run))
            turns += 1
    finally:
        if is_on:
            gc.enable()
    return best


def _once(run: Callable[[], Any]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began
