"""A finite set of policies that vote together: indices (n, n_policies), or probabilities (n, n_policies, K)."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeover.core.arrays import Actions, Votes
from typeover.core.protocols import Policies
from typeover.errors import InvalidInputError, TypeoverError
from typeover.policies.members import Member, adapt
from typeover.policies.names import checked_names, own_names
from typeover.policies.votes import check_probabilities, checked_choice, checked_votes

_LARGEST = np.iinfo(np.int32).max


class PolicySet:
    """Policies of any kind that vote together; a learner finds out which of them to follow.

    A policy is one of these:

    - a function of (contexts, actions). `contexts` is a list of contexts, `actions` the candidates that they share; it
      returns one index into `actions` per context, or one row of probabilities per context, shape (n, K);
    - a fitted scikit-learn classifier or pipeline whose classes are names of candidates;
    - a dict from context to the name of a candidate.

    A function that always prefers the shortest candidate:

    >>> def shortest(contexts, actions):
    ...     place = min(range(len(actions)), key=lambda i: len(actions[i]))
    ...     return [place for _ in contexts]

    A classifier, fitted to a few rounds whose answers are known:

    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> fitted = make_pipeline(CountVectorizer(), LogisticRegression()).fit(
    ...     ["my money back", "a copy of the bill"], ["refund", "invoice"]
    ... )

    Both together with a dict, asked about one context and about two:

    >>> policies = PolicySet([shortest, fitted, {"thank you": "bye", "my money": "invoice"}])
    >>> policies
    PolicySet(3 policies: 'shortest', 'Pipeline', 'lookup')
    >>> policies.vote("my money", ["invoice", "refund", "bye"]).tolist()
    [2, 1, 0]
    >>> policies.votes(["my money", "thank you"], ["refund", "invoice", "bye"]).shape
    (2, 3)

    `names` gives each policy a name for explanations; they are also how a saved learner recognises its policies.
    """

    def __init__(self, policies: Sequence[Any], *, names: Sequence[str] | None = None) -> None:
        self._members = [adapt(policy) for policy in _listed(policies)]
        self._names = checked_names(own_names(self._members) if names is None else names, len(self._members))

    def __repr__(self) -> str:
        return f"PolicySet({len(self)} policies: {_few(self._names)})"

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
            checked_choice(_asked(member, contexts, actions, name), n, actions, name)
            for member, name in zip(self._members, self._names, strict=True)
        ]
        if all(choice.ndim == 1 for choice in choices):
            return np.stack(choices, axis=1)
        one_hot = np.eye(n_actions)
        return np.stack([one_hot[choice] if choice.ndim == 1 else choice for choice in choices], axis=1)

    def subset(self, indices: Sequence[int]) -> PolicySet:
        """Only these, in this order."""
        places = _places(indices, len(self))
        return PolicySet([self._members[i] for i in places], names=[self._names[i] for i in places])


class TablePolicies:
    """Policies given by their choices: `table[x, i]` is policy i's index in context x, a row number.

    With a third axis, `table[x, i, a]` is the probability with which policy i chooses candidate a. The table is copied,
    so that later changes to yours do not reach it: 4 bytes per context and policy, or 8 per probability.

    >>> tables = TablePolicies([[0, 1], [1, 1]])
    >>> tables
    TablePolicies(2 contexts, 2 policies, indices from 0 to 1)
    >>> tables.vote(1, ["yes", "no"]).tolist()
    [1, 1]
    """

    def __init__(self, table: ArrayLike, *, names: Sequence[str] | None = None) -> None:
        self._table = _checked_table(table)
        self._names = None if names is None else checked_names(names, len(self))
        self._n_actions = self._table.shape[2] if self._table.ndim == 3 else int(self._table.max()) + 1

    def __repr__(self) -> str:
        kind = "probabilities of" if self._table.ndim == 3 else "indices from 0 to"
        last = f"{self._n_actions} candidates" if self._table.ndim == 3 else self._n_actions - 1
        return f"TablePolicies({len(self._table)} contexts, {len(self)} policies, {kind} {last})"

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
        places = np.asarray(contexts)
        if places.size == 0:
            places = places.astype(np.intp)  # an empty list has no whole numbers
        elif not (
            places.ndim == 1 and places.dtype.kind in "iu" and 0 <= places.min() <= places.max() < len(self._table)
        ):
            raise InvalidInputError(
                f"context {contexts!r:.80} is no row of the table; contexts are whole numbers from 0 to "
                f"{len(self._table) - 1}"
            )
        rows: Votes = self._table[places]
        return rows

    def subset(self, indices: Sequence[int]) -> TablePolicies:
        """Only these columns, in this order."""
        places = _places(indices, len(self))
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
    """The votes in every context of a table; `actions[x]` are the candidates in context x, equally many in each.

    They are those that `vote` gives in a single round, bit for bit: a classifier's probabilities for many rows at once
    differ from those for one row in the last bit, so a randomised set is asked row by row, unless it is a table.
    """
    n, owner = len(policies), type(policies).__name__
    if all(candidates is actions[0] for candidates in actions):
        votes = checked_votes(policies.votes(contexts, actions[0]), len(contexts), n, len(actions[0]), owner)
        if votes.ndim == 2 or isinstance(policies, TablePolicies):
            return votes
    rows = [
        checked_votes([policies.vote(context, candidates)], 1, n, len(candidates), owner)[0]
        for context, candidates in zip(contexts, actions, strict=True)
    ]
    if len({row.ndim for row in rows}) > 1:  # randomised in some contexts only
        rows = [np.eye(len(actions[0]))[row] if row.ndim == 1 else row for row in rows]
    return np.stack(rows)


def _listed(policies: Any) -> list[Any]:
    is_one = callable(policies) or hasattr(policies, "predict") or isinstance(policies, str | Mapping | AbstractSet)
    if is_one or not hasattr(policies, "__len__") or not hasattr(policies, "__getitem__"):
        raise InvalidInputError(
            f"policies is {policies!r:.80}; give a list of policies in a fixed order, such as [first, second]"
        )
    if len(policies) == 0:
        raise InvalidInputError("policies is empty; a policy set needs at least one policy")
    return list(policies)


def _asked(member: Member, contexts: Any, actions: Actions, name: str) -> Any:
    """What a policy answers; whatever goes wrong inside it is told with its name."""
    try:
        return member(contexts, actions)
    except (TypeoverError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, TypeError) and not _takes_two(member):
            raise InvalidInputError(
                f"policy {name!r} cannot be called with two arguments; a policy takes (contexts, actions) and returns "
                "one index per context"
            ) from error
        told = " ".join(str(error).split())
        raise InvalidInputError(
            f"policy {name!r} failed with {type(error).__name__}: {told:.200}; mend the policy, which was called with "
            f"{len(contexts)} contexts and {len(actions)} actions"
        ) from error


def _takes_two(member: Member) -> bool:
    try:
        inspect.signature(member).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # some compiled functions do not tell
        return True
    return True


def _places(indices: Any, n_policies: int) -> list[int]:
    """The places of policies in a set, refused unless they are numbers of them."""
    try:
        places = [operator.index(index) for index in indices]
    except TypeError:
        places = [-1]
    if not all(0 <= place < n_policies for place in places):
        raise InvalidInputError(f"indices is {indices!r:.80}; give a list of places in the set: 0 to {n_policies - 1}")
    return places


def _few(names: Sequence[str]) -> str:
    shown = [f"{name!r:.40}" for name in names[:5]]
    return ", ".join([*shown, "..."] if len(names) > 5 else shown)


def _checked_table(values: ArrayLike) -> NDArray[Any]:
    """A copy, as int32 or float64."""
    try:
        table = np.asarray(values)
    except ValueError:
        raise InvalidInputError(
            "table has rows of different lengths; give one row per context, each with one entry per policy"
        ) from None
    if table.ndim == 2 and table.dtype.kind in "iu" and table.size and table.min() >= 0:
        if table.max() > _LARGEST:
            raise InvalidInputError(f"table holds index {table.max()}; an index may be at most {_LARGEST}")
        return np.array(table, dtype=np.int32, order="C")
    if table.ndim == 3 and table.dtype.kind == "f" and table.size:
        return check_probabilities(np.array(table, dtype=np.float64, order="C"), "table")
    raise InvalidInputError(
        f"table has shape {table.shape} and type {table.dtype}; it must hold indices from 0, one row per context and "
        "one column per policy, or probabilities with the candidates as third axis"
    )
