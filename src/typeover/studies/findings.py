"""What a study found: claims against their bars, words, tables and pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from typeover.core.claims import Claim

Cell = str | float | int | None


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Figures in rows; a note says what they are."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A chart of `typeover.charts`; its name becomes that of its files."""

    name: str
    title: str
    caption: str
    chart: Any


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What came out; pictures are drawn only when a report asks for them."""

    claims: tuple[Claim, ...]
    words: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    pictures: Callable[[], tuple[Picture, ...]] = tuple
