"""Sums per policy over rounds, in the order of the rounds, so that one round at a time gives the same bits.

    matching:  sums[i] += value_t 1(a_t = pi_i(x_t))          chosen:  sums[i] += values_t[pi_i(x_t)]

`by_context[x, i]` is policy i's action in context x (deterministic policies), or `by_context[x, i, a]` its probability.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int32, njit, types, void
from numpy.typing import NDArray

_floats = types.Array(float64, 1, "C", readonly=True)
_matrix = types.Array(float64, 2, "C", readonly=True)
_ints = types.Array(int32, 1, "C", readonly=True)
_votes = types.Array(int32, 2, "C", readonly=True)
_random_votes = types.Array(float64, 3, "C", readonly=True)


@njit([void(float64[::1], _votes, _ints, _ints, _floats)], cache=True)
def _matching(sums, by_context, contexts, actions, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for t in range(contexts.size):
        if values[t] != 0.0:
            for i in range(sums.size):
                if by_context[contexts[t], i] == actions[t]:
                    sums[i] += values[t]


@njit([void(float64[::1], _random_votes, _ints, _ints, _floats)], cache=True)
def _matching_random(sums, by_context, contexts, actions, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for t in range(contexts.size):
        if values[t] != 0.0:
            for i in range(sums.size):
                sums[i] += by_context[contexts[t], i, actions[t]] * values[t]


@njit([void(float64[::1], _votes, _ints, _matrix)], cache=True)
def _chosen(sums, by_context, contexts, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for t in range(contexts.size):
        for i in range(sums.size):
            sums[i] += values[t, by_context[contexts[t], i]]


@njit([void(float64[::1], _random_votes, _ints, _matrix)], cache=True)
def _chosen_random(sums, by_context, contexts, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for t in range(contexts.size):
        for i in range(sums.size):
            value = 0.0
            for a in range(values.shape[1]):
                value += by_context[contexts[t], i, a] * values[t, a]
            sums[i] += value


def add_matching(
    sums: NDArray[np.float64],
    by_context: NDArray[np.int32] | NDArray[np.float64],
    contexts: NDArray[np.int32],
    actions: NDArray[np.int32],
    values: NDArray[np.float64],
) -> None:
    """Credit each policy with the value of the rounds in which it recommends the action taken."""
    kernel = _matching if by_context.ndim == 2 else _matching_random
    kernel(sums, by_context, contexts, actions, values)


def add_chosen(
    sums: NDArray[np.float64],
    by_context: NDArray[np.int32] | NDArray[np.float64],
    contexts: NDArray[np.int32],
    values: NDArray[np.float64],
) -> None:
    """Credit each policy with the value of the action that it recommends."""
    kernel = _chosen if by_context.ndim == 2 else _chosen_random
    kernel(sums, by_context, contexts, np.ascontiguousarray(values))
