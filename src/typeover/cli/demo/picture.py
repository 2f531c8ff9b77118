"""The live picture: a row per learner, a curve per figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from typeover.cli.demo.race import Lane, Race

BARS = "▁▂▃▄▅▆▇█"
CURVES = (24, 12, 8, 6)
"""Points of a curve, as many as fit; each divides the finest."""


class Picture:
    """Redraws the race in place."""

    def __init__(self, race: Race, *, console: Console | None = None) -> None:
        self._race = race
        self._live = Live(console=console, refresh_per_second=8)

    def __enter__(self) -> Self:
        self._live.__enter__()
        self.show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.update(self.drawn(), refresh=True)
        self._live.__exit__(kind, error, trace)

    def show(self) -> None:
        """Draw what there is now."""
        self._live.update(self.drawn())

    def drawn(self) -> RenderableType:
        """The picture of this moment."""
        race, width = self._race, self._live.console.width
        n_points = next(n for n in CURVES if n <= max(CURVES[-1], (width - 20) // 3 - 9))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for title in ("", "accepted", f"fidelity ({race.wanted:.2f} wanted)", "regret per word"):
            table.add_column(title, no_wrap=True)
        for lane in race.lanes:
            table.add_row(*_row(lane, n_points))
        return Group(
            Text(f"{race.done:,} of {race.rounds:,} words typed; seed {race.seed}", style="dim"),
            ProgressBar(total=race.rounds, completed=race.done, width=60),
            Text(),
            table,
            Text(),
            _line(f"EFBO just now: {race.latest()}"),
            *(_line(f"{lane.name} {lane.doing()}") for lane in race.lanes),
        )


def _row(lane: Lane, n_points: int) -> list[RenderableType]:
    curve = lane.curve(n_points)
    now = curve[-1]
    faithful = "green" if now.violation <= 0 else "red"
    return [
        Text(lane.name, style="bold"),
        _cell(f"{now.accepted:4.0%}", [point.accepted for point in curve], 0, 1, "cyan"),
        _cell(f"{now.fidelity:.2f}", [point.fidelity for point in curve], 0.3, 0.9, faithful),
        _cell(f"{now.regret:+.3f}", [point.regret for point in curve], -0.1, 0.3, "yellow"),
    ]


def _line(text: str) -> Text:
    return Text(text, style="dim", no_wrap=True, overflow="ellipsis")


def _cell(figure: str, values: Sequence[float], low: float, high: float, style: str) -> Text:
    shown = "asks" if "nan" in figure else figure
    return Text.assemble((f"{shown:>6} ", style), (sparks(values, low, high), style))


def sparks(values: Sequence[float], low: float, high: float) -> str:
    """A curve of bars between fixed ends, so that rows can be compared; a gap where there is no value.

    >>> sparks([0.0, 0.5, 1.0, float("nan")], 0, 1)
    '▁▅█ '
    """
    return "".join(" " if math.isnan(value) else BARS[_level(value, low, high)] for value in values)


def _level(value: float, low: float, high: float) -> int:
    return min(len(BARS) - 1, max(0, int((value - low) / (high - low) * len(BARS))))
