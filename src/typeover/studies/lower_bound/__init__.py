"""Study `lower-bound`: how near the best learners come to what none can beat (App. B; README.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from typeover.core.claims import Claim
from typeover.evaluation.intervals import Interval, mean_interval
from typeover.rng import seed_for
from typeover.studies.findings import Findings, Picture, Table
from typeover.studies.records import Record
from typeover.studies.study import Point, Study
from typeover.theory import least_constraint_regret

GAP = 0.5
"""c: what pi1 earns more in a round."""
WHOLE, TWO, HARD = "four blocks", "two blocks", "two blocks, capped multiplier"
WAYS = (WHOLE, TWO, HARD)
STRICTNESS = (2.0, 2.5, 3.0, 3.5, 4.0)
"""From how many standard deviations of block B on pi1 counts as unfaithful."""
MOST = 0.5
"""The largest gamma: all users want pi2's action."""
HORIZON = 100_000
NEAR = 10.0
"""The best point at each T^a is to be within this factor of the proof's curve."""
TILTS_OF_TOLERANCE = (1.01, 1.2, 1.5)
"""gamma / eps."""
SLACK = 0.2
"""eps of the capped learner, in standard deviations: below every tilt, so that the theorem applies to its points."""
TILTS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
"""gamma for the capped learner, in standard deviations."""


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """EFBO in one setting: a row for S1 (tilt 0) and one for each S2; cumulative, in the mean over `repeats` users."""
    from typeover.environments import lower_bound, revealing_action
    from typeover.evaluation.committed import expected_regret
    from typeover.learners import EFBO

    way, horizon, repeats = str(point["way"]), int(point["horizon"]), int(point["repeats"])
    block = first_block(horizon, float(point["exponent"]))
    deviation = spread_of(block)
    limit = float(point["strictness"]) * deviation
    tolerance, tilts = limit, [factor * limit for factor in TILTS_OF_TOLERANCE]
    settings: dict[str, Any] = {} if way == WHOLE else {"blends": "none"}
    if way == HARD:  # beyond D = c/B the multiplier is in reach, and next to nothing is left for pi1
        tolerance, tilts = SLACK * deviation, [factor * deviation for factor in TILTS]
        settings["cap"] = GAP / limit

    def row(tilt: float, n: int) -> dict[str, Any]:
        world, policies, _ = lower_bound(reward_gap=GAP, tilt=tilt, tolerance=tolerance)
        reward = constraint = 0.0
        for i in range(n):
            learner = EFBO(
                policies=policies, loss=world.loss, tolerance=tolerance, horizon=horizon, block=block,
                revealing=revealing_action, seed=seed_for(seed, "learner", way, str(i)), **settings,
            )  # fmt: skip
            regret = expected_regret(world, learner, horizon=horizon, seed=seed_for(seed, "users", str(i)))
            reward += regret.reward * horizon / n
            constraint += regret.constraint * horizon / n
        return {"tilt": tilt, "tolerance": tolerance, "reward_regret": reward, "constraint_regret": constraint}

    # what is dear and rare, taking pi1 for unfaithful in S1, needs more users than S2 does
    return [row(0.0, repeats)] + [row(min(tilt, MOST), max(1, repeats // 5)) for tilt in tilts]


def first_block(horizon: int, exponent: float) -> int:
    """T0 = T^a."""
    return int(horizon**exponent)


def spread_of(block: int) -> float:
    """The standard deviation of D_c(pi1) - D_c(pi2) over a block, in S1: each round is 0, or a coin for -1 or 1."""
    return math.sqrt(0.5 / block)


def where(point: Point) -> bool:
    """Where S2 can be had: users lean to pi2's action by gamma > eps, at most 1/2."""
    limit = float(point["strictness"]) * spread_of(first_block(int(point["horizon"]), float(point["exponent"])))
    return point["way"] == HARD or TILTS_OF_TOLERANCE[0] * limit <= MOST


class Place(NamedTuple):
    """One setting: its two regrets, and how far it is from the proof."""

    reward: Interval
    """In S1."""
    constraint: Interval
    """In S2, at the tilt where it is largest."""
    curve: float
    """What the proof says of any learner with this reward regret."""
    printed: float
    """What Theorem 1 prints for the reward regret of any learner with this constraint regret."""
    applies: bool
    """Whether eps is below the tilt of the proof, so that the theorem is about this point."""

    @property
    def ratio(self) -> float:
        """Times above the proof's curve."""
        return self.constraint.mean / self.curve if self.curve > 0 else math.inf

    @property
    def headroom(self) -> float:
        """The same at the ends of both intervals that are kindest to the theorem: below 1 refutes it."""
        worst = least(self.reward.high)
        return self.constraint.high / worst if worst > 0 else math.inf


def least(regret: float, horizon: int = HORIZON) -> float:
    """1/2 sqrt(c / reg_r) (T/2 - reg_r/c); nothing where no regret is known."""
    if not math.isfinite(regret):
        return 0.0
    return least_constraint_regret(horizon=horizon, tolerance=0.0, reward_regret=regret, reward_gap=GAP)


def places(records: Sequence[Record]) -> dict[tuple[str, float, float], Place]:
    """By way, a and strictness."""
    found: dict[tuple[str, float, float], list[list[dict[str, Any]]]] = {}
    for record in records:
        point = record.point
        key = str(point["way"]), float(point["exponent"]), float(point["strictness"])
        found.setdefault(key, []).append(record.rows)
    return {key: _place(seeds) for key, seeds in found.items()}


def _place(seeds: Sequence[Sequence[Mapping[str, float]]]) -> Place:
    reward = mean_interval([rows[0]["reward_regret"] for rows in seeds])
    tilted = [mean_interval([row["constraint_regret"] for row in column]) for column in zip(*seeds, strict=True)][1:]
    constraint = max(tilted, key=lambda interval: interval.mean)
    tilt = 0.5 * math.sqrt(GAP / reward.mean)
    printed = HORIZON / math.sqrt(constraint.mean)
    return Place(reward, constraint, least(reward.mean), printed, applies=seeds[0][0]["tolerance"] < tilt)


def best(found: Mapping[tuple[str, float, float], Place], exponent: float, way: str | None = None) -> Any:
    """The key of the point nearest to the curve at this T^a, of all ways or of one."""
    keys = [key for key in found if key[1] == exponent and way in {None, key[0]}]
    return min(keys, key=lambda key: found[key].ratio)


def analyse(records: Sequence[Record]) -> Findings:
    """Every point against the proof's curve, and the best at each a."""
    found = places(records)
    exponents = sorted({key[1] for key in found})
    nearest = {a: best(found, a) for a in exponents}
    low = min(place.headroom for place in found.values())
    claims = (
        Claim(
            "constraint regret in S2 / the proof's curve at the reward regret in S1, least of all points, at the ends "
            "of their intervals",
            bar=">= 1", figure=low, holds=low >= 1,
        ),
        *(
            Claim(
                f"T0 = T^{a:g}: best point / the proof's curve", bar=f"<= {NEAR:g}", figure=found[key].ratio,
                holds=found[key].ratio <= NEAR,
            )
            for a, key in nearest.items()
        ),
    )  # fmt: skip
    return Findings(
        claims=claims,
        words=_words(found, nearest),
        tables=(_table(found, exponents),),
        pictures=lambda: _pictures(found, exponents),
    )


def _words(found: Mapping[tuple[str, float, float], Place], nearest: Mapping[float, Any]) -> tuple[str, ...]:
    ratios = [found[key].ratio for key in nearest.values()]
    below = sum(place.reward.mean < place.printed for place in found.values())
    inside = sum(place.applies for place in found.values())
    own = {way: [found[best(found, a, way)].ratio for a in nearest] for way in WAYS if _has(found, way)}
    far = [first_block(HORIZON, a) for a, key in nearest.items() if found[key].ratio > NEAR]
    ways = "; ".join(f"{way} {min(values):.1f} to {max(values):.1f} times" for way, values in own.items())
    return (
        (
            f"The best point at each length of exploration lies {min(ratios):.1f} to {max(ratios):.1f} times above "
            "what the proof says no learner can beat."
        ),
        (
            f"Each way at its best strictness: {ways}. The rest is spent in rounds that tell nothing about what users "
            "want (blocks A, C and D), and on the share of the unfaithful policy that EFBO mixes in."
        ),
        (
            f"{below} of {len(found)} points have less reward regret than Theorem 1 prints for their constraint "
            "regret: it exchanges the two regrets of its own proof."
        ),
        (
            f"At {inside} of {len(found)} points eps is small enough for the theorem to be about them. At the others, "
            "where eps is as large as what block B can tell apart, the curve belongs to instances of smaller eps and "
            "is there for comparison."
        ),
        *(
            f"With blocks of {block} rounds no setting comes within {NEAR:g} times: block A then knows the rewards too "
            "badly to weigh them against fidelity, and pi1 is thrown out where it is faithful."
            for block in far
        ),
    )


def _has(found: Mapping[tuple[str, float, float], Place], way: str) -> bool:
    return any(key[0] == way for key in found)


def _table(found: Mapping[tuple[str, float, float], Place], exponents: Sequence[float]) -> Table:
    rows = []
    for way in WAYS:
        if not _has(found, way):
            continue
        for a in exponents:
            key = best(found, a, way)
            place = found[key]
            spread = f"{place.reward.low:,.0f} to {place.reward.high:,.0f}"
            rows.append((way, a, key[2], place.reward.mean, spread, place.constraint.mean, place.curve, place.ratio))
    return Table(
        title="The best strictness of each way",
        columns=(
            "way", "a", "strictness", "reward regret in S1", "95 % interval", "constraint regret in S2",
            "the proof", "ratio",
        ),
        rows=tuple(rows),
        note=f"Cumulative over {HORIZON:,} rounds; the constraint regret is that of the worst tilt tried.",
    )  # fmt: skip


def _pictures(found: Mapping[tuple[str, float, float], Place], exponents: Sequence[float]) -> tuple[Picture, ...]:
    import numpy as np

    from typeover.charts import curves

    ways = [way for way in WAYS if _has(found, way)]
    chosen = [(way, found[best(found, a, way)]) for way in ways for a in exponents]
    rows = [
        {"way": way, "reward": place.reward.mean, "constraint": place.constraint.mean, "low": place.constraint.low,
         "high": place.constraint.high}
        for way, place in chosen
    ]  # fmt: skip
    measured = [place.reward.mean for _, place in chosen]
    regrets = np.geomspace(min(measured), max(measured), 40).tolist()
    reference = [{"way": "the proof", "reward": r, "constraint": least(r)} for r in regrets]
    swapped = [(r, (HORIZON / r) ** 2) for r in regrets]  # T / sqrt(reg_c) = reg_r
    reference += [{"way": "Theorem 1 as printed", "reward": r, "constraint": c} for r, c in swapped if c <= HORIZON]
    by_strictness = [
        {"a": f"T0 = T^{a:g}", "way": way, "strictness": z, "ratio": place.ratio}
        for (way, a, z), place in sorted(found.items(), key=lambda item: item[0][1:])
        if place.ratio < 3 * NEAR
    ]
    return (
        Picture(
            name="trade-off",
            title="Exploring longer moves regret from one side to the other",
            caption="Exploration gets longer from left to right: more reward lost where both policies are faithful "
            "(S1), less fidelity lost where one is not (S2). Each line is one way to explore first, at its best "
            "strictness, with 95 % intervals over seeds. Nothing can lie below 'the proof'. 'Theorem 1 as printed' "
            "exchanges the two regrets: whatever is below or left of it would refute it.",
            chart=curves(
                rows, x="reward", y="constraint", by="way", low="low", high="high", log_x=True, log_y=True,
                reference=reference, x_title="Reward regret where both are faithful (S1)",
                y_title="Constraint regret where one is not (S2)",
            ),
        ),
        Picture(
            name="strictness",
            title="Too strict and the unfaithful is kept; too lax and the faithful is thrown out",
            caption="Times above the proof's curve, by how many standard deviations it takes to call a policy "
            "unfaithful. The longer the rounds left are compared with the exploration, the stricter the best learner.",
            chart=curves(
                by_strictness, x="strictness", y="ratio", by="a", facet="way",
                x_title="Standard deviations", y_title="Times above the proof",
            ),
        ),
    )  # fmt: skip


STUDY = Study(
    name="lower-bound",
    question="How near do learners come to the regret that none can avoid?",
    axes={
        "way": WAYS,
        "exponent": (0.3, 0.4, 0.5, 0.6, 0.7),
        "strictness": STRICTNESS,
        "horizon": (HORIZON,),
        "repeats": (300,),
    },
    quick={"way": WAYS[1:], "exponent": (0.4, 0.6), "strictness": (2.0, 2.5, 3.5), "repeats": (150,)},
    seeds=20,
    quick_seeds=3,
    run=run,
    analyse=analyse,
    where=where,
)
