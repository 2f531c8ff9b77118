"""Let a learner meet an environment, and count its regret there."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from typeover.core.inputs import whole
from typeover.core.protocols import TALLY, Environment, Learner, Policies
from typeover.errors import InvalidInputError
from typeover.evaluation.run import Run
from typeover.evaluation.trial import Progress, Trial

N_MARKS = 200
"""Recorded rounds, unless the caller names them."""


def simulate(
    environment: Environment,
    learner: Learner,
    *,
    rounds: int,
    seed: int,
    policies: Policies | None = None,
    tolerance: float | None = None,
    at: Iterable[int] | None = None,
    compiled: bool | None = None,
    progress: Progress | None = None,
) -> Run:
    """Step the learner through `rounds` rounds; the same seed gives the same users to every learner.

    Regret is counted against the best of `policies` that is feasible at `tolerance`; left out, both are the learner's.
    `at` names the rounds to record (left out: about 200, log-spaced). `compiled` forces or forbids the learner's
    compiled path, which decides exactly as the step path does; left out, it is used where there is one.
    `progress` is called with the number of rounds done.
    """
    whole("rounds", rounds, meaning="how many rounds to simulate")
    marks = _marks(rounds, at)
    trial = Trial(environment, learner, seed=seed, policies=policies, tolerance=tolerance, compiled=compiled)
    began = time.perf_counter()
    rows = trial.advance(marks, progress)
    seconds = time.perf_counter() - began
    if lacking := set(TALLY) - rows[0].keys():
        raise InvalidInputError(
            f"{type(environment).__name__} counts no {min(lacking)!r}; the tally of a session must hold every name in "
            "typeover.core.protocols.TALLY"
        )
    columns = {name: np.array([row[name] for row in rows]) for name in TALLY}
    return Run(rounds=marks, **columns, tolerance=trial.tolerance, seed=seed, seconds=seconds, compiled=trial.compiled)


def _marks(rounds: int, at: Iterable[int] | None) -> NDArray[np.int64]:
    """Rounds to record, rising; the last one always."""
    if at is None:
        spaced = np.unique(np.geomspace(1, rounds, min(N_MARKS, rounds)).round().astype(np.int64))
        return np.union1d(spaced, [rounds])
    named = [whole("at", mark, meaning="a round to record") for mark in at]
    wanted = np.unique(np.array([*named, rounds], dtype=np.int64))
    if wanted[-1] > rounds:
        raise InvalidInputError(f"at names round {wanted[-1]}; it must lie in 1 to {rounds}")
    return wanted
