"""`typeover bench corral`: Algorithm 2 and the default learner against what one would write with NumPy.

Yardsticks: every line of Eq. 11 as one vectorised statement over (blends x policies); SharedExp4's own NumPy twin; and
for very large sets one exponential plus one in-place addition of a vector of that length. All in this run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from typeover.cli.bench import twins
from typeover.cli.bench.timing import side_by_side
from typeover.cli.output import emit, introduce, json_option, print_claims, progress, verdict
from typeover.cli.ranges import SEED
from typeover.core.arrays import Vector
from typeover.core.claims import Claim

N_BLENDS = 32
LARGE = (100_000, 1_000_000)
WORDS = """
How many rounds a second learners play in `simulate`, beside NumPy code that does the same with one statement per line
of the equation; and how long a round takes with very many policies, beside one exponential and one addition of a
vector that long. A bar is what the ratio has to reach, else the exit code is 1.
"""


@click.command()
@json_option
@click.option("--seed", default=0, show_default=True, type=SEED, help="Seed of the worlds.")
@click.option("--quick", is_flag=True, help="Leave out a million policies.")
def corral(*, as_json: bool, seed: int, quick: bool) -> None:
    """How fast Algorithm 2 and SharedExp4 are, against NumPy."""
    introduce(WORDS, as_json=as_json)
    progress("rounds per second, 200 policies ...")
    speeds = _speeds(seed)
    ratios = {
        "corralled": speeds["CorralledExp4"] / speeds["Eq. 11 in NumPy"],
        "shared": speeds["SharedExp4"] / speeds["SharedExp4 in NumPy"],
    }
    claims = [
        Claim("CorralledExp4 / Eq. 11 in NumPy, 32 blends", ">= 25", ratios["corralled"], ratios["corralled"] >= 25),
        Claim("CorralledExp4, rounds/s", ">= 2e5", speeds["CorralledExp4"], speeds["CorralledExp4"] >= 2e5),
        Claim("SharedExp4 / its twin in NumPy", ">= 5", ratios["shared"], ratios["shared"] >= 5),
        Claim("SharedExp4, rounds/s", "> 5e4", speeds["SharedExp4"], speeds["SharedExp4"] > 5e4),
    ]
    rows = []
    for n_policies in LARGE[:1] if quick else LARGE:
        progress(f"{n_policies:,} policies ...")
        row = _large(n_policies, seed)
        rows.append(row)
        claims.append(Claim(f"a round / (exp + add), {n_policies:,} policies", "<= 3", row["ratio"], row["ratio"] <= 3))
    code = verdict(claims)
    if as_json:
        document = {"format": "typeover.bench", "version": 1, "bench": "corral", "seed": seed}
        emit(document | {"rounds_per_second": speeds, "large": rows, "claims": claims})
    else:
        for name, speed in speeds.items():
            click.echo(f"{name:24} {speed:>12,.0f} rounds/s")
        for row in rows:
            click.echo(f"{row['n_policies']:>9,} policies: a round {1e3 * row['round']:.3f} ms, exp + add "
                       f"{1e3 * row['yardstick']:.3f} ms, memory of the sums {row['megabytes']:,.0f} MB")  # fmt: skip
        print_claims(claims)
    raise SystemExit(code)


def _speeds(seed: int) -> dict[str, float]:
    """Rounds per second in W1, best of three turns."""
    from typeover.environments import w1
    from typeover.evaluation import simulate
    from typeover.learners import CorralledExp4, SharedExp4

    world, policies, tolerance = w1(seed=seed)
    known = {"policies": policies, "loss": world.loss, "tolerance": tolerance, "seed": seed}
    blends = np.linspace(0, 1, N_BLENDS).tolist()

    def corralled() -> Any:
        return CorralledExp4(horizon=10**6, blends=blends, **known)  # type: ignore[arg-type]

    def twin() -> Any:
        shared = SharedExp4(**known)  # type: ignore[arg-type]
        kernel = shared._kernel  # noqa: SLF001 - the twin takes the kernel's place
        names = {name: value for name, value in vars(kernel).items() if name.isupper()}
        shared._kernel = SimpleNamespace(**names | {"play": twins.play})  # type: ignore[assignment] # noqa: SLF001
        return shared

    def speed(make: Callable[[], Any], rounds: int) -> float:
        runs = (simulate(world, make(), rounds=rounds, seed=seed, at=[]) for _ in range(3))
        return max(run.rounds_per_second for run in runs)

    def shared() -> Any:
        return SharedExp4(**known)  # type: ignore[arg-type]

    speed(corralled, 100), speed(shared, 100)  # load the kernels
    return {
        "CorralledExp4": speed(corralled, 200_000),
        "Eq. 11 in NumPy": max(_eq_11_in_numpy(world, policies, np.array(blends), seed, 2_000) for _ in range(3)),
        "SharedExp4": speed(shared, 50_000),
        "SharedExp4 in NumPy": speed(twin, 3_000),
    }


def _eq_11_in_numpy(world: Any, policies: Any, mu: Vector, seed: int, rounds: int) -> float:
    """Rounds per second of Algorithm 2 with one statement over (blends x policies) per line, the same solver on top."""
    from typeover.kernels.master import charge, hedged_ftrl

    n, n_actions, n_blends = len(policies), world.losses.shape[1], mu.size
    session = world.session(seed=seed, policies=policies, tolerance=0.05)
    tape, votes = session.tape(rounds), policies.votes(np.arange(len(world.losses)), range(n_actions))
    one_hot, uniforms = np.eye(n_actions), np.random.default_rng(seed).random((rounds, 3))
    A, S, alive, blend = np.zeros((n_blends, n)), np.zeros(n), np.ones(n, dtype=np.bool_), mu[:, None]
    L, P, R, rho = np.zeros(n_blends), np.full(n_blends, 1 / n_blends), np.ones(n_blends), np.ones(n_blends)
    first, scratch = rho.copy(), np.zeros((5, n_blends))
    began = time.perf_counter()
    for t in range(rounds):
        x, j = tape.contexts[t], tape.answers[t]
        hedged_ftrl(L, float(t + 1), R, rho, first, P, scratch)
        losses = blend * A + (1 - blend) * S  # Ltilde, Eq. 11 line 3
        rate = np.sqrt(np.log(n) / ((blend**2 * n_actions * rho[:, None] + (1 - blend) ** 2) * (t + 1)))
        weights = np.exp(-rate * (losses - losses.min(axis=1, keepdims=True))) * alive  # Q_t, Eq. 11 last line
        Q = weights / weights.sum(axis=1, keepdims=True)
        p = Q @ one_hot[votes[x]]
        m = min(int(np.searchsorted(np.cumsum(P), uniforms[t, 0], side="right")), n_blends - 1)
        a = min(int(np.searchsorted(np.cumsum(p[m]), uniforms[t, 1], side="right")), n_actions - 1)
        is_accepted = tape.accept_uniforms[t] < world.tables.acceptance[x, a, j]
        loss = 1.0 - is_accepted * world.tables.rewards[x, a, j]
        A += np.outer(np.arange(n_blends) == m, votes[x] == a) * (loss / (P[m] * p[m, a]))  # Eq. 11 lines 1-3
        S += world.losses[x, votes[x], a if is_accepted else j]
        charge(L, rho, P, m, loss, False)  # noqa: FBT003 - no audit
    return rounds / (time.perf_counter() - began)


def _large(n_policies: int, seed: int) -> dict[str, Any]:
    """Seconds per round with very many policies, beside exp and add of one vector."""
    from typeover.environments import aligned_world
    from typeover.learners import CorralledExp4
    from typeover.policies import random_tables

    world = aligned_world(alignment=0.5, n_contexts=8, seed=seed)
    policies = random_tables(n_contexts=8, n_actions=6, n_policies=n_policies, seed=seed)
    blends = np.linspace(0, 1, N_BLENDS).tolist()
    learner = CorralledExp4(policies=policies, loss=world.loss, tolerance=0.05, horizon=10**6, blends=blends, seed=seed)
    rounds = max(20, 20_000_000 // n_policies)
    tapes = world.session(seed=seed, policies=policies, tolerance=0.05)
    learner.play(tapes.tape(20))
    x = np.random.default_rng(seed).random(n_policies) - 1
    y, z = np.empty(n_policies), np.zeros(n_policies)

    def yardstick() -> None:
        np.exp(x, out=y)
        np.add(z, y, out=z)

    seconds = side_by_side({"round": lambda: learner.play(tapes.tape(rounds)), "yardstick": yardstick}, budget=3.0)
    row = {"n_policies": n_policies, "round": seconds["round"] / rounds, "yardstick": seconds["yardstick"]}
    arrays = learner.state().arrays
    megabytes = (arrays["rewards"].nbytes + arrays["sums"].nbytes) / 2**20
    return row | {"ratio": row["round"] / row["yardstick"], "megabytes": megabytes}
