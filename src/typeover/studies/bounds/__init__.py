"""Study `bounds`: measured regret over what the paper's theorems promise, as the horizon grows (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typeover.rng import seed_for
from typeover.studies.findings import Findings
from typeover.studies.records import Record
from typeover.studies.study import Point, Study

EXPLORED = "Theorem 2"
"""EFBO; what follows its exploration is computed, so its horizons reach further."""
LOW_NOISE = "Theorem 5"
"""In a world of its own."""
BLENDS = {"Theorem 6, blend 0": 0.0, "Theorem 6, blend 0.5": 0.5, "Theorem 6, blend 1": 1.0}
"""The theorem about one blend for good."""
THEOREMS = (EXPLORED, "Theorem 3", "Theorem 4", LOW_NOISE, *BLENDS)
ALIGNMENTS = {"alignment 1": 1.0, "alignment 0.5": 0.5, "alignment 0": 0.0}
UNCHECKED = "nothing checked"
"""W2; only Theorem 2 assumes nothing of users."""
WORLDS = (*ALIGNMENTS, UNCHECKED)
ROUNDS, QUICK_ROUNDS = 1_000_000, 300_000
FURTHER = 100
"""How many times further EFBO goes."""


def horizons(theorem: str, rounds: int) -> list[int]:
    """Two a decade, over the last two decades; EFBO's go on.

    >>> horizons("Theorem 3", 1_000_000)
    [10000, 31623, 100000, 316228, 1000000]
    """
    n = 9 if theorem == EXPLORED else 5
    last = rounds * FURTHER if theorem == EXPLORED else rounds
    return [round(last / 10 ** (step / 2)) for step in reversed(range(n))]


def is_promised(point: Point) -> bool:
    """Whether this theorem says anything in this world."""
    return point["world"] != UNCHECKED or point["theorem"] == EXPLORED


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """A row per horizon: both regrets and both bounds, per round, and the reward regret of uniform play."""
    from typeover.studies.bounds import promises

    theorem, world = str(point["theorem"]), str(point["world"])
    setting = promises.setting_of(theorem, world, seed_for(seed, "world"))
    at = horizons(theorem, int(point["rounds"]))
    users, own = seed_for(seed, "users"), seed_for(seed, "learner", theorem)
    return [{"horizon": horizon} | promises.kept(theorem, setting, horizon, users, own) for horizon in at]


def analyse(records: Sequence[Record]) -> Findings:
    """What the rows say, elsewhere: a finished study is run without it."""
    from typeover.studies.bounds.analysis import findings

    return findings(records)


STUDY = Study(
    name="bounds",
    question="Does regret stay within what the theorems promise?",
    axes={"world": WORLDS, "theorem": THEOREMS, "rounds": (ROUNDS,)},
    quick={"world": ("alignment 0.5", UNCHECKED), "rounds": (QUICK_ROUNDS,)},
    seeds=20,
    quick_seeds=5,
    where=is_promised,
    run=run,
    analyse=analyse,
)
