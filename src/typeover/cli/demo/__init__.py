"""`typeover demo`: simulated typists, three ways to learn from them, side by side until one sentence is earned."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import textwrap
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from typeover.cli.output import emit, json_option, progress
from typeover.cli.ranges import SEED, SHARE, Real

if TYPE_CHECKING:
    from typeover.cli.demo.race import Race

FRAMES_PER_SECOND = 8
LINES_PER_SECOND = 1
"""Without a terminal."""
LONGEST = 86_400
"""Seconds of the longest demo: a day."""
DRAWN = "▁▂▃▄▅▆▇█━╸╺…"
"""Characters of the picture."""


@click.command()
@json_option
@click.option("--duration", default=30.0, show_default=True, type=Real(0, LONGEST),
              help="Seconds to spread the rounds over; 0 = as fast as it goes.")  # fmt: skip
@click.option("--rounds", default=30_000, show_default=True, type=click.IntRange(100, 10**9),
              help="Words to be typed.")  # fmt: skip
@click.option("--tolerance", default=0.05, show_default=True, type=SHARE,
              help="How much less faithful than the most faithful ranking suggestions may be.")  # fmt: skip
@click.option("--bias-bound", default=0.6, show_default=True, type=SHARE,
              help="Typists let a word pass if it is this near to the one they mean.")  # fmt: skip
@click.option("--seed", type=SEED, help="Repeat a demo; left out, one is drawn and printed.")
def demo(*, as_json: bool, duration: float, rounds: int, tolerance: float, bias_bound: float, seed: int | None) -> None:
    """Watch EFBO learn from simulated typists, beside learners that hear only half of what they say.

    Typists write one letter of a word; each learner ranks how the word may go on and suggests one. They take it with
    Tab, which pays by the letters saved, or type over it, which tells the word that they meant.

    One row per learner, over the last stretch of words: how many suggestions were accepted, their fidelity (1 = always
    the word meant; green = as faithful as --tolerance asks) and the regret a word against the best faithful mixture of
    rankings. Less regret is better; below 0 = it earned more than any faithful mixture can. EFBO first asks and tries,
    then plays. Without a terminal that can draw: lines of the same figures. Ctrl-C ends it early with a summary.
    """
    drawn = secrets.randbelow(10**6) if seed is None else seed
    width = min(100, shutil.get_terminal_size().columns)
    progress(textwrap.fill("preparing: reading 242,342 word pairs, asking 60 rankings in 300 places ...", width))
    from typeover.cli.demo.race import LEGEND, Race

    race = Race(rounds=rounds, tolerance=tolerance, bias_bound=bias_bound, seed=drawn)
    is_live = not as_json and can_draw(sys.stdout)
    say = progress if as_json else click.echo
    for sentence in [*LEGEND.strip().splitlines(), "Ctrl-C ends the demo with a summary"]:
        say(textwrap.fill(sentence, width, subsequent_indent="  "))
    say("")
    try:
        if is_live:
            from typeover.cli.demo.picture import Picture

            with Picture(race) as picture:
                for _ in paced(race, duration, FRAMES_PER_SECOND):
                    picture.show()
        else:
            say(race.heading())
            for seconds in paced(race, duration, LINES_PER_SECOND):
                say(race.line(seconds))
    except KeyboardInterrupt:
        progress(f"stopped after {race.done:,} of {rounds:,} words")
    if as_json:
        emit(race.document())
        return
    click.echo("" if is_live else f"\n{race.table()}")
    click.echo(textwrap.fill(race.verdict(), width))
    click.echo(f"(typeover demo --seed {drawn} repeats it)")


def can_draw(stream: Any) -> bool:
    """Whether this is a terminal that can redraw lines, has room for the figures, and knows the characters."""
    if not stream.isatty() or os.environ.get("TERM") in {"dumb", "unknown"}:
        return False
    try:
        DRAWN.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    from typeover.cli.demo.picture import LOWEST, NARROWEST

    size = shutil.get_terminal_size()
    return size.columns >= NARROWEST and size.lines >= LOWEST


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
