"""`typeover bench regret`: EFBO in world W1 beside what Theorem 2 promises, up to 1e8 rounds.

The constants that hide in the theorem's O() are set to 1, so the claim is about growth: measured / promised must not
grow over the last decade of horizons.
"""

from __future__ import annotations

from typing import Any, cast

import click
import numpy as np

from typeover.cli.output import Claim, emit, introduce, json_option, print_claims, progress, verdict
from typeover.cli.ranges import SEED, SHARE
from typeover.core.arrays import Vector

HORIZONS = (10**4, 10**5, 10**6, 10**7, 10**8)
SILENT = "says nothing here"


WORDS = """
EFBO's regret per round, as measured, against the bound that Theorem 2 promises, at horizons ten times apart (uniform
play, the regret of suggesting anything, stands beside: a bound above it says nothing).
The bar: measured / promised must not grow over the last tenfold horizon (change <= 0), else the exit code is 1; the
theorem hides constants, so the ratio itself is shown, not judged.
"""


@click.command()
@json_option
@click.option("--seeds", default=10, show_default=True, type=click.IntRange(2, 1000),
              help="How many worlds, each with its own users.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=SEED, help="Seed of the first world; the next ones follow.")
@click.option("--alignment", "alignments", multiple=True, default=(1.0, 0.5, 0.0), type=SHARE, show_default=True,
              help="How far rewards agree with fidelity; may be given several times.")  # fmt: skip
@click.option("--quick", is_flag=True, help="Horizons up to 1e6 only.")
def regret(*, as_json: bool, seeds: int, seed: int, alignments: tuple[float, ...], quick: bool) -> None:
    """How much regret, against what the theorems promise.

    Reward regret is what a round earned less than under the best policy that keeps the tolerance; constraint regret is
    how much less faithful it was than that policy. Both are measured for EFBO in world W1, where users type over
    whatever is not what they want, and divided by the bound of Theorem 2. Uniform play suggests any candidate; where
    the bound is larger than its regret, the bound says nothing.
    """
    introduce(WORDS, as_json=as_json)
    horizons = HORIZONS[:3] if quick else HORIZONS
    tables = {}
    for alignment in alignments:
        progress(f"EFBO in W1, alignment {alignment:g}: {seeds} seeds, horizons up to {horizons[-1]:.0e} ...")
        tables[f"{alignment:g}"] = _rows(alignment, range(seed, seed + seeds), horizons)
    claims = [claim for name, rows in tables.items() for claim in _claims(name, rows)]
    code = verdict(claims)
    if as_json:
        largest = {name: _largest(rows) for name, rows in tables.items()}
        emit(
            {
                "format": "typeover.bench",
                "version": 1,
                "bench": "regret",
                "seed": seed,
                "seeds": seeds,
                "efbo": tables,
                "largest": largest,
                "claims": claims,
            }
        )
    else:
        for name, rows in tables.items():
            _print(name, rows)
        print_claims(claims)
    raise SystemExit(code)


def _rows(alignment: float, seeds: range, horizons: tuple[int, ...]) -> list[dict[str, Any]]:
    """A row per horizon: regrets and bounds per round, means over seeds."""
    from typeover.environments import w1
    from typeover.evaluation.committed import efbo_promise

    promises = efbo_promise([w1(alignment=alignment, seed=seed) for seed in seeds], horizons)
    rows = []
    for horizon in horizons:
        own = [promise for promise in promises if promise.horizon == horizon]
        row: dict[str, Any] = {"horizon": horizon}
        for kind in ("reward", "constraint"):
            measured = np.array([getattr(promise.measured, kind) for promise in own])
            promised = np.array([getattr(promise.promised, kind) for promise in own])
            row[kind] = {"measured": measured.mean(), "promised": promised.mean(), "ratios": measured / promised}
        row["uniform"] = float(np.mean([promise.uniform for promise in own]))
        row["speaks"] = row["reward"]["promised"] < row["uniform"]
        rows.append(row)
    return rows


def _claims(alignment: str, rows: list[dict[str, Any]]) -> list[Claim]:
    """Does measured / promised grow over the last decade? Compared seed by seed."""
    claims = []
    for kind in ("reward", "constraint"):
        before, after = (cast("Vector", row[kind]["ratios"]) for row in rows[-2:])
        growth = float((after - before).mean())
        name = f"{kind} regret / Theorem 2, alignment {alignment}: change over the last decade"
        claims.append(Claim(name, bar="<= 0", figure=growth, holds=growth <= 0))
    return claims


def _largest(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The largest ratio over all horizons and seeds; stated, not judged, for the O() hides constants."""
    return {kind: max(float(row[kind]["ratios"].max()) for row in rows) for kind in ("reward", "constraint")}


def _print(alignment: str, rows: list[dict[str, Any]]) -> None:
    click.echo(f"EFBO in W1, alignment {alignment}; regret per round, measured / promised (largest ratio over seeds)")
    click.echo(f"{'rounds':>9}  {'reward':>28}  {'constraint':>28}  {'uniform play':>12}")
    for row in rows:
        cells = [
            f"{row[kind]['measured']:8.4f} /{row[kind]['promised']:7.4f} ({row[kind]['ratios'].max():.3f})"
            for kind in ("reward", "constraint")
        ]
        note = "" if row["speaks"] else f"  reward bound {SILENT}"
        click.echo(f"{row['horizon']:9.0e}  {cells[0]:>28}  {cells[1]:>28}  {row['uniform']:12.4f}{note}")
    largest = _largest(rows)
    click.echo(f"largest ratio: reward {largest['reward']:.3f}, constraint {largest['constraint']:.3f}\n")
