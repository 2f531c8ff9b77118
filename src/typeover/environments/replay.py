"""Try any learner on a log of rounds whose propensities are known, by rejection (Li et al., 2011).

A logged round with audit probability gamma and propensities p was an audit with q(audit) = gamma, and showed a with
q(a) = (1 - gamma) p(a). It counts if the learner decides the same thing d, and a coin falls right:

    P(counts | x, d) = q(d) min(1, c / q(d)) = min(q(d), c),        weight w = max(1, c / q(d)).

Where no q(d) lies below the floor c, every round counts with the same probability, whatever x and d are: the learner
meets users as it would have met them, only fewer (with uniform logging and c = 1/K, the plain rule: count if they
match). Below c the stream that the learner sees is thinned where the log was thin; the weights repair the sums, since
P(counts) w = c for every q(d) > 0, but not what was learnt. Where q(d) = 0 nothing repairs anything. So

    reward = 1/(c n) sum over counted rounds of w_t r_t      is unbiased for a learner that does not learn.

A learner that learns hears of the counted rounds only; the others stay open to it, as if answers had never come, so its
schedules by round number run ahead of what it has heard. What users would have typed where they accepted stands in no
log: regret cannot be counted, and of fidelity only audits speak, all of them, counted or not:

    fidelity_loss = sum (Z_t / gamma_t) <p_t of the learner, Delta(., answer_t)> / sum (Z_t / gamma_t).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions, Vector
from typeover.core.decision import Decision
from typeover.core.feedback import Feedback, Outcome
from typeover.core.inputs import chance
from typeover.core.protocols import Learner, SurrogateLoss
from typeover.errors import InvalidInputError
from typeover.rng import generator


class LoggedRound(Protocol):
    """What replay needs of a log's entry."""

    @property
    def context(self) -> Any:
        """What was known."""
        ...

    @property
    def actions(self) -> Actions:
        """The candidates."""
        ...

    @property
    def index(self) -> int:
        """The place of what was shown; -1: nothing."""
        ...

    @property
    def propensities(self) -> Sequence[float] | None:
        """What the suggestion was drawn from; None: not known."""
        ...

    @property
    def revealing(self) -> bool:
        """Whether it was an audit."""
        ...

    @property
    def audit_probability(self) -> float:
        """With which probability it was made one."""
        ...

    def feedback(self) -> Feedback | None:
        """What the user did; None: nothing came."""
        ...

    def amendment(self) -> Feedback | None:
        """The correction that came after an accept; None: none did."""
        ...


class Odds(NamedTuple):
    """How a decision of the learner fares on a logged round."""

    logged: float
    """q(d): how likely the log was to do the same."""
    chance: float
    """With which the round counts; 0 if the log did something else."""
    weight: float
    """What it weighs if it does."""


class _Counted(NamedTuple):
    place: int
    reward: float
    weight: float
    kind: str


class Replayed(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What the log says about a learner."""

    rounds: int
    """n: logged rounds that were put to the learner."""
    skipped: int
    """Without propensities, or without an answer; sound only if answers are missing at random."""
    floor: float
    """c."""
    below: int
    """Rounds with 0 < q(d) < c: where they are many, the learner has learnt from a thinned stream."""
    impossible: int
    """Rounds with q(d) = 0: nothing in the log tells what users would have done."""
    places: NDArray[np.int64]
    """Which of the log's rounds counted, from 0."""
    rewards: Vector
    """Observed in them, before any amendment; 0 on audits."""
    weights: Vector
    accepted: int
    corrections: int
    """Volunteered, in rounds that counted."""
    audits: int
    """That counted."""
    fidelity_loss: float
    """Estimated from every answered audit of the log; NaN without one, or without a loss."""

    @property
    def reward(self) -> float:
        """Reward per round, unbiased for a learner that does not learn if none was `impossible`."""
        return float(self.weights @ self.rewards) / (self.floor * self.rounds)

    @property
    def reward_of_counted(self) -> float:
        """Reward per counted round: not exactly unbiased, but of less variance; NaN if none counted."""
        total = float(self.weights.sum())
        return float(self.weights @ self.rewards) / total if total else float("nan")


def replay(
    entries: Iterable[LoggedRound],
    learner: Learner,
    *,
    loss: SurrogateLoss | None = None,
    floor: float | None = None,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
) -> Replayed:
    """Put the log's rounds to the learner in their order; `floor` is c, left out: the least positive q of the log.

    A log with rare audits or rare suggestions has a small c, and few of its rounds count: a larger `floor` lets more
    count, and `below` says how many were thinned. For a learner that never asks, the log's audits need not count for c.
    `entries` are those of `typeover.logs.read`, or anything with the same names.
    """
    log, coin = list(entries), generator(seed, rng, "replay")
    answered = [
        (t, entry, feedback)
        for t, entry in enumerate(log)
        if entry.propensities is not None and (feedback := entry.feedback()) is not None
    ]
    if not answered:
        raise InvalidInputError(f"none of the {len(log)} entries has propensities and an answer; replay needs both")
    c = least(entry for _, entry, _ in answered) if floor is None else chance("floor", floor, meaning="c, see replay")
    below = impossible = 0
    counted: list[_Counted] = []
    audited: list[tuple[float, float]] = []
    for t, entry, feedback in answered:
        decision = learner.decide(entry.context, entry.actions)
        it = odds(entry, decision, c)
        below, impossible = below + (0 < it.logged < c), impossible + (it.logged == 0)
        if loss is not None and entry.revealing and feedback.answer is not None and entry.audit_probability > 0:
            deltas = loss.deltas(entry.actions, feedback.answer, entry.context)
            audited.append((1 / entry.audit_probability, float(decision.propensities @ deltas)))
        if coin.random() < it.chance:
            learner.learn(decision, feedback)
            if (amendment := entry.amendment()) is not None:
                learner.learn(decision, amendment)
            counted.append(_Counted(t, feedback.reward, it.weight, "audit" if entry.revealing else feedback.outcome))
    kinds = Counter(one.kind for one in counted)
    return Replayed(
        rounds=len(answered),
        skipped=len(log) - len(answered),
        floor=c,
        below=below,
        impossible=impossible,
        places=np.array([one.place for one in counted], dtype=np.int64),
        rewards=np.array([one.reward for one in counted]),
        weights=np.array([one.weight for one in counted]),
        accepted=kinds[Outcome.ACCEPTED],
        corrections=kinds[Outcome.CORRECTED],
        audits=kinds["audit"],
        fidelity_loss=_mean(audited),
    )


def odds(entry: LoggedRound, decision: Decision, floor: float) -> Odds:
    """The equations above, for one round."""
    logged = _options(entry)[-1 if decision.revealing else decision.index]
    matches = decision.revealing == entry.revealing and decision.index == entry.index
    if logged == 0:
        return Odds(0.0, 0.0, 0.0)
    return Odds(logged, matches * min(1.0, floor / logged), max(1.0, floor / logged))


def least(entries: Iterable[LoggedRound]) -> float:
    """The least positive q(d) of a log; 0 for no entry."""
    return min((q for entry in entries for q in _options(entry) if q > 0), default=0.0)


def _options(entry: LoggedRound) -> list[float]:
    """q(a) of each candidate, then q(audit)."""
    gamma = entry.audit_probability
    return [*((1 - gamma) * p for p in entry.propensities or ()), gamma]


def _mean(weighted: list[tuple[float, float]]) -> float:
    weights, values = np.array(weighted).reshape(-1, 2).T
    return float(weights @ values / weights.sum()) if len(weights) else float("nan")
