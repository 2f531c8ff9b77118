"""Study `real`: blends of rewards and corrections on real tables, and what a real log says of accepts (README.md)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typeover.rng import seed_for
from typeover.studies.findings import Findings
from typeover.studies.real import streams, writers
from typeover.studies.real.streams import CORRECTIONS, LEARNERS, TOLD, UNASKING, USERS
from typeover.studies.records import Record
from typeover.studies.study import Point, Study

if TYPE_CHECKING:
    from typeover.core.protocols import Learner
    from typeover.environments import Stream, TabularWorld

TABLES = ("satimage", "letter", "banking77", "clinc150")
LOG = "coauthor_rounds"
AS_LOGGED = "as logged"
"""What the log has on every other axis: nobody is simulated there."""
ROWS, QUICK_ROWS = 20_000, 4_000
"""At most so many rows of a stream; all of them are fewer than 20,000."""


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:
    """One learner's pass through a table among users of one kind, or a row per writer of the log."""
    from typeover.environments import Passage
    from typeover.studies.figures import curve

    assert data is not None  # noqa: S101 - the runner has checked it
    if point["set"] == LOG:
        return writers.by_writer(data)
    name, where = str(point["learner"]), (data, str(point["set"]), int(point["rows"]), seed)
    stream, world = _stream(*where), _world(*where, str(point["user"]), float(point["alignment"]))
    rounds = len(stream.labels)
    learner = _learner(name, stream, rounds, seed_for(seed, "learner", name))
    met = Passage(world.but(is_told=True) if name == TOLD else world)
    rows = curve(met, learner, rounds=rounds, seed=seed_for(seed, "users"), tolerance=stream.tolerance)
    known = stream._replace(world=world).figures()
    return [*rows[:-1], rows[-1] | {figure: known[figure] for figure in streams.KNOWN}]


@functools.lru_cache(maxsize=1)
def _stream(data: Path, name: str, n_rows: int, seed: int) -> Stream:
    """A table's rows, policies and what each label is worth; tasks that follow each other share it."""
    from typeover.environments import labelled, read_table

    return labelled(read_table(data, name), alignment=0.0, n_rows=n_rows, seed=seed_for(seed, "world"))


@functools.lru_cache(maxsize=1)
def _world(data: Path, name: str, n_rows: int, seed: int, user: str, alignment: float) -> TabularWorld:
    """Users of that name, and rewards between what a label is worth (0) and fidelity (1)."""
    from typeover.environments import Careless, Exact

    table, careless = _stream(data, name, n_rows, seed).table, USERS[user]
    someone = Exact() if careless is None else Careless(table.user, careless) if careless else table.user
    return table.but(user=someone, rewards=alignment * (1 - table.losses) + (1 - alignment) * table.tables.rewards)


def _learner(name: str, stream: Stream, horizon: int, seed: int) -> Learner:
    """The ceiling is the default learner, in a world that tells it every answer."""
    from typeover.learners import CorrectionOnly
    from typeover.studies.lineup import build

    policies, loss = stream.policies, stream.table.loss
    if name == CORRECTIONS:
        return CorrectionOnly(policies=policies, loss=loss, seed=seed)
    known = UNASKING if name == TOLD else name
    return build(known, policies=policies, loss=loss, tolerance=stream.tolerance, horizon=horizon, seed=seed)


def is_point(point: Point) -> bool:
    """Either a table, with users and a learner, or the log as it is."""
    logged = [point["set"] == LOG, *(point[axis] == AS_LOGGED for axis in ("user", "alignment", "learner"))]
    return all(logged) or not any(logged)


def analyse(records: Sequence[Record]) -> Findings:
    """The tables by their seeds, the log once: it is the same for every seed."""
    tables = streams.findings([record for record in records if record.point["set"] != LOG])
    log = writers.findings(next(record for record in records if record.point["set"] == LOG).rows)
    return Findings(
        claims=tables.claims + log.claims,
        words=tables.words + log.words,
        tables=tables.tables + log.tables,
        pictures=lambda: tables.pictures() + log.pictures(),
    )


STUDY = Study(
    name="real",
    question="What are corrections worth on real data, and what does a real log of accepts say?",
    axes={
        "set": (*TABLES, LOG),
        "user": (*USERS, AS_LOGGED),
        "alignment": (1.0, 0.5, 0.0, AS_LOGGED),
        "rows": (ROWS,),
        "learner": (*LEARNERS, AS_LOGGED),
    },
    quick={
        "set": ("satimage", "banking77", LOG),
        "user": ("U1", "U4, 100 %", AS_LOGGED),
        "alignment": (1.0, 0.0, AS_LOGGED),
        "rows": (QUICK_ROWS,),
    },
    seeds=20,
    quick_seeds=3,
    where=is_point,
    run=run,
    analyse=analyse,
    data=(*TABLES, LOG),
)
