"""What the runs of `rates` say: means over seeds, their exponents, claims, tables and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Vector
from typeover.core.claims import Claim
from typeover.evaluation.exponents import exponent
from typeover.evaluation.intervals import Interval, mean_interval
from typeover.studies.findings import Cell, Findings, Picture, Table
from typeover.studies.rates import BIAS_BOUND, CORRAL, EFBO, HONEST, LEARNERS, SHARED, WORLDS
from typeover.studies.records import Record

RATE, MARGIN = 0.67, 0.07
"""What EFBO's exponent is to be, and within what; Algorithm 2's is to lie below the first over the last decade."""
MIXING = (EFBO, "AnytimeEFBO")
"""They play mixtures, and a mixture can earn more than the best policy: compared with the best mixture."""
NONE = "at or below 0"
"""In place of an exponent, where there is nothing to fit."""
ONE_RUN = f"{CORRAL}, one run"
"""The way there of the run that was told the last horizon."""


class Sample(NamedTuple):
    """One learner in one world."""

    rounds: NDArray[np.int64]
    figures: Mapping[str, Vector]
    """Cumulative, shape (seeds, rounds)."""

    def exponent(self, figure: str, *, since: int = 1) -> Interval | None:
        """Of the mean over seeds, from this number of rounds on."""
        kept = self.rounds >= since
        return exponent(self.rounds[kept], self.figures[figure][:, kept])

    def decade(self, figure: str) -> Interval | None:
        """Of the mean over seeds, over the last decade."""
        return self.exponent(figure, since=int(self.rounds[-1]) // 10)

    def last(self, figure: str) -> float:
        """max(mean, 0) at the end."""
        return max(float(self.figures[figure][:, -1].mean()), 0.0)


Samples = Mapping[tuple[str, str], Sample]


def benchmark(name: str) -> str:
    """The figure of a learner's reward regret."""
    return "mixture" if name in MIXING else "regret"


def findings(records: Sequence[Record]) -> Findings:
    """One claim per learner with a rate to show and world in which it is promised."""
    samples = {(world, name): _sample(records, world, name) for world in WORLDS for name in (*LEARNERS, ONE_RUN)}
    return Findings(
        claims=(*(_explored(world, samples) for world in WORLDS), *(_corralled(world, samples) for world in HONEST)),
        words=_words(samples),
        tables=_tables(samples),
        pictures=lambda: _pictures(samples),
    )


def _sample(records: Sequence[Record], world: str, name: str) -> Sample:
    learner = CORRAL if name == ONE_RUN else name
    runs = [record.rows for record in records if record.point["world"] == world and record.point["learner"] == learner]
    last = runs[0][-1]["rounds"]
    kept = [
        [row for row in rows if row["told"] == (last if name == ONE_RUN else row["rounds"]) or not row["told"]]
        for rows in runs
    ]
    figures = kept[0][0].keys() - {"told", "rounds"}
    return Sample(
        rounds=np.array([row["rounds"] for row in kept[0]]),
        figures={figure: np.array([[row[figure] for row in rows] for rows in kept]) for figure in figures},
    )


def _explored(world: str, samples: Samples) -> Claim:
    found = samples[world, EFBO].exponent("mixture")
    holds = found is not None and abs(found.mean - RATE) <= MARGIN
    return Claim(f"{EFBO}, {world}: exponent of the regret", f"{RATE} ± {MARGIN}", shown(found), holds)


def _corralled(world: str, samples: Samples) -> Claim:
    found = samples[world, CORRAL].decade("regret")
    holds = found is not None and found.high < RATE
    figure = shown(found) if found is None else round(found.high, 4)
    return Claim(f"{CORRAL}, {world}: exponent over the last decade, upper 95 % end", f"< {RATE}", figure, holds)


def shown(found: Interval | None) -> str:
    """An exponent with its interval; without one there was nothing to fit."""
    if found is None:
        return NONE
    return f"{found.mean:.2f} ({found.low:.2f} to {found.high:.2f})"


