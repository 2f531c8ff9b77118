"""`typeover bench saddle`: the envelope against what one would write instead, and what a newcomer waits for.

Yardsticks: 45 bisection steps on the multiplier (one tolerance), one argsort of the same array (every tolerance), and
HiGHS' interior point method (the value), all in this run.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import util
from typing import Any

import click
import numpy as np

from typeover.cli.bench.timing import side_by_side
from typeover.cli.output import emit, introduce, json_option, print_claims, progress, verdict
from typeover.cli.ranges import SEED
from typeover.core.arrays import Vector
from typeover.core.claims import Claim
from typeover.errors import MissingPackageError

SIZES = (1_000, 100_000, 1_000_000)
JUDGED = (1_000, 100_000)
"""Sizes at which HiGHS gives the value."""
TOLERANCE = 0.05
STEPS = ("tuned", "printed")
ITERATIONS, CAP = 10**6, 100.0
"""S and B of the multiplicative weights that stand beside."""
HEAVY = ("numba", "click", "rich", "scipy", "polars")
"""What `import typeover` must leave alone."""
NO_SCIPY = "the judge of the saddle point needs scipy, which is not installed; run: pip install scipy"


ROUNDS, QUICK_ROUNDS = 4_000_000, 1_000_000
"""Of EFBO in `simulate`."""
WORDS = """
Compared: the exact solver of the constrained optimum with bisection, sorting and a linear program (HiGHS); then what a
newcomer waits for, and EFBO's speed. (frontier: every tolerance at once; mwu: multiplicative weights, not judged).
A bar is what the figure before it must keep, such as <= 1: no slower than the rival. One missed: the exit code is 1.
"""


@click.command()
@json_option
@click.option("--seed", default=0, show_default=True, type=SEED, help="Seed of the random instances.")
@click.option("--quick", is_flag=True, help="Leave out a million policies, and measure in shorter runs.")
def saddle(*, as_json: bool, seed: int, quick: bool) -> None:
    """Exact saddle points against bisection, sorting and HiGHS.

    A saddle point is the constrained optimum: the mixture of policies that earns most within the tolerance. The exact
    solver is timed against 45 bisection steps on the multiplier; the frontier (the optimum at every tolerance at once)
    against one sort of the same numbers; its value is compared with that of a linear program (HiGHS, from scipy).
    Beside it, not judged, stands mwu: a million iterations of the paper's multiplicative weights, and the gap they
    leave.
    """
    if util.find_spec("scipy") is None:
        raise MissingPackageError(NO_SCIPY)
    introduce(WORDS, as_json=as_json)
    rows: list[dict[str, Any]] = []
    claims: list[Claim] = []
    for size in SIZES[:2] if quick else SIZES:
        progress(f"saddle points of {size:,} policies ...")
        row, found = _solve(size, seed)
        rows.append(row)
        claims += found
    progress("imports and commands ...")
    start, found = _starting(budget=0.5 if quick else 3.0)
    claims += found
    progress("EFBO in simulate ...")
    speed = _simulated(seed, QUICK_ROUNDS if quick else ROUNDS)
    claims.append(Claim("EFBO in simulate, rounds/s", bar=">= 1e6", figure=speed, holds=speed >= 1e6))
    code = verdict(claims)
    if as_json:
        emit(
            {
                "format": "typeover.bench",
                "version": 1,
                "bench": "saddle",
                "seed": seed,
                "quick": quick,
                "sizes": rows,
                "start": start,
                "rounds_per_second": speed,
                "claims": claims,
            }
        )
    else:
        _print(rows, claims)
    raise SystemExit(code)


def _solve(size: int, seed: int) -> tuple[dict[str, Any], list[Claim]]:
    from typeover.oracles import exact, frontier

    source = np.random.default_rng([seed, size])
    losses, rewards = source.random(size), source.random(size)
    seconds = side_by_side(
        {
            "exact": lambda: exact(rewards, losses, TOLERANCE),
            "bisection": lambda: bisection(rewards, losses, TOLERANCE),
            "frontier": lambda: frontier(rewards, losses),
            "argsort": lambda: np.argsort(losses),
        }
    )
    value = exact(rewards, losses, TOLERANCE).reward
    row: dict[str, Any] = {"n_policies": size, "seconds": seconds, "value": value}
    one, every = seconds["exact"] / seconds["bisection"], seconds["frontier"] / seconds["argsort"]
    claims = [
        Claim(f"exact / 45-step bisection, {size:,} policies", bar="<= 1", figure=one, holds=one <= 1),
        Claim(f"whole frontier / argsort, {size:,} policies", bar="<= 3", figure=every, holds=every <= 3),
    ]
    if size in JUDGED:
        row["highs"] = judged(rewards, losses, TOLERANCE)
        apart = abs(value - row["highs"])
        claims.append(Claim(f"|exact - HiGHS|, {size:,} policies", bar="<= 1e-9", figure=apart, holds=apart <= 1e-9))
    if size == SIZES[0]:
        row["mwu"] = {step: _iterated(rewards, losses, step) for step in STEPS}
    return row, claims


def _iterated(rewards: Vector, losses: Vector, step: str) -> dict[str, float]:
    """The paper's own way beside it: seconds and gap of a million iterations."""
    from typeover.oracles import Solution, mwu

    found: list[Solution] = []

    def run() -> None:
        found.append(mwu(rewards, losses, TOLERANCE, cap=CAP, iterations=ITERATIONS, step=step))  # type: ignore[arg-type]

    return side_by_side({"seconds": run}) | {"gap": found[0].gap}


