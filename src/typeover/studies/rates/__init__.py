"""Study `rates`: how fast regret and violation add up, as a power of the rounds (README.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typeover.rng import seed_for
from typeover.studies.findings import Findings
from typeover.studies.records import Record
from typeover.studies.study import Point, Study

if TYPE_CHECKING:
    from typeover.environments import Setting

EFBO, CORRAL, SHARED = "EFBO", "Algorithm 2, biased", "SharedExp4"
"""The first two have a rate to show; they are told how many rounds there will be."""
LEARNERS = (EFBO, CORRAL, "AnytimeEFBO", SHARED)
BIAS_BOUND = 0.001
"""nu: at most T^(-1/2) up to T = 1e6, so that Theorem 3 promises sqrt(T)."""
W1 = {"W1, alignment 1": 1.0, "W1, alignment 0.5": 0.5, "W1, alignment 0": 0.0}
W2 = {"W2, all checked": 0.0, "W2, nothing checked": 1.0}
"""By how much users let pass."""
WORLDS = (*W1, *W2)
HONEST = WORLDS[:-1]
"""Where users check all they see, as Theorem 3 assumes."""
FIRST, PER_DECADE = 1_000, 4
ROUNDS, QUICK_ROUNDS = 1_000_000, 100_000


def horizons(rounds: int) -> list[int]:
    """Log-spaced numbers of rounds, the last one `rounds`.

    >>> horizons(10_000)
    [1000, 1778, 3162, 5623, 10000]
    """
    steps = round(PER_DECADE * math.log10(rounds / FIRST))
    return [round(FIRST * 10 ** (step / PER_DECADE)) for step in range(steps + 1)]


def setting_of(name: str, seed: int) -> Setting:
    """A world whose users accept what is within `BIAS_BOUND` of what they want, and let a share of the rest pass."""
    from typeover.environments import Careless, Tolerant, w1, w2

    if name in W1:
        return w1(alignment=W1[name], bias_bound=BIAS_BOUND, seed=seed)
    setting = w2(careless=W2[name], seed=seed)
    return setting._replace(world=setting.world.with_user(Careless(Tolerant(BIAS_BOUND), W2[name])))


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """A row per horizon, cumulative; a learner that is told the horizon is run anew for each.

    `told` is what it was told; the others are run once, and were told nothing (0).
    """
    setting = setting_of(str(point["world"]), seed_for(seed, "world"))
    name, at = str(point["learner"]), horizons(int(point["rounds"]))
    seeds = seed_for(seed, "users"), seed_for(seed, "learner", name)
    if name == EFBO:
        return [_explored_first(setting, horizon, *seeds) for horizon in at]
    if name == CORRAL:
        spans = [[horizon] for horizon in at[:-1]] + [at]  # the longest run with its way there
        return [row for span in spans for row in _played(name, setting, span, *seeds, told=span[-1])]
    return _played(name, setting, at, *seeds, told=0)


def _explored_first(setting: Setting, horizon: int, users: int, own: int) -> dict[str, Any]:
    """EFBO: the exploration as it was, what follows as it is expected."""
    from typeover import learners
    from typeover.evaluation.committed import phases

    world, policies, tolerance = setting
    learner = learners.EFBO(policies=policies, loss=world.loss, tolerance=tolerance, horizon=horizon, seed=own)
    exploring, committed = phases(world, learner, horizon=horizon, seed=users)
    shown = exploring.shown + committed.shown
    return {
        "told": horizon,
        "rounds": horizon,
        "regret": exploring.reward + committed.reward,
        "mixture": exploring.reward_mixture + committed.reward_mixture,
        "excess": exploring.fidelity + committed.fidelity - tolerance * shown,
        "audits": horizon - shown,
        "exploring": exploring.reward_mixture,
        "committed": committed.reward_mixture,
    }


def _played(name: str, setting: Setting, at: list[int], users: int, own: int, *, told: int) -> list[dict[str, Any]]:
    from typeover.constraints import Biased
    from typeover.evaluation import simulate
    from typeover.learners import CorralledExp4
    from typeover.studies.lineup import build

    world, policies, tolerance = setting
    if name == CORRAL:
        learner: Any = CorralledExp4(
            policies=policies, loss=world.loss, tolerance=tolerance, horizon=told, seed=own,
            constraint=Biased(bias_bound=BIAS_BOUND),
        )  # fmt: skip
    else:
        learner = build(name, policies=policies, loss=world.loss, tolerance=tolerance, horizon=at[-1], seed=own)
    found = simulate(world, learner, rounds=at[-1], seed=users, at=at)
    columns = {
        "rounds": found.rounds, "regret": found.reward_regret, "mixture": found.reward_regret_mixture,
        "excess": found.fidelity_regret - tolerance * found.shown, "audits": found.audits,
    }  # fmt: skip
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [{"told": told} | dict(zip(columns, row, strict=True)) for row in rows]


def analyse(records: Sequence[Record]) -> Findings:
    """What the rows say, elsewhere: a finished study is run without it."""
    from typeover.studies.rates.analysis import findings

    return findings(records)


STUDY = Study(
    name="rates",
    question="How fast do regret and violation add up?",
    axes={"world": WORLDS, "learner": LEARNERS, "rounds": (ROUNDS,)},
    quick={"rounds": (QUICK_ROUNDS,)},
    seeds=20,
    quick_seeds=4,
    run=run,
    analyse=analyse,
)
