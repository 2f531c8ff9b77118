"""What simulated users accept."""

import numpy as np
import pytest

import tiny
from typeover.environments import Exact, Soft, Tolerant, w1
from typeover.environments.users import conduct

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


def test_a_soft_user_accepts_less_the_further_the_suggestion_is():
    losses = np.linspace(0, 1, 21)[None, :, None]
    acceptance = Soft(0.1).acceptance(losses, None)[0, :, 0]
    assert (np.diff(acceptance) < 0).all()
    assert 0 < acceptance[-1] < acceptance[0] < 1


def test_soft_users_differ_as_widely_as_asked_at_the_bias_bound():
    """Sample percentiles of 100,000 normal numbers; the tenth is off by 0.01 in acceptance with probability < 1e-6."""
    acceptance = Soft(0.1, low=0.64, high=0.9).acceptance(np.full((100_000, 1, 1), 0.1), None)
    assert np.quantile(acceptance, [0.1, 0.5, 0.9]) == pytest.approx([0.64, 0.8, 0.9], abs=0.01)


def test_a_soft_user_far_beyond_the_bound_is_no_overflow():
    acceptance = Soft(0.0, steepness=1e6).acceptance(np.array([[[0.0], [1.0]]]), None)
    assert acceptance[0, 1, 0] == 0
    assert 0 < acceptance[0, 0, 0] < 1


def test_soft_users_are_the_same_under_the_same_seed():
    losses = np.full((9, 1, 1), 0.3)
    one, same, other = (Soft(seed=seed).acceptance(losses, None).tolist() for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bias_bound": 2}, "bias_bound is 2; it must be a number from 0 to 1"),
        ({"steepness": -1}, "steepness is -1; it must be a finite number from 0"),
        ({"low": 0}, "low is 0; it must lie strictly between 0 and 1"),
        ({"high": 1.0}, "high is 1.0; it must lie strictly between 0 and 1"),
        ({"low": 0.9, "high": 0.6}, "low is 0.9 and high 0.6; low must not be above high"),
        ({"seed": -1}, "seed is -1; it must be a whole number from 0"),
    ],
)
def test_a_soft_user_refuses_bad_settings_by_name(settings, message):
    with pytest.raises(ValueError, match=message):
        Soft(**settings)


def test_a_user_who_only_accepts_types_over_what_is_wanted():
    own = conduct(Exact(), np.zeros((1, 3, 3)), np.eye(3, dtype=bool)[None])
    assert own.correction is None
    assert own.entering is None


def test_what_is_no_user_is_refused_by_what_a_user_has():
    with pytest.raises(ValueError, match=r"user is 'me'; it must have a method acceptance\(losses, matches\)"):
        tiny.world(user="me")
