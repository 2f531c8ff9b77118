"""How far long work is, on stderr: a bar in a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator

from typeover.cli.output import progress

PAUSE = 10.0
"""Seconds between lines."""


@contextlib.contextmanager
def shown() -> Iterator[Callable[[int, int], None]]:
    """Call what this gives with how many are done, and of how many."""
    if sys.stderr.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}:
        with _bar() as tell:
            yield tell
    else:
        yield Lines()


class Lines:
    """Says something at the beginning, now and then, and at the end."""

    def __init__(self) -> None:
        self._began = self._said = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Done so many of so many."""
        now = time.monotonic()
        if done == 0:
            self._began = self._said = now
            progress(f"{total} tasks to run")
        elif now - self._said >= PAUSE or done == total:
            self._said = now
            progress(f"{done} of {total} tasks, {pace(done, total, now - self._began)}")


def pace(done: int, total: int, seconds: float) -> str:
    """Rate and time left.

    >>> pace(30, 120, 10.0)
    '3.0 tasks/s, 30 s left'
    >>> pace(2, 200, 60.0)
    '2.0 tasks/min, 99 min left'
    """
    rate = done / max(seconds, 1e-9)
    left = (total - done) / rate
    speed = f"{rate:.1f} tasks/s" if rate >= 1 else f"{60 * rate:.1f} tasks/min"
    return f"{speed}, {f'{left:.0f} s' if left < 120 else f'{left / 60:.0f} min'} left"


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[pace]}"))
    began = time.monotonic()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        line = bar.add_task("tasks", total=None, visible=False, pace="")

        def tell(done: int, total: int) -> None:
            said = pace(done, total, time.monotonic() - began) if done else "starting"
            bar.update(line, completed=done, total=total, visible=True, pace=said)

        yield tell
