"""Learners that decide by one fixed rule until the next boundary, then publish another.

Algorithm 1 and the baselines are of this kind. Asked round by round or played a stretch at a time on a tape, they draw
the same uniforms and add the same numbers in the same order, so both give the same decisions bit for bit.
"""

from __future__ import annotations

import abc
from collections import Counter
from typing import Any, ClassVar, NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions, Vector
from typeover.core.decision import Decision, Round, check_actions
from typeover.core.draw import cumulative, draw
from typeover.core.feedback import Feedback, Outcome
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.state import State, check_header, header
from typeover.core.tape import Plays, Responses, Tables, Tape
from typeover.errors import InvalidInputError, StateError
from typeover.learners.rounds import Bound, Heard, Revealing, bind, heard, place
from typeover.learners.settings import Settings
from typeover.policies import Mixture
from typeover.policies.mixture import check_identity, identity, spread
from typeover.rng import freeze, generator, thaw

FOR_GOOD = 2**62
"""The last round of a stage that has no end."""


class Stage(NamedTuple):
    """One fixed way to decide."""

    last: int
    """The last round decided this way."""
    mixture: Mixture | None
    """None: uniform over the candidates."""
    revealing: bool = False


class Stagewise(abc.ABC):
    """Stages, counting and state; what a stage learns and what comes next is the subclass's."""

    thing: ClassVar[str]
    """The name that its saved states carry."""

    def __init__(
        self, *, policies: Policies, loss: SurrogateLoss | None, settings: Settings, revealing: Revealing = None,
        seed: int | None, rng: np.random.Generator | None,
    ) -> None:  # fmt: skip
        if not isinstance(policies, Policies) or len(policies) == 0:
            raise InvalidInputError(
                f"policies is {policies!r:.80}; it must be a set of at least one policy: typeover.PolicySet([...])"
            )
        self.policies = policies
        self.loss = loss
        self.settings = settings
        self._revealing = revealing
        self._parts = [name for name, part in (("loss", loss), ("revealing", revealing)) if part is not None]
        """What was given that a state cannot hold."""
        self._rng = generator(seed, rng, self.thing)
        self._rounds = 0
        self._version = 0
        self._is_stale = False  # an answer came after the learner had committed
        self._open: set[int] = set()
        self._counts: Counter[str] = Counter()
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
        check_actions(actions)
        number = self._rounds + 1
        self._advance(number)
        propensities = self._propensities(context, actions)
        audited = place(self._revealing, context, actions) if self._stage.revealing else None
        suggestion = int(draw(cumulative(propensities), self._rng.random()))
        index = suggestion if audited is None else audited
        self._rounds = number
        self._open.add(number)
        self._counts["audits"] += self._stage.revealing
        return Decision(
            round=Round(number, context, tuple(actions)),  # the caller may change the list before a late answer
            action=actions[index] if index >= 0 else None,
            index=index,
            suggestion=suggestion,
            propensities=propensities,
            revealing=self._stage.revealing,
            audit_probability=float(self._stage.revealing),
            version=self._version,
        )

    def learn(self, decision: Decision, feedback: Feedback) -> None:
        """Take the first answer to a decision; a second one is counted as repeated and left out."""
        number = decision.round.number
        if not 1 <= number <= self._rounds:
            raise InvalidInputError(
                f"round {number} was not decided here (the last was {self._rounds}); learn from your own decisions only"
            )
        if number not in self._open:
            self._counts["repeated"] += 1
            return
        if self._is_learning(number):
            self._absorb(heard(decision, feedback, self.policies, self.loss))
            self._is_stale |= self._stage.last == FOR_GOOD
        self._open.remove(number)
        kind = "audit " if decision.revealing else ""
        self._counts[kind + feedback.outcome.value] += 1

    def play(self, tape: Tape) -> Plays:
        """Decide and learn on every round of the tape, a stage at a time."""
        bound = self._bind(tape.tables)
        n, parts, start = len(tape.contexts), [], 0
        while start < n:
            self._advance(self._rounds + 1)
            stop = min(n, start + self._stage.last - self._rounds)
            parts.append(self._play_stage(tape.cut(start, stop), bound))
            start = stop
        columns = [np.concatenate(column) for column in zip(*(part[:3] for part in parts), strict=True)]
        responses = Responses(
            *(np.concatenate(column) for column in zip(*(part.responses for part in parts), strict=True))
        )
        return Plays(columns[0], columns[1], columns[2], responses)

    def figures(self) -> dict[str, Any]:
        """Counts, the accepted share, and what this learner has found."""
        counts = self._counts
        decided = counts[Outcome.ACCEPTED] + counts[Outcome.CORRECTED] + counts[Outcome.DISMISSED]
        return {
            "rounds": self._rounds,
            "audits": counts["audits"],
            "unanswered_audits": counts["audits"] - counts["audit " + Outcome.CORRECTED],
            "accepted": counts[Outcome.ACCEPTED],
            "corrections": counts[Outcome.CORRECTED],
            "dismissals": counts[Outcome.DISMISSED],
            "unobserved": counts[Outcome.UNOBSERVED],
            "unanswered": len(self._open),
            "repeated": counts["repeated"],
            "accepted_share": counts[Outcome.ACCEPTED] / decided if decided else None,
            "version": self._version,
        } | self._own_figures()

    def state(self) -> State:
        """Settings, counts, sums, what is being played, and the generator."""
        mixture = self._stage.mixture
        arrays: dict[str, NDArray[Any]] = {f"sum.{name}": values.copy() for name, values in self._sums.items()}
        if mixture is not None:
            arrays |= {"support": mixture.support, "weights": mixture.weights}
        words = {
            "set": identity(self.policies),
            "parts": self._parts,
            "settings": msgspec.to_builtins(self.settings, enc_hook=np.generic.item),
            "rng": freeze(self._rng),
            "rounds": self._rounds,
            "published": self._version,
            "is_stale": self._is_stale,
            "open": sorted(self._open),
            "counts": dict(+self._counts),
            "answered": dict(self._answered),
            "stage": {"last": self._stage.last, "revealing": self._stage.revealing},
        }
        return State(json=header(self.thing, 1) | words, arrays=arrays)

    @classmethod
    def from_state(cls, state: State, *, policies: Policies, **parts: Any) -> Self:
        """Go on exactly there, with the same policies; `parts` are what a state cannot hold: the loss, functions."""
        check_header(state.json, cls.thing, 1)
        check_identity(state.json["set"], policies)
        if lost := {name for name in state.json["parts"] if parts.get(name) is None}:
            raise StateError(
                f"state was saved by a learner with {', '.join(sorted(lost))}, which it cannot hold; pass the same "
                f"again: from_state(state, policies=..., {', '.join(f'{name}=...' for name in sorted(lost))})"
            )
        learner = cls(policies=policies, rng=thaw(state.json["rng"]), **state.json["settings"], **parts)
        learner._restore(state)
        return learner

    def _restore(self, state: State) -> None:
        words = state.json
        self._rounds, self._version = words["rounds"], words["published"]
        self._is_stale = words["is_stale"]
        self._open = set(words["open"])
        self._counts, self._answered = Counter(words["counts"]), Counter(words["answered"])
        self._sums = {name[4:]: values.copy() for name, values in state.arrays.items() if name.startswith("sum.")}
        mixture = None
        if "support" in state.arrays:
            mixture = Mixture(self.policies, support=state.arrays["support"], weights=state.arrays["weights"])
        self._stage = Stage(words["stage"]["last"], mixture, words["stage"]["revealing"])

    def _advance(self, number: int) -> None:
        """Publish the next stage when the one in force has ended or has learnt something late."""
        if number <= self._stage.last and not self._is_stale:
            return
        self._is_stale = False
        self._stage = self._next_stage(number)
        self._version += 1

    def _propensities(self, context: Any, actions: Actions) -> Vector:
        if self._stage.mixture is None:
            return np.full(len(actions), 1.0 / len(actions))
        return self._stage.mixture.propensities(context, actions)

    def _bind(self, tables: Tables) -> Bound:
        """The world that is being played, worked out once."""
        if self._bound is None or self._bound.tables is not tables:
            self._bound = bind(tables, self.policies, self.loss, self._revealing)
        return self._bound

    def _play_stage(self, tape: Tape, bound: Bound) -> Plays:
        """A stretch within one stage."""
        from typeover.kernels.draws import draw_rows

        n, n_actions, stage = len(tape.contexts), bound.deltas.shape[2], self._stage
        uniforms = self._rng.random(n)
        if stage.mixture is None:
            suggestions = draw(cumulative(np.full(n_actions, 1.0 / n_actions)), uniforms)
        else:
            votes = bound.votes[:, stage.mixture.support]
            suggestions = draw_rows(
                cumulative(spread(votes, stage.mixture.weights, n_actions)), tape.contexts, uniforms
            )
        shown = bound.revealing[tape.contexts] if stage.revealing else suggestions
        revealing = np.full(n, stage.revealing)
        responses = tape.respond(shown, revealing)
        if self._is_learning(self._rounds + 1):
            deltas = bound.deltas[tape.contexts, responses.entered]  # another one's row where nothing was entered
            self._absorb(
                Heard(
                    self._rounds + 1, bound.votes, tape.contexts, suggestions, n_actions, responses.rewards,
                    responses.revealed, deltas,
                )
            )  # fmt: skip
        self._rounds += n
        accepted = int(np.count_nonzero(responses.accepted))
        dismissed = int(np.count_nonzero(~responses.accepted & ~responses.revealed))
        kind = "audit " if stage.revealing else ""
        self._counts.update(
            {
                "audits": n * stage.revealing,
                kind + Outcome.ACCEPTED: accepted,
                kind + Outcome.CORRECTED: n - accepted - dismissed,
                kind + Outcome.DISMISSED: dismissed,
            }
        )
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
