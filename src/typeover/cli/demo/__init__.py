"""`typeover demo`: simulated typists, three ways to learn from them, side by side until one sentence is earned."""

from __future__ import annotations

import secrets
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from typeover.cli.output import emit, json_option, progress

if TYPE_CHECKING:
    from typeover.cli.demo.race import Race

FRAMES_PER_SECOND = 8
LINES_PER_SECOND = 1
"""Without a terminal."""


@click.command()
@json_option
@click.option("--duration", default=30.0, show_default=True, type=click.FloatRange(0),
              help="Seconds to spread the rounds over; 0 = as fast as it goes.")  # fmt: skip
@click.option("--rounds", default=30_000, show_default=True, type=click.IntRange(100), help="Words to be typed.")
@click.option("--tolerance", default=0.05, show_default=True, type=float,
              help="How much less faithful than the most faithful ranking suggestions may be.")  # fmt: skip
@click.option("--bias-bound", default=0.6, show_default=True, type=float,
              help="Typists let a word pass if it is this near to the one they mean.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), help="Repeat a demo; left out, one is drawn and printed.")
def demo(*, as_json: bool, duration: float, rounds: int, tolerance: float, bias_bound: float, seed: int | None) -> None:
    """Watch EFBO learn from simulated typists, beside learners that hear only half of what they say."""
    from typeover.cli.demo.race import Race

    drawn = secrets.randbelow(10**6) if seed is None else seed
    progress("preparing the typists ...")
    race = Race(rounds=rounds, tolerance=tolerance, bias_bound=bias_bound, seed=drawn)
    is_live = sys.stdout.isatty() and not as_json
    try:
        if is_live:
            from typeover.cli.demo.picture import Picture

            with Picture(race) as picture:
                for _ in paced(race, duration, FRAMES_PER_SECOND):
                    picture.show()
        else:
            for seconds in paced(race, duration, LINES_PER_SECOND):
                progress(race.line(seconds)) if as_json else click.echo(race.line(seconds))
    except KeyboardInterrupt:
        progress(f"stopped after {race.done:,} of {rounds:,} words")
    if as_json:
        emit(race.document())
        return
    click.echo("" if is_live else race.table())
    click.echo(textwrap.fill(race.verdict(), min(100, shutil.get_terminal_size().columns)))
    click.echo(f"(typeover demo --seed {drawn} repeats it)")


def paced(race: Race, duration: float, per_second: float) -> Iterator[float]:
    """Advance the race along the clock, `per_second` times a second; yields the seconds gone by."""
    began = time.monotonic()
    n_frames = max(20, int(duration * per_second)) if duration == 0 else max(1, round(duration * per_second))
    for frame in range(1, n_frames + 1):
        race.advance(race.rounds * frame // n_frames)
        rest = began + duration * frame / n_frames - time.monotonic()
        if rest > 0:
            time.sleep(rest)
        yield time.monotonic() - began
