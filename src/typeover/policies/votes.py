"""What comes out of policies, checked before anything is computed from it: compiled code trusts its input.

one policy:  indices (n,), or probabilities (n, K)
a set:       indices (n, n_policies), or probabilities (n, n_policies, K)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions, Votes
from typeover.core.decision import is_name
from typeover.errors import InvalidInputError

ROUNDING = 1e-6
"""How far probabilities may be from summing to 1."""


def checked_choice(choice: Any, n_contexts: int, actions: Actions, name: str) -> NDArray[Any]:
    """What one policy returned, as int32 indices (n,) or float64 probabilities (n, K)."""
    n_actions = len(actions)
    allowed = f"it must return {n_contexts} whole-number indices, or probabilities of shape ({n_contexts}, {n_actions})"
    array = _array(choice, f"policy {name!r} returned lists of different lengths; {allowed}")
    if array.shape == (n_contexts,) and array.dtype.kind in "iu":
        if not _are_places(array, n_actions):
            outside = array[(array < 0) | (array >= n_actions)][0].item()
            hint = f"; {_ask_for_place(outside)}" if outside in set(actions) else ""
            raise InvalidInputError(
                f"policy {name!r} chose index {outside}; there are {n_actions} candidates: 0 to {n_actions - 1}{hint}"
            )
        return array.astype(np.int32, copy=False)
    if array.shape == (n_contexts, n_actions) and array.dtype.kind in "fiu":
        return check_probabilities(array.astype(np.float64), f"policy {name!r}")
    named = next((item for item in _few(array) if is_name(item) and item in set(actions)), None)
    if named is not None:
        raise InvalidInputError(
            f"policy {name!r} returned an array of action names, such as {named!r}; {allowed}: {_ask_for_place(named)}"
        )
    raise InvalidInputError(f"policy {name!r} returned an array of {_described(array)}; {allowed}")


def checked_votes(votes: Any, n_contexts: int, n_policies: int, n_actions: int, owner: str) -> Votes:
    """What a set returned, contiguous: int32 indices (n, n_policies) or float64 probabilities (n, n_policies, K).

    For one context, pass its votes as `[votes]`. `owner` names the set in the refusal.

    >>> checked_votes([[0, 2], [1, 1]], n_contexts=2, n_policies=2, n_actions=3, owner="mine").dtype
    dtype('int32')
    >>> checked_votes([[0, 3]], n_contexts=1, n_policies=2, n_actions=3, owner="mine")
    Traceback (most recent call last):
    ...
    typeover.errors.InvalidInputError: mine gave index 3 for policy 1; there are 3 candidates: 0 to 2
    """
    allowed = (
        f"votes must be whole-number indices of shape ({n_contexts}, {n_policies}), or probabilities of shape "
        f"({n_contexts}, {n_policies}, {n_actions}): contexts, policies, candidates"
    )
    array = _array(votes, f"{owner} gave lists of different lengths; {allowed}")
    if array.shape == (n_contexts, n_policies) and array.dtype.kind in "iu":
        if not _are_places(array, n_actions):
            x, i = np.argwhere((array < 0) | (array >= n_actions))[0].tolist()
            raise InvalidInputError(
                f"{owner} gave index {array[x, i]} for policy {i}; there are {n_actions} candidates: "
                f"0 to {n_actions - 1}"
            )
        return np.ascontiguousarray(array, dtype=np.int32)
    if array.shape == (n_contexts, n_policies, n_actions) and array.dtype.kind in "fiu":
        return np.ascontiguousarray(check_probabilities(array.astype(np.float64, copy=False), owner))
    raise InvalidInputError(f"{owner} gave votes of {_described(array)}; {allowed}")


def check_probabilities(rows: NDArray[np.float64], owner: str) -> NDArray[np.float64]:
    """Rows that are distributions; refused otherwise."""
    wrong = ~((rows >= 0).all(axis=-1) & (np.abs(rows.sum(axis=-1) - 1) <= ROUNDING))  # NaN is wrong too
    if wrong.any():
        row = rows[wrong][0] if rows.ndim > 1 else rows
        raise InvalidInputError(
            f"{owner} gave probabilities {np.round(row, 4).tolist()[:8]} with sum {row.sum():.6g}; each must lie in "
            "[0, 1] and they must sum to 1: divide them by their sum"
        )
    return rows


def _array(values: Any, refusal: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:  # numpy makes no array of ragged lists
        raise InvalidInputError(refusal) from None


def _are_places(array: NDArray[Any], n_actions: int) -> bool:
    return array.size == 0 or bool(array.min() >= 0 and array.max() < n_actions)


def _few(array: NDArray[Any]) -> list[Any]:
    """The first entries of what may be a name or a list of names."""
    return array.ravel()[:100].tolist() if array.ndim <= 1 and array.dtype.kind not in "biu" else []


def _ask_for_place(named: Any) -> str:
    return f"{named!r} is the name of a candidate: return its place, list(actions).index({named!r})"


def _described(array: NDArray[Any]) -> str:
    return f"shape {array.shape} and type {array.dtype}"
