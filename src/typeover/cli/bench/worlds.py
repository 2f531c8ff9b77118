"""SharedExp4 in the worlds that try it: users who agree, tire, turn, and a blend that would starve.

One setting for all rows, five world and run seeds, against the best feasible policy, audits counted at full price.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from typeover.cli.output import progress
from typeover.constraints import Biased, Constraint, DoublyRobust
from typeover.core.claims import Claim
from typeover.core.protocols import Environment, Learner, Policies
from typeover.environments import (
    STARVING_BLENDS,
    STARVING_TOLERANCE,
    h6,
    h20,
    hr,
    starving,
    turn,
    w1,
    w2,
)
from typeover.evaluation import simulate
from typeover.learners import CorralledExp4, RewardOnly, SharedExp4
from typeover.studies.lineup import build
from typeover.theory import feasible

ROUNDS = 10**5
SPANS = {"first_1e3": (0, 1_000), "first_1e4": (0, 10_000), "last_1e4": (ROUNDS - 10_000, ROUNDS)}
FIRST_SEED = 6_000
"""No setting was chosen by what these seeds show; 0 to 5,999 may have been looked at."""

Setting = tuple[Environment, Policies, float]


class World(NamedTuple):
    """A world by seed, what is special about the learner in it, and its bars."""

    make: Callable[[int], Any]
    bars: Mapping[str, float]
    """Names as in `_claims`; a bar is an upper end."""
    variants: Mapping[str, Mapping[str, Any]] = {"": {}}
    """Settings of the learner by name; the bars are the first one's, others have theirs under their name."""


FAITHFUL = {"violation first_1e3": 0.0, "violation first_1e4": 0.0, "violation last_1e4": 0.0, "worst": 0.01}
ALIGNED = {"reward": 0.007, "audits": 0.004, **FAITHFUL, "without audits: reward": 0.005}
OFF: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "without audits": {"audits": 0},
    "without audits and reserve": {"audits": 0, "reserve": False},
}
STARVED: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "without audits": {"audits": 0},
    "without reserve": {"reserve": False},
}
STUBBORN = {"reward": 0.03, "audits": 0.017, **FAITHFUL, "worst": 0.015}


def _w1(alignment: float) -> Callable[[int], Any]:
    return lambda seed: w1(alignment=alignment, bias_bound=0.02, seed=seed)


def _w2(careless: float) -> Callable[[int], Any]:
    return lambda seed: w2(careless=careless, seed=seed)


def _starving(good: int) -> Callable[[int], Any]:
    return lambda seed: starving(good=good, seed=seed)


def _turning(make: Callable[..., Any], share: float) -> Callable[[int], Any]:
    return lambda seed: turn(make(careless=0.0, seed=seed), make(careless=1.0, seed=seed), at=int(share * ROUNDS))


TURNED = {"violation last_1e4": 0.0, "worst last_1e4": 0.01, "audits": 0.006}
WORLDS: dict[str, World] = {
    **{f"W1, alignment {alignment:g}": World(_w1(alignment), ALIGNED, OFF) for alignment in (1.0, 0.5, 0.0)},
    **{
        f"W2, careless {careless:g}": World(_w2(careless), {"reward": 0.01, "audits": 0.006, **FAITHFUL})
        for careless in (0.0, 0.3, 0.7, 1.0)
    },
    **{f"turn:{share:g}": World(_turning(w2, share), TURNED) for share in (0.5, 0.1)},
    "H6": World(lambda seed: h6(careless=1.0, seed=seed), STUBBORN),
    "H20": World(lambda seed: h20(careless=1.0, seed=seed), STUBBORN),
    "Ht": World(_turning(h6, 0.1), STUBBORN),
    "Hr": World(
        lambda seed: hr(careless=1.0, seed=seed),
        {"violation first_1e4": 0.005, "violation last_1e4": 0.005, "audits": 0.017},
    ),
    **{f"starving, good {good}": World(_starving(good), {"reward": 0.03}, STARVED) for good in (1, 10)},
}


def measured(seeds: int) -> dict[str, dict[str, Any]]:
    """Every world and variant: means over seeds, and the worst seed's violation."""
    table: dict[str, dict[str, Any]] = {}
    for name, world in WORLDS.items():
        progress(f"{name}: {seeds} seeds of {ROUNDS:,} rounds ...")
        for variant, settings in world.variants.items():
            runs = [_run(world.make(seed), settings, seed) for seed in range(FIRST_SEED, FIRST_SEED + seeds)]
            table[f"{name}, {variant}" if variant else name] = _summed(runs)
        for beside, make in BESIDE.items():
            runs = [_run(world.make(seed), {}, seed, make) for seed in range(FIRST_SEED, FIRST_SEED + seeds)]
            table[f"{name}, {beside}"] = _summed(runs)
    return table


def _default(*, tolerance: float, **others: Any) -> Learner:
    own: dict[str, Any] = {"blends": sorted(STARVING_BLENDS)} if tolerance == STARVING_TOLERANCE else {}
    return SharedExp4(tolerance=tolerance, **own, **others)


def _rewards_only(*, policies: Policies, seed: int, **others: Any) -> Learner:  # noqa: ARG001 - hears neither
    return RewardOnly(policies=policies, horizon=ROUNDS, seed=seed)


BESIDE: dict[str, Callable[..., Learner]] = {
    **{name: functools.partial(build, name, horizon=ROUNDS) for name in ("Algorithm 2", "Algorithm 2, biased")},
    "rewards only": _rewards_only,
}


