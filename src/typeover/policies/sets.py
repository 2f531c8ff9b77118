"""A finite set of policies that vote together: indices (n, n_policies), or probabilities (n, n_policies, K)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeover.core.arrays import Actions, Votes
from typeover.core.protocols import Policies
from typeover.errors import InvalidInputError
from typeover.policies.members import adapt, check_probabilities, checked


class PolicySet:
    """Policies of any kind: functions, fitted scikit-learn classifiers, dicts from context to action.

    >>> first = lambda contexts, actions: [0] * len(contexts)
    >>> policies = PolicySet([first, {"hello": "world", "good": "day"}], names=["first", "remembered"])
    >>> policies.votes(["hello", "good"], ["world", "day"]).tolist()
    [[0, 0], [0, 1]]
    """

    def __init__(self, policies: Sequence[Any], *, names: Sequence[str] | None = None) -> None:
        if len(policies) == 0:
            raise InvalidInputError("policies is empty; a policy set needs at least one policy")
        self._members = [adapt(policy) for policy in policies]
        self._names = tuple(_named(self._members)) if names is None else tuple(names)
        if len(self._names) != len(self._members) or len(set(self._names)) < len(self._names):
            raise InvalidInputError(
                f"names has {len(self._names)} entries, {len(set(self._names))} of them different; "
                f"give one name per policy ({len(self._members)}), each once"
            )

    def __len__(self) -> int:
        return len(self._members)

    @property
    def names(self) -> Sequence[str]:
        """What each is called."""
        return self._names

    def vote(self, context: Any, actions: Actions) -> Votes:
        """What each policy recommends here."""
        votes: Votes = self.votes([context], actions)[0]
        return votes

    def votes(self, contexts: Any, actions: Actions) -> Votes:
        """What each policy recommends in each of these contexts."""
        n, n_actions = len(contexts), len(actions)
        choices = [
            checked(member(contexts, actions), n, n_actions, name)
            for member, name in zip(self._members, self._names, strict=True)
        ]
        if all(choice.ndim == 1 for choice in choices):
            return np.stack(choices, axis=1)
        one_hot = np.eye(n_actions)
        return np.stack([one_hot[choice] if choice.ndim == 1 else choice for choice in choices], axis=1)

    def subset(self, indices: Sequence[int]) -> PolicySet:
        """Only these, in this order."""
        return PolicySet([self._members[i] for i in indices], names=[self._names[i] for i in indices])


class TablePolicies:
    """Policies given by their choices: `table[x, i]` is policy i's index in context x, a row number.

    With a third axis, `table[x, i, a]` is the probability with which policy i chooses candidate a.

    >>> TablePolicies([[0, 1], [1, 1]]).vote(1, ["yes", "no"]).tolist()
    [1, 1]
    """

    def __init__(self, table: ArrayLike, *, names: Sequence[str] | None = None) -> None:
        self._table = _checked_table(np.asarray(table))
        if names is not None and len(names) != len(self):
            raise InvalidInputError(f"names has {len(names)} entries; give one per policy: {len(self)}")
        self._names = None if names is None else tuple(names)
        self._n_actions = self._table.shape[2] if self._table.ndim == 3 else int(self._table.max()) + 1

    def __len__(self) -> int:
        return int(self._table.shape[1])

    @property
    def names(self) -> Sequence[str]:
        """What each is called."""
        return tuple(f"policy-{i}" for i in range(len(self))) if self._names is None else self._names

    def vote(self, context: Any, actions: Actions) -> Votes:
        """The row of this context."""
        votes: Votes = self.votes([context], actions)[0]
        return votes

    def votes(self, contexts: Any, actions: Actions) -> Votes:
        """The rows of these contexts."""
        self._check_actions(actions)
        try:
            places = np.asarray(contexts)
            if places.dtype.kind not in "iu" or (places.size and places.min() < 0):
                raise IndexError  # noqa: TRY301 - told below, with what numpy itself refuses
            rows: Votes = self._table[places]
        except (IndexError, ValueError, TypeError):
            raise InvalidInputError(
                f"context {contexts!r:.80} is no row of the table; contexts are whole numbers from 0 to "
                f"{len(self._table) - 1}"
            ) from None
        return rows

    def subset(self, indices: Sequence[int]) -> TablePolicies:
        """Only these columns, in this order."""
        places = list(indices)
        names = None if self._names is None and places == list(range(len(self))) else [self._name(i) for i in places]
        return TablePolicies(self._table[:, places], names=names)

    def _name(self, place: int) -> str:
        return f"policy-{place}" if self._names is None else self._names[place]

    def _check_actions(self, actions: Actions) -> None:
        fits = len(actions) == self._n_actions if self._table.ndim == 3 else len(actions) >= self._n_actions
        if not fits:
            raise InvalidInputError(
                f"{len(actions)} candidates were given, but the table speaks of {self._n_actions}; "
                "give as many as the table was made for"
            )


def by_context(policies: Policies, contexts: Sequence[Any], actions: Sequence[Actions]) -> NDArray[Any]:
    """The votes in every context of a table; `actions[x]` are the candidates in context x, equally many in each."""
    shared = all(candidates is actions[0] for candidates in actions)
    if shared:
        votes = policies.votes(contexts, actions[0])
    else:
        votes = np.stack(
            [policies.vote(context, candidates) for context, candidates in zip(contexts, actions, strict=True)]
        )
    return np.ascontiguousarray(votes)


def _named(members: Sequence[Any]) -> list[str]:
    """Own names where there are any, numbered where they repeat."""
    plain = [getattr(member, "__name__", type(member).__name__) for member in members]
    return [
        name if plain.count(name) == 1 and name != "<lambda>" else f"{name.strip('<>')}-{i}"
        for i, name in enumerate(plain)
    ]


def _checked_table(table: NDArray[Any]) -> NDArray[Any]:
    if table.ndim == 2 and table.dtype.kind in "iu" and table.size and table.min() >= 0:
        return np.ascontiguousarray(table, dtype=np.int32)
    if table.ndim == 3 and table.dtype.kind == "f" and table.size:
        return np.ascontiguousarray(check_probabilities(table, "table"), dtype=np.float64)
    raise InvalidInputError(
        f"table has shape {table.shape} and type {table.dtype}; it must hold indices from 0, one row per context and "
        "one column per policy, or probabilities with the candidates as third axis"
    )
