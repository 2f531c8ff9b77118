"""Families of policies made from warm-up data, for those who have no policies yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from typeover.core.arrays import Actions
from typeover.core.decision import check_actions
from typeover.core.inputs import whole
from typeover.errors import InvalidInputError, missing, nearest
from typeover.policies.members import Classifier
from typeover.policies.sets import PolicySet, TablePolicies
from typeover.rng import generator


def random_tables(
    *, n_contexts: int, n_actions: int, n_policies: int, seed: int | None = None, rng: np.random.Generator | None = None
) -> TablePolicies:
    """Policies that choose uniformly, once for all, in each of the numbered contexts."""
    for name, value in (("n_contexts", n_contexts), ("n_actions", n_actions), ("n_policies", n_policies)):
        whole(name, value, meaning="the size of the family")
    drawn = generator(seed, rng, "random tables").integers(n_actions, size=(n_contexts, n_policies), dtype=np.int32)
    return TablePolicies(drawn)


def random_linear(
    contexts: ArrayLike,
    actions: Actions,
    *,
    n_policies: int,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
) -> PolicySet:
    """Policies argmax_a w_a . z with random w, where z are features scaled by the warm-up rows' mean and spread."""
    rows = np.asarray(contexts, dtype=np.float64)
    if rows.ndim != 2 or len(rows) == 0 or not np.isfinite(rows).all():
        raise InvalidInputError(
            f"contexts has shape {rows.shape}; it must hold finite warm-up rows, one feature per column"
        )
    whole("n_policies", n_policies, meaning="the size of the family")
    source = generator(seed, rng, "random linear")
    spread = rows.std(axis=0)
    centre, scale = rows.mean(axis=0), np.where(spread > 0, spread, 1.0)
    order = tuple(check_actions(actions))
    return PolicySet(
        [
            _Linear(source.standard_normal((rows.shape[1] + 1, len(order))), centre, scale, order)
            for _ in range(n_policies)
        ],
        names=[f"linear-{i}" for i in range(n_policies)],
    )


def bootstrapped(
    estimator: Any,
    contexts: Sequence[Any],
    labels: Sequence[Any],
    *,
    n_policies: int,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
) -> PolicySet:
    """The same scikit-learn classifier fitted to resamples of the warm-up data; each keeps one row of every class."""
    try:
        from sklearn.base import clone
    except ImportError:
        raise missing("scikit-learn", extra="bench", purpose="a bootstrapped family") from None
    if len(contexts) != len(labels) or len(labels) == 0:
        raise InvalidInputError(
            f"{len(contexts)} contexts came with {len(labels)} labels; give one label per warm-up row"
        )
    whole("n_policies", n_policies, meaning="the size of the family")
    source = generator(seed, rng, "bootstrap")
    answers = np.asarray(labels)
    kept = np.unique(answers, return_index=True)[1]
    members = []
    for _ in range(n_policies):
        rows = np.concatenate([kept, source.integers(len(answers), size=max(0, len(answers) - len(kept)))])
        drawn = contexts[rows] if isinstance(contexts, np.ndarray) else [contexts[row] for row in rows]
        members.append(Classifier(clone(estimator).fit(drawn, answers[rows])))
    return PolicySet(members, names=[f"bootstrap-{i}" for i in range(n_policies)])


class _Linear:
    """argmax_a (z, 1) . w_a over the candidates of the round."""

    def __init__(self, weights: Any, centre: Any, scale: Any, order: tuple[Any, ...]) -> None:
        self._weights, self._centre, self._scale = weights, centre, scale
        self._columns = {action: column for column, action in enumerate(order)}

    def __call__(self, contexts: Any, actions: Actions, /) -> Any:
        unknown = [action for action in actions if action not in self._columns]
        if unknown:
            raise InvalidInputError(
                f"candidate {unknown[0]!r} is unknown to this linear policy; {nearest(unknown[0], self._columns)}"
            )
        rows = np.asarray(contexts, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self._centre.size or not np.isfinite(rows).all():
            raise InvalidInputError(
                f"contexts has shape {rows.shape}; it must hold finite rows of {self._centre.size} features, "
                "as the warm-up rows did"
            )
        scaled = (rows - self._centre) / self._scale
        scores = scaled @ self._weights[:-1] + self._weights[-1]
        return scores[:, [self._columns[action] for action in actions]].argmax(axis=1)
