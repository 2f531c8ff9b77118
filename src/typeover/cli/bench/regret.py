"""`typeover bench regret`: EFBO in world W1 beside what Theorem 2 promises, up to 1e8 rounds.

The constants that hide in the theorem's O() are set to 1, so the claim is about growth: measured / promised must not
grow over the last decade of horizons.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, cast

import click
import numpy as np

from typeover.cli.output import emit, introduce, json_option, print_claims, progress, verdict
from typeover.cli.ranges import SEED, SHARE
from typeover.core.arrays import Vector
from typeover.core.claims import Claim

HORIZONS = (10**4, 10**5, 10**6, 10**7, 10**8)
SILENT = "says nothing here"


WORDS = """
Three parts. Theorem 2: EFBO's regret per round, as measured, against the bound that Theorem 2 promises, at horizons ten
times apart (uniform play, the regret of suggesting anything, stands beside: a bound above it says nothing). The bar:
measured / promised must not grow over the last tenfold horizon; the theorem hides constants, so the ratio is shown.
Worlds: the default learner SharedExp4 over 1e5 rounds among users who agree, let everything pass, or change: what it
earns less than the best faithful policy, how much it asks, and how far what it shows is beyond the tolerance.
Elimination: how many of 200 runs rule out a policy that keeps the tolerance, for SharedExp4 and for Algorithm 2.
"""
PARTS = ("theorem2", "worlds", "radius")


@click.command()
@json_option
@click.option("--seeds", default=10, show_default=True, type=click.IntRange(2, 1000),
              help="How many worlds, each with its own users.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=SEED, help="Seed of the first world; the next ones follow.")
@click.option("--alignment", "alignments", multiple=True, default=(1.0, 0.5, 0.0), type=SHARE, show_default=True,
              help="How far rewards agree with fidelity; may be given several times.")  # fmt: skip
@click.option("--quick", is_flag=True, help="Horizons up to 1e6 only, two seeds per world, 20 runs per elimination.")
@click.option("--part", "parts", multiple=True, default=PARTS, type=click.Choice(PARTS), show_default=True,
              help="What to measure; may be given several times.")  # fmt: skip
def regret(
    *, as_json: bool, seeds: int, seed: int, alignments: tuple[float, ...], quick: bool, parts: tuple[str, ...]
) -> None:
    """How much regret, against what the theorems promise.

    Reward regret is what a round earned less than under the best policy that keeps the tolerance; constraint regret is
    how much less faithful it was than that policy. Both are measured for EFBO in world W1, where users type over
    whatever is not what they want, and divided by the bound of Theorem 2. Uniform play suggests any candidate; where
    the bound is larger than its regret, the bound says nothing.
    """
    introduce(WORDS, as_json=as_json)
    found: dict[str, Any] = {"format": "typeover.bench", "version": 1, "bench": "regret", "seed": seed, "seeds": seeds}
    claims: list[Claim] = []
    shown: list[str] = []
    if "theorem2" in parts:
        tables = _theorem2(alignments, range(seed, seed + seeds), HORIZONS[:3] if quick else HORIZONS)
        claims += [claim for name, rows in tables.items() for claim in _claims(name, rows)]
        shown += [line for name, rows in tables.items() for line in _lines(name, rows)]
        found |= {"efbo": tables, "largest": {name: _largest(rows) for name, rows in tables.items()}}
    if "worlds" in parts:
        from typeover.cli.bench import worlds

        table = worlds.measured(2 if quick else 5)
        claims += worlds.claims(table)
        shown += worlds.lines(table)
        found["worlds"] = table
    if "radius" in parts:
        from typeover.cli.bench import worlds

        found["radius"], more = worlds.radius(20 if quick else 200)
        claims += more
    code = verdict(claims)
    if as_json:
        emit(found | {"claims": claims})
    else:
        click.echo("\n".join(shown))
        print_claims(claims)
    raise SystemExit(code)


def _theorem2(
    alignments: tuple[float, ...], seeds: range, horizons: tuple[int, ...]
) -> dict[str, list[dict[str, Any]]]:
    """EFBO in W1 at several alignments, and in W2, where the constraint costs reward."""
    from typeover.environments import w1, w2

    makers = {f"W1, alignment {alignment:g}": functools.partial(w1, alignment=alignment) for alignment in alignments}
    makers["W2, careless 1"] = functools.partial(w2, careless=1.0)
    tables = {}
    for name, make in makers.items():
        progress(f"EFBO in {name}: {len(seeds)} seeds, horizons up to {horizons[-1]:.0e} ...")
        tables[name] = _rows([make(seed=seed) for seed in seeds], horizons)
    return tables


def _rows(settings: list[Any], horizons: tuple[int, ...]) -> list[dict[str, Any]]:
    """A row per horizon: regrets and bounds per round, means over seeds."""
    from typeover.evaluation.committed import efbo_promise

    promises = efbo_promise(settings, horizons)
    rows = []
    for horizon in horizons:
        own = [promise for promise in promises if promise.horizon == horizon]
        row: dict[str, Any] = {"horizon": horizon}
        for kind in ("reward", "constraint"):
            measured = np.array([getattr(promise.measured, kind) for promise in own])
            promised = np.array([getattr(promise.promised, kind) for promise in own])
            row[kind] = {"measured": measured.mean(), "promised": promised.mean(), "ratios": measured / promised}
        row["uniform"] = float(np.mean([promise.uniform for promise in own]))
        row["reward_mixture"] = float(np.mean([promise.measured.reward_mixture for promise in own]))
        row["binds"] = float(np.mean([promise.binds for promise in own]))
        row["speaks"] = row["reward"]["promised"] < row["uniform"]
        rows.append(row)
    return rows


def _claims(world: str, rows: list[dict[str, Any]]) -> list[Claim]:
    """Does measured / promised grow over the last decade? Compared seed by seed."""
    claims = []
    for kind in ("reward", "constraint"):
        before, after = (cast("Vector", row[kind]["ratios"]) for row in rows[-2:])
        growth = float((after - before).mean())
        name = f"{kind} regret / Theorem 2, {world}: change over the last decade"
        claims.append(Claim(name, bar="<= 0", figure=growth, holds=growth <= 0))
    return claims


def _largest(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The largest ratio over all horizons and seeds; stated, not judged, for the O() hides constants."""
    return {kind: max(float(row[kind]["ratios"].max()) for row in rows) for kind in ("reward", "constraint")}


def _lines(world: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    yield f"EFBO in {world}; regret per round, measured / promised (largest ratio over seeds); the constraint costs"
    yield f"reward in {rows[0]['binds']:.0%} of the worlds; beside: against the best feasible mixture, and uniform play"
    yield f"{'rounds':>9}  {'reward':>26}  {'constraint':>26}  {'mixture':>8}  {'uniform':>8}"
    for row in rows:
        cells = [
            f"{row[kind]['measured']:8.4f} /{row[kind]['promised']:7.4f} ({row[kind]['ratios'].max():.3f})"
            for kind in ("reward", "constraint")
        ]
        note = "" if row["speaks"] else f"  reward bound {SILENT}"
        beside = f"{row['reward_mixture']:8.4f}  {row['uniform']:8.4f}"
        yield f"{row['horizon']:9.0e}  {cells[0]:>26}  {cells[1]:>26}  {beside}{note}"
    largest = _largest(rows)
    yield f"largest ratio: reward {largest['reward']:.3f}, constraint {largest['constraint']:.3f}\n"
