"""Theorem 3, Theorem 4 and Theorem 5."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.theory import (
    active_constraint_regret,
    active_queries,
    active_reward_regret,
    active_rule,
    biased_constraint_regret,
    biased_radius,
    biased_reward_regret,
    phi,
    robust_constraint_regret,
    robust_reward_regret,
    robust_width,
)

_PHI = {
    "horizon": 10**4, "blends": [0.0, 0.5, 1.0], "n_actions": 4, "n_policies": 50, "alignment": 0.7, "slack": 0.05,
}  # fmt: skip
_REWARD = _PHI | {"bias_bound": 0.5}
_KEEP = {"horizon": 10**4, "n_policies": 50, "tolerance": 0.05, "bias_bound": 0.5}
_QUERIES = {"horizon": 10**8, "n_policies": 50, "margin": 0.2}
_ACTIVE = _PHI | {"tolerance": 0.05, "margin": 0.2}
_ACTIVE_KEEP = {"horizon": 10**4, "n_policies": 50, "tolerance": 0.05, "margin": 0.2}
_LOG, _L = math.log(10**4 * 50), math.log(10**4 * 50 / 0.01)


def _least(slack, **rest):
    return phi(**_PHI | {"slack": slack}, **rest).min()


def test_theorem_3_by_hand():
    assert biased_reward_regret(**_REWARD) == pytest.approx(_least(0.55))
    provable = biased_reward_regret(**_REWARD, failure=0.01, form="provable")
    assert provable == pytest.approx(_least(1.05, form="provable") + 100)
    assert biased_constraint_regret(**_KEEP) == pytest.approx(2.05 + 8 * math.sqrt(2 * _LOG / 1e4))
    provable = biased_constraint_regret(**_KEEP, failure=0.01, form="provable")
    assert provable == pytest.approx(2.05 + 16 * math.sqrt(2 * _L / 1e4) + 0.01)


def test_theorem_4_by_hand():
    assert robust_reward_regret(**_REWARD) == pytest.approx(_least(0.05, second_moment=25.0))
    provable = robust_reward_regret(**_REWARD, failure=0.01, form="provable")
    expected = _least(0.05, second_moment=12.0, has_negative_estimates=True, form="provable") + 500 + 100
    assert provable == pytest.approx(expected)
    assert robust_constraint_regret(**_KEEP) == pytest.approx(0.05 + math.sqrt(0.5 * _LOG / 1e3) + _LOG**2 / 1e3)
    provable = robust_constraint_regret(**_KEEP, failure=0.01, form="provable")
    root = 48 * math.sqrt(5 * _L / 1e4)
    assert provable == pytest.approx(0.05 + root + 24 * _L * (1 + math.log(1e4)) / 1e3 + 0.05 + 0.01)


def test_theorem_5_by_hand():
    assert active_queries(**_QUERIES, failure=0.1) == pytest.approx(80 * math.log(5e10) / 0.04)
    assert active_queries(**_QUERIES, failure=0.1, form="provable") == pytest.approx(3200 * math.log(5e10) / 0.04)
    assert active_queries(**_QUERIES | {"horizon": 100}) == 100
    assert active_reward_regret(**_ACTIVE) == pytest.approx(_LOG / 0.04 / 1e4 + _least(0.1) / 1e4)
    r = 4 * math.sqrt(2 * _L / 1e4)
    provable = active_reward_regret(**_ACTIVE, failure=0.01, form="provable")
    assert provable == pytest.approx(1 + _least(0.15 + 2 * r, form="provable") / 1e4 + 0.01)  # every round a query
    assert active_constraint_regret(**_ACTIVE_KEEP) == pytest.approx(0.15 + math.sqrt(_LOG / 1e4))
    provable = active_constraint_regret(**_ACTIVE_KEEP, failure=0.01, form="provable")
    assert provable == pytest.approx(0.15 + 20 * r + 1 + 0.01)


@given(T=st.integers(2, 3000), N=st.integers(1, 10**6), nu=st.floats(0, 1), delta=st.floats(0.001, 0.5))
def test_the_provable_constraint_regrets_hold_the_mean_of_what_is_kept(T, N, nu, delta):
    t = list(range(1, T + 1))
    here = {"horizon": T, "n_policies": N, "tolerance": 0.0, "failure": delta}
    kept = 2 * biased_radius(**here, number=t, bias_bound=nu).mean() + delta
    assert kept <= biased_constraint_regret(**here, bias_bound=nu, form="provable") + 1e-9
    width = robust_width(number=t, horizon=T, n_policies=N, bias_bound=nu, failure=delta)
    assert 6 * width.mean() + nu / T**0.25 + delta <= robust_constraint_regret(**here, bias_bound=nu, form="provable")
    kept = active_rule(**here, number=t).violation.mean() + delta
    assert kept <= active_constraint_regret(**here, margin=1.0, form="provable") + 1e-9


@given(T=st.integers(1, 10**8), N=st.integers(1, 10**6), nu=st.floats(0, 0.9), eps=st.floats(0, 1))
def test_constraint_regrets_grow_with_policies_bias_and_tolerance_and_fall_with_rounds(T, N, nu, eps):
    for function in (biased_constraint_regret, robust_constraint_regret):
        for form in ("printed", "provable"):
            here = {"horizon": T, "n_policies": N, "bias_bound": nu, "tolerance": eps, "form": form}
            promise = function(**here)
            assert function(**here | {"n_policies": N + 1}) > promise
            assert function(**here | {"bias_bound": nu + 0.1}) >= promise
            assert function(**here | {"tolerance": eps + 0.1}) > promise
            if T >= 10**4:
                assert function(**here | {"horizon": 2 * T}) <= promise


def test_without_bias_both_estimates_promise_the_same_rewards_in_print():
    here = _REWARD | {"bias_bound": 0.0}
    assert biased_reward_regret(**here) == pytest.approx(robust_reward_regret(**here)) == pytest.approx(_least(0.05))


def test_print_promises_more_fidelity_than_can_be_proved():
    assert biased_constraint_regret(**_KEEP) < biased_constraint_regret(**_KEEP, form="provable")
    assert robust_constraint_regret(**_KEEP) < robust_constraint_regret(**_KEEP, form="provable")
    assert active_constraint_regret(**_ACTIVE_KEEP) < active_constraint_regret(**_ACTIVE_KEEP, form="provable")


def test_the_printed_doubly_robust_promise_falls_below_the_sampling_error_without_bias():
    T = 10**12
    assert robust_constraint_regret(horizon=T, n_policies=2, tolerance=0.0, bias_bound=0.0) < 1 / math.sqrt(T)


def test_the_audits_outgrow_the_printed_reward_regret_at_the_blend_of_rewards():
    here = _REWARD | {"horizon": 10**12, "blends": [1.0]}
    audits = 0.5 * (10**12) ** 0.75
    assert audits > 5 * robust_reward_regret(**here)


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_estimates_of_two_policies_can_be_off_in_opposite_directions(nu):
    # On a line: the user wants 0, nu is shown and taken; pi would play 1, pi* would play 0.
    pi, best, shown = 1.0, 0.0, nu
    true = abs(pi - 0) - abs(best - 0)
    estimated = abs(pi - shown) - abs(best - shown)
    assert true - estimated == pytest.approx(2 * nu)  # Theorem 3 prints d + nu


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (biased_reward_regret, _REWARD | {"bias_bound": 1.5}, "bias_bound is 1.5"),
        (biased_reward_regret, _REWARD | {"slack": -1}, "slack is -1"),
        (biased_constraint_regret, _KEEP | {"failure": 0.1}, "failure is 0.1, but the printed bound has none"),
        (biased_constraint_regret, _KEEP | {"n_policies": 0}, "n_policies is 0"),
        (robust_reward_regret, _REWARD | {"bias_bound": -0.1}, "bias_bound is -0.1"),
        (robust_constraint_regret, _KEEP | {"tolerance": -1.0}, "tolerance is -1.0"),
        (robust_constraint_regret, _KEEP | {"form": "x"}, "form is 'x'"),
        (active_queries, _QUERIES | {"margin": 0.0}, "margin is 0; without a margin queries need not stop"),
        (active_queries, _QUERIES | {"failure": 0.0}, "failure is 0.0"),
        (active_reward_regret, _ACTIVE | {"failure": 0.1}, "failure is 0.1, but the printed bound has none"),
        (active_constraint_regret, _ACTIVE_KEEP | {"horizon": 0}, "horizon is 0"),
        (active_constraint_regret, _ACTIVE_KEEP | {"margin": -1.0}, "margin is -1.0"),
    ],
)
def test_a_bad_argument_is_refused_by_name(function, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        function(**arguments)
