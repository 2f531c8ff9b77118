"""One policy: something that names a candidate, or gives each a probability, for many contexts at once.

    choose(contexts, actions)  ->  indices (n,), or probabilities (n, K)

Callables of that form are used as they are; classifiers, lookup tables and constants are adapted here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Action, Actions
from typeover.errors import InvalidInputError, nearest
from typeover.policies.names import checked_name


class Member(Protocol):
    """A policy in the form that sets call."""

    def __call__(self, contexts: Any, actions: Actions, /) -> Any:
        """Indices (n,) or probabilities (n, K)."""
        ...


class Constant:
    """Always the same candidate."""

    def __init__(self, action: Action) -> None:
        self.action = action
        self.__name__ = f"always {action}"

    def __call__(self, contexts: Any, actions: Actions, /) -> NDArray[np.int32]:
        """The place of the action, once per context."""
        return np.full(len(contexts), _place(self.action, actions, self.__name__), dtype=np.int32)


class Lookup:
    """A table from context to candidate, with a default for contexts that it lacks."""

    def __init__(self, table: Mapping[Any, Action], *, default: Action | None = None, name: str = "lookup") -> None:
        self.table = dict(table)
        self.default = default
        self.__name__ = checked_name(name)

    def __call__(self, contexts: Any, actions: Actions, /) -> NDArray[np.int32]:
        """The place of each context's action."""
        return np.array([_place(self._named(context), actions, self.__name__) for context in contexts], dtype=np.int32)

    def _named(self, context: Any) -> Action:
        try:
            found: Action | None = self.table.get(context, self.default)
        except TypeError:  # unhashable: no key of any table, so not even the default was meant
            found = None
        if found is None:
            raise InvalidInputError(
                f"policy {self.__name__!r} has no entry for context {context!r}; {nearest(context, self.table)} "
                "Add the entry, or give Lookup a default"
            )
        return found


class Classifier:
    """A fitted scikit-learn classifier or pipeline: its best class among the candidates, or its probabilities."""

    def __init__(self, estimator: Any, *, randomised: bool = False) -> None:
        self.__name__ = type(estimator).__name__
        if getattr(estimator, "classes_", None) is None:
            raise InvalidInputError(
                f"classifier {self.__name__} is not fitted (it has no classes_); call fit on warm-up data first"
            )
        if getattr(estimator, "decision_function_shape", "ovr") == "ovo" and not hasattr(estimator, "predict_proba"):
            raise InvalidInputError(
                f"{self.__name__} has decision_function_shape='ovo', whose margins are not one per class; use 'ovr', "
                "or probability=True"
            )
        if randomised and not hasattr(estimator, "predict_proba"):
            raise InvalidInputError(
                f"{self.__name__} has no predict_proba; leave randomised out to play its best class"
            )
        self.estimator = estimator
        self.randomised = randomised
        self._columns = {label: column for column, label in enumerate(np.asarray(estimator.classes_).tolist())}

    def __call__(self, contexts: Any, actions: Actions, /) -> NDArray[Any]:
        """Restricted to the candidates; classes that are no candidates are left out."""
        columns = [self._columns.get(action, -1) for action in actions]
        if max(columns) < 0:
            raise InvalidInputError(
                f"classifier {self.__name__} knows none of the candidates {list(actions)[:5]!r}; its classes are "
                f"{list(self._columns)[:5]!r}: name the actions as the labels that it was fitted on"
            )
        scores = np.where(np.array(columns) >= 0, self._scores(contexts)[:, columns], -np.inf)
        if not self.randomised:
            best: NDArray[np.int32] = scores.argmax(axis=1).astype(np.int32)
            return best
        shares = np.maximum(scores, 0.0)
        total = shares.sum(axis=1, keepdims=True)
        known = np.isfinite(scores) / np.isfinite(scores).sum(axis=1, keepdims=True)
        rows: NDArray[np.float64] = np.where(total > 0, shares / np.where(total > 0, total, 1.0), known)
        return rows

    def _scores(self, contexts: Any) -> NDArray[np.float64]:
        """One column per class."""
        if hasattr(self.estimator, "predict_proba"):
            return np.asarray(self.estimator.predict_proba(contexts), dtype=np.float64)
        if hasattr(self.estimator, "decision_function"):
            margins = np.asarray(self.estimator.decision_function(contexts), dtype=np.float64)
            return margins if margins.ndim == 2 else np.column_stack([-margins, margins])
        predicted = [self._columns[label] for label in np.asarray(self.estimator.predict(contexts)).tolist()]
        return np.asarray(np.eye(len(self._columns))[predicted])


def adapt(policy: Any) -> Member:
    """Whatever the caller has, as a member of a set."""
    if isinstance(policy, type):
        raise InvalidInputError(
            f"policy {policy.__name__} is a class; give an object of it, such as {policy.__name__}()"
        )
    if hasattr(policy, "predict"):
        return Classifier(policy)
    if isinstance(policy, Mapping):
        return Lookup(policy)
    if callable(policy):
        member: Callable[..., Any] = policy
        return member
    raise InvalidInputError(
        f"policy {policy!r} cannot choose; give a function (contexts, actions) -> indices or (n, K) probabilities, "
        "a fitted scikit-learn classifier, or a dict from context to action"
    )


def _place(action: Action, actions: Actions, name: str) -> int:
    places: Sequence[Action] = actions
    for place, candidate in enumerate(places):
        if candidate == action:
            return place
    raise InvalidInputError(
        f"policy {name!r} names {action!r}, which is no candidate of this round; {nearest(action, actions)}"
    )