def _words(samples: Samples) -> tuple[str, ...]:
    def spanned(name: str, figure: str, worlds: Sequence[str], since: int = 1) -> str:
        found = [one.mean for world in worlds if (one := samples[world, name].exponent(figure, since=since))]
        ends = (
            sorted({f"T^{min(found):.2f}", f"T^{max(found):.2f}"}) if found else ["no power of T, being never above 0"]
        )
        return " to ".join(ends)

    last = int(samples[WORLDS[0], EFBO].rounds[-1])
    late = last // 10
    share = max(samples[world, EFBO].last("committed") / samples[world, EFBO].last("mixture") for world in WORLDS)
    against = [samples[world, CORRAL].last("regret") / samples[world, SHARED].last("regret") for world in HONEST]
    slow = [
        f"{world} (T^{found.mean:.2f})"
        for world in WORLDS
        if (found := samples[world, SHARED].decade("regret")) and found.mean > RATE
    ]
    violating = [
        f"{name} in {world} ({total / last:+.4f} a round)"
        for world in WORLDS
        for name in LEARNERS
        if (total := samples[world, name].last("excess"))
    ]
    return (
        (
            f"{EFBO}: regret against the best mixture grows as {spanned(EFBO, 'mixture', WORLDS)}. Exploring costs "
            f"{spanned(EFBO, 'exploring', WORLDS)}; what is lost after it is at most {share:.0%} of the whole at the "
            "end, and nothing where the sample shows the best policy plainly."
        ),
        (
            f"{CORRAL}, nu = {BIAS_BOUND:g}: over the last decade {spanned(CORRAL, 'regret', HONEST, late)} where all "
            f"is checked; sqrt(T) is promised. Each run was told its own horizon. The way there of one run, told the "
            f"last horizon, looks like {spanned(ONE_RUN, 'regret', HONEST, late)}."
        ),
        (
            f"Where nothing is checked accepts say nothing of fidelity: the regret of {CORRAL} is negative, because "
            f"it shows what pays, and its violation grows as {spanned(CORRAL, 'excess', WORLDS[-1:], late)}."
        ),
        (
            f"{SHARED} ends with {min(against):.1f} to {max(against):.1f} times less regret than {CORRAL} where all is "
            f"checked, without knowing T or nu. No theorem gives it a rate: its exponent over the last decade lies "
            f"above {RATE} in {', '.join(slow) or 'no world'}."
        ),
        f"Violating at the end, in the mean over seeds: {'; '.join(violating) or 'none'}.",
    )


def _tables(samples: Samples) -> tuple[Table, ...]:
    last, n_seeds = int(samples[WORLDS[0], EFBO].rounds[-1]), len(samples[WORLDS[0], EFBO].figures["regret"])

    def table(title: str, note: str, rows: Sequence[tuple[str, Any]]) -> Table:
        return Table(
            title=title, note=note, columns=("learner", *WORLDS),
            rows=tuple((name, *(cell(world) for world in WORLDS)) for name, cell in rows),
        )  # fmt: skip

    def rates(name: str, figure: str) -> Any:
        return lambda world: shown(samples[world, name].decade(figure))

    def ends(name: str, figure: str) -> Any:
        return lambda world: samples[world, name].last(figure)

    compared = [(name, benchmark(name)) for name in LEARNERS]
    both = [*compared, *((f"{name}, against the best policy", "regret") for name in MIXING)]
    phases: list[tuple[Cell, ...]] = [
        (
            world,
            *(shown(samples[world, EFBO].exponent(figure)) for figure in ("exploring", "committed", "mixture")),
            samples[world, EFBO].last("committed") / samples[world, EFBO].last("mixture"),
        )
        for world in WORLDS
    ]
    return (
        table(
            "Exponent of the regret over the last decade",
            f"Of the mean over {n_seeds} seeds, with its 95 % interval; {' and '.join(MIXING)} against the best "
            "mixture, the others against the best policy.",
            [(name, rates(name, figure)) for name, figure in (*compared, (ONE_RUN, "regret"))],
        ),
        table(
            "Exponent of the violation over the last decade",
            f"1: a constant share of every round; {NONE}: as faithful as asked somewhere on the way.",
            [(name, rates(name, "excess")) for name in LEARNERS],
        ),
        Table(
            title=f"{EFBO} by phases: exponents over all horizons, against the best mixture",
            note="Where a mean is at or below 0 there is nothing to fit.",
            columns=("world", "exploration", "after commitment", "both", "share lost after commitment"),
            rows=tuple(phases),
        ),
        table(
            f"Regret of {last:,} rounds", "max(mean over seeds, 0); audits earn nothing.",
            [(label, ends(label.split(", against")[0], figure)) for label, figure in both],
        ),
        table(
            f"Violation of {last:,} rounds",
            "max(mean over seeds, 0) of what the rounds that showed something lost beyond the most faithful policy and "
            "the tolerance; 0: as faithful as asked.",
            [(name, ends(name, "excess")) for name in LEARNERS],
        ),
    )  # fmt: skip