def _run(
    setting: Any, settings: Mapping[str, Any], seed: int, make: Callable[..., Learner] = _default
) -> dict[str, float]:
    world, policies, tolerance = setting
    learner = make(policies=policies, loss=world.loss, tolerance=tolerance, seed=seed, **settings)
    marks = [mark for span in SPANS.values() for mark in span if mark]
    run = simulate(world, learner, rounds=ROUNDS, seed=seed, tolerance=tolerance, at=marks)
    whole = run.between(0, ROUNDS)
    found = {"reward": whole["reward_regret"], "audits": whole["audits"], "rounds_per_second": run.rounds_per_second}
    return found | {f"violation {name}": run.between(*span)["violation"] for name, span in SPANS.items()}


def _summed(runs: list[dict[str, float]]) -> dict[str, Any]:
    means = {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
    worst = {f"worst {span}": max(run[f"violation {span}"] for run in runs) for span in SPANS}
    return means | worst | {"worst": max(worst.values())}


def claims(table: dict[str, dict[str, Any]]) -> Iterator[Claim]:
    """Each bar of each world."""
    for name, world in WORLDS.items():
        for bar, limit in world.bars.items():
            variant, _, figure = bar.rpartition(": ")
            row = table[f"{name}, {variant}" if variant else name]
            yield Claim(f"{name}: {bar}", bar=f"<= {limit:g}", figure=row[figure], holds=row[figure] <= limit)
        if "without audits and reserve" in world.variants:
            printed = table[f"{name}, Algorithm 2"]["reward"]
            for variant, part in (("", 7), ("without audits and reserve", 15)):
                share = table[f"{name}, {variant}" if variant else name]["reward"] / printed
                what = f"{name}: reward {variant or 'regret'} / Algorithm 2's"
                yield Claim(what, bar=f"<= 1/{part}", figure=share, holds=share <= 1 / part)


class Elimination(NamedTuple):
    """Who rules policies out, among which users, for how long; `most` is the bar on policies alive at the end."""

    make: Callable[[int], Any]
    learner: Callable[..., Any]
    rounds: int
    most: float = math.inf


def _ruling_out(constraint: Constraint) -> Callable[..., Learner]:
    return functools.partial(CorralledExp4, horizon=SHORT, constraint=constraint)


SHORT = 30_000
"""Rounds of Algorithm 2: enough for these constraints to rule policies out, and 200 runs take a quarter of a minute.

Not so for `ActiveQueries` and the paper's radius for `DoublyRobust`, which keep all 200 for 1e5 rounds.
"""
ELIMINATIONS = {
    "W2, careless 1": Elimination(_w2(1.0), functools.partial(SharedExp4, audits="fixed"), ROUNDS, most=100),
    "Algorithm 2, W1, Biased, paper": Elimination(_w1(1.0), _ruling_out(Biased(bias_bound=0.02)), SHORT),
    "Algorithm 2, W1, Biased, empirical": Elimination(
        _w1(1.0), _ruling_out(Biased(bias_bound=0.02, radius="empirical")), SHORT
    ),
    "Algorithm 2, W2, careless 1, DoublyRobust, empirical": Elimination(
        _w2(1.0), _ruling_out(DoublyRobust(radius="empirical")), SHORT
    ),
}


def radius(runs: int) -> tuple[dict[str, Any], list[Claim]]:
    """How often each elimination loses a feasible policy, and how many it leaves."""
    table, judged = {}, []
    for name, elimination in ELIMINATIONS.items():
        progress(f"elimination, {name}: {runs} runs of {elimination.rounds:,} rounds ...")
        row = table[name] = _eliminated(elimination, runs)
        what = f"{name}: share of {runs} runs that lose no feasible policy"
        judged.append(Claim(what, bar=">= 0.95", figure=row["kept"], holds=row["kept"] >= 0.95))
        if elimination.most < math.inf:
            what, most = f"{name}: policies alive at the end, most of all runs", row["most_alive"]
            judged.append(Claim(what, bar=f"<= {elimination.most}", figure=most, holds=most <= elimination.most))
    return table, judged


def _eliminated(elimination: Elimination, runs: int) -> dict[str, float]:
    lost, left = 0, []
    for seed in range(FIRST_SEED, FIRST_SEED + runs):
        world, policies, tolerance = elimination.make(seed)
        learner = elimination.learner(policies=policies, loss=world.loss, tolerance=tolerance, seed=seed - FIRST_SEED)
        simulate(world, learner, rounds=elimination.rounds, seed=seed - FIRST_SEED, at=[])
        alive = learner.alive
        lost += bool((feasible(world.values(policies)[1], tolerance) & ~alive).any())
        left.append(int(alive.sum()))
    return {"runs": runs, "kept": 1 - lost / runs, "most_alive": max(left), "mean_alive": float(np.mean(left))}


def lines(table: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A row per world and variant, in thousandths."""
    yield "SharedExp4, per round in thousandths, audits in %"
    yield f"{'':46} {'reward':>8} {'audits':>6} {'first 1e3':>7} {'1e4':>5} {'last 1e4':>7} {'worst':>5}"
    for name, row in table.items():
        cells = [row[f"violation {span}"] for span in SPANS]
        shown = " ".join(f"{1e3 * cell:+7.1f}" for cell in [*cells, row["worst"]])
        yield f"{name:46} {1e3 * row['reward']:8.1f} {100 * row['audits']:6.2f} {shown}"
