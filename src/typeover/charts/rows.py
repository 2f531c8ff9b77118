"""Rows as charts take them: a list of dicts or a dict of columns in, the chart's own field names out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typeover.errors import InvalidInputError, nearest

Rows = Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]]
Row = dict[str, Any]
_NAMES = {"series", "panel", "name", "column", "line"}
"""Fields that are text whatever they were: a scale of names knows 6 and "6" as two things."""


def tidy(rows: Rows, **fields: str | None) -> list[Row]:
    """Each row under the chart's names, `tidy(rows, x="rounds")`; what is not finite becomes None."""
    table = _records(rows)
    if not table:
        raise InvalidInputError("rows is empty; a chart needs at least one row")
    wanted = {name: column for name, column in fields.items() if column is not None}
    for column in wanted.values():
        if column not in table[0]:
            raise InvalidInputError(f"rows have no column {column!r}; {nearest(column, table[0])}")
    return [
        {name: str(row.get(column)) if name in _NAMES else _plain(row.get(column)) for name, column in wanted.items()}
        for row in table
    ]


def names(rows: Iterable[Row], field: str) -> list[str]:
    """The values of a field, each once, in their order."""
    return list(dict.fromkeys(row[field] for row in rows))


def _records(rows: Rows) -> list[Mapping[str, Any]]:
    if not isinstance(rows, Mapping):
        return list(rows)
    lengths = {column: len(values) for column, values in rows.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInputError(f"columns have lengths {lengths}; they must be equal")
    return [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]


def _plain(value: Any) -> Any:
    """A Python number or text for numpy's, None for what JSON cannot say."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
