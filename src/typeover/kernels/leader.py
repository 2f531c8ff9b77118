"""What the weighted policies choose, without an array of their weights; and which of them has lost least.

    Q_i ~ exp(-rate (blend rewards_i + (1 - blend) losses_i)) on the listed policies        p(a) = sum of Q_i V_i(a)

V_i(a) is 1 where policy i chooses a, or its probability to. A block of policies at a time, so that what lies between
memory and p stays in the nearest cache; where a block has lost less than all before, what is summed already is scaled
down to it. Above `MANY` policies the exponentials are float32; sums never are. The loops are cut so that each is turned
into vector instructions without fastmath: the same bits wherever they are called from.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from typeover.kernels.exponentials import exponentials, short_exponentials

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Votes: TypeAlias = NDArray[Any]
"""Indices (n,), or probabilities (n, K) of randomised policies; the compiler makes a version of each."""

BLOCK = 1024
"""Policies at a time: four rows of so many numbers fill half of a nearest cache."""
SCRATCH = (4, BLOCK)
MANY = 10_000
"""Above so many policies the exponentials are float32."""
LANES = 4  # sums beside each other, so that an addition need not wait for the one before


@njit(cache=True, error_model="numpy")
def _smallest(values: Floats, halves: Floats) -> float:
    """Halved again and again: the minimum of two vectors is one instruction, while a running one waits for itself."""
    size = values.size
    half = size // 2
    for i in range(half):
        halves[i] = min(values[half + i], values[i])
    least: float = values[size - 1]  # where the size is odd, not yet met
    while half > 16:
        size = half
        half = size // 2
        for i in range(half):
            halves[i] = min(halves[half + i], halves[i])
        least = min(least, halves[size - 1])
    for i in range(half):
        least = min(least, halves[i])
    return least


@njit(cache=True, error_model="numpy")
def _of_listed(values: Floats, listed: Flags, out: Floats) -> None:
    """A copy, infinite off the list."""
    for i in range(out.size):
        out[i] = values[i] if listed[i] else np.inf


@njit(cache=True, error_model="numpy")
def _per_policy(votes: Votes, i: int, values: Floats) -> float:
    """A value per candidate, as policy i meets it."""
    met = 0.0
    if votes.ndim == 1:
        met = values[votes[i]]
    else:
        for a in range(values.size):
            met += votes[i, a] * values[a]
    return met


@njit(cache=True, error_model="numpy")
def _add(votes: Votes, values: Floats, sums: Floats) -> None:
    """A value per candidate, to each policy what it meets."""
    for i in range(sums.size):
        sums[i] += _per_policy(votes, i, values)


@njit(cache=True, error_model="numpy")
def add_and_rank(votes: Votes, values: Floats, sums: Floats, listed: Flags, scratch: Floats) -> int:
    """Add what each policy meets; which listed policy then has least, of several the first; -1: none is listed."""
    least, at = np.inf, -1
    for low in range(0, sums.size, BLOCK):
        high = min(sums.size, low + BLOCK)
        own, kept = sums[low:high], scratch[0, : high - low]
        _add(votes[low:high], values, own)
        _of_listed(own, listed[low:high], kept)
        smallest = _smallest(kept, scratch[1])
        if smallest < least:
            least, at = smallest, low
            while kept[at - low] != smallest:
                at += 1
    return at


@njit(cache=True, error_model="numpy")
def _blended(rewards: Floats, losses: Floats, listed: Flags, blend: float, out: Floats) -> None:
    """What each policy has lost, infinite off the list."""
    for i in range(out.size):
        lost = blend * rewards[i] + (1.0 - blend) * losses[i]
        out[i] = lost if listed[i] else np.inf


@njit(cache=True, error_model="numpy")
def _exponents(lost: Floats, least: float, rate: float, out: Votes) -> None:
    """At most 0; of the type of `out`."""
    for i in range(out.size):
        out[i] = rate * (least - lost[i])


@njit(cache=True, error_model="numpy")
def _cast(votes: Votes, weights: Votes, sums: Floats) -> None:
    """Add each policy's weight, 0 off the list, to what it chooses."""
    n = weights.size
    if votes.ndim == 1:
        whole = n - n % LANES
        for i in range(0, whole, LANES):
            for lane in range(LANES):
                sums[lane, votes[i + lane]] += weights[i + lane]
        for i in range(whole, n):
            sums[0, votes[i]] += weights[i]
    else:
        for i in range(n):
            for a in range(sums.shape[1]):
                sums[0, a] += votes[i, a] * weights[i]


@njit(cache=True, error_model="numpy")
def leader_votes(
    rewards: Floats,
    losses: Floats,
    listed: Flags,
    votes: Votes,
    blend: float,
    rate: float,
    scratch: Floats,
    p: Floats,
) -> None:
    """Fill p; at least one policy is listed."""
    n, least = rewards.size, np.inf
    sums = np.zeros((LANES, p.size))
    short, short_powers = scratch[2].view(np.float32), scratch[3].view(np.float32)
    for low in range(0, n, BLOCK):
        high = min(n, low + BLOCK)
        size = high - low
        lost = scratch[0, :size]
        _blended(rewards[low:high], losses[low:high], listed[low:high], blend, lost)
        smallest = _smallest(lost, scratch[1])
        if smallest == np.inf:
            continue
        if smallest < least:
            if least < np.inf:  # the first time there is nothing to scale, and rate 0 times infinity is no number
                sums *= np.exp(rate * (smallest - least))
            least = smallest
        if n > MANY:
            _exponents(lost, least, rate, short[:size])
            short_exponentials(short[:size], short_powers[:size])
            _cast(votes[low:high], short[:size], sums)
        else:
            _exponents(lost, least, rate, lost)
            exponentials(lost, scratch[1, :size])
            _cast(votes[low:high], lost, sums)
    total = sums.sum()
    for a in range(p.size):
        p[a] = 0.0
        for lane in range(LANES):
            p[a] += sums[lane, a] / total
