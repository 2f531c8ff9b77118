"""The similarity curve against the maximum it stands for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from typeover.errors import InvalidInputError
from typeover.rng import stream
from typeover.theory import best_feasible, least_bound, similarity_curve

_GRAINY = st.integers(0, 6).map(lambda k: k / 6)  # many ties
_CLASSES = arrays(float, st.tuples(st.integers(1, 100), st.just(2)), elements=st.floats(0, 1) | _GRAINY)
_TOLERANCES = st.floats(0, 1)
_ALPHAS = np.concatenate([np.linspace(0, 4, 41), np.logspace(1, 4, 10)])


def _slow(r, c, tolerance, alpha):
    """Definition 1 as it stands: policy by policy."""
    least = min(c)
    feasible = [i for i in range(len(r)) if c[i] <= least + tolerance + 1e-12]
    best = min(feasible, key=lambda i: (-r[i], c[i], i))
    return best, max(alpha * (r[best] - r[i]) - (c[i] - c[best]) for i in range(len(r)))


@settings(deadline=None)  # the first call compiles
@given(points=_CLASSES, tolerance=_TOLERANCES)
def test_the_curve_is_the_maximum_over_all_policies(points, tolerance):
    r, c = points.T
    curve = similarity_curve(r, c, tolerance)
    for alpha, d in zip(_ALPHAS, curve(_ALPHAS), strict=True):
        best, slow = _slow(r, c, tolerance, alpha)
        assert curve.best == best == best_feasible(r, c, tolerance)
        assert d == pytest.approx(slow, abs=3e-12 * (1 + alpha))


@pytest.mark.parametrize("n", [65, 3000])
def test_the_curve_of_a_large_class_is_the_maximum_too(n):
    r, c = stream(2, "class", str(n)).random((2, n))
    curve = similarity_curve(r, c, 0.1)
    slow = [_slow(r, c, 0.1, alpha)[1] for alpha in _ALPHAS]
    assert curve(_ALPHAS) == pytest.approx(slow, abs=1e-9)


@settings(deadline=None)  # the first call compiles
@given(points=_CLASSES, tolerance=_TOLERANCES)
def test_the_curve_starts_within_the_tolerance_never_falls_and_is_convex(points, tolerance):
    curve = similarity_curve(*points.T, tolerance)
    d = curve(np.linspace(0, 8, 200))
    assert 0 <= d[0] <= tolerance + 1e-12
    assert np.all(np.diff(d) >= -1e-10)
    assert np.all(np.diff(d, 2) >= -1e-10)


@settings(deadline=None)  # the first call compiles
@given(points=_CLASSES, tolerance=_TOLERANCES)
def test_the_pieces_meet_at_the_breakpoints_and_get_steeper(points, tolerance):
    curve = similarity_curve(*points.T, tolerance)
    assert curve.maximisers.size == curve.slopes.size == curve.intercepts.size == curve.breakpoints.size + 1
    assert np.all(curve.breakpoints > 0)
    assert np.all(np.diff(curve.breakpoints) >= 0)
    assert np.all(np.diff(curve.slopes) > -1e-12)
    for k, alpha in enumerate(curve.breakpoints):
        before = curve.slopes[k] * alpha + curve.intercepts[k]
        after = curve.slopes[k + 1] * alpha + curve.intercepts[k + 1]
        assert before == pytest.approx(after, abs=3e-12 * (1 + alpha))


@settings(deadline=None)  # the first call compiles
@given(points=_CLASSES, tolerance=_TOLERANCES, data=st.data())
def test_a_mixture_needs_no_more_slack_than_the_curve_gives(points, tolerance, data):
    r, c = points.T
    q = data.draw(arrays(float, r.size, elements=st.floats(0.01, 1)))
    q /= q.sum()
    curve, alpha = similarity_curve(r, c, tolerance), data.draw(st.floats(0, 10))
    needed = alpha * (r[curve.best] - q @ r) - (q @ c - c[curve.best])
    assert needed <= curve(alpha) + 1e-9


def test_a_curve_worked_by_hand():
    # pi* is policy 1 (loss 0.25 <= 0.125 + 0.125). Policy 0 needs alpha 0.25 + 0.125, policy 2 alpha 0.5 - 0.25.
    curve = similarity_curve([0.5, 0.75, 0.25, 1.0], [0.125, 0.25, 0.5, 0.75], 0.125)
    assert curve.best == 1
    assert curve.breakpoints.tolist() == [1.5]
    assert curve.maximisers.tolist() == [0, 2]
    assert curve(np.array([0.0, 1.0, 1.5, 3.0])).tolist() == [0.125, 0.375, 0.5, 1.25]
    assert curve(1) == 0.375
    assert isinstance(curve(1.0), float)


def test_losses_that_mirror_rewards_need_no_slack_at_alpha_one():
    rewards = stream(1, "mirror").random(50)
    curve = similarity_curve(rewards, 1 - rewards, 0.0)
    assert curve(1.0) == pytest.approx(0.0, abs=1e-12)
    assert curve(0.0) == 0.0


def test_a_class_of_one_policy_is_similar_to_anything():
    curve = similarity_curve([0.3], [0.9], 0.0)
    assert curve.breakpoints.size == 0
    assert curve(_ALPHAS).tolist() == [0.0] * _ALPHAS.size


@settings(deadline=None)  # the first call compiles
@given(points=_CLASSES, tolerance=_TOLERANCES, more=_TOLERANCES)
def test_more_tolerance_never_lowers_the_best_feasible_reward(points, tolerance, more):
    r, c = points.T
    assert r[best_feasible(r, c, tolerance + more)] >= r[best_feasible(r, c, tolerance)]


def test_ties_go_to_the_lowest_loss_and_then_to_the_lowest_index():
    assert best_feasible([0.5, 0.9, 0.9, 0.9], [0.1, 0.2, 0.15, 0.15], 0.1) == 2


def test_a_policy_on_the_boundary_is_not_lost_to_rounding():
    assert 0.7 + 0.1 < 0.8
    assert best_feasible([0.2, 0.9], [0.7, 0.8], 0.1) == 1
    assert best_feasible([0.2, 0.9], [0.7, 0.8 + 1e-9], 0.1) == 0


@pytest.mark.parametrize("n", [3, 500])
def test_rewards_a_hair_apart_are_one_reward(n):
    r, c = np.full(n, 5e-324), stream(4, "hair").random(n)
    r[0] = 0.0
    curve = similarity_curve(r, c, 0.0)
    assert curve.breakpoints.size == 0
    assert curve(_ALPHAS).tolist() == [0.0] * _ALPHAS.size


def test_the_curve_leaves_its_input_alone():
    r, c = np.array([0.1, 0.9, 0.4]), np.array([0.2, 0.6, 0.1])
    r.flags.writeable = c.flags.writeable = False
    similarity_curve(r, c, 0.2)(np.array([0.0, 1.0]))
    assert r.tolist() == [0.1, 0.9, 0.4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], 0.1), r"rewards has shape \(0,\); it must be a list of at least one"),
        (([[0.1]], [0.1], 0.1), r"rewards has shape \(1, 1\)"),
        (
            ([0.1, math.nan], [0.1, 0.2], 0.1),
            r"rewards\[1\] is nan; it must be a number from -1e\+06 to 1e\+06: the mean reward",
        ),
        (([0.1], [math.inf], 0.1), r"losses\[0\] is inf"),
        (([1e9], [0.1], 0.1), r"rewards\[0\] is 1000000000.0; it must be a number from -1e\+06 to 1e\+06"),
        (([0.1, 0.2], [0.1], 0.1), "rewards has 2 entries and losses 1; give one of each per policy"),
        (([0.1], [0.1], -0.1), "tolerance is -0.1; it must be a finite number from 0"),
        (([0.1], ["x"], 0.1), r"losses is \['x'\]; it must be a list of numbers"),
    ],
)
@pytest.mark.parametrize("function", [similarity_curve, best_feasible])
def test_a_bad_class_is_refused_by_name(function, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        function(*arguments)


@pytest.mark.parametrize("alpha", [-1.0, math.nan, np.array([0.5, -1.0]), "one"])
def test_a_curve_is_asked_only_where_it_exists(alpha):
    with pytest.raises(InvalidInputError, match=r"alignment.*finite number from 0: alpha of Definition 1"):
        similarity_curve([0.1], [0.1], 0.1)(alpha)


def test_the_least_bound_is_found_where_the_slack_bends_though_no_round_alpha_lies_there():
    curve = similarity_curve(rewards=[0.9, 0.6, 0.1], losses=[0.3, 0.1, 0.5], tolerance=0.25)

    def bound(alignment, slack):
        return (0.1 + slack) / (0.1 + alignment)

    assert least_bound(curve, bound) == pytest.approx(bound(0.8, 0.44))  # d bends at 0.8, where it is 0.44
    assert least_bound(curve, bound) < min(bound(alpha, curve(alpha)) for alpha in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0))
