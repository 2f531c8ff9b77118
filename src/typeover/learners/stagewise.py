"""Learners that decide by one fixed rule until the next boundary, then publish another.

Algorithm 1 and the baselines are of this kind. Asked round by round or played a stretch at a time on a tape, they draw
the same uniforms and add the same numbers in the same order, so both give the same decisions bit for bit.
"""

from __future__ import annotations

import abc
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from typeover.core.arrays import Actions, Vector, Votes
from typeover.core.decision import Decision, Round, check_actions
from typeover.core.draw import cumulative, draw
from typeover.core.feedback import Feedback
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Plays, Responses, Tables, Tape
from typeover.learners.checks import votes_of
from typeover.learners.keeping import Arrays, Keeping, Words
from typeover.learners.rounds import Bound, Heard, Revealing, bind, heard, likeliest, place
from typeover.learners.settings import Settings
from typeover.policies import Mixture
from typeover.policies.mixture import spread

FOR_GOOD = 2**62
"""The last round of a stage that has no end."""


class Stage(NamedTuple):
    """One fixed way to decide."""

    last: int
    """The last round decided this way."""
    mixture: Mixture | None
    """None: uniform over the candidates."""
    revealing: bool = False
    """Every round is an audit."""
    found: Mapping[str, Any] = MappingProxyType({})
    """How it was found, in plain values, for figures: what was known when it was published."""
    uniform_share: float = 0.0
    """The share of rounds that play any candidate instead of the mixture."""
    audit_probability: float = 0.0
    """With which probability a round is made an audit, apart from its suggestion; one more uniform decides."""
    anchor: int = -1
    """The policy whose choice stands in for the answer until an audit tells it; -1: none."""

    @property
    def asks(self) -> float:
        """gamma: the probability that a round is an audit."""
        return 1.0 if self.revealing else self.audit_probability

    @property
    def is_drawn(self) -> bool:
        """Whether chance decides what is an audit."""
        return 0.0 < self.asks < 1.0


