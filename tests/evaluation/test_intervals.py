"""Student's t without scipy, judged by scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from typeover.errors import InvalidInputError
from typeover.evaluation.intervals import mean_interval, t_quantile

SAMPLES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_quantiles_are_those_of_scipy(confidence):
    for degrees in [*range(1, 60), 99, 100, 999, 10_000]:
        theirs = stats.t.ppf((1 + confidence) / 2, degrees)
        assert t_quantile(degrees, confidence=confidence) == pytest.approx(theirs, rel=1e-9)


@given(SAMPLES)
def test_an_interval_holds_its_mean_in_the_middle(values):
    mean, low, high = mean_interval(values)
    assert low <= mean <= high
    assert mean == pytest.approx(np.mean(values), abs=1e-6)
    assert high - mean == pytest.approx(mean - low, abs=1e-6)


@given(SAMPLES, st.floats(0.1, 10), st.floats(-100, 100))
def test_another_unit_gives_the_same_interval_in_that_unit(values, scale, shift):
    there = mean_interval(np.array(values) * scale + shift)
    assert there == pytest.approx([end * scale + shift for end in mean_interval(values)], rel=1e-6, abs=1e-3)


def test_it_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)  # 2,000 intervals at 0.9: outside 0.87..0.93 with probability below 1e-5
    intervals = [mean_interval(sample, confidence=0.9) for sample in rng.normal(3.0, 2.0, size=(2_000, 5))]
    assert 0.87 < np.mean([low <= 3.0 <= high for _, low, high in intervals]) < 0.93


def test_one_seed_bounds_nothing():
    assert mean_interval([4.0]) == (4.0, -math.inf, math.inf)


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [[1.0, 2.0]]])
def test_what_is_no_list_of_finite_numbers_is_refused(values):
    with pytest.raises(InvalidInputError, match="one per seed"):
        mean_interval(values)


def test_a_confidence_outside_0_and_1_and_no_degrees_are_refused():
    with pytest.raises(InvalidInputError, match=r"confidence is 1\.0"):
        t_quantile(3, confidence=1.0)
    with pytest.raises(InvalidInputError, match="degrees is 0"):
        t_quantile(0)
