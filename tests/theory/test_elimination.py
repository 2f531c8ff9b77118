"""Radii of the policies that are kept: Eq. 7 to Eq. 10 and the lemmas behind them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.theory import (
    active_rule,
    biased_radius,
    nested_radius,
    nested_violation,
    nested_width,
    robust_audit_probability,
    robust_moments,
    robust_radius,
    robust_width,
)

_UNIT = st.floats(0, 1)
_HERE = {"number": 400, "horizon": 10**4, "n_policies": 50, "failure": 0.05}
_L = math.log(10**4 * 50 / 0.05)
_BIASED = _HERE | {"tolerance": 0.03, "bias_bound": 0.02}
_ACTIVE = _HERE | {"tolerance": 0.03}
_NESTED = _HERE | {"total_moment": 800.0, "bound": 3.0, "total_bias": 8.0}
_T, _N, _DELTA = st.integers(2, 10**8), st.integers(1, 10**6), st.floats(1e-6, 0.5)


def test_the_radii_are_the_printed_formulas_by_hand():
    assert biased_radius(**_BIASED) == pytest.approx(0.03 + 0.04 + 4 * math.sqrt(2 * _L / 400))
    U = 4 * math.sqrt(_L / 400) + 4 * 10 * _L / 400  # nu T^(1/4) = 0.2 is below 1
    assert robust_width(**_HERE, bias_bound=0.02) == pytest.approx(U)
    assert robust_radius(**_BIASED) == pytest.approx(0.03 + 4 * U)
    U = 4 * math.sqrt(5 * _L / 400) + 4 * 10 * _L / 400  # nu T^(1/4) = 5
    assert robust_width(**_HERE, bias_bound=0.5) == pytest.approx(U)
    r = 4 * math.sqrt(2 * _L / 400)
    assert active_rule(**_ACTIVE) == pytest.approx((r, 0.06 + 3 * r, 0.03 + r / 2, 0.09 + 10 * r))
    assert active_rule(**_ACTIVE, form="printed").width == pytest.approx(4 * math.sqrt(2 * math.log(1000) / 400))
    w = (math.sqrt(1600 * _L) + 6 * _L + 8) / 400
    assert nested_width(**_NESTED, form="printed") == pytest.approx(w)
    assert nested_radius(width=w, tolerance=0.03, form="printed") == pytest.approx(0.03 + w)
    assert nested_radius(width=w, tolerance=0.03) == pytest.approx(0.03 + 2 * w)
    assert nested_violation(width=w, tolerance=0.03, form="printed") == pytest.approx(0.03 + 2 * w)
    assert nested_violation(width=w, tolerance=0.03) == pytest.approx(0.03 + 4 * w)


def test_the_doubly_robust_moments_by_hand():
    gamma = robust_audit_probability(horizon=10**4, bias_bound=0.5)
    assert gamma == pytest.approx(0.05)
    assert robust_moments(bias_bound=0.5, audit_probability=gamma) == pytest.approx((12.0, 1.0))
    assert robust_moments(bias_bound=0.5, audit_probability=gamma, form="provable") == pytest.approx((12.0, 11.0))


def test_without_bias_there_are_no_audits_and_nothing_to_correct():
    assert robust_audit_probability(horizon=100, bias_bound=0.0) == 0
    assert robust_moments(bias_bound=0.0, audit_probability=0.0) == (2.0, 1.0)


@given(delta=_UNIT, off=_UNIT, nu=_UNIT, gamma=st.floats(0.01, 1))
def test_the_moments_hold_for_every_control_within_the_bias_bound(delta, off, nu, gamma):
    control = min(max(delta + nu * (2 * off - 1), 0.0), 1.0)
    audited = control + (delta - control) / gamma
    square, bound = robust_moments(bias_bound=nu, audit_probability=gamma, form="provable")
    assert gamma * audited**2 + (1 - gamma) * control**2 <= square + 1e-9  # exact sum over Z
    assert abs(audited) <= bound + 1e-9
    assert gamma * audited + (1 - gamma) * control == pytest.approx(delta, abs=1e-9)


def test_the_printed_bound_of_the_lemma_is_exceeded():
    audited = 0.5 + (1.0 - 0.5) / 0.1
    _, printed = robust_moments(bias_bound=0.5, audit_probability=0.1)
    assert audited > printed


@given(T=_T, N=_N, delta=_DELTA, nu=_UNIT, share=_UNIT)
def test_equations_7_and_8_hold_the_doubled_radius_of_equation_10(T, N, delta, nu, share):
    t = max(1, round(share * T))
    here = {"number": t, "horizon": T, "n_policies": N, "failure": delta}
    gamma = robust_audit_probability(horizon=T, bias_bound=nu)
    if gamma > 0:
        square, b = robust_moments(bias_bound=nu, audit_probability=gamma, form="provable")
        w = nested_width(**here, total_moment=square * t, bound=b, total_bias=0.0)
        assert 2 * w <= robust_radius(**here, tolerance=0.0, bias_bound=nu) * (1 + 1e-9)
        if T >= 16:
            assert w <= robust_width(**here, bias_bound=nu) * (1 + 1e-9)
    hoeffding = math.sqrt(math.log(2 * T * N / delta) / (2 * t))
    assert 2 * (nu + hoeffding) <= biased_radius(**here, tolerance=0.0, bias_bound=nu)


@given(T=_T, N=_N, delta=_DELTA, eps=_UNIT, nu=st.floats(0, 0.9), t=st.integers(1, 10**6))
def test_radii_shrink_with_rounds_and_grow_with_everything_else(T, N, delta, eps, nu, t):
    here = {"number": t, "horizon": T, "n_policies": N, "failure": delta, "tolerance": eps, "bias_bound": nu}
    for radius in (biased_radius, robust_radius, lambda bias_bound, **rest: active_rule(**rest).radius):
        r = radius(**here)
        assert radius(**here | {"number": 4 * t}) < r
        for change in ({"horizon": 2 * T}, {"n_policies": 2 * N}, {"failure": delta / 2}, {"tolerance": eps + 0.1}):
            assert radius(**here | change) > r
        assert radius(**here | {"bias_bound": nu + 0.1}) >= r
    rule = active_rule(**{k: v for k, v in here.items() if k != "bias_bound"})
    printed = active_rule(**{k: v for k, v in here.items() if k != "bias_bound"}, form="printed")
    assert rule.threshold < rule.radius < rule.violation
    assert printed.width <= rule.width


def test_a_radius_above_the_tolerance_halves_when_rounds_quadruple():
    t = np.array([100, 400, 1600])
    r = biased_radius(**_BIASED | {"number": t, "tolerance": 0.0, "bias_bound": 0.0})
    assert r[:-1] / r[1:] == pytest.approx([2, 2])
    assert active_rule(**_ACTIVE | {"number": t}).width == pytest.approx(r)


@given(square=st.floats(0, 1e6), b=st.floats(0, 100), bias=st.floats(0, 100))
def test_the_width_grows_with_moment_bound_and_bias(square, b, bias):
    here = _HERE | {"total_moment": square, "bound": b, "total_bias": bias}
    w = nested_width(**here)
    assert w >= nested_width(**here, form="printed")
    for name in ("total_moment", "bound", "total_bias"):
        assert nested_width(**here | {name: here[name] + 1}) > w


def test_the_printed_radius_of_equation_10_loses_a_feasible_policy_that_the_provable_one_keeps():
    w, eps = 0.1, 0.05
    best, feasible = 0.3 - w, 0.35 + w  # off by w each, in opposite directions
    assert feasible > best + nested_radius(width=w, tolerance=eps, form="printed")
    assert feasible <= best + nested_radius(width=w, tolerance=eps) + 1e-12


def test_queries_wait_until_the_threshold_is_below_one():
    first = next(t for t in range(1, 10**4) if active_rule(**_ACTIVE | {"number": t}).threshold <= 1)
    assert 8 * _L < first < 9 * _L  # 8 L / (1 - eps)^2


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (biased_radius, _BIASED | {"number": 0}, "number is 0; it must be finite and at least 1: the round t"),
        (biased_radius, _BIASED | {"number": [1, math.nan]}, "number is .1, nan.; it must be finite"),
        (biased_radius, _BIASED | {"number": "ten"}, "number is 'ten'; it must be a number or an array"),
        (biased_radius, _BIASED | {"horizon": 0}, "horizon is 0; it must be a whole number from 1"),
        (biased_radius, _BIASED | {"n_policies": 1.5}, "n_policies is 1.5"),
        (biased_radius, _BIASED | {"failure": 1.0}, "failure is 1.0; it must lie strictly between 0 and 1"),
        (biased_radius, _BIASED | {"tolerance": -1}, "tolerance is -1"),
        (robust_radius, _BIASED | {"bias_bound": 2.0}, "bias_bound is 2.0; it must be a number from 0 to 1"),
        (
            robust_moments,
            {"bias_bound": 0.1, "audit_probability": 0.0},
            "audit_probability is 0 while bias_bound is 0.1",
        ),
        (robust_moments, {"bias_bound": 0.1, "audit_probability": 2.0}, "audit_probability is 2.0"),
        (active_rule, _ACTIVE | {"form": "prnted"}, "form is 'prnted'; did you mean 'printed'"),
        (nested_width, _NESTED | {"total_moment": -1.0}, "total_moment is -1.0"),
        (nested_width, _NESTED | {"bound": math.inf}, "bound is inf"),
        (nested_width, _NESTED | {"total_bias": -0.1}, "total_bias is -0.1"),
        (nested_radius, {"width": -0.1, "tolerance": 0.1}, "width is -0.1"),
    ],
)
def test_a_bad_argument_is_refused_by_name(function, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        function(**arguments)
