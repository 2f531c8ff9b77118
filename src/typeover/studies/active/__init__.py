"""Study `active`: whether queries where policies disagree come to an end (Eq. 9, Theorem 5; README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typeover.core.claims import Claim
from typeover.evaluation.intervals import Interval, mean_interval
from typeover.rng import seed_for
from typeover.studies.findings import Findings, Picture, Table
from typeover.studies.records import Record
from typeover.studies.study import Point, Study
from typeover.theory import active_queries

ONE, WEAK, SEVERAL = "one faithful policy", "weak margin", "several faithful policies"
WORLDS = (ONE, WEAK, SEVERAL)
TOLERANCE, N_POLICIES = 0.05, 16
FREE, CAPPED = "without a cap", "cap T^(2/3)"
CAPS = {FREE: None, CAPPED: 1.0}
FAILURE = 0.05
BLENDS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Few, for speed: which policies are alive, and so what is asked, does not depend on what is played."""
ROUNDS, QUICK_ROUNDS = 1_000_000, 100_000
ASKS_ON = 0.01
"""More queries than this in the last tenth: they have not stopped."""
FAITHFUL = 2 * TOLERANCE
"""What the sets of active queries allow in the end: 3 eps, which is a violation of 2 eps."""
Runs = Mapping[tuple[str, str, float], Sequence[Mapping[str, Any]]]


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """Algorithm 2 with active queries in one world."""
    from typeover.constraints import ActiveQueries
    from typeover.learners import CorralledExp4
    from typeover.studies.active.worlds import margin_world
    from typeover.studies.figures import curve

    name, margin, rounds = str(point["world"]), float(point["margin"]), int(point["rounds"])
    world, policies, tolerance = margin_world(name, margin=margin, seed=seed_for(seed, "world"))
    learner = CorralledExp4(
        policies=policies, loss=world.loss, tolerance=tolerance, horizon=rounds, seed=seed_for(seed, "learner"),
        blends=BLENDS, constraint=ActiveQueries(cap=CAPS[str(point["cap"])], failure=FAILURE),
    )  # fmt: skip
    return curve(world, learner, rounds=rounds, seed=seed_for(seed, "users"), tolerance=tolerance)


def analyse(records: Sequence[Record]) -> Findings:
    """Queries in all and over the last tenth, by world, cap and margin."""
    rounds = int(records[0].point["rounds"])
    margins = sorted({float(record.point["margin"]) for record in records})
    ends: dict[tuple[str, str, float], list[Mapping[str, Any]]] = {}
    for record in records:
        point = record.point
        ends.setdefault((str(point["world"]), str(point["cap"]), float(point["margin"])), []).append(record.rows[-1])

    def late(world: str) -> list[float]:
        return [row["late_audits"] for margin in margins for row in ends[world, FREE, margin]]

    def queries(world: str, cap: str, margin: float) -> Interval:
        return mean_interval([row["audits"] * rounds for row in ends[world, cap, margin]])

    stopped = max(late(ONE))
    ratio = max(queries(ONE, FREE, tau).mean / _bound(rounds, tau, form="provable") for tau in margins)
    budget = rounds ** (2 / 3)
    most = max(row["audits"] * rounds / budget for key, rows in ends.items() if key[1] == CAPPED for row in rows)
    # where every round of the last tenth was a query, nothing was shown that could violate
    shown = [row["late_violation"] for tau in margins for row in ends[ONE, FREE, tau]]
    drift = max((violation for violation in shown if violation is not None), default=1.0)
    claims = (
        Claim(f"{ONE}: queries in the last tenth, most of all", bar="0", figure=stopped, holds=stopped == 0),
        Claim(
            f"{ONE}: queries / 3200 log(T |Pi|/delta)/tau^2, largest of all margins", bar="<= 1", figure=ratio,
            holds=ratio <= 1,
        ),
        *(
            Claim(
                f"{world}: share of queries in the last tenth, least of all", bar=f"> {ASKS_ON:g}",
                figure=min(late(world)),
                holds=min(late(world)) > ASKS_ON,
            )
            for world in (WEAK, SEVERAL)
        ),
        Claim(
            "with the cap: queries / T^(2/3), largest of all", bar="<= 1.01", figure=most, holds=most <= 1.01
        ),
        Claim(
            f"{ONE}, without a cap: violation in the last tenth, largest of all", bar=f"<= {FAITHFUL:g}", figure=drift,
            holds=drift <= FAITHFUL,
        ),
    )  # fmt: skip
    return Findings(
        claims=claims,
        words=_words(ends, rounds, margins, queries),
        tables=(
            _table("Queries", ends, margins, "audits", "Mean number over seeds.", rounds),
            _table("Queries in the last tenth", ends, margins, "late_audits", "Share of the rounds.", 1),
            _table(
                "Violation over the last tenth", ends, margins, "late_violation",
                "What was shown, above the most faithful policy plus the tolerance; empty where nothing was shown.", 1,
            ),
        ),
        pictures=lambda: _pictures(records, ends, rounds, margins, queries),
    )  # fmt: skip


def _bound(rounds: int, margin: float, form: Any) -> float:
    return active_queries(horizon=rounds, n_policies=N_POLICIES, margin=margin, failure=FAILURE, form=form)


