"""Study `nu`: which estimate of the constraint survives users who accept what is wrong (README.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from typeover.core.claims import Claim
from typeover.evaluation.intervals import mean_interval
from typeover.rng import seed_for
from typeover.studies.findings import Findings, Picture, Table
from typeover.studies.records import Record
from typeover.studies.study import Point, Study
from typeover.theory import biased_constraint_regret, robust_constraint_regret

BIASED, ACTIVE = "biased", "active"
ANCHORED = "DR anchored, empirical"
RATED = "DR counterfactual, empirical"
ESTIMATORS = (
    BIASED,
    "biased, empirical",
    "DR counterfactual",
    RATED,
    "DR played, empirical",
    "DR anchored",
    ANCHORED,
    ACTIVE,
)
"""Without a second word: with the radius that is printed."""
ASKING = (RATED, ANCHORED, ACTIVE)
"""Whose audits are counted against horizon and cap."""
CAPS = ("0.1", "0.3", "1", "none")
CAP = "1"
"""The default."""
ROUNDS, QUICK_ROUNDS = 100_000, 20_000
HORIZONS, QUICK_HORIZONS = (10_000, ROUNDS, 1_000_000), (5_000, QUICK_ROUNDS)
NU, LET_PASS = 0.5, 1.0
"""The users among whom audits are counted."""
DRIFTS = 0.1
"""A violation above this is a drift."""
ALLOWED = {ROUNDS: 0.0, QUICK_ROUNDS: 0.05}
"""The largest violation of the estimate that needs no honest users, by how many rounds there were."""
N_POLICIES = 200
Key = tuple[str, float, float]


def constraint(name: str, *, bias_bound: float, cap: str) -> Any:
    """The estimate of that name, told what users tolerate."""
    from typeover.constraints import ActiveQueries, Biased, DoublyRobust

    kind, _, radius = name.partition(", ")
    radius, limit = radius or "paper", None if cap == "none" else float(cap)
    if kind == BIASED:
        return Biased(bias_bound=bias_bound, radius=radius)
    if kind == ACTIVE:
        return ActiveQueries(cap=limit)
    control = kind.removeprefix("DR ")
    rate = "printed" if control == "counterfactual" else "fixed"
    return DoublyRobust(control=control, rate=rate, bias_bound=bias_bound, cap=limit, radius=radius)


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """Algorithm 2 with one estimate among users who tolerate nu and let a share of the rest pass."""
    from typeover.environments import Careless, Tolerant, w1
    from typeover.learners import CorralledExp4
    from typeover.studies.figures import curve

    name, nu, rounds = str(point["estimator"]), float(point["nu"]), int(point["rounds"])
    world, policies, tolerance = w1(alignment=0.0, bias_bound=nu, n_policies=N_POLICIES, seed=seed_for(seed, "world"))
    world = world.with_user(Careless(Tolerant(nu), float(point["careless"])))
    learner = CorralledExp4(
        policies=policies, loss=world.loss, tolerance=tolerance, horizon=rounds, seed=seed_for(seed, "learner", name),
        constraint=constraint(name, bias_bound=nu, cap=str(point["cap"])),
    )  # fmt: skip
    return curve(world, learner, rounds=rounds, seed=seed_for(seed, "users"), tolerance=tolerance)


def where(point: Point) -> bool:
    """All degrees of nu and carelessness at one horizon and cap; all horizons and caps among users of one kind."""
    horizons = HORIZONS if point["rounds"] in HORIZONS else QUICK_HORIZONS
    middle = ROUNDS if horizons is HORIZONS else QUICK_ROUNDS
    if (point["rounds"], point["cap"]) == (middle, CAP):
        return True
    return point["estimator"] in ASKING and (point["nu"], point["careless"]) == (NU, LET_PASS)


def analyse(records: Sequence[Record]) -> Findings:
    """Violation against nu and carelessness, then audits against horizon and cap."""
    rounds = ROUNDS if any(record.point["rounds"] == ROUNDS for record in records) else QUICK_ROUNDS
    grid: dict[Key, list[Mapping[str, Any]]] = {}
    capped: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
    for record in records:
        point, last = record.point, record.rows[-1]
        name, cap, horizon = str(point["estimator"]), str(point["cap"]), int(point["rounds"])
        if (cap, horizon) == (CAP, rounds):
            grid.setdefault((name, float(point["nu"]), float(point["careless"])), []).append(last)
        if name in ASKING and (point["nu"], point["careless"]) == (NU, LET_PASS):
            capped.setdefault((name, cap, horizon), []).append(last)
    nus, degrees = sorted({nu for _, nu, _ in grid}), sorted({degree for _, _, degree in grid})
    asked = {key: [row["audits"] * key[2] for row in ends] for key, ends in capped.items()}

    def violation(name: str, nu: float, degree: float) -> float:
        return mean_interval([row["late_violation"] for row in grid[name, nu, degree]]).mean

    honest = violation(BIASED, nus[0], degrees[0])
    drift = min(violation(BIASED, nu, degrees[-1]) for nu in nus)
    stays = max(violation(ANCHORED, nu, degree) for nu in nus for degree in degrees)
    most = max(
        max(audits) - float(cap) * horizon ** (2 / 3) for (_, cap, horizon), audits in asked.items() if cap != "none"
    )
    longest = max(horizon for _, _, horizon in asked)
    unending = min(asked[ACTIVE, "none", longest]) / longest
    bar = ALLOWED[rounds]
    claims = (
        Claim(f"{BIASED}: violation, nu = {nus[0]:g}, nobody careless", bar="<= 0", figure=honest, holds=honest <= 0),
        Claim(
            f"{BIASED}: violation, everything let pass, least of all nu", bar=f"> {DRIFTS:g}", figure=drift,
            holds=drift > DRIFTS,
        ),
        Claim(
            f"{ANCHORED}: violation, largest of all nu and all degrees of carelessness", bar=f"<= {bar:g}",
            figure=stays, holds=stays <= bar,
        ),
        Claim("audits beyond c T^(2/3), most of all", bar="< 1", figure=most, holds=most < 1),
        Claim(
            f"{ACTIVE} without a cap: share of audits at the longest horizon", bar="> 0.9", figure=unending,
            holds=unending > 0.9,
        ),
    )  # fmt: skip
    return Findings(
        claims=claims,
        words=_words(violation, nus, degrees, asked),
        tables=(*_tables(violation, grid, nus, degrees), *_by_cap(capped)),
        pictures=lambda: _pictures(rounds, grid, asked),
    )


def _words(
    violation: Any,
    nus: Sequence[float],
    degrees: Sequence[float],
    asked: Mapping[tuple[str, str, int], Sequence[float]],
) -> tuple[str, ...]:
    def fails(name: str, degree: float) -> str:
        """Where it first violates."""
        beyond = [nu for nu in nus if violation(name, nu, degree) > 0]
        return f"{name} from {beyond[0]:g}" if beyond else f"{name} at none"

    honest = "; ".join(fails(name, degrees[0]) for name in ESTIMATORS)
    careless = [name for name in ESTIMATORS if max(violation(name, nu, degrees[-1]) for nu in nus) > DRIFTS]
    longest = max(horizon for _, _, horizon in asked)
    free = {name: sum(found) / len(found) / longest for name in ASKING for found in [asked[name, "none", longest]]}
    listed = ", ".join(f"{name} {share:.1%}" for name, share in free.items())
    return (
        f"Where users let pass only what is within nu, the violation rises above 0 thus: {honest}.",
        (
            f"Where they let everything pass, these violate by more than {DRIFTS:g} at some nu: {'; '.join(careless)}. "
            "The biased estimate is wrong however long it learns. The doubly robust ones are right, but until their "
            "radius is narrow nothing that pays is ruled out; the counterfactual one asks the less the smaller nu is, "
            "and trusts that nu is true. Active queries stop at their cap before they have ruled out anything."
        ),
        (
            f"Audits in {longest:,} rounds without a cap: {listed}. Active queries are the ones that need it: in these "
            "worlds policies disagree nearly everywhere."
        ),
    )


def _tables(
    violation: Any, grid: Mapping[Key, Sequence[Mapping[str, Any]]], nus: Sequence[float], degrees: Sequence[float]
) -> tuple[Table, ...]:
    return tuple(
        Table(
            title=f"Violation over the last tenth, careless {degree:g}",
            columns=("estimator", *(f"nu {nu:g}" for nu in nus), f"audits at nu {nus[-1]:g}"),
            rows=tuple(
                (
                    name, *(violation(name, nu, degree) for nu in nus),
                    mean_interval([row["audits"] for row in grid[name, nus[-1], degree]]).mean,
                )
                for name in ESTIMATORS
            ),
            note="At 0 or below: as faithful as asked. Audits as a share of all rounds.",
        )
        for degree in degrees
    )  # fmt: skip


def _by_cap(capped: Mapping[tuple[str, str, int], Sequence[Mapping[str, Any]]]) -> tuple[Table, ...]:
    horizons = sorted({T for _, _, T in capped})
    keys = [(name, cap) for name in ASKING for cap in CAPS if (name, cap, horizons[0]) in capped]

    def table(title: str, note: str, figure: Callable[[Mapping[str, Any], int], float | None]) -> Table:
        def cell(name: str, cap: str, T: int) -> float | None:
            known = [value for row in capped[name, cap, T] if (value := figure(row, T)) is not None]
            return sum(known) / len(known) if known else None

        rows = tuple((name, cap, *(cell(name, cap, T) for T in horizons)) for name, cap in keys)
        columns = ("estimator", "c", *(f"T = {T:,}" for T in horizons))
        return Table(title=f"{title}, nu {NU:g}, careless {LET_PASS:g}", columns=columns, rows=rows, note=note)

    return (
        table("Audits by cap", "Mean number; asking stops at c T^(2/3).", lambda row, T: row["audits"] * T),
        table(
            "Violation by cap",
            "Over the last tenth; empty where every round of it was an audit. A cap that binds freezes the sets as "
            "they are, with what pays still in them.",
            lambda row, _: row["late_violation"],
        ),
    )


def allowed(name: str, nu: float, rounds: int) -> float:
    """The violation that Theorem 3 or Theorem 4 allows, as printed, among users who let pass only what is within nu."""
    bound = biased_constraint_regret if name == BIASED else robust_constraint_regret
    return bound(horizon=rounds, n_policies=N_POLICIES, tolerance=0.0, bias_bound=nu)


def _pictures(
    rounds: int,
    grid: Mapping[Key, Sequence[Mapping[str, Any]]],
    asked: Mapping[tuple[str, str, int], Sequence[float]],
) -> tuple[Picture, ...]:
    from typeover.charts import curves

    rows = [
        {"estimator": name, "nu": nu, "users": f"{degree:.0%} let pass"}
        | mean_interval([row["late_violation"] for row in ends])._asdict()
        for (name, nu, degree), ends in sorted(grid.items(), key=lambda item: (item[0][2], item[0][1]))
    ]
    rows.sort(key=lambda row: ESTIMATORS.index(row["estimator"]))
    theory = [
        {
            "estimator": "Theorem 4 (DR counterfactual)", "nu": nu, "users": f"{0:.0%} let pass",
            "mean": allowed("DR counterfactual", nu, rounds),
        }
        for nu in sorted({nu for _, nu, _ in grid})
    ]  # fmt: skip
    audits = [
        {"cap": "no cap" if cap == "none" else f"c = {cap}", "T": T, "estimator": name}
        | mean_interval(values)._asdict()
        for (name, cap, T), values in sorted(asked.items(), key=lambda item: (CAPS.index(item[0][1]), item[0][2]))
    ]
    return (
        Picture(
            name="violation",
            title="Which estimate survives users who accept what is wrong",
            caption="Violation over the last tenth of the rounds against nu, by the share of what they would have "
            "rejected that users let pass; means over seeds with their 95 % intervals. At 0 or below: as faithful as "
            "asked. Dashed: what Theorem 4 allows, if its assumption holds; what Theorem 3 allows the biased estimate, "
            f"{allowed(BIASED, 0.02, rounds):.2f} at nu 0.02 and more beyond, would leave the picture.",
            chart=curves(
                rows, x="nu", y="mean", by="estimator", low="low", high="high", facet="users", reference=theory,
                x_title="nu: how far an accepted suggestion may be", y_title="Violation",
            ),
        ),
        Picture(
            name="cap",
            title="What the cap does to audits",
            caption="Audits against the horizon, by the cap c T^(2/3), among users who let everything pass. Where a "
            "line lies on the one without a cap, the cap does not bind.",
            chart=curves(
                audits, x="T", y="mean", by="cap", low="low", high="high", facet="estimator", log_x=True, log_y=True,
                x_title="Rounds T", y_title="Audits",
            ),
        ),
    )  # fmt: skip


STUDY = Study(
    name="nu",
    question="Which estimate of fidelity survives users who accept what is wrong?",
    axes={
        "estimator": ESTIMATORS,
        "nu": (0.02, 0.1, 0.2, 0.3, NU),
        "careless": (0.0, 0.5, LET_PASS),
        "cap": CAPS,
        "rounds": HORIZONS,
    },
    quick={"nu": (0.02, NU), "careless": (0.0, LET_PASS), "cap": ("0.1", CAP, "none"), "rounds": QUICK_HORIZONS},
    seeds=20,
    quick_seeds=3,
    run=run,
    analyse=analyse,
    where=where,
)
