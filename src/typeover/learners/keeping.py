"""What every learner keeps the same way: its ledger, its generator, and how it is saved and goes on."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.protocols import Policies
from typeover.core.state import State, check_header, header
from typeover.errors import StateError
from typeover.learners.checks import check_parts, check_policies
from typeover.learners.ledger import Ledger
from typeover.policies.mixture import check_identity, identity
from typeover.rng import freeze, generator, thaw

Words = dict[str, Any]
Arrays = Mapping[str, NDArray[Any]]


class Keeping(abc.ABC):
    """Saved as settings, words and arrays; goes on exactly there, with the parts that a state cannot hold."""

    thing: ClassVar[str]
    """The name that its saved states carry."""
    settings: Any

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
    def _words(self) -> Words:
        """What else is saved, in plain values."""

    @abc.abstractmethod
    def _arrays(self) -> Arrays:
        """What is learnt."""

    @abc.abstractmethod
    def _restore(self, words: Words, arrays: Arrays) -> None:
        """Take both back."""

    def state(self) -> State:
        """Settings, counts, what is learnt, and the generator."""
        words = {
            "set": identity(self.policies),
            "parts": self._parts,
            "settings": msgspec.to_builtins(self.settings, enc_hook=np.generic.item),
            "rng": freeze(self._rng),
            "ledger": self._ledger.plain(),
        }
        arrays = {name: values.copy() for name, values in self._arrays().items()}
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
            learner._ledger = Ledger.from_plain(words["ledger"])
            learner._restore(words, state.arrays)
        except (KeyError, TypeError, IndexError) as error:
            raise StateError(
                f"the state of this {cls.thing} is damaged ({error!r}); load it again from its file"
            ) from error
        return learner

    def _check_whole(self) -> None:
        """Refuse to go on after an exception in the middle of a tape."""
        if self._is_torn:
            raise StateError(
                f"this {self.thing} was interrupted in the middle of a tape, so its sums are incomplete; "
                "go on from a saved state"
            )
