"""What came out on the tables: who learns from what, at what price, and who stays faithful where it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from typeover.core.claims import Claim
from typeover.studies.findings import Cell, Findings, Picture, Table
from typeover.studies.records import Record, Value

SHARED = "SharedExp4"
UNASKING = "SharedExp4, no audits"
REWARDS = "Exp4, rewards only"
CORRECTIONS = "Corrections only"
TOLD = "Full labels"
"""The ceiling: SharedExp4 where every round tells the answer, accepted or not, so that it need not ask."""
LEARNERS = (SHARED, UNASKING, "Algorithm 2", REWARDS, CORRECTIONS, TOLD)
USERS = {"U0": None, "U1": 0.0, "U4, 20 %": 0.2, "U4, 70 %": 0.7, "U4, 100 %": 1.0}
"""The share of wrong suggestions that users let pass who tolerate what is near; None: users who tolerate nothing."""
HONEST, STAMPING = ("U1", 1.0), ("U4, 100 %", 0.0)
"""User and alignment: where all agree, and where nobody checks and rewards have nothing to do with what is wanted."""
CASES: dict[tuple[Value, Value], str] = {
    HONEST: "users check, rewards agree",
    ("U4, 20 %", 0.5): "a fifth let pass, rewards half agree",
    STAMPING: "nobody checks, rewards disagree",
}
KNOWN = ("feasible", "policies", "best_reward", "best_feasible_reward")
"""What is known of a world beforehand."""
NEAR, DRIFTS = 0.02, 0.1
FEW = 5
"""With fewer seeds an interval says little, and the mean is judged."""


class World(NamedTuple):
    """A table with users and rewards of one kind."""

    table: str
    user: Value
    alignment: Value

    @property
    def case(self) -> tuple[Value, Value]:
        """What `CASES` names."""
        return self.user, self.alignment


def findings(records: Sequence[Record]) -> Findings:
    """Means over seeds of what each learner did in one pass."""
    ends: dict[tuple[World, Value], dict[int, Mapping[str, Any]]] = {}
    for record in records:
        world = World(str(record.point["set"]), *(record.point[axis] for axis in ("user", "alignment")))
        ends.setdefault((world, record.point["learner"]), {})[record.seed] = record.rows[-1]
    worlds = list(dict.fromkeys(world for world, _ in ends))
    shown = [world for world in worlds if world.case in CASES]

    def mean(world: World, learner: str, figure: str) -> float:
        rows = ends[world, learner].values()
        return sum(cast("float", row[figure]) for row in rows) / len(rows)

    def table(title: str, figure: str, note: str) -> Table:
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (f"{world.table}, {CASES[world.case]}", *(mean(world, name, figure) for name in LEARNERS))
            for case in CASES for world in shown if world.case == case
        )  # fmt: skip
        return Table(title=title, columns=("table", *LEARNERS), rows=rows, note=note)

    return Findings(
        claims=_claims(ends, worlds),
        words=_words(mean, worlds),
        tables=(
            _binds(mean, worlds),
            table("Accepted", "accepted_share", "Of what was shown in one pass; where nobody checks it says nothing."),
            table("Reward per round", "reward", "Over one pass; audits earn nothing and are counted."),
            table("Reward regret per round", "reward_regret", "Against the best faithful policy; below 0: unfaithful."),
            table("Violation over the last tenth", "late_violation", "At 0 or below: as faithful as asked."),
            table("Share of audits", "audits", "Of all rounds of the pass."),
        ),
        pictures=lambda: _pictures(records, ends),
    )


def _claims(ends: Mapping[Any, Mapping[int, Mapping[str, Any]]], worlds: Sequence[World]) -> tuple[Claim, ...]:
    """Each judged on the table that is worst for it, by the end of its interval over seeds; of few, by the mean."""
    from typeover.evaluation.intervals import mean_interval

    n_seeds = min(map(len, ends.values()))
    is_few = n_seeds < FEW

    def over(case: tuple[Value, Value], figure: str, learner: str, other: str | None = None) -> list[tuple[float, ...]]:
        """Mean, low and high end on each table; against another learner seed by seed."""
        found = []
        for world in (world for world in worlds if world.case == case):
            own, base = ends[world, learner], ends.get((world, other), {})
            differences = [row[figure] - (base[seed][figure] if base else 0.0) for seed, row in own.items()]
            found.append(tuple(mean_interval(differences)))
        return found

    def above(what: str, bar: float, figures: list[tuple[float, ...]]) -> Claim:
        least = min(mean if is_few else low for mean, low, _ in figures)
        return Claim(f"{what}, {judged('low')}", bar=f"> {bar:g}", figure=least, holds=least > bar)

    def below(what: str, bar: float, figures: list[tuple[float, ...]]) -> Claim:
        most = max(mean if is_few else high for mean, _, high in figures)
        return Claim(f"{what}, {judged('high')}", bar=f"<= {bar:g}", figure=most, holds=most <= bar)

    def judged(end: str) -> str:
        return f"worst table, mean of {n_seeds} seeds" if is_few else f"worst table, {end} end"

    checked, unchecked = CASES[HONEST], CASES[STAMPING]
    return (
        above(f"{checked}: accepted, {SHARED} - rewards only", 0, over(HONEST, "accepted_share", SHARED, REWARDS)),
        below(f"{checked}: accepted, full labels - {SHARED}", NEAR, over(HONEST, "accepted_share", TOLD, SHARED)),
        above(f"{checked}: reward, {SHARED} - rewards only", 0, over(HONEST, "reward", SHARED, REWARDS)),
        below(f"{unchecked}: violation of {SHARED}", 0, over(STAMPING, "late_violation", SHARED)),
        above(f"{unchecked}: violation of rewards only", DRIFTS, over(STAMPING, "late_violation", REWARDS)),
    )


def _binds(mean: Any, worlds: Sequence[World]) -> Table:
    """What fidelity costs a learner that knows everything."""
    dial = sorted({world.alignment for world in worlds}, reverse=True)
    rows: dict[str, tuple[Cell, ...]] = {}
    for table, user, _ in worlds:
        own = [world for alignment in dial if (world := World(table, user, alignment)) in worlds]
        faithful = f"{mean(own[0], SHARED, 'feasible'):.0f} of {mean(own[0], SHARED, 'policies'):.0f}"
        prices = {world.alignment: price(mean, world) for world in own}
        rows[f"{table}, {user}"] = faithful, *map(prices.get, dial)
    return Table(
        title="Where the constraint binds",
        columns=("table, users", "faithful policies", *(f"alignment {alignment:g}" for alignment in dial)),
        rows=tuple((name, *row) for name, row in rows.items()),
        note="What the best policy earns above the best faithful one: at 0, whoever earns most is faithful.",
    )


def price(mean: Any, world: World) -> float:
    """What faithfulness costs the best policy."""
    return float(mean(world, SHARED, "best_reward") - mean(world, SHARED, "best_feasible_reward"))


def _words(mean: Any, worlds: Sequence[World]) -> tuple[str, ...]:
    """What it says to whom it may concern."""
    honest, stamping = ([world for world in worlds if world.case == case] for case in (HONEST, STAMPING))

    def each(case: Sequence[World], figure: str, *learners: str, form: str = ".0%") -> str:
        return "; ".join(
            f"{world.table} " + " / ".join(f"{mean(world, name, figure):{form}}" for name in learners) for world in case
        )

    loose = [world for world in worlds if price(mean, world) > 0.005]
    free = [world for world in worlds if world not in loose]
    kinds = sorted({f"{world.user} at {world.alignment:g}" for world in loose})
    return (
        (
            f"Accepted where {CASES[HONEST]} ({REWARDS} / corrections only / {SHARED} / full labels): "
            f"{each(honest, 'accepted_share', REWARDS, CORRECTIONS, SHARED, TOLD)}."
        ),
        (
            f"Reward regret per round there ({REWARDS} / Algorithm 2 / {SHARED} / the same without audits): "
            f"{each(honest, 'reward_regret', REWARDS, 'Algorithm 2', SHARED, UNASKING, form='.3f')}. "
            "Audits separate the last two."
        ),
        (
            f"Violation where {CASES[STAMPING]} ({REWARDS} / Algorithm 2 / {SHARED} without audits / with them): "
            f"{each(stamping, 'late_violation', REWARDS, 'Algorithm 2', UNASKING, SHARED, form='+.3f')}."
        ),
        (
            f"The best policy is faithful in {len(free)} of {len(worlds)} settings of table, users and alignment; it "
            f"earns over 0.005 more than the best faithful one with {', '.join(kinds) or 'nobody'} (user at alignment; "
            "on one table at least)."
        ),
    )


def _pictures(records: Sequence[Record], ends: Mapping[Any, Mapping[int, Mapping[str, Any]]]) -> tuple[Picture, ...]:
    """How fast each learns, and who drifts; a panel per table."""
    from typeover.charts import curves
    from typeover.evaluation.intervals import mean_interval

    so_far: dict[tuple[Value, Value, int], list[float]] = {}
    for record in records:
        if (record.point["user"], record.point["alignment"]) == HONEST:
            for row in record.rows:
                name = record.point["set"], record.point["learner"], row["rounds"]
                so_far.setdefault(name, []).append(row["reward_regret"])
    learnt = [
        {"table": table, "learner": learner, "rounds": rounds} | mean_interval(regrets)._asdict()
        for (table, learner, rounds), regrets in so_far.items()
    ]
    drifted = [
        {"table": world.table, "learner": learner, "careless": USERS[str(world.user)]}
        | mean_interval([row["late_violation"] for row in rows.values()])._asdict()
        for (world, learner), rows in ends.items()
        if world.alignment == STAMPING[1] and USERS[str(world.user)] is not None
    ]
    for rows in (learnt, drifted):  # each learner's colour is by its place, the same in both
        rows.sort(key=lambda row: (LEARNERS.index(row["learner"]), row.get("careless", 0.0)))
    return (
        Picture(
            name="learning",
            title="How fast each learns where users check and rewards agree",
            caption=(
                "How much less was earned per round so far than by the best faithful policy, in one pass through each "
                "table, audits counted at their price; bands are 95 % intervals over seeds. Between rewards only and "
                "full labels lies what corrections can be worth."
            ),
            chart=curves(
                learnt, x="rounds", y="mean", by="learner", low="low", high="high", facet="table", log_x=True,
                x_title="Rounds", y_title="Reward regret per round so far",
            ),
        ),
        Picture(
            name="drift",
            title="Who stays faithful where rewards have nothing to do with what is wanted",
            caption=(
                "Fidelity given up beyond the tolerance over the last tenth of the pass, by the share of wrong "
                "suggestions that users let pass; at 0 or below, a learner is as faithful as it was asked to be. Bands "
                "are 95 % intervals over seeds."
            ),
            chart=curves(
                drifted, x="careless", y="mean", by="learner", low="low", high="high", facet="table",
                x_title="Let pass", y_title="Fidelity given up",
            ),
        ),
    )  # fmt: skip