class Stagewise(Keeping):
    """Stages, counting and state; what a stage learns and what comes next is the subclass's."""

    is_trusting: ClassVar[bool] = False
    """Whether it takes an accept for an answer."""

    def __init__(
        self, *, policies: Policies, loss: SurrogateLoss | None, settings: Settings, revealing: Revealing = None,
        seed: int | None, rng: np.random.Generator | None,
    ) -> None:  # fmt: skip
        super().__init__(policies=policies, parts={"loss": loss, "revealing": revealing}, seed=seed, rng=rng)
        self.loss = loss
        self.settings = settings
        self._revealing = revealing
        self._version = 0
        self._is_stale = False  # an answer came after the learner had committed
        self._sums: dict[str, Vector] = {}
        self._answered: Counter[str] = Counter()
        self._stage = self._next_stage(1)
        self._bound: Bound | None = None

    @abc.abstractmethod
    def _next_stage(self, number: int) -> Stage:
        """The stage that round `number` belongs to, from what was heard so far."""

    @abc.abstractmethod
    def _is_learning(self, number: int) -> bool:
        """Whether answers to this round teach the policies anything."""

    @abc.abstractmethod
    def _absorb(self, heard: Heard) -> None:
        """Add answers to the sums."""

    @abc.abstractmethod
    def _own_figures(self) -> dict[str, Any]:
        """What this learner shows beside the counts."""

    def decide(self, context: Any, actions: Actions) -> Decision:
        """Draw a suggestion; show it, unless the round is an audit."""
        candidates = check_actions(actions)  # the caller may change the list before a late answer
        number = self._ledger.rounds + 1
        self._advance(number)
        propensities, gamma = self._propensities(context, candidates), self._stage.asks
        audited = place(self._revealing, context, candidates) if gamma > 0 else None
        votes = votes_of(self.policies, context, candidates) if self._is_learning(number) else None
        control = self._control(context, candidates, votes)
        suggestion = int(draw(cumulative(propensities), self._rng.random()))
        revealing = bool(self._rng.random() < gamma) if self._stage.is_drawn else self._stage.revealing
        index = suggestion if audited is None or not revealing else audited
        return Decision(
            round=Round(self._ledger.decided(revealing=revealing), context, candidates),
            action=candidates[index] if index >= 0 else None,
            index=index,
            suggestion=suggestion,
            propensities=propensities,
            revealing=revealing,
            audit_probability=gamma,
            version=self._version,
            kept=control,
            recommended=votes,
        )

    def play(self, tape: Tape) -> Plays:
        """Decide and learn on every round of the tape, a stage at a time."""
        bound = self._bind(tape.tables)
        n, parts, start = len(tape.contexts), [], 0
        while start < n:
            self._advance(self._ledger.rounds + 1)
            stop = min(n, start + self._stage.last - self._ledger.rounds)
            parts.append(self._play_stage(tape.cut(start, stop), bound))
            start = stop
        columns = [np.concatenate(column) for column in zip(*(part[:3] for part in parts), strict=True)]
        responses = Responses(
            *(np.concatenate(column) for column in zip(*(part.responses for part in parts), strict=True))
        )
        return Plays(columns[0], columns[1], columns[2], responses)

    def figures(self) -> dict[str, Any]:
        """Counts, the accepted share, and what this learner has found."""
        return self._counted() | {"version": self._version} | self._own_figures()

    def _learn(self, decision: Decision, feedback: Feedback) -> None:
        if self._is_learning(decision.round.number):
            self._absorb(self._heard(decision, feedback))
            self._is_stale |= self._stage.last == FOR_GOOD

    def _amend(self, decision: Decision, accept: Feedback, correction: Feedback) -> None:
        if not self._is_learning(decision.round.number):
            return
        (new, came), (old, went) = (self._lesson(self._heard(decision, answer)) for answer in (correction, accept))
        for name in self._sums:
            self._sums[name] += new[name] - old[name]
        self._answered.update(came)
        self._answered.subtract(went)
        self._is_stale |= self._stage.last == FOR_GOOD

    def _heard(self, decision: Decision, feedback: Feedback) -> Heard:
        return heard(decision, feedback, self.loss, is_trusting=self.is_trusting)

    def _lesson(self, heard: Heard) -> tuple[dict[str, Vector], Counter[str]]:
        """What an answer adds to sums and counts: the same to empty ones as to any."""
        kept = self._sums, self._answered
        try:
            self._sums, self._answered = {name: np.zeros_like(values) for name, values in kept[0].items()}, Counter()
            self._absorb(heard)
            return self._sums, self._answered
        finally:
            self._sums, self._answered = kept

    def _words(self) -> Words:
        return {
            "published": self._version,
            "is_stale": self._is_stale,
            "answered": dict(self._answered),
            "stage": {
                "last": self._stage.last,
                "revealing": self._stage.revealing,
                "found": dict(self._stage.found),
                "uniform_share": self._stage.uniform_share,
                "audit_probability": self._stage.audit_probability,
                "anchor": self._stage.anchor,
            },
        }

    def _arrays(self) -> Arrays:
        mixture = self._stage.mixture
        sums = {f"sum.{name}": values for name, values in self._sums.items()}
        return sums if mixture is None else {**sums, "support": mixture.support, "weights": mixture.weights}

    def _restore(self, words: Words, arrays: Arrays) -> None:
        self._version, self._is_stale = words["published"], words["is_stale"]
        self._answered = Counter(words["answered"])
        self._sums = {name: arrays[f"sum.{name}"].copy() for name in self._sums}
        mixture = None
        if "support" in arrays:
            mixture = Mixture(self.policies, support=arrays["support"], weights=arrays["weights"])
        self._stage = Stage(mixture=mixture, **words["stage"])

    def _advance(self, number: int) -> None:
        """Publish the next stage when the one in force has ended or has learnt something late."""
        self._check_whole()
        if number <= self._stage.last and not self._is_stale:
            return
        self._is_stale = False
        self._stage = self._next_stage(number)
        self._version += 1

    def _propensities(self, context: Any, actions: Actions) -> Vector:
        if self._stage.mixture is None:
            return np.full(len(actions), 1.0 / len(actions))
        return self._mixed(self._stage.mixture.propensities(context, actions))

    def _mixed(self, propensities: Vector) -> Vector:
        """With the stage's share of uniform rounds."""
        share = self._stage.uniform_share
        return propensities if share == 0 else (1.0 - share) * propensities + share / propensities.shape[-1]

    def _control(self, context: Any, actions: Actions, votes: Votes | None) -> Vector | None:
        """h: Delta of every candidate to the anchor's."""
        if self._stage.anchor < 0 or votes is None or self.loss is None:
            return None
        anchor = actions[int(likeliest(votes[self._stage.anchor]))]
        return self._distances(actions, anchor, context)

    def _bind(self, tables: Tables) -> Bound:
        """The world that is being played, worked out once."""
        if self._bound is None or self._bound.tables is not tables:
            self._bound = bind(tables, self.policies, self.loss, self._revealing, is_trusting=self.is_trusting)
        return self._bound

    def _play_stage(self, tape: Tape, bound: Bound) -> Plays:
        """A stretch within one stage."""
        from typeover.kernels.draws import draw_rows

        n, n_actions, stage, contexts = len(tape.contexts), bound.deltas.shape[2], self._stage, tape.contexts
        self._is_torn = True  # until the end: an exception in between leaves sums and generator apart
        uniforms, revealing = self._rng.random(n * (1 + stage.is_drawn)), np.full(n, stage.revealing)
        if stage.is_drawn:  # action and audit in turn, as round by round
            uniforms, revealing = uniforms[::2].copy(), uniforms[1::2] < stage.asks
        if stage.mixture is None:
            row = np.full(n_actions, 1.0 / n_actions)
            suggestions = draw(cumulative(row), uniforms)
            probabilities = row[suggestions]
        else:
            table = self._mixed(spread(bound.votes[:, stage.mixture.support], stage.mixture.weights, n_actions))
            suggestions = draw_rows(cumulative(table), contexts, uniforms)
            probabilities = table[contexts, suggestions]
        shown = np.where(revealing, bound.revealing[contexts], suggestions)
        responses = tape.respond(shown, revealing)
        if self._is_learning(self._ledger.rounds + 1):
            self._absorb(
                Heard(
                    first=self._ledger.rounds + 1,
                    votes=bound.votes,
                    contexts=contexts,
                    suggestions=suggestions,
                    n_actions=n_actions,
                    rewards=responses.rewards,
                    revealed=responses.revealed,
                    accepted=responses.accepted,
                    deltas=bound.told(contexts, suggestions, responses),
                    probabilities=probabilities,
                    revealing=revealing,
                    audit_probabilities=np.full(n, stage.asks),
                    control=bound.control(stage.anchor, contexts),
                )
            )
        self._ledger.played(responses, revealing)
        self._is_torn = False
        return Plays(suggestions, shown, revealing, responses)


def joined(parts: list[Plays]) -> Plays:
    """Stretches played one after the other, as one."""
    if len(parts) == 1:
        return parts[0]
    return Plays(
        suggestions=np.concatenate([part.suggestions for part in parts]),
        shown=np.concatenate([part.shown for part in parts]),
        revealing=np.concatenate([part.revealing for part in parts]),
        responses=Responses(
            accepted=np.concatenate([part.responses.accepted for part in parts]),
            rewards=np.concatenate([part.responses.rewards for part in parts]),
            revealed=np.concatenate([part.responses.revealed for part in parts]),
            entered=np.concatenate([part.responses.entered for part in parts]),
        ),
    )
