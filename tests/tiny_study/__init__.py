"""A study whose tasks take no time, leave a mark where TINY_MARKS says, and misbehave where TINY_* says."""

from __future__ import annotations

import os
import time
from pathlib import Path

from typeover.core.claims import Claim
from typeover.rng import stream
from typeover.studies.findings import Findings, Table
from typeover.studies.study import Study


def run(point, seed, data):
    world = stream(seed, "world", f"size {point['size']}").random()
    number = stream(seed, "learner", str(point["learner"])).random()
    if point["learner"] == os.environ.get("TINY_FAILS"):
        raise ZeroDivisionError("as it was told to")
    if folder := os.environ.get("TINY_MARKS"):
        Path(folder, f"{point['learner']} {point['size']} {seed} {time.monotonic_ns()}").touch()
    time.sleep(float(os.environ.get("TINY_SECONDS", "0")))
    return [{"rounds": n, "world": world, "number": number, "nothing": float("nan")} for n in (10, 100)]


def analyse(records):
    numbers = [record.rows[-1]["number"] for record in records]
    bar = float(os.environ.get("TINY_BAR", "1"))
    return Findings(
        claims=(Claim("largest number", bar=f"<= {bar:g}", figure=max(numbers), holds=max(numbers) <= bar),),
        words=("Numbers are below one.",),
        tables=(Table(title="Numbers", columns=("what", "figure", "gap"), rows=(("mean", sum(numbers) / 2, None),)),),
    )


STUDY = Study(
    name="tiny",
    question="Is a drawn number ever above one?",
    axes={"learner": ("a", "b"), "size": (1, 2.5)},
    quick={"size": (1,)},
    seeds=3,
    quick_seeds=2,
    run=run,
    analyse=analyse,
)
