"""Runs what is missing of a study, and hands what is there to its analysis."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from typeover import __version__
from typeover.errors import InvalidInputError, nearest
from typeover.jobs import Done, Task, run
from typeover.studies.records import Key, Record, ResultFile, Value, read
from typeover.studies.study import Point, Study

Tell = Callable[[int, int], None]
"""Called with how many of the missing tasks are done, and how many there are."""


class Wanted(NamedTuple):
    """The tasks of a run, in the order in which they start: a whole seed after the other."""

    points: list[Point]
    seeds: range

    @property
    def tasks(self) -> list[tuple[Point, int]]:
        """Every point with every seed."""
        return [(point, seed) for seed in self.seeds for point in self.points]


class Outcome(NamedTuple):
    """What a run has to show."""

    records: list[Record]
    """Of the tasks wanted, in their order."""
    n_ran: int
    """Those that were missing."""
    n_others: int
    """Results in the file that are not of these tasks: they are kept there, and left out here."""


def wanted(
    study: Study, *, quick: bool = False, n_seeds: int | None = None, first_seed: int = 0, only: Sequence[str] = (),
    has_data: bool = True,
) -> Wanted:  # fmt: skip
    """What to run; `only` keeps the points that have one of the values named: `axis=value`.

    Without data, points that read `extras` are left out.
    """
    points = study.points(quick=quick)
    kept: dict[str, set[Value]] = {}
    for named in only:
        axis, _, value = named.partition("=")
        study.axis(axis)
        known = list(dict.fromkeys(point[axis] for point in points))
        meant = {one for one in known if _is_called(one, value)}
        if not meant:
            raise InvalidInputError(f"axis {axis!r} has no value {value!r}; {nearest(value, known)}")
        kept.setdefault(axis, set()).update(meant)
    points = [point for point in points if all(point[axis] in values for axis, values in kept.items())]
    if not points:
        raise InvalidInputError(f"study {study.name!r} has no point with all of {', '.join(only)}; name fewer")
    if not has_data:
        points = [point for point in points if not study.reads(point)]
        if not points:
            raise _no_folder(study, study.extras)
    n = (study.quick_seeds if quick else study.seeds) if n_seeds is None else n_seeds
    return Wanted(points, range(first_seed, first_seed + n))


def run_study(
    study: Study, path: Path, want: Wanted, *, workers: int, data: Path | None = None, tell: Tell = lambda *_: None
) -> Outcome:
    """Run what the file lacks, each result on the disk as it comes; the first task that fails ends the run."""
    with ResultFile(path, study.name, study.axes) as file:
        found = {record.key for record in file.records}
        missing = [(point, seed) for point, seed in want.tasks if _key(point, seed) not in found]
        if missing:
            check_data(study, data, [point for point, _ in missing])
            tell(0, len(missing))
        tasks = [Task(task_name(study, *one), study.run, (*one, data)) for one in missing]
        with contextlib.closing(run(tasks, workers=workers)) as results:  # also where a disk is full
            for n_done, done in enumerate(results, start=1):
                file.add(_record(*missing[done.index], done))
                tell(n_done, len(missing))
        by_key = _by_key(file.records)
    records = [by_key.pop(_key(*one)) for one in want.tasks]
    return Outcome(records, len(missing), len(by_key))


def complete(study: Study, path: Path, *, quick: bool = False) -> tuple[list[Record], list[int]]:
    """The records of all points for the seeds that have them all, and the seeds that lack some."""
    by_key = _by_key(read(path, study.name, study.axes))
    points = study.points(quick=quick)
    if not any(study.reads(record.point) for record in by_key.values()):  # run without data
        points = [point for point in points if not study.reads(point)]
    seeds = sorted({seed for _, seed in by_key})
    whole = [seed for seed in seeds if all(_key(point, seed) in by_key for point in points)]
    if not whole:
        raise InvalidInputError(
            f"{path} has no seed whose {len(points)} tasks are all done; run: typeover study run {study.name}"
            f"{' --quick' if quick else ''}"
        )
    return [by_key[_key(*one)] for one in ((p, s) for s in whole for p in points)], sorted(set(seeds) - set(whole))


def check_data(study: Study, data: Path | None, points: Sequence[Point] = ()) -> None:
    """Whether what the study reads, and what these points do, is there."""
    names = list(dict.fromkeys([*study.data, *(name for point in points for name in study.reads(point))]))
    if not names:
        return
    if data is None:
        raise _no_folder(study, names)
    for name in names:
        if not (data / name).exists():
            raise InvalidInputError(f"data is {data}, which has no {name!r}; study {study.name!r} reads it there")


def _no_folder(study: Study, names: Sequence[str]) -> InvalidInputError:
    return InvalidInputError(f"study {study.name!r} reads {', '.join(names)}; name their folder with --data DIR")


def task_name(study: Study, point: Point, seed: int) -> str:
    """What errors call a task."""
    return " ".join([study.name, *(f"{axis}={value}" for axis, value in point.items()), f"seed={seed}"])


def _record(point: Point, seed: int, done: Done) -> Record:
    return Record(
        point=dict(point), seed=seed, rows=done.value, seconds=round(done.seconds, 6), peak_bytes=done.peak_bytes,
        version=__version__,
    )  # fmt: skip


def _is_called(value: Value, name: str) -> bool:
    """Whether this is how someone would write it; numbers may be written in several ways."""
    if isinstance(value, str):
        return value == name
    try:
        return float(name) == value
    except ValueError:
        return False


def _key(point: Point, seed: int) -> Key:
    return frozenset(point.items()), seed


def _by_key(records: Sequence[Record]) -> dict[Key, Record]:
    return {record.key: record for record in records}
