"""What every learner keeps the same way: its ledger, its generator, which answers it takes, how it is saved."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions, Vector
from typeover.core.decision import Decision
from typeover.core.feedback import Feedback
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.state import State, check_header, header
from typeover.errors import StateError
from typeover.learners.checks import check_answer, check_audit, check_parts, check_policies
from typeover.learners.ledger import Ledger
from typeover.learners.rounds import check_deltas
from typeover.learners.stamping import amendments
from typeover.policies.mixture import check_identity, identity
from typeover.rng import freeze, generator, thaw

Words = dict[str, Any]
Arrays = Mapping[str, NDArray[Any]]


class Keeping(abc.ABC):
    """Saved as settings, words and arrays; goes on exactly there, with the parts that a state cannot hold."""

    thing: ClassVar[str]
    """The name that its saved states carry."""
    settings: Any
    loss: SurrogateLoss | None

    def __init__(
        self, *, policies: Policies, parts: Mapping[str, Any], seed: int | None, rng: np.random.Generator | None
    ) -> None:
        """`parts` are those that a state cannot hold; None: not given."""
        self.policies = check_policies(policies)
        self._parts = [name for name, part in parts.items() if part is not None]
        self._rng = generator(seed, rng, self.thing)
        self._ledger = Ledger()
        self._is_torn = False  # a tape was left in the middle

    @abc.abstractmethod
    def _learn(self, decision: Decision, feedback: Feedback) -> None:
        """The first answer to a round; it either teaches in full or, refused, nothing."""

    @abc.abstractmethod
    def _amend(self, decision: Decision, accept: Feedback, correction: Feedback) -> None:
        """Take back what the accept had taught and learn the correction; refused, nothing changes."""

    @abc.abstractmethod
    def _words(self) -> Words:
        """What else is saved, in plain values."""

    @abc.abstractmethod
    def _arrays(self) -> Arrays:
        """What is learnt."""

    @abc.abstractmethod
    def _restore(self, words: Words, arrays: Arrays) -> None:
        """Take both back."""

    def learn(self, decision: Decision, feedback: Feedback) -> None:
        """Take the first answer to a decision, with the probabilities of that decision.

        A correction after an accept is an amendment: it ends as if it had come instead. It may come once, to one of
        the last 131,072 rounds (`ledger.MOST_AMENDABLE`). Any other second answer is counted as repeated and left out.
        """
        check_answer(decision, feedback)
        ledger = self._ledger
        if ledger.is_open(decision):
            check_audit(decision, feedback)
            self._learn(decision, feedback)
            ledger.answered(decision, feedback)
        elif (accept := ledger.amendable(decision, feedback)) is not None:
            loss = float(self._told(decision, feedback)[decision.index])
            self._amend(decision, accept, feedback)
            ledger.amended(decision, loss)
        else:
            ledger.counts["repeated"] += 1

    def state(self) -> State:
        """Settings, counts, what is learnt, and the generator."""
        words = {
            "set": identity(self.policies),
            "parts": self._parts,
            "settings": msgspec.to_builtins(self.settings, enc_hook=np.generic.item),
            "rng": freeze(self._rng),
            "ledger": self._ledger.plain(),
        }
        arrays = {name: values.copy() for name, values in self._arrays().items()} | self._ledger.arrays()
        return State(json=header(self.thing, 1) | words | self._words(), arrays=arrays)

    @classmethod
    def from_state(cls, state: State, *, policies: Policies, **parts: Any) -> Self:
        """Go on exactly there, with the same policies; `parts` are what a state cannot hold: the loss, functions."""
        check_header(state.json, cls.thing, 1)
        try:
            words = state.json
            check_identity(words["set"], policies)
            check_parts(set(words["parts"]), {name for name, part in parts.items() if part is not None})
            learner = cls(policies=policies, rng=thaw(words["rng"]), **words["settings"], **parts)
            learner._ledger = Ledger.from_plain(words["ledger"], state.arrays)
            learner._restore(words, state.arrays)
        except (KeyError, TypeError, IndexError) as error:
            raise StateError(
                f"the state of this {cls.thing} is damaged ({error!r}); load it again from its file"
            ) from error
        return learner

    def _counted(self) -> dict[str, Any]:
        """The figures that are the same for every learner."""
        return self._ledger.figures() | amendments(self._ledger, has_loss=self.loss is not None)

    def _told(self, decision: Decision, feedback: Feedback) -> Vector:
        """Delta of every candidate to what was entered, or else to what was suggested: an accept taken at its word."""
        answer = feedback.answer if feedback.revealed else decision.round.actions[decision.suggestion]
        return self._distances(decision.round.actions, answer, decision.round.context)

    def _distances(self, candidates: Actions, answer: Any, context: Any) -> Vector:
        """Delta of every candidate to an answer; 0 without a loss."""
        if self.loss is None:
            return np.zeros(len(candidates))
        return check_deltas(self.loss.deltas(candidates, answer, context), candidates, answer)

    def _check_whole(self) -> None:
        """Refuse to go on after an exception in the middle of a tape."""
        if self._is_torn:
            raise StateError(
                f"this {self.thing} was interrupted in the middle of a tape, so its sums are incomplete; "
                "go on from a saved state"
            )


def replace(
    teach: Callable[[Vector, Vector, Vector], None], accepted: Vector, entered: Vector, sums: Vector, book: Vector
) -> None:
    """Take back what `teach(deltas, sums, book)` had added for an accept, then teach the correction.

    Sums are additive, and what an answer adds does not depend on them: it adds the same to empty ones. What is no sum,
    such as the policy of least estimate, the correction finds anew. The last row of `sums` is of squares, or at least
    of terms not below 0: what rounding leaves below 0 there would have no root.
    """
    from typeover.kernels.shared import PLAYED_SQUARES

    lesson, counts = np.zeros_like(sums), np.zeros_like(book)
    teach(accepted, lesson, counts)
    np.subtract(sums, lesson, out=sums)
    np.subtract(book, counts, out=book)
    np.maximum(sums[-1], 0.0, out=sums[-1])
    book[PLAYED_SQUARES] = max(0.0, book[PLAYED_SQUARES])
    teach(entered, sums, book)
