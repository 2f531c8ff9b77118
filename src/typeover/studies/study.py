"""A study: a question, named axes, what to do at one point of them, and what the results say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from typeover.core.inputs import whole
from typeover.errors import InvalidInputError, nearest
from typeover.studies.findings import Findings
from typeover.studies.records import Record, Value

Point: TypeAlias = Mapping[str, Value]
"""A value on each axis."""


def _everywhere(point: Point) -> bool:  # noqa: ARG001 - whatever it is
    return True


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """A task is one point of the axes and one seed number.

    `run` takes both and the data folder and returns rows of figures. All its randomness comes from `typeover.rng` by
    names: `seed_for(seed, "world")` is the same world for every learner, and a value that joins an axis changes no
    other task.
    """

    name: str
    question: str
    """The title of its README.md, too."""
    axes: Mapping[str, tuple[Value, ...]]
    run: Callable[[Point, int, Path | None], list[dict[str, Any]]]
    """A function that worker processes can import by its name."""
    analyse: Callable[[Sequence[Record]], Findings]
    """Gets every task of the seeds that are judged, as they stand in the file."""
    seeds: int = 20
    quick: Mapping[str, tuple[Value, ...]] = {}
    """The axes that are shorter where it must be quick."""
    quick_seeds: int = 3
    where: Callable[[Point], bool] = _everywhere
    """Which points of the axes there are."""
    data: tuple[str, ...] = ()
    """What it reads under the folder that `--data` names."""
    extras: tuple[str, ...] = ()
    """What else it can read there: values of axes whose points are left out where no folder is named."""

    def __post_init__(self) -> None:
        """Axes are named once and hold each value once."""
        whole("seeds", self.seeds, meaning="how many seeds")
        whole("quick_seeds", self.quick_seeds, meaning="how many seeds where it must be quick")
        for name in self.quick:
            self.axis(name)
        for name, values in (*self.axes.items(), *self.quick.items()):
            if len(set(values)) < len(values) or not values or not all(map(_is_plain, values)):
                raise InvalidInputError(
                    f"axis {name!r} of study {self.name!r} is {values!r:.80}; give words or finite numbers, each once"
                )

    def axis(self, name: str) -> tuple[Value, ...]:
        """The values of an axis."""
        if name not in self.axes:
            raise InvalidInputError(f"study {self.name!r} has no axis {name!r}; {nearest(name, self.axes)}")
        return self.axes[name]

    def reads(self, point: Point) -> list[str]:
        """What this point needs of the folder that `--data` names, beyond what all points need."""
        return [name for name in self.extras if name in point.values()]

    def points(self, *, quick: bool) -> list[Point]:
        """Every point, the last axis running fastest."""
        axes = {**self.axes, **self.quick} if quick else self.axes
        return [
            point
            for values in itertools.product(*axes.values())
            if self.where(point := dict(zip(axes, values, strict=True)))
        ]


def _is_plain(value: object) -> bool:
    return isinstance(value, str) or (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    )
