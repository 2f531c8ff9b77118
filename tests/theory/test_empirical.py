"""The radius from what was seen."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.rng import stream
from typeover.theory import doublings_needed, empirical_width

_HERE = {
    "squares": [4.0, 9.0], "total": 100.0, "bound": 2.0, "n_policies": 50, "looks": 3, "doublings": 20, "failure": 0.05,
}  # fmt: skip


def test_the_radius_by_hand():
    length = math.log(2 * 50 * 3 * 4 * 20 / 0.05)
    expected = [(math.sqrt(2 * V * length) + 2 * length) / 100 for V in (4, 9)]
    assert empirical_width(**_HERE) == pytest.approx(expected)


def test_estimates_that_never_move_leave_the_range_term():
    length = math.log(2 * 50 * 3 * 4 * 20 / 0.05)
    assert empirical_width(**_HERE | {"squares": 0.0}) == pytest.approx(2 * length / 100)


@given(V=st.floats(0, 1e6), b=st.floats(0.1, 100), n=st.integers(1, 1000), scale=st.floats(0.01, 100))
def test_it_grows_with_spread_range_and_looks_and_scales_with_the_unit(V, b, n, scale):
    here = _HERE | {"squares": V, "bound": b, "looks": n}
    w = empirical_width(**here)
    for change in ({"squares": V + 1}, {"bound": b + 1}, {"looks": n + 1}, {"n_policies": 51}, {"doublings": 21}):
        assert empirical_width(**here | change) > w
    assert empirical_width(**here | {"failure": 0.04}) > w
    assert empirical_width(**here | {"total": 200.0}) == pytest.approx(w / 2)
    assert empirical_width(**here | {"squares": V * scale**2, "bound": b * scale}) == pytest.approx(w * scale)


@pytest.mark.parametrize(("T", "N", "delta"), [(1, 1, 0.5), (10**3, 50, 0.1), (10**6, 10**4, 0.001)])
def test_the_doublings_reach_from_what_the_looks_pay_for_to_all_there_can_be(T, N, delta):
    J = doublings_needed(horizon=T, n_policies=N, failure=delta)
    lowest = math.log(2) ** 2 / (2 * math.log(2 * N * J / delta))  # in units of b^2
    assert lowest * 2**J >= T
    assert J == 1 or lowest * 2 ** (J - 1) < T * 1.2
    assert doublings_needed(horizon=2 * T, n_policies=N, failure=delta) >= J


def test_every_mean_stays_within_the_radius_while_audits_come_and_go():
    # Doubly robust estimates of 50 policies, audited with a probability that depends on the past; a run fails if any
    # policy is off by more than its radius at any look. At most delta of all runs may.
    runs, T, N, delta, floor = 200, 2000, 50, 0.1, 0.05
    rng = stream(11, "coverage")
    truth = rng.random((runs, N))
    total, squares, mean = np.zeros((3, runs, N))
    gamma, failed, tightest = np.full(runs, 0.5), np.zeros(runs, dtype=bool), np.inf
    b, J = 1 / floor, doublings_needed(horizon=T, n_policies=N, failure=delta)
    looks = {int(10 * 1.3**k): k + 1 for k in range(21)}
    for t in range(1, T + 1):
        delta_t = rng.random((runs, 1)) < truth  # Delta in {0, 1}, dependent between policies
        control = np.where(t % 3 == 0, 0.0, np.clip(mean, 0, 1))  # known before the round
        audited = rng.random(runs) < gamma
        estimate = control + np.where(audited, 1 / gamma, 0.0)[:, None] * (delta_t - control)
        squares += (estimate - np.clip(mean, 0, 1)) ** 2
        total += estimate
        mean = total / t
        gamma = np.maximum(floor, np.where(mean.max(axis=1) > 1, 0.6, 0.7) * t**-0.4)  # moves with the past
        if t in looks:
            w = empirical_width(
                squares=squares, total=t, bound=b, n_policies=N, looks=looks[t], doublings=J, failure=delta
            )
            failed |= (abs(mean - truth) > w).any(axis=1)
            tightest = min(tightest, float((w / np.maximum(abs(mean - truth), 1e-12)).min()))
    assert failed.mean() <= delta
    assert tightest < 6  # a bound, yet of the right order
    assert w.mean() < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"squares": [-1.0]}, "squares is .-1.0.; it must be finite and at least 0: V"),
        ({"total": 0}, "total is 0; it must be finite"),
        ({"bound": -1.0}, "bound is -1.0"),
        ({"n_policies": 0}, "n_policies is 0"),
        ({"looks": 0}, "looks is 0; it must be a whole number from 1: how often"),
        ({"doublings": 0}, "doublings is 0"),
        ({"failure": 0.0}, "failure is 0.0"),
    ],
)
def test_a_bad_argument_is_refused_by_name(change, message):
    with pytest.raises(InvalidInputError, match=message):
        empirical_width(**_HERE | change)
