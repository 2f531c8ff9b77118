"""One seeded pass through a tabular world, round by round or a stretch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions, Vector
from typeover.core.decision import NOTHING, Decision
from typeover.core.draw import draw
from typeover.core.feedback import Feedback
from typeover.core.protocols import TALLY
from typeover.core.tape import Plays, Responses, Tables, Tape
from typeover.environments.benchmark import Benchmark
from typeover.errors import InvalidInputError
from typeover.rng import stream

_AHEAD = 1024  # rounds fixed at once for learners that are asked round by round


class Source(Protocol):
    """What turns uniforms into rounds: a world, or one pass through it."""

    @property
    def tables(self) -> Tables:
        """What it holds and does."""
        ...

    @property
    def streams(self) -> Sequence[str]:
        """The names of what is drawn in each round."""
        ...

    def tape(
        self, users: Vector, accept: Vector, pay: Vector, correct: Vector | None = None, slip: Vector | None = None
    ) -> Tape:
        """The rounds that these uniforms make; fewer where rounds end."""
        ...


class WorldSession:
    """Fixes what users would do, each kind of chance from its own stream, and counts regret; the truth stays inside."""

    def __init__(self, world: Source, benchmark: Benchmark, *, seed: int) -> None:
        self.benchmark = benchmark
        self._world = world
        self._streams = {name: stream(seed, "world", name) for name in world.streams}
        self._ahead: Tape | None = None
        self._at = 0
        self._plays: list[tuple[int, bool, bool, float, bool, int]] = []
        self._totals = np.zeros(len(TALLY))
        self._rounds = 0

    @property
    def tables(self) -> Tables:
        """Those of its world, which its tapes carry."""
        return self._world.tables

    def tape(self, n_rounds: int) -> Tape:
        """The next rounds, fixed."""
        if self._ahead is not None and self._at < len(self._ahead.contexts):
            raise InvalidInputError("this session was already asked round by round; start another one for a tape")
        return self._world.tape(**{name: source.random(n_rounds) for name, source in self._streams.items()})

    def skip(self, n_rounds: int) -> None:
        """Leave out the next rounds, as if they had been played somewhere else."""
        for source in self._streams.values():
            cast("np.random.PCG64", source.bit_generator).advance(n_rounds)  # one step per uniform

    def ask(self) -> tuple[Any, Actions]:
        """The next context and its candidates."""
        if self._ahead is None or self._at == len(self._ahead.contexts):
            self._flush()
            self._ahead = None
            self._ahead, self._at = self.tape(_AHEAD), 0
        x, tables = self._ahead.contexts[self._at], self._world.tables
        self._at += 1
        return tables.contexts[x], tables.actions[x]

    def answer(self, decision: Decision) -> Feedback:
        """Accept and pay, type over or dismiss; on a revealing round answer unaided."""
        if self._ahead is None or len(self._plays) != self._at - 1:
            raise InvalidInputError("answer was called without an open round; call ask first, then answer once")
        tape, i, tables = self._ahead, self._at - 1, self._world.tables
        x, j, a = tape.contexts[i], tape.answers[i], decision.index
        is_open = a >= 0 and not decision.revealing
        accepted = is_open and bool(tape.accept_uniforms[i] < tables.acceptance[x, a, j])
        revealed = tables.is_told or (not accepted and not (is_open and _dismisses(tape, i, a)))
        entered = _entered(tape, i) if revealed else NOTHING
        reward = 0.0
        if accepted:
            mean = float(tables.rewards[x, a, j])
            reward = float(tape.reward_uniforms[i] < mean) if tables.is_coin else mean
        self._plays.append((a, decision.revealing, accepted, reward, revealed, entered))
        answer = tables.answers[x][entered] if revealed else None
        return Feedback(reward=reward, accepted=True, told=answer) if accepted else Feedback(correction=answer)

    def settle(self, tape: Tape, plays: Plays, marks: NDArray[np.int64]) -> list[dict[str, float]]:
        """Count a stretch; the tally after each of these numbers of its rounds."""
        n = len(tape.contexts)
        accepted = plays.responses.accepted
        volunteered = plays.responses.revealed & ~accepted & ~plays.revealing
        rows = np.vstack(
            [
                self.benchmark.count(tape.contexts, plays.shown, plays.revealing),
                accepted, volunteered, plays.responses.rewards,
            ]
        )  # fmt: skip
        starts = np.concatenate([[0], np.asarray(marks, dtype=np.int64)])
        tallies = []
        for start, stop in zip(starts, [*starts[1:], n], strict=True):
            self._totals += rows[:, start:stop].sum(axis=1)
            self._rounds += int(stop - start)
            tallies.append(self._tallied())
        return tallies[:-1]

    def tally(self) -> dict[str, float]:
        """Cumulative figures up to here."""
        self._flush()
        return self._tallied()

    def _flush(self) -> None:
        """Count what was played round by round since the last time."""
        if self._ahead is None or not self._plays:
            return
        done = len(self._plays)  # one less than asked while a round is open
        played = self._ahead.cut(0, done)
        shown, revealing, *came = (np.array(column) for column in zip(*self._plays, strict=True))
        plays = Plays(shown, shown, revealing, Responses(*came))
        self._ahead, self._at = self._ahead.cut(done, len(self._ahead.contexts)), self._at - done
        self._plays = []
        self.settle(played, plays, np.empty(0, dtype=np.int64))

    def _tallied(self) -> dict[str, float]:
        return {"rounds": float(self._rounds)} | dict(zip(TALLY, self._totals.tolist(), strict=True))


def _dismisses(tape: Tape, i: int, index: int) -> bool:
    """Whether the user who rejects this in round i of the tape enters nothing."""
    correction, uniforms = tape.tables.correction, tape.correction_uniforms
    if correction is None or uniforms is None:
        return False
    return not uniforms[i] < correction[tape.contexts[i], index, tape.answers[i]]


def _entered(tape: Tape, i: int) -> int:
    """What the user who enters something in round i of the tape enters."""
    entering, uniforms = tape.tables.entering, tape.slip_uniforms
    if entering is None or uniforms is None:
        return int(tape.answers[i])
    return int(draw(entering[tape.contexts[i], tape.answers[i]], uniforms[i]))