def _table(title: str, ends: Runs, margins: Sequence[float], figure: str, note: str, times: int) -> Table:
    def cell(key: tuple[str, str, float]) -> float | None:
        found = [row[figure] * times for row in ends[key] if row[figure] is not None]
        return sum(found) / len(found) if found else None

    return Table(
        title=title,
        columns=("world", "cap", *(f"margin {margin:g}" for margin in margins)),
        rows=tuple((world, cap, *(cell((world, cap, tau)) for tau in margins)) for world in WORLDS for cap in CAPS),
        note=note,
    )


def _words(ends: Runs, rounds: int, margins: Sequence[float], queries: Any) -> tuple[str, ...]:
    wide = margins[-1]
    asked = {world: queries(world, FREE, wide).mean for world in WORLDS}
    above = [tau for tau in margins if queries(ONE, FREE, tau).mean > _bound(rounds, tau, form="printed")]
    binds = [tau for tau in margins if queries(ONE, CAPPED, tau).mean < queries(ONE, FREE, tau).mean]
    left = [row["late_violation"] for tau in binds for row in ends[ONE, CAPPED, tau]]
    empty = [tau for tau in margins if _bound(rounds, tau, form="provable") >= rounds]
    cap = "In the world with one faithful policy the cap never bound."
    if binds:
        cap = (
            f"The cap bound at margins {_listed(binds)} in the world with one faithful policy: it froze the sets "
            "before the others were ruled out, and the learner, free to choose among them, violated by up to "
            f"{max(left):+.2f}. The cap bounds what is asked, not what is shown."
        )
    vacuous = f"; at margins {_listed(empty)} it is no less than the number of rounds and says nothing" if empty else ""
    return (
        (
            f"Of {rounds:,} rounds at the widest margin ({wide:g}) queries took {asked[ONE]:,.0f} where one policy is "
            f"faithful, {asked[WEAK]:,.0f} under the weak margin and {asked[SEVERAL]:,.0f} where several are faithful. "
            "Only the first come to an end."
        ),
        (
            "Two policies that both keep the constraint are never ruled out, and the rule asks wherever they differ by "
            "more than eps. Neither the margin of Theorem 5 nor the weaker one of its appendix forbids such policies."
        ),
        (
            f"Where queries stop, the printed count, 80 log(T |Pi|/delta)/tau^2, was exceeded at margins "
            f"{_listed(above)} of {_listed(margins)}. The provable one, with 3200, never was{vacuous}."
        ),
        cap,
    )


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values) or "none"


def _pictures(
    records: Sequence[Record], ends: Runs, rounds: int, margins: Sequence[float], queries: Any
) -> tuple[Picture, ...]:
    from typeover.charts import curves

    rows = [
        {"world": world, "cap": cap, "margin": tau} | queries(world, cap, tau)._asdict() for world, cap, tau in ends
    ]
    rows.sort(key=lambda row: (WORLDS.index(row["world"]), list(CAPS).index(row["cap"]), row["margin"]))
    names = {"printed": "80 log(T |Pi|/delta)/tau^2 (printed)", "provable": "3200 in place of 80 (provable)"}
    reference = [
        {"world": world, "cap": name, "margin": tau, "mean": _bound(rounds, tau, form=form)}
        for world in WORLDS
        for form, name in names.items()
        for tau in margins
    ]
    lines: dict[tuple[str, int], list[float]] = {}
    for record in records:
        if (record.point["cap"], record.point["margin"]) == (FREE, margins[-1]):
            for row in record.rows:
                lines.setdefault((str(record.point["world"]), row["rounds"]), []).append(row["audits"] * row["rounds"])
    times = [{"world": world, "rounds": t} | mean_interval(values)._asdict() for (world, t), values in lines.items()]
    marks = sorted({t for _, t in lines})
    budget = [{"world": "the cap, T^(2/3)", "rounds": t, "mean": rounds ** (2 / 3)} for t in marks]
    return (
        Picture(
            name="queries",
            title="Queries stop only where one policy alone is faithful",
            caption=f"Queries in {rounds:,} rounds by margin; means over seeds with their 95 % intervals. Dashed: how "
            "many should be enough under low noise, below as printed, above as provable (at most every round). In the "
            "second and third world queries go on for ever, and only the cap, the flat line, ends them.",
            chart=curves(
                rows, x="margin", y="mean", by="cap", low="low", high="high", facet="world", log_y=True,
                reference=reference, x_title="Margin tau", y_title="Queries",
            ),
        ),
        Picture(
            name="over-time",
            title=f"Queries so far, margin {margins[-1]:g}, without a cap",
            caption="Where one policy is faithful the curve turns flat: the others are ruled out and nothing is left "
            "to ask. Where policies that keep the constraint differ in some contexts it goes on rising.",
            chart=curves(
                times, x="rounds", y="mean", by="world", low="low", high="high", log_x=True, log_y=True,
                reference=budget, x_title="Rounds", y_title="Queries",
            ),
        ),
    )  # fmt: skip


STUDY = Study(
    name="active",
    question="Do questions asked only where policies disagree come to an end?",
    axes={
        "world": WORLDS,
        "margin": (0.1, 0.2, 0.3, 0.55, 0.85),
        "cap": tuple(CAPS),
        "rounds": (ROUNDS,),
    },
    quick={"margin": (0.3, 0.55, 0.85), "rounds": (QUICK_ROUNDS,)},
    seeds=20,
    quick_seeds=3,
    run=run,
    analyse=analyse,
)
