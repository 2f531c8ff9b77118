"""Study `constants`: is the default of SharedExp4 nearly the best, where it was not chosen? (README.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from typeover.core.claims import Claim
from typeover.learners.settings import SharedSettings
from typeover.rng import seed_for
from typeover.studies.constants.worlds import HALVES, SLACK, TABLES, place
from typeover.studies.endings import Endings
from typeover.studies.findings import Findings
from typeover.studies.records import Record, Value
from typeover.studies.study import Point, Study

if TYPE_CHECKING:
    from typeover.evaluation.intervals import Interval

DEFAULT = "default"
TRIED: Mapping[str, tuple[Any, ...]] = {
    "base_rate": (1.0, 2.0, 4.0, 8.0),
    "master_rate": (0.5, 1.0, 2.0, 4.0, 8.0),
    "reserve": (True, False),
    "strictness": (0.0, 0.25, 0.5, 1.0, 2.0),
    "blends": ((0.0, 1.0), (0.0, 0.1, 0.4, 1.0), tuple(i / 15 for i in range(16))),
    "audits": ("need", "fixed", 0),
    "failure": (0.01, 0.05, 0.2),
}
"""Values of each constant; what is the default is not tried again."""
GIVEN = {"tolerance", "audit_budget"}
"""What whoever uses it decides."""
QUICK = (
    DEFAULT, "base_rate 1", "base_rate 8", "master_rate 0.5", "master_rate 8", "no reserve", "blends 2", "audits fixed",
)  # fmt: skip
QUICK_WORLDS = ("W1 dial 1", "W1 dial 0", "W2 100 %", "W2 70 %", "U2", "U3")
ROUNDS, QUICK_ROUNDS = 50_000, 20_000
WITHIN = {ROUNDS: 0.005, QUICK_ROUNDS: 0.02}
"""How much more regret per round the default may have than the setting that the other worlds choose."""


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:
    """One setting in one world, which may bring its own blends; all meet the same users and draw the same numbers."""
    from typeover.learners import SharedExp4
    from typeover.studies.figures import curve

    rounds = int(point["rounds"])
    world, policies, tolerance, told = place(str(point["world"]), rounds=rounds, seed=seed, data=data)
    own = SETTINGS[str(point["setting"])]
    learner = SharedExp4(
        policies=policies, loss=world.loss, tolerance=tolerance, seed=seed_for(seed, "learner"), **{**own, **told}
    )
    return curve(world, learner, rounds=rounds, seed=seed_for(seed, "users"), tolerance=tolerance)


class Choice(NamedTuple):
    """What one half of the worlds chooses, and how the default fares beside it in the other."""

    chosen: Value
    best: Value
    """What the other half would have chosen for itself."""
    behind: Interval
    """Regret of the default above that of the chosen, in the other half."""
    behind_best: Interval


def analyse(records: Sequence[Record]) -> Findings:
    """Means over worlds, then over seeds."""
    from typeover.studies.constants.pictures import pictures, tables

    ends = Endings(records, "setting", "world")
    rounds = int(records[0].point["rounds"])
    worlds = ends.values(1)
    halves = [[world for world in half if world in worlds] for half in HALVES]
    choices = [_choice(ends, own, other) for own, other in (halves, halves[::-1])]
    excess = {world: ends.mean("late_violation", DEFAULT, world) - SLACK.get(str(world), 0.0) for world in worlds}
    worst = max(excess, key=lambda world: excess[world])
    claims = (
        *(
            Claim(
                f"Regret of the default above that of the setting chosen in the other worlds, {which} half, upper end",
                bar=f"<= {WITHIN[rounds]:g}", figure=choice.behind.high, holds=choice.behind.high <= WITHIN[rounds],
            )
            for which, choice in zip(("second", "first"), choices, strict=True)
        ),
        Claim(
            "The default: violation above the bar of its world, largest of all worlds", bar="<= 0",
            figure=excess[worst], holds=excess[worst] <= 0,
        ),
    )  # fmt: skip
    return Findings(
        claims=claims, words=_words(ends, choices, halves, worst), tables=tables(ends, choices, halves),
        pictures=lambda: pictures(ends),
    )  # fmt: skip


def broken(ends: Endings, setting: Value, worlds: Sequence[Value]) -> list[str]:
    """Where a setting is not as faithful as asked, in the mean over seeds."""
    return [
        str(world)
        for world in worlds
        if ends.mean("late_violation", setting, world) > SLACK.get(str(world), 0.0)
    ]  # fmt: skip


def regrets(ends: Endings, setting: Value, worlds: Sequence[Value]) -> list[float]:
    """Mean regret over worlds, one for each seed."""
    columns = [ends.column("reward_regret", setting, world) for world in worlds]
    return [sum(row) / len(worlds) for row in zip(*columns, strict=True)]


def behind(ends: Endings, one: Value, other: Value, worlds: Sequence[Value]) -> Interval:
    """How much more regret one setting has than the other, seed by seed."""
    from typeover.evaluation.intervals import mean_interval

    pairs = zip(regrets(ends, one, worlds), regrets(ends, other, worlds), strict=True)
    return mean_interval([mine - theirs for mine, theirs in pairs])


def best(ends: Endings, worlds: Sequence[Value]) -> Value:
    """Fewest worlds in which fidelity is missed, then least regret: what is gained by drifting does not count."""
    return min(
        ends.values(0),
        key=lambda setting: (len(broken(ends, setting, worlds)), sum(regrets(ends, setting, worlds))),
    )


def _choice(ends: Endings, own: Sequence[Value], other: Sequence[Value]) -> Choice:
    chosen, theirs = best(ends, own), best(ends, other)
    return Choice(chosen, theirs, behind(ends, DEFAULT, chosen, other), behind(ends, DEFAULT, theirs, other))


def _words(
    ends: Endings, choices: Sequence[Choice], halves: Sequence[Sequence[Value]], worst: Value
) -> tuple[str, ...]:
    worlds = [*halves[0], *halves[1]]
    missed = {setting: broken(ends, setting, worlds) for setting in ends.values(0)}
    unfaithful = [f"{setting} ({', '.join(where)})" for setting, where in missed.items() if where]
    costly = {setting: behind(ends, setting, DEFAULT, worlds) for setting, where in missed.items() if not where}
    matters = [
        f"{setting} ({gap.mean:+.4f})" for setting, gap in costly.items() if gap.low > 0.001 or gap.high < -0.001
    ]
    first, second = choices
    return (
        (
            f"The first half of the worlds chooses '{first.chosen}', the second '{second.chosen}'. In the worlds that "
            f"did not choose, the default has {first.behind.mean:+.4f} and {second.behind.mean:+.4f} of regret per "
            f"round beside them, and {first.behind_best.mean:+.4f} and {second.behind_best.mean:+.4f} beside the best "
            "of these very worlds, which is known only afterwards."
        ),
        f"Not as faithful as asked somewhere: {'; '.join(unfaithful) or 'none'}.",
        f"Faithful, and over a thousandth of regret away from the default: {'; '.join(matters) or 'none'}.",
        f"The default comes nearest to its bar in {worst}.",
    )


_DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(SharedSettings)}


def _called(name: str, value: Any) -> str:
    if value is False or (name, value) == ("audits", 0):
        return f"no {name}"
    if isinstance(value, tuple):
        return f"{name} {len(value)}"
    return f"{name} {value}" if isinstance(value, str) else f"{name} {value:g}"


SETTINGS: Mapping[str, Mapping[str, Any]] = {DEFAULT: {}} | {
    _called(name, value): {name: value}
    for name, values in TRIED.items()
    for value in values
    if value != _DEFAULTS[name]
}
"""One constant at a time away from the default, by names."""

STUDY = Study(
    name="constants",
    question="Is SharedExp4's default nearly the best setting in worlds that did not choose it?",
    axes={"setting": tuple(SETTINGS), "world": HALVES[0] + HALVES[1], "rounds": (ROUNDS,)},
    quick={"setting": QUICK, "world": QUICK_WORLDS, "rounds": (QUICK_ROUNDS,)},
    seeds=20,
    quick_seeds=3,
    extras=TABLES,
    run=run,
    analyse=analyse,
)
