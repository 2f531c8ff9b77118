"""Study `rubber-stamp`: who drifts, who stays and what audits cost, as users check less and less (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from typeover.core.claims import Claim
from typeover.rng import seed_for
from typeover.studies.findings import Findings, Picture, Table
from typeover.studies.records import Record
from typeover.studies.study import Point, Study

STAYS = "SharedExp4"
UNASKING = ("Exp4, rewards only", "Algorithm 2, biased", "SharedExp4, no audits")
"""Learners that never ask."""
LEARNERS = (
    STAYS,
    "SharedExp4, no audits",
    "Algorithm 2",
    "Algorithm 2, biased",
    "Exp4, rewards only",
    "AnytimeEFBO",
    "EFBO",
)
ROUNDS, QUICK_ROUNDS = 100_000, 20_000
AUDITED = {ROUNDS: 0.01, QUICK_ROUNDS: 0.02}
"""The largest share of audits, by how many rounds there were."""
DRIFTS = 0.1
"""A violation above this is a drift."""


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """One learner among users of one kind; world and users are the same for all learners."""
    from typeover.environments import w2
    from typeover.studies.figures import curve
    from typeover.studies.lineup import build

    name, rounds = str(point["learner"]), int(point["rounds"])
    world, policies, tolerance = w2(careless=float(point["careless"]), seed=seed_for(seed, "world"))
    learner = build(
        name,
        policies=policies,
        loss=world.loss,
        tolerance=tolerance,
        horizon=rounds,
        seed=seed_for(seed, "learner", name),
    )
    return curve(world, learner, rounds=rounds, seed=seed_for(seed, "users"), tolerance=tolerance)


def analyse(records: Sequence[Record]) -> Findings:
    """Means over seeds of the last row of each task."""
    degrees = sorted({float(record.point["careless"]) for record in records})
    rounds = int(records[0].point["rounds"])
    ends = {
        (name, degree): [
            record.rows[-1]
            for record in records
            if record.point["learner"] == name and record.point["careless"] == degree
        ]
        for name in LEARNERS
        for degree in degrees
    }

    def mean(name: str, degree: float, figure: str) -> float:
        rows = ends[name, degree]
        return sum(cast("float", row[figure]) for row in rows) / len(rows)

    def table(title: str, figure: str, note: str) -> Table:
        rows: tuple[tuple[str | float, ...], ...] = tuple(
            (name, *(mean(name, degree, figure) for degree in degrees)) for name in LEARNERS
        )
        return Table(
            title=title, columns=("learner", *(f"careless {degree:g}" for degree in degrees)), rows=rows, note=note
        )

    worst = max(mean(STAYS, degree, "late_violation") for degree in degrees)
    asked = max(mean(STAYS, degree, "audits") for degree in degrees)
    drifts = {name: mean(name, degrees[-1], "late_violation") for name in UNASKING}
    bar = AUDITED[rounds]
    claims = (
        Claim(f"{STAYS}: violation, largest of all degrees", bar="<= 0", figure=worst, holds=worst <= 0),
        Claim(f"{STAYS}: share of audits, largest of all degrees", bar=f"<= {bar:g}", figure=asked, holds=asked <= bar),
        *(
            Claim(f"{name}: violation, nobody checks", bar=f"> {DRIFTS:g}", figure=drift, holds=drift > DRIFTS)
            for name, drift in drifts.items()
        ),
    )
    return Findings(
        claims=claims,
        words=_words(mean, degrees),
        pictures=lambda: _pictures(ends),
        tables=(
            table("Violation over the last tenth", "late_violation", "At 0 or below: as faithful as asked."),
            table("Reward regret per round", "reward_regret", "Against the best faithful policy; audits earn nothing."),
            table("Share of audits", "audits", "Of all rounds."),
            table(
                "Accepted, last tenth",
                "late_accepted_share",
                "What an accept log shows; where nobody checks, all look alike.",
            ),
        ),
    )


def _pictures(ends: Mapping[tuple[str, float], Sequence[Mapping[str, Any]]]) -> tuple[Picture, ...]:
    """Who drifts, with intervals over seeds."""
    from typeover.charts import drift
    from typeover.evaluation.intervals import mean_interval

    rows = [
        {"learner": name, "careless": degree} | mean_interval([row["late_violation"] for row in last])._asdict()
        for (name, degree), last in ends.items()
    ]
    return (
        Picture(
            name="drift",
            title="Who drifts when users stop checking",
            caption="Over the last tenth of the rounds; means over seeds with their 95 % intervals.",
            chart=drift(rows, x="careless", y="mean", by="learner", low="low", high="high"),
        ),
    )


def _words(mean: Any, degrees: list[float]) -> tuple[str, ...]:
    """What it says to whom it may concern."""
    last = degrees[-1]
    stay = [name for name in LEARNERS if max(mean(name, degree, "late_violation") for degree in degrees) <= 0]
    drift = [name for name in LEARNERS if mean(name, last, "late_violation") > DRIFTS]
    accepted, unasking = (mean(name, last, "late_accepted_share") for name in (STAYS, UNASKING[0]))
    asked = [mean(STAYS, degree, "audits") for degree in (degrees[0], last)]
    return (
        f"As faithful as asked at every degree of carelessness, in the mean over seeds: {'; '.join(stay) or 'none'}.",
        f"Drifted to what pays when nobody checks: {'; '.join(drift) or 'none'}.",
        f"{STAYS} asked in {asked[0]:.2%} of the rounds where all is checked, in {asked[1]:.2%} where nothing is.",
        (
            f"Accepted where nothing is checked: {unasking:.0%} of what '{UNASKING[0]}' suggested, {accepted:.0%} of "
            f"what {STAYS} suggested. Accepts do not tell them apart."
        ),
    )


STUDY = Study(
    name="rubber-stamp",
    question="Who stays faithful when users stop checking?",
    axes={"learner": LEARNERS, "careless": (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0), "rounds": (ROUNDS,)},
    quick={"careless": (0.0, 0.7, 1.0), "rounds": (QUICK_ROUNDS,)},
    seeds=20,
    quick_seeds=3,
    run=run,
    analyse=analyse,
)
