"""What the runs of `bounds` say: ratios of measured to promised regret, seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from typeover.core.arrays import Vector
from typeover.core.claims import Claim
from typeover.evaluation.intervals import Interval, mean_interval
from typeover.studies.bounds import ALIGNMENTS, EXPLORED, THEOREMS, UNCHECKED, WORLDS
from typeover.studies.findings import Cell, Findings, Picture, Table
from typeover.studies.records import Record

KINDS = ("reward", "constraint")
DECADE = 2
"""Horizons a decade."""


class Sample(NamedTuple):
    """One theorem in one world; figures per round, shape (seeds, horizons)."""

    horizons: list[int]
    figures: Mapping[str, Vector]

    def ratios(self, kind: str) -> Vector:
        """Measured over promised."""
        ratio: Vector = self.figures[kind] / self.figures[f"{kind}_bound"]
        return ratio

    def change(self, kind: str) -> Interval:
        """Of the ratio over the last decade, seed by seed."""
        ratios = self.ratios(kind)
        return mean_interval(ratios[:, -1] - ratios[:, -1 - DECADE])

    def last(self, figure: str) -> float:
        """Mean at the last horizon."""
        return float(self.figures[figure][:, -1].mean())


Samples = Mapping[tuple[str, str], Sample]


def findings(records: Sequence[Record]) -> Findings:
    """One claim per theorem and kind of regret: its worst world is judged."""
    samples = {
        (theorem, world): _sample(found)
        for theorem in THEOREMS
        for world in WORLDS
        if (found := [one for one in records if one.point["theorem"] == theorem and one.point["world"] == world])
    }
    whole = dict.fromkeys(theorem.split(",")[0] for theorem in THEOREMS)
    return Findings(
        claims=tuple(_claim(theorem, kind, samples) for theorem in whole for kind in KINDS),
        words=_words(samples),
        tables=tuple(_table(kind, samples) for kind in KINDS),
        pictures=lambda: _pictures(samples),
    )


def _sample(records: Sequence[Record]) -> Sample:
    rows = [record.rows for record in records]
    figures = rows[0][0].keys() - {"horizon"}
    return Sample(
        [row["horizon"] for row in rows[0]],
        {figure: np.array([[row[figure] for row in own] for own in rows]) for figure in figures},
    )


def _claim(theorem: str, kind: str, samples: Samples) -> Claim:
    """A theorem of several blends is judged by the worst of them."""
    high = max(sample.change(kind).high for (name, _), sample in samples.items() if name.startswith(theorem))
    name = f"{theorem}, {kind} regret / bound: change over the last decade, upper 95 % end, largest of all worlds"
    return Claim(name, bar="<= 0", figure=round(high, 6), holds=high <= 0)


def _words(samples: Samples) -> tuple[str, ...]:
    def largest(kind: str) -> tuple[float, str, int]:
        """The largest ratio of means, where it was and at which horizon."""
        found = {key: sample.ratios(kind).mean(axis=0) for key, sample in samples.items()}
        key = max(found, key=lambda key: found[key].max())
        return found[key].max(), f"{key[0]}, {key[1]}", samples[key].horizons[int(found[key].argmax())]

    above = [
        f"{theorem}, {world} ({kind})"
        for (theorem, world), sample in samples.items()
        for kind in KINDS
        if sample.ratios(kind)[:, -1].mean() > 1
    ]
    grown = [
        f"{theorem}, {world} ({kind})"
        for (theorem, world), sample in samples.items()
        for kind in KINDS
        if sample.change(kind).high > 0
    ]
    silent = [
        f"{theorem}, {world}"
        for (theorem, world), sample in samples.items()
        if sample.last("reward_bound") >= sample.last("uniform")
    ]
    stated = []
    for kind in KINDS:
        ratio, where, horizon = largest(kind)
        stated.append(f"{kind} {ratio:.2f} ({where}, {horizon:,} rounds)")
    return (
        f"Measured / printed bound, largest mean over all horizons: {'; '.join(stated)}.",
        f"Grew over the last decade, or cannot be told from growth: {'; '.join(grown) or 'none'}.",
        (
            f"Still above 1 at the last horizon: {'; '.join(above) or 'none'}. Bounds are printed with 1 for each O(): "
            "a ratio above 1 refutes no theorem, a growing one would. Theorem 5 prints log(T |Pi|)/tau^2 queries, its "
            "lemma 80 times that, and what can be proved is 3200 times that; until they stop, every round is a query."
        ),
        f"Reward bounds no lower than the regret of uniform play, at the last horizon: {'; '.join(silent) or 'none'}.",
        (
            "Where users correct all that is further than a small nu, what is wrong pays nothing, so rewards lead to "
            f"what is faithful and the constraint hardly binds. It does in W2 ({UNCHECKED}), where Theorem 2 alone is "
            "promised; a negative ratio there is a mixture that earns more than the best policy."
        ),
    )


def _table(kind: str, samples: Samples) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for (theorem, world), sample in samples.items():
        ratios, change = sample.ratios(kind), sample.change(kind)
        found = f"{change.mean:+.4f} ({change.low:+.4f} to {change.high:+.4f})"
        rows.append(
            (
                theorem, world, sample.horizons[-1], sample.last(kind), sample.last(f"{kind}_bound"),
                float(ratios[:, -1].mean()), found, float(ratios.max()),
            )
        )  # fmt: skip
    columns = ("promise", "world", "T", "measured", "bound", "ratio", "change over the last decade", "largest ratio")
    return Table(
        title=f"{kind.capitalize()} regret per round at the last horizon, and its bound",
        note="Means over seeds; the change seed by seed, with its 95 % interval; the largest ratio of any seed and T.",
        columns=columns,
        rows=tuple(rows),
    )


def _pictures(samples: Samples) -> tuple[Picture, ...]:
    from typeover.charts import curves

    honest = [world for world in ALIGNMENTS if (EXPLORED, world) in samples]
    drawn: dict[str, Any] = {
        "x": "rounds", "y": "mean", "low": "low", "high": "high", "log_x": True, "log_y": True, "x_title": "rounds",
    }  # fmt: skip

    def rows(values: Vector, sample: Sample, **names: str) -> list[dict[str, Any]]:
        return [
            names | {"rounds": horizon} | mean_interval(column)._asdict()
            for horizon, column in zip(sample.horizons, values.T, strict=True)
        ]

    def ratios(kind: str) -> Picture:
        table = [
            row
            for world in honest
            for theorem in THEOREMS
            for row in rows(samples[theorem, world].ratios(kind), samples[theorem, world], line=theorem, world=world)
        ]
        return Picture(
            name=f"ratio-{kind}",
            title=f"{kind.capitalize()} regret over what was promised",
            caption=(
                "Lines that fall or stay level keep the promise as rounds grow; 1 would be the printed bound itself, "
                "with 1 for every constant that the paper leaves open. Means over seeds with their 95 % intervals."
            ),
            chart=curves(table, by="line", facet="world", y_title="measured / promised", **drawn),
        )

    world = honest[len(honest) // 2]
    beside = [
        row | {"is_bound": bool(end)}
        for theorem in THEOREMS
        for kind in KINDS
        for end in ("", "_bound")
        for row in rows(
            samples[theorem, world].figures[kind + end], samples[theorem, world], theorem=theorem, line=f"{kind} regret"
        )
    ]
    return (
        ratios("reward"),
        ratios("constraint"),
        Picture(
            name="beside",
            title=f"Measured, and promised (dashed), at {world}",
            caption=(
                "Regret per round; the dashed line of the same colour is the printed bound. A bound above 1 promises "
                "nothing: no round can lose more."
            ),
            chart=curves(
                [row for row in beside if not row["is_bound"]],
                reference=[row for row in beside if row["is_bound"]],
                by="line", facet="theorem", y_title="regret per round", **drawn,
            ),
        ),
    )  # fmt: skip
