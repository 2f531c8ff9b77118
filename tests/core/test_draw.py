import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.core.draw import cumulative, draw

LAST = np.nextafter(1.0, 0.0)  # the largest uniform that a generator gives
ROWS = st.lists(st.just(0.0) | st.floats(1e-300, 1) | st.integers(0, 3).map(float), min_size=1, max_size=9).filter(any)
UNIFORMS = st.floats(0, 1, exclude_max=True) | st.sampled_from([0.0, 5e-324, 0.25, 0.5, LAST])


@given(ROWS, st.lists(UNIFORMS, max_size=9))
def test_an_action_without_probability_is_never_drawn(weights, uniforms):
    p = np.array(weights) / np.sum(weights)
    drawn = draw(cumulative(p), np.array([*uniforms, 0.0, LAST]))
    assert ((drawn >= 0) & (drawn < p.size)).all()
    assert (p[drawn] > 0).all()


@given(ROWS, UNIFORMS)
def test_one_round_and_many_rounds_draw_alike(weights, uniform):
    p = np.array(weights) / np.sum(weights)
    one = draw(cumulative(p), uniform)
    assert draw(cumulative(np.stack([p, p[::-1]])), np.array([uniform, uniform]))[0] == one
    assert draw(cumulative(p), np.array([uniform]))[0] == one


@pytest.mark.parametrize(
    ("p", "uniform", "index"),
    [
        ([0.5, 0.5], 0.0, 0),
        ([0.5, 0.5], np.nextafter(0.5, 0), 0),
        ([0.5, 0.5], 0.5, 1),
        ([0.0, 1.0], 0.0, 1),
        ([1.0, 0.0], LAST, 0),
        ([0.0, 1.0, 0.0], LAST, 1),
        ([0.25, 0.0, 0.75], 0.25, 2),
        ([1.0], LAST, 0),
    ],
)
def test_edges_by_hand(p, uniform, index):
    assert draw(cumulative(np.array(p)), uniform) == index


@pytest.mark.parametrize("p", [[0.1] * 10, [1 / 3] * 3, [0.7, 0.2, 0.1, 0.0], [1 - 1e-9, 0.0], [0.5, 0.5 + 1e-9, 0.0]])
def test_whatever_rounding_did_to_the_sum_the_last_possible_action_takes_the_rest(p):
    p = np.array(p)
    assert draw(cumulative(p), LAST) == np.flatnonzero(p)[-1]


def test_cumulative_leaves_its_input_alone():
    p = np.array([0.25, 0.75])
    running = cumulative(p)
    assert p.tolist() == [0.25, 0.75]
    assert running.tolist() == [0.25, np.inf]


def test_indices_are_int32_for_one_and_for_many():
    running = cumulative(np.array([[0.5, 0.5]]))
    assert draw(running, np.array([0.7])).dtype == np.int32
    assert draw(running[0], 0.7).dtype == np.int32


def test_frequencies_are_the_propensities():
    # 200,000 draws: by Hoeffding one frequency strays by more than 0.005 with probability below 2 exp(-10) = 1e-4.
    p = np.array([0.1, 0.0, 0.6, 0.3])
    drawn = draw(cumulative(p), np.random.default_rng(4).random(200_000))
    assert np.bincount(drawn, minlength=4) / drawn.size == pytest.approx(p, abs=0.005)
