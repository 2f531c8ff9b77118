"""What study `constants` shows: what each constant is worth, and where it costs fidelity."""

from __future__ import annotations

from collections.abc import Sequence

from typeover.studies.constants import DEFAULT, Choice, behind, broken
from typeover.studies.endings import Endings
from typeover.studies.findings import Picture, Table
from typeover.studies.records import Value


def pictures(ends: Endings) -> tuple[Picture, ...]:
    """Drawn over all worlds that were played."""
    from typeover import charts

    worlds, settings = ends.values(1), ends.values(0)
    faithful = [setting for setting in settings if not set(_missed(ends, setting)) - set(_missed(ends, DEFAULT))]
    gaps = [
        {"setting": setting} | behind(ends, setting, DEFAULT, worlds)._asdict()
        for setting in faithful
        if setting != DEFAULT
    ]
    cells = [
        {"setting": setting, "world": world, "violation": ends.mean("late_violation", setting, world)}
        for setting in settings
        for world in worlds
        if not str(world).startswith("starving")
    ]
    return (
        Picture(
            name="settings",
            title="What each constant is worth",
            caption="Regret per round above the default's, mean over all worlds, one constant changed at a time, with "
            "95 % intervals over seeds; to the right of the dashed line the default is better. Settings that miss "
            "fidelity where the default does not are left out.",
            chart=charts.points(
                gaps, x="mean", y="setting", low="low", high="high", line=0.0, x_title="Regret above the default's"
            ),
        ),
        Picture(
            name="fidelity",
            title="Where a constant costs fidelity",
            caption="Fidelity given up beyond the tolerance over the last tenth of the rounds, means over seeds: blue "
            "cells are as faithful as asked, red ones drift. In the starving worlds every policy is tolerated.",
            chart=charts.heat(cells, x="world", y="setting", value="violation", middle=0.0),
        ),
    )


def tables(ends: Endings, choices: Sequence[Choice], halves: Sequence[Sequence[Value]]) -> tuple[Table, ...]:
    """The choice, and everything by world."""
    worlds = ends.values(1)
    chosen = Table(
        title="Chosen in one half of the worlds, played in the other",
        columns=(
            "chosen by",
            "setting",
            "default above it elsewhere",
            "from",
            "to",
            "best elsewhere",
            "default above it",
        ),
        rows=tuple(
            (", ".join(map(str, half)), choice.chosen, *choice.behind, choice.best, choice.behind_best.mean)
            for choice, half in zip(choices, halves, strict=True)
        ),
        note="Regret per round, mean over worlds. Chosen: fidelity missed in the fewest worlds, then least regret.",
    )

    def by_world(title: str, figure: str, note: str) -> Table:
        rows = tuple(
            (setting, *(1e3 * ends.mean(figure, setting, world) for world in worlds)) for setting in ends.values(0)
        )
        return Table(title=title, columns=("setting", *map(str, worlds)), rows=rows, note=note)

    return (
        chosen,
        by_world("Reward regret", "reward_regret", "In thousandths per round, audits at full price."),
        by_world(
            "Violation over the last tenth", "late_violation", "In thousandths; at 0 or below: as faithful as asked."
        ),
        by_world("Audits", "audits", "In thousandths of all rounds."),
    )


def _missed(ends: Endings, setting: Value) -> list[str]:
    return broken(ends, setting, ends.values(1))
