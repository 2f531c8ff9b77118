"""One learner's way through an environment, a stretch at a time: round by round, or on tapes where there is a path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from typeover.core.feedback import Outcome
from typeover.core.inputs import real
from typeover.core.protocols import CompiledLearner, Environment, Learner, Policies, TabularSession
from typeover.core.tape import Plays, Tape
from typeover.errors import InvalidInputError

CHUNK = 2**15
"""Rounds played at once on a compiled path: enough to forget Python, few enough to stay in cache."""

Progress = Callable[[int], None]


class Glimpse(NamedTuple):
    """One round as a bystander sees it."""

    context: Any
    shown: Any
    """None: nothing."""
    accepted: bool
    entered: Any
    """None: nothing."""


class Trial:
    """Learner, session and how far they are."""

    def __init__(
        self, environment: Environment, learner: Learner, *, seed: int, policies: Policies | None = None,
        tolerance: float | None = None, compiled: bool | None = None,
    ) -> None:  # fmt: skip
        compared = getattr(learner, "policies", None) if policies is None else policies
        if compared is None:
            raise InvalidInputError(f"{type(learner).__name__} has no policies; pass policies= to compare it with")
        self.learner = learner
        self.tolerance = _tolerance(learner, tolerance)
        self.rounds = 0
        self._session = environment.session(seed=seed, policies=compared, tolerance=self.tolerance)
        can_play = isinstance(learner, CompiledLearner) and hasattr(self._session, "settle")
        if compiled and not can_play:
            raise InvalidInputError(
                f"compiled is True, but {type(learner).__name__} has no compiled path in {type(environment).__name__}; "
                "leave compiled out"
            )
        self.compiled = can_play if compiled is None else compiled
        self.last: Glimpse | None = None
        """The last round, as a bystander sees it."""

    def advance(self, marks: NDArray[np.int64], progress: Progress | None = None) -> list[dict[str, float]]:
        """Go on to the last of these round numbers; the tally at each."""
        tell = progress if progress is not None else _silent
        return self._play(marks, tell) if self.compiled else self._step(marks, tell)

    def _step(self, marks: NDArray[np.int64], progress: Progress) -> list[dict[str, float]]:
        """One round at a time."""
        rows = []
        for mark in marks.tolist():
            while self.rounds < mark:
                context, actions = self._session.ask()
                decision = self.learner.decide(context, actions)
                feedback = self._session.answer(decision)
                self.learner.learn(decision, feedback)
                self.rounds += 1
                accepted = feedback.outcome is Outcome.ACCEPTED
                self.last = Glimpse(context, decision.action, accepted, feedback.correction)
            rows.append(self._session.tally())
            progress(self.rounds)
        return rows

    def _play(self, marks: NDArray[np.int64], progress: Progress) -> list[dict[str, float]]:
        """A chunk at a time, each cut at the marks within it."""
        session, learner = cast("TabularSession", self._session), cast("CompiledLearner", self.learner)
        rows: list[dict[str, float]] = []
        while self.rounds < marks[-1]:
            tape = session.tape(min(CHUNK, int(marks[-1]) - self.rounds))
            n = len(tape.contexts)  # fewer where the world changes
            plays = learner.play(tape)
            inside = marks[(marks > self.rounds) & (marks <= self.rounds + n)] - self.rounds
            rows += session.settle(tape, plays, inside)
            self.rounds += n
            self.last = _last(tape, plays)
            progress(self.rounds)
        return rows


def _tolerance(learner: Learner, tolerance: float | None) -> float:
    given = getattr(learner, "tolerance", None) if tolerance is None else tolerance
    if given is None:
        raise InvalidInputError(
            f"{type(learner).__name__} has no tolerance; pass tolerance= to say which policies it is compared with"
        )
    return real("tolerance", given, meaning="how much mean loss above the most faithful policy's is allowed")


def _last(tape: Tape, plays: Plays) -> Glimpse:
    tables, x = tape.tables, int(tape.contexts[-1])
    index, accepted, entered = (
        int(plays.shown[-1]),
        bool(plays.responses.accepted[-1]),
        int(plays.responses.entered[-1]),
    )
    shown = tables.actions[x][index] if index >= 0 else None
    is_typed = entered >= 0 and not accepted  # what is told of an accepted round was not entered
    return Glimpse(tables.contexts[x], shown, accepted, tables.answers[x][entered] if is_typed else None)


def _silent(done: int) -> None:
    """No progress wanted."""