def _pictures(samples: Samples) -> tuple[Picture, ...]:
    from typeover.charts import curves, points

    def lines(figures: Mapping[str, tuple[str, str]]) -> list[dict[str, Any]]:
        """A row per world, line and number of rounds; each line is a learner's figure."""
        return [
            {"world": world, "line": line, "rounds": int(rounds)} | mean_interval(values)._asdict()
            for world in WORLDS
            for line, (name, figure) in figures.items()
            for rounds, values in zip(
                samples[world, name].rounds, samples[world, name].figures[figure].T, strict=True
            )
        ]  # fmt: skip

    def guides(name: str, figure: str, power: float, label: str) -> list[dict[str, Any]]:
        """A power of the rounds that meets this learner's first point."""
        found = [(world, samples[world, name]) for world in HONEST]
        return [
            {"world": world, "line": label, "rounds": int(rounds),
             "mean": float(sample.figures[figure][:, 0].mean() * (rounds / sample.rounds[0]) ** power)}
            for world, sample in found for rounds in sample.rounds
        ]  # fmt: skip

    drawn: dict[str, Any] = {
        "x": "rounds", "y": "mean", "by": "line", "low": "low", "high": "high", "facet": "world", "log_x": True,
        "log_y": True, "x_title": "rounds",
    }  # fmt: skip
    powers = guides(EFBO, "mixture", 2 / 3, "as T^(2/3)") + guides(CORRAL, "regret", 1 / 2, "as T^(1/2)")
    return (
        Picture(
            name="regret",
            title="How regret adds up",
            caption=(
                "The steeper a line, the faster regret adds up; sums over all rounds, means over seeds with their 95 % "
                f"intervals. Dashed: the rates promised to {EFBO} and to {CORRAL}, from their first points. A line is "
                "missing, or ends, where a learner has earned more than the best faithful policy: by being unfaithful, "
                "as the next picture shows."
            ),
            chart=curves(
                lines({name: (name, benchmark(name)) for name in LEARNERS}), reference=powers,
                y_title="reward lost so far", **drawn,
            ),
        ),
        Picture(
            name="violation",
            title="How violation adds up",
            caption=(
                "What was shown beyond what was tolerated, summed. Where a line is missing or ends, nothing is left of "
                "it in the mean: what was shown later made good what was shown first. A shade without a line: single "
                "runs may violate."
            ),
            chart=curves(
                lines({name: (name, "excess") for name in LEARNERS}), y_title="violation so far", **drawn
            ),
        ),
        Picture(
            name="phases",
            title="EFBO: what exploring costs, and what is lost after it",
            caption=(
                "Exploring takes 4 T^(2/3) rounds, half of them audits. What is lost after it is less; where the two "
                "upper lines are one it is next to nothing, since even a short sample shows the best policy."
            ),
            chart=curves(
                lines(
                    {
                        "exploration": (EFBO, "exploring"),
                        "after commitment": (EFBO, "committed"),
                        "both": (EFBO, "mixture"),
                    }
                ),
                y_title="reward lost", **drawn,
            ),
        ),
        Picture(
            name="exponents",
            title="How fast regret grows over the last decade",
            caption=(
                "The power of the number of rounds that regret grows with: 1 is a constant loss per round, 0.5 what "
                f"the best learners are promised. The line is at {RATE}. No point: no regret to fit."
            ),
            chart=points(
                [
                    {"world": world, "learner": name, "x": None, "low": None, "high": None}
                    | ({"x": found.mean, "low": found.low, "high": found.high} if found else {})
                    for world in WORLDS for name in LEARNERS
                    for found in [samples[world, name].decade(benchmark(name))]
                ],
                x="x", y="learner", low="low", high="high", facet="world", line=RATE, x_title="exponent",
            ),
        ),
    )  # fmt: skip
