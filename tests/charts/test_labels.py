"""Labels at the ends of lines are moved as little as it takes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from typeover.charts.labels import spread

HEIGHTS = st.lists(st.floats(0, 340), min_size=1, max_size=12)


@given(HEIGHTS)
def test_no_two_labels_are_closer_than_the_gap_and_all_stay_inside(heights):
    moved = spread(heights, gap=16, top=340)
    assert np.all(np.diff(sorted(moved)) >= 16 - 1e-6)
    assert min(moved) >= 0
    assert max(moved) <= 340 + 1e-6


@given(HEIGHTS)
def test_labels_keep_their_order(heights):
    moved = spread(heights, gap=16, top=340)
    for i, one in enumerate(heights):
        for j, other in enumerate(heights):
            assert not (one < other and moved[i] > moved[j])


@given(st.lists(st.integers(0, 15), min_size=1, max_size=8, unique=True))
def test_labels_with_room_stay_where_they_are(places):
    heights = [20.0 * place for place in places]
    assert np.allclose(spread(heights, gap=16, top=340), heights)


def test_two_labels_at_one_height_move_apart_evenly():
    assert spread([100.0, 100.0], gap=16, top=340) == [92.0, 108.0]
