"""The grid of blends: its shape, and the lemma that makes it enough."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.theory import blend_grid

_FINE = np.concatenate([np.linspace(0, 1, 4001), np.logspace(-9, 0, 2000), 1 - np.logspace(-9, 0, 2000)])
_ACTIONS = st.integers(2, 20_000)
_POLICIES = st.integers(1, 10**9)
_SLACKS = st.floats(0, 1) | st.floats(-9, 0).map(lambda x: 10**x)
_SHARES = st.floats(0, 1) | st.floats(-9, 0).map(lambda x: 10**x)  # alpha / T


def _lemma(mu, K, T, N, d, alpha):
    """The objective of App. C, lem:mcal_choice."""
    noise = T ** (2 / 3) * np.sqrt((mu**2 * K + (1 - mu) ** 2) * math.log(N * T))
    return _over(noise + T * (1 - mu) * d, mu, alpha)


def _theorem_2(mu, K, T, N, d, alpha):
    """The objective that Theorem 2 minimises, with T0 = T^(2/3) and V of Eq. 6."""
    T0, log = T ** (2 / 3), math.log(4 * N * T)
    V = 2 * np.sqrt(2 * T0 * (mu**2 * K + (1 - mu) ** 2) * log) + (mu * K + 1 - mu) * log
    return _over(2 * V / T0 + (1 - mu) * d, mu, alpha)


def _over(numerator, mu, alpha):
    heard = mu + alpha * (1 - mu)
    return np.divide(numerator, heard, out=np.full(mu.size, np.inf), where=heard > 1e-250)


@pytest.mark.parametrize("objective", [_lemma, _theorem_2])
@given(K=_ACTIONS, T=st.integers(1, 10**9), N=_POLICIES, d=_SLACKS, share=_SHARES)
def test_the_best_blend_of_the_grid_is_within_a_factor_of_root_two(objective, K, T, N, d, share):
    grid = objective(blend_grid(K, T), K, T, N, d, share * T).min()
    assert grid <= math.sqrt(2) * objective(_FINE, K, T, N, d, share * T).min() * (1 + 1e-9)


@given(K=_ACTIONS, T=st.integers(1, 10**9), N=_POLICIES, d=_SLACKS, share=_SHARES)
def test_the_pure_ends_alone_are_within_a_factor_of_root_two(K, T, N, d, share):
    ends = _lemma(np.array([0.0, 1.0]), K, T, N, d, share * T).min()
    assert ends <= math.sqrt(2) * _lemma(_FINE, K, T, N, d, share * T).min() * (1 + 1e-9)


@given(K=_ACTIONS, extra=st.integers(0, 10**9), N=_POLICIES, d=_SLACKS, tilt=st.floats(1e-6, 1 - 1e-6))
def test_with_as_many_rounds_as_actions_the_grid_is_within_18_percent(K, extra, N, d, tilt):
    T = K + extra
    alpha = min(T, math.tan(tilt * math.pi / 2) / math.sqrt(K))  # where the objective has its bend
    grid = _lemma(blend_grid(K, T), K, T, N, d, alpha).min()
    assert grid <= 1.18 * _lemma(_FINE, K, T, N, d, alpha).min()


@pytest.mark.parametrize("K", [2, 9, 400])
def test_root_two_is_attained_by_a_single_round(K):
    alpha = 1 / math.sqrt(K)
    best = _lemma(np.array([alpha / (1 + alpha)]), K, 1, 10, 0.0, alpha).min()  # sqrt(K) mu = 1 - mu
    assert _lemma(blend_grid(K, 1), K, 1, 10, 0.0, alpha).min() == pytest.approx(math.sqrt(2) * best)


@given(K=st.integers(1, 5000), T=st.integers(1, 10**12))
def test_the_grid_rises_from_zero_to_one_and_holds_every_printed_blend(K, T):
    grid = blend_grid(K, T)
    assert grid[0] == 0
    assert grid[-1] == 1
    assert np.all(np.diff(grid) > 0)
    printed = {x for n in range(math.floor(math.log2(T)) + 1) for x in (1 - 2.0**-n, min(1, 1 / K + 2.0**-n))}
    assert set(grid) == printed | {1.0}


def test_the_grid_of_four_actions_and_four_rounds_by_hand():
    # n = 0, 1, 2: 1 - 2^-n = 0, 1/2, 3/4 and 1/4 + 2^-n = 5/4 -> 1, 3/4, 1/2
    assert blend_grid(4, 4).tolist() == [0, 0.5, 0.75, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 10), "n_actions is 0; it must be a whole number from 1"),
        ((2.0, 10), r"n_actions is 2.0; it must be a whole number from 1"),
        ((True, 10), "n_actions is True"),
        ((2, 0), "horizon is 0; it must be a whole number from 1: how many rounds"),
        ((2, "many"), "horizon is 'many'"),
    ],
)
def test_a_bad_grid_is_refused_by_name(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        blend_grid(*arguments)
