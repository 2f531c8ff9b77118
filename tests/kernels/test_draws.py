import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from typeover.core.draw import cumulative, draw
from typeover.kernels.draws import draw_rows

WEIGHTS = st.lists(st.integers(0, 4), min_size=5, max_size=5).filter(any)


@given(
    rows=st.lists(WEIGHTS, min_size=1, max_size=6),
    uniforms=st.lists(st.floats(0, 1, exclude_max=True) | st.integers(0, 15).map(lambda n: n / 16), max_size=30),
    seed=st.integers(0, 2**32),
)
def test_compiled_draws_are_the_first_entry_above_the_uniform(rows, uniforms, seed):
    propensities = np.array([np.array(row) / sum(row) for row in rows])
    running = cumulative(propensities)
    places = np.random.default_rng(seed).integers(len(rows), size=len(uniforms), dtype=np.int32)
    drawn = draw_rows(running, places, np.array(uniforms))
    assert drawn.dtype == np.int32
    assert drawn.tolist() == naive.draw_rows(running, places, uniforms)
    assert drawn.tolist() == draw(running[places], np.array(uniforms)).tolist()
    assert (propensities[places, drawn] > 0).all()


@pytest.mark.parametrize("n_actions", [1, 2, 3, 64, 1000])
def test_every_action_is_drawn_at_the_edge_where_it_begins(n_actions):
    running = cumulative(np.full((1, n_actions), 1 / n_actions))
    starts = np.concatenate([[0.0], running[0, :-1]])
    zeros = np.zeros(n_actions, dtype=np.int32)
    assert draw_rows(running, zeros, starts).tolist() == list(range(n_actions))
    assert draw_rows(running, zeros, np.nextafter(running[0], 0).clip(max=1 - 2**-53)).tolist() == list(
        range(n_actions)
    )
