"""The live picture: a row per learner, a curve per figure, as much of it as the window holds."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import NamedTuple, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from typeover.cli.demo.race import NOISE, Lane, Race, signed

BARS = "▁▂▃▄▅▆▇█"
CURVES = (36, 24, 12, 8, 6, 0)
"""Points of a curve, as many as fit; each divides the finest. None: figures only, those of `FEWEST`."""
FEWEST = 12
NARROWEST, LOWEST = 40, 6
"""Columns and rows that the figures need; with less there is no picture."""
GAP = 2


class Words(NamedTuple):
    """What stands above the columns, and what the learners are called."""

    titles: tuple[str, str, str]
    names: Sequence[str]

    @property
    def widths(self) -> list[int]:
        """Columns that each word asks for; the first is that of the names."""
        return [max(map(len, self.names)), *map(len, self.titles)]


class Picture:
    """Redraws the race in place."""

    def __init__(self, race: Race, *, console: Console | None = None) -> None:
        self._race = race
        self._live = Live(console=console, refresh_per_second=8, vertical_overflow="crop")
        self._quiet = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._quiet.enter_context(unechoed())
        self._live.__enter__()
        self.show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.update(self.drawn(), refresh=True)
        self._live.__exit__(kind, error, trace)
        self._quiet.close()

    def show(self) -> None:
        """Draw what there is now."""
        self._live.update(self.drawn())

    def drawn(self) -> RenderableType:
        """The picture of this moment: the table, then what else there is room for, most telling first."""
        race, console = self._race, self._live.console
        words, n_points = self._layout(console.width)
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), collapse_padding=True)
        for title in ("", *words.titles):
            table.add_column(title, no_wrap=True)
        for name, lane in zip(words.names, race.lanes, strict=True):
            table.add_row(*_row(name, lane, n_points))
        wide = min(console.width, _width(words, n_points))
        state = f"{race.done:,} of {race.rounds:,} words typed; seed {race.seed}"
        if n_points == 0:
            state = f"{race.done:,} words; fidelity wanted {race.wanted:.2f}"
        top: list[RenderableType] = [Text(state, style="dim", no_wrap=True, overflow="crop")]
        below = [
            _line(f"EFBO just now: {race.latest()}"),
            *(_line(f"{lane.name} {doing(lane, in_short=n_points == 0)}") for lane in race.lanes),
        ]
        room = console.height - 2 - len(top) - 1 - len(race.lanes)  # the cursor's row and the head of the table
        if room >= 1:
            top += [ProgressBar(total=race.rounds, completed=race.done, width=wide), Text()]  # the bar ends no line
        below = below[: max(0, room - 1)]
        if room - 1 - len(below) >= 1 and below:
            below.insert(0, Text())
        if room - 1 - len(below) >= 1:
            top.append(Text())
        return Group(*top, table, *below)

    def _layout(self, width: int) -> tuple[Words, int]:
        """The longest words and finest curves that fit; figures are never cut."""
        names = [lane.name for lane in self._race.lanes]
        full = Words(("accepted", f"fidelity (min. {self._race.wanted:.2f})", "regret per word"), names)
        short = Words(("accepted", "fidelity", "regret"), names)
        least = Words(("taken", "fidel.", "regret"), [name.removesuffix(" only") for name in names])
        choices = [(full, n) for n in CURVES[:-1]] + [(short, n) for n in CURVES] + [(least, 0)]
        return next((choice for choice in choices if _width(*choice) <= width), choices[-1])


def _width(words: Words, n_points: int) -> int:
    name, *titles = words.widths
    return name + sum(GAP + max(title, 6 + (n_points and n_points + 1)) for title in titles)


def _row(name: str, lane: Lane, n_points: int) -> list[RenderableType]:
    curve = lane.curve(n_points or FEWEST)
    now = curve[-1]
    shown = curve if n_points else []
    faithful = "green" if now.violation < NOISE else "red"
    return [
        Text(name, style="bold"),
        _cell(f"{now.accepted:4.0%}", [point.accepted for point in shown], 0, 1, "cyan"),
        _cell(f"{now.fidelity:.2f}", [point.fidelity for point in shown], 0.3, 0.9, faithful),
        _cell(signed(now.regret), [point.regret for point in shown], -0.1, 0.3, "yellow"),
    ]


def doing(lane: Lane, *, in_short: bool) -> str:
    """What the learner is at; in short, without words that everybody adds."""
    said = lane.doing()
    return said.replace("ranks by", "by").replace(" (100%)", "") if in_short else said


def _line(text: str) -> Text:
    return Text(text, style="dim", no_wrap=True, overflow="ellipsis")


def _cell(figure: str, values: Sequence[float], low: float, high: float, style: str) -> Text:
    shown = "asks" if "nan" in figure else figure
    return Text.assemble((f"{shown:>6}", style), (f" {sparks(values, low, high)}" if values else "", style))


def sparks(values: Sequence[float], low: float, high: float) -> str:
    """A curve of bars between fixed ends, so that rows can be compared; a gap where there is no value.

    >>> sparks([0.0, 0.5, 1.0, float("nan")], 0, 1)
    '▁▅█ '
    """
    return "".join(" " if math.isnan(value) else BARS[_level(value, low, high)] for value in values)


def _level(value: float, low: float, high: float) -> int:
    return min(len(BARS) - 1, max(0, int((value - low) / (high - low) * len(BARS))))


@contextlib.contextmanager
def unechoed() -> Iterator[None]:
    """What is typed meanwhile, Ctrl-C too, leaves no mark that would push the picture out of its place."""
    try:
        import termios

        place = sys.stdin.fileno()
        before = termios.tcgetattr(place)
    except (ImportError, AttributeError, OSError, ValueError):  # no terminal to type on
        yield
        return
    except termios.error:
        yield
        return
    quiet = [*before]
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(place, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)
