from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from typeover.kernels.exponentials import exponentials, leader_weights, short_exponentials

EXPONENTS = st.lists(st.floats(-1e6, 0), min_size=1, max_size=70)


@given(EXPONENTS)
def test_exponentials_are_those_of_numpy_to_a_few_last_bits(exponents):
    values, twin, powers = np.array(exponents), np.array(exponents), np.zeros(len(exponents))
    exponentials(values, powers)
    naive.exponentials(twin, powers)
    np.testing.assert_allclose(values, twin, rtol=2e-15, atol=1e-300)


@given(EXPONENTS)
def test_short_exponentials_are_those_of_numpy_to_a_few_last_bits(exponents):
    values, twin = np.array(exponents, dtype=np.float32), np.array(exponents, dtype=np.float32)
    short_exponentials(values, np.zeros_like(values))
    naive.short_exponentials(twin, np.zeros_like(values))
    np.testing.assert_allclose(values, twin, rtol=3e-7, atol=1e-37)


@pytest.mark.parametrize(
    ("kernel", "kind", "least"), [(exponentials, float, -708.0), (short_exponentials, "f4", -87.0)]
)
def test_the_exponential_of_nothing_is_one_and_of_very_little_exactly_none(kernel, kind, least):
    values = np.array([0.0, least, 1.01 * least - 1, -1e30, -np.inf], dtype=kind)
    kernel(values, np.zeros_like(values))
    assert values[0] == 1.0
    assert 0 < values[1] < 1e-36
    assert not values[2:].any()


@given(st.integers(1, 60), st.floats(0, 1), st.floats(1e-6, 10), st.integers(0, 10**6))
def test_the_leaders_weights_are_their_formula(n, blend, rate, seed):
    source = np.random.default_rng(seed)
    rewards, losses = source.random(n) * 100, source.random(n) * 100 - 20
    listed = source.random(n) < 0.6
    listed[source.integers(n)] = True
    weights, twin, powers = np.zeros(n), np.zeros(n), np.zeros(n)
    total = leader_weights(rewards, losses, listed, blend, rate, weights, powers)
    assert total == pytest.approx(naive.leader_weights(rewards, losses, listed, blend, rate, twin, powers), rel=1e-10)
    np.testing.assert_allclose(weights / total, twin / total, rtol=1e-9, atol=1e-300)
    assert not weights[~listed].any()
