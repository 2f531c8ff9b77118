"""Let a learner meet an environment, and count its regret there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from typeover.core.inputs import whole
from typeover.core.protocols import CompiledLearner, Environment, Learner, Policies, Session, TabularSession
from typeover.errors import InvalidInputError
from typeover.evaluation.run import Run

CHUNK = 2**15
"""Rounds played at once on a compiled path: enough to forget Python, few enough to stay in cache."""
N_MARKS = 200
"""Recorded rounds, unless the caller names them."""

Progress = Callable[[int], None]


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
    compared = getattr(learner, "policies", None) if policies is None else policies
    if compared is None:
        raise InvalidInputError(f"{type(learner).__name__} has no policies; pass policies= to compare it with")
    allowed = getattr(learner, "tolerance", 0.0) if tolerance is None else tolerance
    session = environment.session(seed=seed, policies=compared, tolerance=allowed)
    can_play = isinstance(learner, CompiledLearner) and hasattr(session, "settle")
    if compiled and not can_play:
        raise InvalidInputError(
            f"compiled is True, but {type(learner).__name__} has no compiled path in {type(environment).__name__}; "
            "leave compiled out"
        )
    began = time.perf_counter()
    plays = can_play if compiled is None else compiled
    tell = progress if progress is not None else _silent
    if plays:
        rows = _play(cast("TabularSession", session), cast("CompiledLearner", learner), marks, tell)
    else:
        rows = _step(session, learner, marks, tell)
    seconds = time.perf_counter() - began
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0] if name != "rounds"}
    return Run(rounds=marks, **columns, tolerance=allowed, seed=seed, seconds=seconds, compiled=plays)


def _step(session: Session, learner: Learner, marks: NDArray[np.int64], progress: Progress) -> list[dict[str, float]]:
    """One round at a time."""
    rows, done = [], 0
    for mark in marks.tolist():
        while done < mark:
            context, actions = session.ask()
            decision = learner.decide(context, actions)
            learner.learn(decision, session.answer(decision))
            done += 1
        rows.append(session.tally())
        progress(done)
    return rows


def _play(
    session: TabularSession, learner: CompiledLearner, marks: NDArray[np.int64], progress: Progress
) -> list[dict[str, float]]:
    """A chunk at a time, each cut at the marks within it."""
    rows: list[dict[str, float]] = []
    done, last = 0, int(marks[-1])
    while done < last:
        n = min(CHUNK, last - done)
        tape = session.tape(n)
        inside = marks[(marks > done) & (marks <= done + n)] - done
        rows += session.settle(tape, learner.play(tape), inside)
        done += n
        progress(done)
    return rows


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


def _silent(done: int) -> None:
    """No progress wanted."""
