"""Tables with known answers, read from a folder that the user names; nothing of them is shipped.

A set is a folder of its own with one file: `banking77/text.csv.gz` and `clinc150/text.csv.gz` (text, label, and for the
second a domain), `letter/table.csv.gz` and `satimage/table.csv.gz` (numbers, the last column the label),
`jester5k/ratings.csv.gz` (what people think of a hundred jokes, -10 to 10, so that every candidate's reward is known),
and `word_vectors/vectors.csv.gz` (word, numbers) for distances of words.
"""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Action, Vector
from typeover.errors import InvalidInputError, nearest

_PROFILE, _OFFERED = 30, 15
"""Jester: the jokes that describe a person, and those that may be told."""


class LabelledRows(NamedTuple):
    """Rows with their answers."""

    name: str
    inputs: Sequence[str] | Vector
    """One text per row, or one row of numbers."""
    labels: Sequence[str]
    """The right answer of each row."""
    taxonomy: dict[Action, list[str]] | None = None
    """{label: groups above it}, where there are any."""
    candidates: Sequence[str] | None = None
    """What the columns of `rewards` are about."""
    rewards: Vector | None = None
    """What each candidate pays in each row, in [0, 1], where that is known."""
    groups: Sequence[str] | None = None
    """Whose row it is, where rows of one person belong together."""

    def at(self, places: NDArray[np.intp]) -> LabelledRows:
        """Only these rows."""
        inputs = self.inputs[places] if isinstance(self.inputs, np.ndarray) else [self.inputs[i] for i in places]
        return self._replace(
            inputs=inputs,
            labels=[self.labels[i] for i in places],
            rewards=None if self.rewards is None else self.rewards[places],
            groups=None if self.groups is None else [self.groups[i] for i in places],
        )


def read_table(folder: str | os.PathLike[str], name: str) -> LabelledRows:
    """One of the sets by name; clinc150 without the requests that are out of scope, which have no answer."""
    if name not in FILES:
        raise InvalidInputError(f"no reader for the set {name!r}; {nearest(name, FILES)}")
    head, rows = read_csv(set_path(folder, name, FILES[name]))
    if name == "jester5k":
        return _jester(rows)
    if FILES[name] == "table.csv.gz":
        return LabelledRows(name, _numbers(name, [row[:-1] for row in rows]), [row[-1] for row in rows])
    columns = [dict(zip(head, row, strict=True)) for row in rows]
    kept = [row for row in columns if row["label"] != "oos"]
    groups: dict[Action, list[str]] = {row["label"]: [row["domain"]] for row in kept if "domain" in row}
    return LabelledRows(name, [row["text"] for row in kept], [row["label"] for row in kept], groups or None)


FILES = {
    "banking77": "text.csv.gz",
    "clinc150": "text.csv.gz",
    "jester5k": "ratings.csv.gz",
    "letter": "table.csv.gz",
    "satimage": "table.csv.gz",
}
"""The sets that can be read, and the file of each."""


def set_path(folder: str | os.PathLike[str], name: str, file: str) -> Path:
    """The file of a set; a missing one is told with what is there."""
    base, path = Path(folder), Path(folder) / name / file
    if path.is_file():
        return path
    if not base.is_dir():
        raise InvalidInputError(f"no folder {base}; name with --data the folder that holds {name}/{file}")
    there = sorted(entry.name for entry in base.iterdir() if entry.is_dir())
    raise InvalidInputError(
        f"no {name}/{file} in {base}, which holds {', '.join(there[:12]) or 'no folder'}; put the set there, or name "
        "another folder with --data"
    )


def read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    """The head and the rows, equally long all of them."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise InvalidInputError(f"{path} cannot be read as gzipped CSV ({error}); fetch it again") from None
    for number, row in enumerate(rows, start=2):
        if len(row) != len(head):
            raise InvalidInputError(f"{path}, row {number}: {len(row)} fields where the head names {len(head)}")
    return head, rows


def _jester(rows: list[list[str]]) -> LabelledRows:
    """People who rated every joke: described by the most rated jokes, offered the next ones; wanted: the favourite."""
    rated = np.array([[cell != "" for cell in row] for row in rows])
    order = np.argsort(-rated.sum(axis=0), kind="stable")
    ratings = _numbers("jester5k", [row for row in rows if "" not in row])
    offered = order[_PROFILE : _PROFILE + _OFFERED]
    jokes = [f"joke {place + 1}" for place in offered]
    rewards = np.clip((ratings[:, offered] + 10) / 20, 0.0, 1.0)
    favourites = [jokes[place] for place in rewards.argmax(axis=1)]
    return LabelledRows("jester5k", ratings[:, order[:_PROFILE]], favourites, None, jokes, rewards)


def read_vectors(folder: str | os.PathLike[str]) -> dict[Action, list[float]]:
    """Word vectors, for `typeover.losses.Vectors`."""
    _, rows = read_csv(set_path(folder, "word_vectors", "vectors.csv.gz"))
    return {word: list(map(float, numbers)) for word, *numbers in rows}


def _numbers(name: str, rows: list[list[str]]) -> Vector:
    try:
        return np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise InvalidInputError(f"{name}/{FILES[name]} holds what is no number ({error}); fetch it again") from None