def bisection(rewards: Vector, losses: Vector, tolerance: float, *, steps: int = 45) -> float:
    """The multiplier by halving [0, B]: what one would write with NumPy."""
    cut, low, high = losses.min() + tolerance, 0.0, 1.0 / tolerance
    for _ in range(steps):
        multiplier = (low + high) / 2
        best = np.argmax(rewards - multiplier * losses)
        low, high = (multiplier, high) if losses[best] > cut else (low, multiplier)
    return high


def judged(rewards: Vector, losses: Vector, tolerance: float) -> float:
    """The value by linear programming."""
    try:
        from scipy.optimize import linprog
    except ImportError:
        raise MissingPackageError(NO_SCIPY) from None
    ones, limit = np.ones((1, len(rewards))), losses.min() + tolerance
    found = linprog(-rewards, A_ub=losses[None], b_ub=[limit], A_eq=ones, b_eq=[1.0], method="highs-ipm")
    return float(-found.fun)


def _starting(*, budget: float) -> tuple[dict[str, Any], list[Claim]]:
    """What a newcomer waits for, in fresh processes."""
    seconds = side_by_side(
        {
            "import numpy": lambda: _python("import numpy"),
            "import typeover": lambda: _python("import typeover"),
            "nothing": lambda: _python("pass"),
            "typeover --help": lambda: _python("from typeover.cli import main; main(['--help'])"),
        },
        budget=budget,
    )
    own = {name: seconds[name] - seconds["nothing"] for name in ("import numpy", "import typeover")}
    ratio = own["import typeover"] / own["import numpy"]
    loaded = _python(f"import sys, typeover; print(*[name for name in {HEAVY!r} if name in sys.modules])").split()
    return {"seconds": seconds, "loaded": loaded}, [
        Claim("import typeover / import numpy", bar="<= 1.5", figure=ratio, holds=ratio <= 1.5),
        Claim(
            "heavy packages loaded by import typeover", bar="none", figure=" ".join(loaded) or "none", holds=not loaded
        ),
        Claim(
            "typeover --help, seconds",
            bar="< 0.3",
            figure=seconds["typeover --help"],
            holds=seconds["typeover --help"] < 0.3,
        ),
    ]


def _python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own code


def _simulated(seed: int, rounds: int) -> float:
    """Rounds per second of EFBO in world W1."""
    from typeover.environments import w1
    from typeover.evaluation import simulate
    from typeover.learners import EFBO

    setting = w1(seed=seed)

    def run() -> float:
        learner = EFBO(
            policies=setting.policies, loss=setting.world.loss, tolerance=TOLERANCE, horizon=rounds, seed=seed
        )
        return simulate(setting.world, learner, rounds=rounds, seed=seed).rounds_per_second

    return max(run() for _ in range(3))


def _print(rows: list[dict[str, Any]], claims: list[Claim]) -> None:
    for row in rows:
        seconds = ", ".join(f"{name} {1e3 * value:.3f}" for name, value in row["seconds"].items())
        click.echo(f"{row['n_policies']:>9,} policies, milliseconds: {seconds}")
        for step, found in row.get("mwu", {}).items():
            click.echo(
                f"{'':>9} mwu, step {step}, 1e6 iterations: {1e3 * found['seconds']:.1f} ms, gap {found['gap']:.2g}"
            )
    print_claims(claims)
