"""What simulated users accept."""

import numpy as np
import pytest

from typeover.environments import Exact, Tolerant, w1

_BOUNDS = [0.0, 0.02, 0.3, 1.0]


@pytest.mark.parametrize("bias_bound", _BOUNDS)
def test_a_tolerant_user_never_accepts_what_is_further_than_the_bias_bound(bias_bound):
    world = w1(bias_bound=bias_bound, n_policies=2).world
    accepted = world.tables.acceptance > 0
    assert (world.losses[accepted] <= bias_bound).all()  # Assumption 3
    assert (world.losses[~accepted] > bias_bound).all()


def test_an_exact_user_accepts_the_answer_and_nothing_else():
    matches = np.eye(3, dtype=bool)[None]
    assert Exact().acceptance(np.zeros((1, 3, 3)), matches).tolist() == np.eye(3)[None].tolist()


@pytest.mark.parametrize("bias_bound", [-0.1, 1.1, float("nan"), "some"])
def test_a_bias_bound_outside_the_range_of_losses_is_refused(bias_bound):
    with pytest.raises(ValueError, match=r"bias_bound is .*a number from 0 to 1"):
        Tolerant(bias_bound)
