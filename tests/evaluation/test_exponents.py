"""Exponents of regret: exact on powers, blind to units, and honest about what seeds say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.evaluation.exponents import exponent

ROUNDS = [1_000, 3_000, 10_000, 100_000]


@given(st.floats(0, 2), st.lists(st.floats(0.1, 10), min_size=2, max_size=6))
def test_the_exponent_of_a_power_is_that_power_whatever_the_seeds_multiply_it_by(power, factors):
    totals = np.outer(factors, np.power(np.array(ROUNDS, dtype=float), power))
    assert exponent(ROUNDS, totals) == pytest.approx((power,) * 3, abs=1e-9)


def test_it_is_the_slope_of_least_squares_through_the_means():
    totals = np.random.default_rng(3).uniform(1, 100, size=(5, 4))
    slope = np.polyfit(np.log(ROUNDS), np.log(totals.mean(axis=0)), 1)[0]
    assert exponent(ROUNDS, totals).mean == pytest.approx(slope)


def test_the_interval_covers_the_exponent_of_the_true_means_as_often_as_it_says():
    """1,000 samples of 20 skewed seeds: below 0.85 or above 0.95 with probability below 1e-6 if it covers 0.9."""
    rng = np.random.default_rng(4)
    truth = np.power(np.array(ROUNDS, dtype=float), 0.5)
    found = [exponent(ROUNDS, truth * rng.gamma(4.0, 0.25, size=(20, 4)), confidence=0.9) for _ in range(1_000)]
    assert 0.85 < np.mean([low <= 0.5 <= high for _, low, high in found]) < 0.95


def test_single_seeds_may_be_negative_but_a_mean_that_is_not_positive_has_no_exponent():
    totals = [[-1.0, 4.0], [3.0, 4.0]]
    assert exponent([10, 1_000], totals).mean == pytest.approx(np.log(4) / np.log(100))
    assert exponent([10, 1_000], [[-3.0, 4.0], [3.0, 4.0]]) is None


@pytest.mark.parametrize("shape", [(2, 3), (0, 2), (2,)])
def test_totals_of_another_shape_are_refused(shape):
    with pytest.raises(InvalidInputError, match="a row per seed"):
        exponent([10, 100], np.ones(shape))


def test_one_number_of_rounds_has_no_slope():
    with pytest.raises(InvalidInputError, match="two different"):
        exponent([10, 10], np.ones((2, 2)))
