"""How tasks ended: the last row of each, by the values of some axes and by seed, so that learners can be paired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from typeover.studies.records import Record, Value

if TYPE_CHECKING:
    from typeover.evaluation.intervals import Interval


class Endings:
    """The last rows of these tasks; a key is a value for each of the axes named."""

    def __init__(self, records: Sequence[Record], *axes: str) -> None:
        self._rows: dict[tuple[Value, ...], dict[int, dict[str, Any]]] = {}
        for record in records:
            key = tuple(record.point[axis] for axis in axes)
            self._rows.setdefault(key, {})[record.seed] = record.rows[-1]

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        """The keys that there are, in the order of the tasks."""
        return iter(self._rows)

    def values(self, place: int) -> list[Value]:
        """What the axis at this place of the keys has, each once, in the order of the tasks."""
        return list(dict.fromkeys(key[place] for key in self._rows))

    def column(self, figure: str, *key: Value) -> list[Any]:
        """One figure of each seed."""
        return [row[figure] for row in self._rows[key].values()]

    def mean(self, figure: str, *key: Value) -> float:
        """Over seeds."""
        column = self.column(figure, *key)
        return float(sum(column) / len(column))

    def interval(self, figure: str, *key: Value) -> Interval:
        """The mean over seeds, and where it may lie."""
        from typeover.evaluation.intervals import mean_interval

        return mean_interval(self.column(figure, *key))

    def difference(self, figure: str, one: tuple[Value, ...], other: tuple[Value, ...]) -> Interval:
        """How much more of it one has, seed by seed: both met the same users, so their luck cancels out."""
        from typeover.evaluation.intervals import mean_interval

        rows = self._rows[other]
        return mean_interval([row[figure] - rows[seed][figure] for seed, row in self._rows[one].items()])
