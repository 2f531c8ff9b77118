import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from typeover.kernels import envelope
from typeover.kernels.multiplier import multiplicative_weights

GRID = st.integers(0, 16).map(lambda n: n / 16)
CAPS = st.integers(1, 60).map(lambda n: n + 0.123456789)  # no slope of the grid, so no tie that rounding decides


@given(
    points=st.lists(st.tuples(GRID, GRID), min_size=1, max_size=12),
    tolerance=st.floats(0, 1),
    cap=CAPS,
    rate=st.floats(1e-3, 1),
    iterations=st.integers(1, 300),
)
def test_walking_over_vertices_plays_what_looking_at_every_policy_plays(points, tolerance, cap, rate, iterations):
    d, r = (np.array(column) for column in zip(*points, strict=True))
    corners = envelope.vertices(d, r, envelope.ends(d, r))
    cut = d.min() + tolerance
    counts, mean = multiplicative_weights(d[corners], r[corners], cut, cap, rate, iterations)
    slow, slow_mean = naive.multiplicative_weights(d, r, cut, cap, rate, iterations)
    every = np.zeros(len(d), dtype=int)
    every[corners] = counts
    assert every.tolist() == slow
    assert mean == pytest.approx(slow_mean, rel=1e-9)


@pytest.mark.parametrize("cap", [2.0, 4.0])
def test_a_tie_goes_to_the_smaller_loss(cap):
    d, r = np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5 / cap, 0.75 / cap])  # the first edge has slope 1/cap
    assert multiplicative_weights(d, r, 1.0, cap, 0.5, 1)[0].tolist() == [1, 0, 0]
    assert naive.multiplicative_weights(d, r, 1.0, cap, 0.5, 1)[0] == [1, 0, 0]


def test_two_steps_by_hand():
    # lam_1 = 1/4 < 1, so the second policy: D - cut = 1 - 0.25, lam_2 = exp(0.4 * 0.75)/4; still below 1: again.
    counts, mean = multiplicative_weights(np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.25, 4.0, 0.4, 2)
    assert counts.tolist() == [0, 2]
    assert mean == pytest.approx((1 / 4 + math.exp(0.3) / 4) / 2)


def test_the_multiplier_never_passes_the_cap():
    # D - cut = 1 and the reward is worth any price below the cap: 1/2, then min(2, 1/2 exp(9)) = 2 for ever.
    counts, mean = multiplicative_weights(np.array([0.0, 1.0]), np.array([0.0, 5.0]), 0.0, 2.0, 9.0, 10)
    assert counts.tolist() == [0, 10]
    assert mean == pytest.approx((0.5 + 9 * 2) / 10)
