"""A world of finitely many contexts, candidates and answers, in which every expectation is exact.

x ~ weights (X,) · answer j ~ P(j | x) (X, J) · candidate a is accepted with P(a | x, j), then paid its reward, else
typed over with j, unless the user enters nothing or slips · Delta(a, j; x) the surrogate loss; acceptance, rewards and
losses of shape (X, K, J). Every expectation is about the answer that is wanted, whatever was entered.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeover.core.arrays import Actions, Vector
from typeover.core.decision import check_actions, check_distinct
from typeover.core.draw import cumulative
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Tables, Tape
from typeover.environments.benchmark import Benchmark
from typeover.environments.session import WorldSession
from typeover.environments.users import User, conduct
from typeover.errors import InvalidInputError
from typeover.policies import by_context

ROW_SUM = 1e-6
"""How far probabilities may be from summing to 1 through rounding."""


class TabularWorld:
    """Contexts, candidates and answers by name; what they cost and pay as arrays."""

    def __init__(
        self,
        *,
        contexts: Sequence[Any],
        actions: Sequence[Any],
        answers: Sequence[Any],
        answer_probabilities: ArrayLike,
        losses: ArrayLike,
        rewards: ArrayLike,
        user: User,
        weights: ArrayLike | None = None,
        is_coin: bool = True,
        is_told: bool = False,
        loss: SurrogateLoss | None = None,
    ) -> None:
        """`actions` is one list for all contexts, or a list of lists, equally long; so is `answers`.

        Shapes, for X contexts, K candidates, J answers: `answer_probabilities` (X, J), `losses` (X, K, J) = Delta of a
        candidate to an answer, `rewards` (X, K, J) or (X, K) = mean reward where accepted, `weights` (X,). With
        `is_told` every round tells the answer, accepted or not (`Feedback.told`); rejections are then corrected.
        `loss` is what learners compute the same losses with; left out, they look them up in `losses`.
        """
        n = len(contexts)
        own, wanted = _per_context("actions", actions, n), _per_context("answers", answers, n)
        shape = (n, len(own[0]), len(wanted[0]))
        self.weights = _distributions("weights", np.full(n, 1.0 / max(n, 1)) if weights is None else weights, (n,))
        self.answer_probabilities = _distributions("answer_probabilities", answer_probabilities, (shape[0], shape[2]))
        self.losses = _unit("losses", losses, shape)
        self.user, self._loss = user, loss
        accepts, corrects, enters = conduct(user, self.losses, _matches(own, wanted))
        entering = None if enters is None else _distributions("what the user enters", enters, (n, shape[2], shape[2]))
        self.tables = Tables(
            contexts, own, wanted, _unit("the user's acceptance", accepts, shape), _unit("rewards", rewards, shape),
            is_coin, None if corrects is None else _unit("how often the user corrects", corrects, shape),
            None if entering is None else cumulative(entering), is_told,
        )  # fmt: skip
        joint = (self.weights[:, None] * self.answer_probabilities).ravel()
        self._running = np.cumsum(joint)
        self._running[self._running >= self._running[-1]] = np.inf  # closed at 1, whatever rounding did

    @property
    def loss(self) -> SurrogateLoss:
        """Delta of this world, for learners."""
        return WorldLoss(self) if self._loss is None else self._loss

    def with_user(self, user: User) -> TabularWorld:
        """The same world with other users in it."""
        return self.but(user=user)

    def but(
        self, *, user: User | None = None, rewards: ArrayLike | None = None, is_told: bool | None = None
    ) -> TabularWorld:
        """The same world with other users, other rewards, or answers that are told; what is left out stays."""
        tables = self.tables
        return TabularWorld(
            contexts=tables.contexts, actions=tables.actions, answers=tables.answers, losses=self.losses,
            answer_probabilities=self.answer_probabilities, weights=self.weights, is_coin=tables.is_coin,
            user=self.user if user is None else user, rewards=tables.rewards if rewards is None else rewards,
            is_told=tables.is_told if is_told is None else is_told, loss=self._loss,
        )  # fmt: skip

    @property
    def streams(self) -> Sequence[str]:
        """The names of what is drawn in each round of this world."""
        names = ["users", "accept", "pay"]
        if self.tables.correction is not None:
            names.append("correct")
        if self.tables.entering is not None:
            names.append("slip")
        return names

    @functools.cached_property
    def expected_rewards(self) -> Vector:
        """E[r | x, a] as observed, 0 when typed over: shape (X, K)."""
        observed = self.tables.acceptance * self.tables.rewards
        expected: Vector = np.einsum("xj,xaj->xa", self.answer_probabilities, observed)
        return expected

    @functools.cached_property
    def expected_losses(self) -> Vector:
        """E[Delta(a, answer; x) | x, a]: shape (X, K)."""
        expected: Vector = np.einsum("xj,xaj->xa", self.answer_probabilities, self.losses)
        return expected

    def values(self, policies: Policies) -> tuple[Vector, Vector]:
        """E[r(pi)] and E[Delta(pi)] of each policy, exactly."""
        return self._values(by_context(policies, self.tables.contexts, self.tables.actions))

    def benchmark(self, policies: Policies, tolerance: float) -> Benchmark:
        """The best feasible policy and mixture, and what they earn in each context."""
        votes = by_context(policies, self.tables.contexts, self.tables.actions)
        rewards, losses = self._values(votes)
        return Benchmark.build(rewards, losses, tolerance, votes, self.expected_rewards, self.expected_losses)

    def session(self, *, seed: int, policies: Policies, tolerance: float) -> WorldSession:
        """A fresh pass; the same seed gives the same users to every learner."""
        return WorldSession(self, self.benchmark(policies, tolerance), seed=seed)

    def cells(self, uniforms: Vector) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Contexts and answers, drawn jointly from one uniform each."""
        flat = np.searchsorted(self._running, uniforms, side="right")
        contexts, answers = np.divmod(flat, self.answer_probabilities.shape[1])
        return contexts.astype(np.int32), answers.astype(np.int32)

    def tape(
        self, users: Vector, accept: Vector, pay: Vector, correct: Vector | None = None, slip: Vector | None = None
    ) -> Tape:
        """The rounds that these uniforms make; the last two where `streams` names them."""
        return Tape(self.tables, *self.cells(users), accept, pay, correct, slip)

    def _values(self, votes: NDArray[Any]) -> tuple[Vector, Vector]:
        from typeover.kernels.sums import add_chosen

        contexts = np.arange(len(votes), dtype=np.int32)
        sums = []
        for table in (self.expected_rewards, self.expected_losses):
            total = np.zeros(votes.shape[1])
            add_chosen(total, votes, contexts, self.weights[:, None] * table)
            sums.append(total)
        return sums[0], sums[1]


