"""`typeover bench`: how fast and how good, against yardsticks measured in the same run."""

from __future__ import annotations

import click

from typeover.cli.lazy import Lazy, LazyGroup

BENCHES = {
    "corral": Lazy("typeover.cli.bench.corral:corral", "How fast Algorithm 2 and SharedExp4 are, against NumPy."),
    "regret": Lazy("typeover.cli.bench.regret:regret", "How much regret, against what the theorems promise."),
    "saddle": Lazy("typeover.cli.bench.saddle:saddle", "Exact saddle points against bisection, sorting and HiGHS."),
}


@click.group(cls=LazyGroup, lazy=BENCHES)
def bench() -> None:
    """Measure speed and regret against their bars; exits 1 if a bar is missed."""
