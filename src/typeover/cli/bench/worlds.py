"""SharedExp4 in the worlds that try it: users who agree, tire, turn, and a blend that would starve.

One setting for all rows, five world and run seeds, against the best feasible policy, audits counted at full price.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from typeover.cli.output import Claim, progress
from typeover.constraints import Biased
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
from typeover.theory import feasible

ROUNDS = 10**5
SPANS = {"first_1e3": (0, 1_000), "first_1e4": (0, 10_000), "last_1e4": (ROUNDS - 10_000, ROUNDS)}
FIRST_SEED = 3_000
"""No setting was chosen by what these seeds show; 0 to 2,999 and 4,000 to 4,199 have been looked at."""

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


def _algorithm_2(**others: Any) -> Learner:
    return CorralledExp4(horizon=ROUNDS, **others)


def _biased(**others: Any) -> Learner:
    return CorralledExp4(horizon=ROUNDS, constraint=Biased(bias_bound=0.02), **others)


def _rewards_only(*, policies: Policies, seed: int, **others: Any) -> Learner:  # noqa: ARG001 - hears neither
    return RewardOnly(policies=policies, horizon=ROUNDS, seed=seed)


BESIDE: dict[str, Callable[..., Learner]] = {
    "Algorithm 2": _algorithm_2,
    "Algorithm 2, biased": _biased,
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


def radius(runs: int) -> tuple[dict[str, Any], list[Claim]]:
    """How often the elimination loses a feasible policy at the fixed audit rate, and how many it leaves."""
    progress(f"elimination in W2: {runs} runs of {ROUNDS:,} rounds ...")
    lost, left = 0, []
    for seed in range(runs):
        world, policies, tolerance = w2(careless=1.0, seed=FIRST_SEED + seed)
        learner = SharedExp4(policies=policies, loss=world.loss, tolerance=tolerance, audits="fixed", seed=seed)
        simulate(world, learner, rounds=ROUNDS, seed=seed, at=[])
        alive = learner.alive
        lost += bool((feasible(world.values(policies)[1], tolerance) & ~alive).any())
        left.append(int(alive.sum()))
    kept = 1 - lost / runs
    found = {"runs": runs, "kept": kept, "most_alive": max(left), "mean_alive": float(np.mean(left))}
    return found, [
        Claim(f"W2: share of {runs} runs that lose no feasible policy", bar=">= 0.95", figure=kept, holds=kept >= 0.95),
        Claim(
            "W2: policies alive after 1e5 rounds, most of all runs",
            bar="<= 100",
            figure=max(left),
            holds=max(left) <= 100,
        ),
    ]


def lines(table: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A row per world and variant, in thousandths."""
    yield "SharedExp4, per round in thousandths, audits in %"
    yield f"{'':46} {'reward':>8} {'audits':>6} {'first 1e3':>7} {'1e4':>5} {'last 1e4':>7} {'worst':>5}"
    for name, row in table.items():
        cells = [row[f"violation {span}"] for span in SPANS]
        shown = " ".join(f"{1e3 * cell:+7.1f}" for cell in [*cells, row["worst"]])
        yield f"{name:46} {1e3 * row['reward']:8.1f} {100 * row['audits']:6.2f} {shown}"