class WorldLoss:
    """Delta of a tabular world, looked up."""

    def __init__(self, world: TabularWorld) -> None:
        self.table = world.losses
        check_distinct(world.tables.contexts, "contexts")  # one that stands twice would get the loss of the other
        self._contexts = {context: x for x, context in enumerate(world.tables.contexts)}
        self._tables = world.tables

    def deltas(self, actions: Actions, answer: Any, context: Any) -> Vector:
        """One row of the table; only this world's candidates and answers are known."""
        x = self._contexts.get(context)
        if x is None or answer not in self._tables.answers[x] or list(actions) != list(self._tables.actions[x]):
            raise InvalidInputError(
                f"context {context!r}, answer {answer!r} with candidates {list(actions)[:8]!r} is not of this world; "
                "use the loss of the world that the rounds come from"
            )
        row: Vector = self.table[x, :, self._tables.answers[x].index(answer)]
        return row


def _per_context(name: str, lists: Sequence[Any], n_contexts: int) -> list[Actions]:
    """The candidates or answers of each context, checked; one list for all stays one object."""
    if n_contexts == 0:
        raise InvalidInputError("contexts is empty; a world needs at least one context")
    if not hasattr(lists, "__len__") or not len(lists) or not isinstance(lists[0], list | tuple | range):
        return [check_actions(lists, name)] * n_contexts
    lengths = sorted({len(check_actions(own, name)) for own in lists})
    if len(lists) != n_contexts or len(lengths) > 1:
        raise InvalidInputError(
            f"{name} holds {len(lists)} lists of {lengths} entries for {n_contexts} contexts; give one list for all "
            "contexts, or one per context, equally long"
        )
    known: dict[Actions, Actions] = {}
    own = [check_actions(entries, name) for entries in lists]
    return [known.setdefault(entries, entries) for entries in own]


def _matches(actions: Sequence[Actions], answers: Sequence[Sequence[Any]]) -> NDArray[np.bool_]:
    """Whether candidate a is answer j, in each context."""
    matches = np.zeros((len(actions), len(actions[0]), len(answers[0])), dtype=np.bool_)
    for x, (candidates, wanted) in enumerate(zip(actions, answers, strict=True)):
        places = {answer: j for j, answer in enumerate(wanted)}
        for a, candidate in enumerate(candidates):
            if (j := places.get(candidate)) is not None:
                matches[x, a, j] = True
    return matches


def _numbers(name: str, values: ArrayLike) -> Vector:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} is {values!r:.80}; it must be an array of numbers") from None


def _unit(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Vector:
    array = _numbers(name, values)
    if name == "losses" and array.shape == shape[:2] == shape[1:]:
        raise InvalidInputError(
            f"{name} has shape {array.shape}, which may be (contexts, candidates) or (candidates, answers); write "
            f"{name}[:, :, None] for the first, {name}[None] for the second"
        )
    if array.ndim == 2:
        array = array[:, :, None]  # the same for every answer
    try:
        array = np.ascontiguousarray(np.broadcast_to(array, shape))
    except ValueError:
        raise InvalidInputError(
            f"{name} has shape {array.shape}; it must fit (contexts, candidates, answers) = {shape}"
        ) from None
    if not ((array >= 0) & (array <= 1)).all():  # NaN fails too
        worst = array[~((array >= 0) & (array <= 1))][0]
        raise InvalidInputError(f"{name} contains {worst}; every entry must lie in [0, 1]")
    return array


def _distributions(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Vector:
    array = _numbers(name, values)
    if array.shape != shape:
        raise InvalidInputError(f"{name} has shape {array.shape}; it must be {shape}")
    sums = array.sum(axis=-1)
    if not ((array >= 0).all() and (np.abs(sums - 1) <= ROW_SUM).all()):
        raise InvalidInputError(
            f"{name} has entries from {array.min():g} and sums from {np.min(sums):g} to {np.max(sums):g}; entries must "
            "be at least 0 and sum to 1"
        )
    return array
