"""Users who change: a world up to some round, another from then on, in which only the users differ."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions
from typeover.core.decision import Decision
from typeover.core.feedback import Feedback
from typeover.core.inputs import whole
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Plays, Tape
from typeover.environments.session import WorldSession
from typeover.environments.tabular import TabularWorld
from typeover.environments.worlds import Setting
from typeover.errors import InvalidInputError
from typeover.policies import TablePolicies, by_context


class TurningWorld:
    """`before` for `at` rounds, then `after`; the loss and what users want are the same in both."""

    def __init__(self, *, before: TabularWorld, after: TabularWorld, at: int) -> None:
        self.at = whole("at", at, meaning="the last round before the users change")
        self.before, self.after = before, after
        if other := _differences(before, after):
            raise InvalidInputError(
                f"before and after differ in {', '.join(other)}; only users and rewards may change at a turn: "
                "after = before.with_user(...)"
            )

    @property
    def loss(self) -> SurrogateLoss:
        """Delta, for learners."""
        return self.before.loss

    def session(self, *, seed: int, policies: Policies, tolerance: float) -> TurningSession:
        """A fresh pass; regret is counted against the best feasible policy of the phase."""
        before, after = (
            world.session(seed=seed, policies=policies, tolerance=tolerance) for world in (self.before, self.after)
        )
        after.skip(self.at)
        return TurningSession(before, after, self.at)


class Turn(NamedTuple):
    """A world whose users change, and the policies that are tried in it."""

    world: TurningWorld
    policies: TablePolicies
    tolerance: float


def turn(before: Setting, after: Setting, at: int) -> Turn:
    """`before` up to round `at`, then `after`: turn(w2(careless=0), w2(careless=1), at=2000) are users who tire.

    Round for round the users are those of `before`, then of `after`, under the same seed.
    """
    world = TurningWorld(before=before.world, after=after.world, at=at)
    tables = before.world.tables
    one, other = (by_context(each.policies, tables.contexts, tables.actions) for each in (before, after))
    if before.tolerance != after.tolerance or not np.array_equal(one, other):
        raise InvalidInputError(
            "before and after have other policies or another tolerance; only users and rewards may change at a turn: "
            "make both settings with the same seed and sizes"
        )
    return Turn(world, before.policies, before.tolerance)


class TurningSession:
    """A pass through both worlds; a tape never straddles the turn."""

    def __init__(self, before: WorldSession, after: WorldSession, at: int) -> None:
        self._before, self._after = before, after
        self._left = at
        """Rounds until the turn."""
        self._current = before

    def tape(self, n_rounds: int) -> Tape:
        """The next rounds, fixed; fewer where the turn comes first."""
        if self._left > 0:
            n_rounds = min(n_rounds, self._left)
        tape = self._phase().tape(n_rounds)
        self._left -= n_rounds
        return tape

    def ask(self) -> tuple[Any, Actions]:
        """The next context and its candidates."""
        self._current = self._phase()
        question = self._current.ask()
        self._left -= 1
        return question

    def answer(self, decision: Decision) -> Feedback:
        """What the users of this phase do."""
        return self._current.answer(decision)

    def settle(self, tape: Tape, plays: Plays, marks: NDArray[np.int64]) -> list[dict[str, float]]:
        """Count a stretch in the phase that it belongs to."""
        own, other = self._before, self._after
        if tape.tables is other.tables:
            own, other = other, own
        return [_added(tally, other.tally()) for tally in own.settle(tape, plays, marks)]

    def tally(self) -> dict[str, float]:
        """Both phases together."""
        return _added(self._before.tally(), self._after.tally())

    def _phase(self) -> WorldSession:
        return self._before if self._left > 0 else self._after


def _added(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    return {name: value + other[name] for name, value in one.items()}


def _differences(one: TabularWorld, other: TabularWorld) -> list[str]:
    """What makes them two worlds rather than one with other users."""
    named = [
        (name, getattr(one.tables, name), getattr(other.tables, name)) for name in ("contexts", "actions", "answers")
    ]
    lists = [name for name, mine, yours in named if list(mine) != list(yours)]
    arrays = [
        name
        for name in ("weights", "answer_probabilities", "losses")
        if not np.array_equal(getattr(one, name), getattr(other, name))
    ]
    return lists + arrays
