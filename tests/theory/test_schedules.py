"""Block lengths."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.theory import block_length

_HORIZONS = st.integers(4, 10**12)
_ACTIONS = st.integers(1, 1000)
_POLICIES = st.integers(1, 10**9)


@given(T=_HORIZONS)
def test_the_minimax_block_is_the_greatest_whole_number_below_the_power(T):
    T0 = block_length(T)
    if T0 < T // 4:
        assert T0**3 <= T**2 < (T0 + 1) ** 3


@given(n=st.integers(2, 5000))
def test_a_horizon_that_is_a_cube_loses_nothing_to_rounding(n):
    assert block_length(n**3) == min(n**2, n**3 // 4)


@given(T=_HORIZONS, K=_ACTIONS, N=_POLICIES)
def test_four_blocks_fit_and_the_schedules_are_ordered(T, K, N):
    lengths = [block_length(T), block_length(T, "aligned", K, N), block_length(T, "misaligned", K, N)]
    assert lengths == sorted(lengths)
    assert lengths[0] >= 1
    assert 4 * lengths[-1] <= T


@pytest.mark.parametrize(
    ("schedule", "factor"),
    [
        ("minimax", 1.0),
        ("aligned", max(6 * math.log(10**9), math.log(50 * 10**9)) ** (1 / 3)),
        ("misaligned", (6 * math.log(50 * 10**9)) ** (1 / 3)),
    ],
)
def test_each_schedule_is_the_printed_formula(schedule, factor):
    assert block_length(10**9, schedule, n_actions=6, n_policies=50) == pytest.approx(10**6 * factor, abs=1)


def test_the_aligned_block_grows_with_the_larger_of_actions_and_policies():
    assert block_length(10**9, "aligned", 2, 10**30) == block_length(10**9, "aligned", 3, 10**30)
    assert block_length(10**9, "aligned", 50, 10) == block_length(10**9, "aligned", 50, 1000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "horizon is 3; EFBO explores in four blocks, so give it at least 4 rounds"),
        ((-1,), "horizon is -1; it must be a whole number from 1"),
        ((100.0,), "horizon is 100.0"),
        ((100, "alined"), "schedule is 'alined'; did you mean 'aligned'"),
        ((100, 7), "schedule is 7; known: 'minimax', 'aligned', 'misaligned'"),
        ((100, "aligned"), 'schedule "aligned" needs n_actions and n_policies; pass what is missing'),
        ((100, "misaligned", 3), 'schedule "misaligned" needs n_policies;'),
        ((100, "misaligned", None, 3), 'schedule "misaligned" needs n_actions;'),
        ((100, "aligned", 0, 3), "n_actions is 0"),
        ((100, "aligned", 3, 0), "n_policies is 0"),
    ],
)
def test_a_bad_schedule_is_refused_by_name(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        block_length(*arguments)
