"""One pass through the contexts of a world, each once: in their own order, or in one that the seed draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from typeover.core.arrays import Indices, Vector
from typeover.core.draw import cumulative, draw
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Tables, Tape
from typeover.environments.session import WorldSession
from typeover.environments.tabular import TabularWorld
from typeover.errors import InvalidInputError
from typeover.rng import stream


class Passage:
    """As many rounds as the world has contexts; regret is counted against the means over all of them."""

    def __init__(self, world: TabularWorld, *, is_shuffled: bool = True) -> None:
        if np.ptp(world.weights) > 1e-12:
            raise InvalidInputError(
                f"the world's weights run from {world.weights.min():g} to {world.weights.max():g}; in one pass every "
                "context comes once, so they must be equal"
            )
        self.world, self.is_shuffled = world, is_shuffled

    def __len__(self) -> int:
        return len(self.world.weights)

    @property
    def loss(self) -> SurrogateLoss:
        """Delta, for learners."""
        return self.world.loss

    def session(self, *, seed: int, policies: Policies, tolerance: float) -> WorldSession:
        """A fresh pass; with one order for all seeds, only what users do differs between them."""
        order = np.arange(len(self), dtype=np.int32)
        if self.is_shuffled:
            stream(seed, "passage").shuffle(order)
        return WorldSession(_Walk(self.world, order), self.world.benchmark(policies, tolerance), seed=seed)


class _Walk:
    """Where one pass is."""

    def __init__(self, world: TabularWorld, order: Indices) -> None:
        self._world, self._left = world, order
        self._running = cumulative(world.answer_probabilities)

    @property
    def tables(self) -> Tables:
        """Those of the world."""
        return self._world.tables

    @property
    def streams(self) -> Sequence[str]:
        """As in the world; the first only says what users want."""
        return self._world.streams

    def tape(
        self, users: Vector, accept: Vector, pay: Vector, correct: Vector | None = None, slip: Vector | None = None
    ) -> Tape:
        """The next contexts, as many as are left."""
        if len(self._left) == 0:
            n = len(self._world.weights)
            raise InvalidInputError(f"this pass has {n} rounds and all were played; ask for no more than {n}")
        contexts, self._left = np.split(self._left, [len(users)])
        n = len(contexts)
        answers = draw(self._running[contexts], users[:n])
        return Tape(self.tables, contexts, answers, accept, pay, correct, slip).cut(0, n)
