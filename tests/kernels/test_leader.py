from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from typeover.kernels.leader import BLOCK, MANY, SCRATCH, add_and_rank, leader_votes

SIZES = [1, 2, 7, 200, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5]
SEEDS = st.integers(0, 10**6)


def policies(n, seed, n_actions=5, *, is_randomised=False):
    """Sums of rewards and losses, who is listed, votes."""
    source = np.random.default_rng(seed)
    listed = source.random(n) < source.choice([0.01, 0.6, 1.0])
    listed[source.integers(n)] = True
    votes = source.integers(n_actions, size=n, dtype=np.int32)
    if is_randomised:
        votes = source.dirichlet(np.ones(n_actions), size=n)
    return source.random(n) * 100, source.random(n) * 100 - 20, listed, votes


def voted(known, blend, rate, n_actions=5):
    p, twin = np.ones(n_actions), np.zeros(n_actions)
    leader_votes(*known, blend, rate, np.full(SCRATCH, np.nan), p)
    naive.leader_votes(*known, blend, rate, None, twin)
    return p, twin


@pytest.mark.parametrize("is_randomised", [False, True], ids=["indices", "probabilities"])
@pytest.mark.parametrize("n", SIZES)
@given(seed=SEEDS, blend=st.floats(0, 1), rate=st.floats(1e-6, 10))
def test_votes_are_the_weights_formula_at_every_size(n, is_randomised, seed, blend, rate):
    p, twin = voted(policies(n, seed, is_randomised=is_randomised), blend, rate)
    np.testing.assert_allclose(p, twin, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("is_randomised", [False, True], ids=["indices", "probabilities"])
@pytest.mark.parametrize("rate", [1e-4, 0.1, 3.0])
def test_above_many_policies_exponentials_are_short_and_votes_within_1e_6(rate, is_randomised):
    for seed in range(5):
        p, twin = voted(policies(MANY + 1 + 3 * seed, seed, is_randomised=is_randomised), 0.3, rate)
        np.testing.assert_allclose(p, twin, atol=1e-6)
        assert (p != twin).any()
        assert p.sum() == pytest.approx(1.0, abs=1e-12)


def test_blocks_of_ever_smaller_losses_are_scaled_to_the_smallest():
    """The worst order: every block outdoes all before, by so much that nothing of them stays, or by a little."""
    n = 5 * BLOCK
    for step in (1e-3, 10.0):
        losses = -step * np.arange(n)
        known = np.zeros(n), losses, np.ones(n, dtype=bool), np.arange(n, dtype=np.int32) // BLOCK
        p, twin = voted(known, 0.0, 1.0)
        np.testing.assert_allclose(p, twin, rtol=1e-9, atol=1e-300)
        assert p[4] > 0.6


def test_at_rate_zero_every_listed_policy_counts_the_same():
    p = np.ones(3)
    known = np.arange(3.0), np.zeros(3), np.ones(3, dtype=bool), np.array([0, 2, 2], dtype=np.int32)
    leader_votes(*known, 0.5, 0.0, np.full(SCRATCH, np.nan), p)
    np.testing.assert_allclose(p, [1 / 3, 0, 2 / 3])


@pytest.mark.parametrize("is_randomised", [False, True], ids=["indices", "probabilities"])
@given(st.sampled_from(SIZES), SEEDS)
def test_what_is_added_is_ranked_among_the_listed_and_of_several_the_first_is_least(is_randomised, n, seed):
    source = np.random.default_rng(seed)
    sums, values = source.integers(0, 4, size=n).astype(float), source.integers(0, 3, size=5).astype(float)
    _, _, listed, votes = policies(n, seed, is_randomised=is_randomised)
    twin = sums.copy()
    found = add_and_rank(votes, values, sums, listed, np.full(SCRATCH, np.nan))
    best = naive.add_and_rank(votes, values, twin, listed, None)
    np.testing.assert_allclose(sums, twin, atol=1e-12)
    assert listed[found]
    assert found == best or (is_randomised and sums[found] == pytest.approx(sums[best]))


def test_of_nothing_listed_nothing_is_least():
    votes = np.zeros(3, dtype=np.int32)
    assert add_and_rank(votes, np.zeros(1), np.zeros(3), np.zeros(3, dtype=bool), np.zeros(SCRATCH)) == -1
