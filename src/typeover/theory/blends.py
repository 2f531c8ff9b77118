"""The grid of blends that EFBO tries (Section 3.2; App. C, lem:mcal_choice).

    M = {1 - 2^-n, 1/K + 2^-n : n = 0..floor(log2 T)}, clipped to [0, 1]

Guarantee: for every K, T, |Pi|, d >= 0 and alpha >= 0 the best blend of M is within a factor sqrt(2) of the best in
[0, 1], for the objective of the lemma and for the one that Theorem 2 minimises. The pure ends alone give it: with
a = sqrt(K) mu and b = 1 - mu, sqrt(a^2 + b^2) >= (a + b)/sqrt(2), so the objective is at least 1/sqrt(2) times a ratio
of two linear functions of mu, and such a ratio is least at an end. T = 1, d = 0, alpha = 1/sqrt(K) attains sqrt(2), and
so does K -> infinity at fixed T; with T >= K a search over K, T, |Pi|, d and alpha finds at most 1.18 (K = T = 4).
"""

from __future__ import annotations

import numpy as np

from typeover.core.arrays import Vector
from typeover.core.inputs import whole


def blend_grid(n_actions: int, horizon: int) -> Vector:
    """The blends to try, rising from 0 (corrections only) to 1 (rewards only).

    >>> blend_grid(n_actions=4, horizon=4)
    array([0.  , 0.5 , 0.75, 1.  ])
    """
    K = whole("n_actions", n_actions, meaning="how many candidates a round has")
    T = whole("horizon", horizon, meaning="how many rounds will be played")
    steps = 0.5 ** np.arange(T.bit_length())  # 2^-n, n = 0..floor(log2 T)
    # Two blends are equal only if 1/K is a power of two, and then exactly so in floats: unique finds every pair.
    return np.unique(np.clip(np.concatenate([1 - steps, 1 / K + steps]), 0.0, 1.0))
