"""The corralling master: settings, Eq. 14, Theorem 7, phi and Theorem 8."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.theory import (
    blend_grid,
    corral_rate,
    corral_settings,
    corralled_reward_regret,
    exp4_rate,
    master_regret,
    phi,
    stable_reward_regret,
)

_SETTINGS = {"blends": [0.0, 0.5, 1.0], "horizon": 10**4, "n_actions": 4, "n_policies": 50}
_PHI = _SETTINGS | {"alignment": 0.7, "slack": 0.05}
_STABLE = {
    "inverse": 9.0, "horizon": 10**4, "blend": 0.5, "n_actions": 4, "n_policies": 50, "alignment": 0.7, "slack": 0.05,
}  # fmt: skip
_MASTER = {"horizon": 10**4, "n_policies": 50, "n_bases": 3, "cost": 4.0}
_RATE = {"total_inverse": [10.0, 10.0], "total_moment": 10.0, "blends": [0.0, 0.5], "n_actions": 4, "n_policies": 50}
_LOG = math.log(50)


def test_the_settings_by_hand():
    found = corral_settings(**_SETTINGS, scale=2.0, hedge_scale=3.0)
    assert found.costs == pytest.approx([1, 1.25, 4])
    assert found.regrets == pytest.approx(3 * 100 * np.sqrt(np.array([1, 1.25, 4]) * _LOG))
    assert found.inverses == pytest.approx([3, 3, 3])
    assert corral_settings(**_SETTINGS).inverses == pytest.approx([3, 3.75, 12])


def test_a_base_that_is_always_asked_has_the_rate_of_exp4():
    rate = corral_rate(**_RATE)
    alone = [float(exp4_rate(number=10, blend=mu, n_actions=4, n_policies=50)) for mu in (0.0, 0.5)]
    assert rate == pytest.approx(alone)
    rarely = corral_rate(**_RATE | {"total_inverse": [90.0, 90.0]})
    assert rarely == pytest.approx([alone[0], math.sqrt(_LOG / (0.25 * 4 * 90 + 0.25 * 10))])


def test_the_stable_regret_by_hand():
    printed = (math.sqrt(9 * math.log(5e5) * 1.25 / 1e4) + 0.025) / 0.85
    assert stable_reward_regret(**_STABLE) == pytest.approx(printed)
    provable = (3 * math.sqrt(9 * _LOG * 1.25 / 1e4) + 0.025) / 0.85
    assert stable_reward_regret(**_STABLE, form="provable") == pytest.approx(provable)


def test_the_master_by_hand():
    hedged = math.sqrt(3e4 * _LOG)
    assert master_regret(**_MASTER) == pytest.approx(8 * hedged + math.sqrt(6e4))
    assert master_regret(**_MASTER, form="provable") == pytest.approx(5 * hedged + 4 * math.sqrt(3e4))
    assert master_regret(**_MASTER | {"cost": 0.25}, form="provable") == pytest.approx(
        1.5 * hedged + 4 * math.sqrt(3e4)
    )


@given(cost=st.floats(0, 100), C=st.floats(0.1, 10), M=st.integers(1, 30), N=st.integers(1, 10**6))
def test_the_hedge_of_the_settings_adds_up_to_the_first_term(cost, C, M, N):
    here = {"horizon": 1000, "n_policies": N, "n_bases": M, "cost": cost, "scale": C}
    R, start = math.sqrt(cost * 1000 * math.log(N)), M * max(1, cost / C**2)
    spent = M * R / math.sqrt(start) + R * math.sqrt(start)  # every base alike: sum R / sqrt(rho_0) + R sqrt(rho_0)
    provable = master_regret(**here, form="provable") - 4 * math.sqrt(1000 * M)
    assert spent <= provable * (1 + 1e-9) + 1e-9
    assert provable <= (master_regret(**here) - math.sqrt(2000 * M)) * (1 + 1e-9) + 1e-9


def test_phi_by_hand():
    costs, heard, off = np.array([1, 1.25, 4]), np.array([0.7, 0.85, 1]), np.array([1, 0.5, 0])
    bias = 1e4 * off * 0.05 / heard
    assert phi(**_PHI) == pytest.approx(costs * math.sqrt(1e4 * _LOG * math.log(1e4)) / heard + bias)
    s = np.sqrt(costs) / heard
    hedged = 3 * (1 + np.maximum(s, s * s)) * math.sqrt(3e4 * _LOG) + 4 * math.sqrt(3e4)
    assert phi(**_PHI, form="provable") == pytest.approx(hedged + bias)


@given(alpha=st.floats(0, 5), d=st.floats(0, 1), T=st.integers(2, 10**7), form=st.sampled_from(["printed", "provable"]))
def test_phi_grows_with_everything_but_alignment(alpha, d, T, form):
    here = {
        "horizon": T, "blends": [0.1, 0.5, 1.0], "n_actions": 4, "n_policies": 50, "alignment": alpha, "slack": d,
        "form": form,
    }  # fmt: skip
    at = phi(**here)
    for change in (
        {"n_actions": 5},
        {"n_policies": 51},
        {"horizon": T + 1},
        {"slack": d + 0.1},
        {"second_moment": 2.0},
    ):
        assert (phi(**here | change) >= at * (1 - 1e-12)).all()
    assert (phi(**here | {"alignment": alpha + 0.1}) <= at).all()
    assert corralled_reward_regret(**here, audits=5.0) >= at.min() + 5
    assert corralled_reward_regret(**here) <= corralled_reward_regret(**here | {"blends": [0.5]}) or form == "provable"


def test_limits_of_phi():
    alone = phi(**_PHI | {"blends": [0.0, 1.0], "alignment": 0.0, "slack": 1.0})
    assert alone == pytest.approx([math.inf, 4 * math.sqrt(1e4 * _LOG * math.log(1e4))])
    assert phi(**_PHI | {"blends": [0.0], "alignment": 0.0}, form="provable").tolist() == [math.inf]
    assert phi(**_PHI | {"n_policies": 1, "slack": 0.0}, form="provable") == pytest.approx(4 * math.sqrt(3e4))


def test_what_is_printed_is_smaller_over_a_whole_grid():
    grid = blend_grid(4, 10**4)
    here = _PHI | {"blends": grid}
    assert (phi(**here) < phi(**here, form="provable")).all()


def test_theorem_8_by_hand():
    assert corralled_reward_regret(**_PHI, audits=50.0) == pytest.approx(phi(**_PHI).min() + 50)
    provable = corralled_reward_regret(**_PHI, audits=50.0, failure=0.01, form="provable")
    assert provable == pytest.approx(phi(**_PHI, form="provable").min() + 50 + 100)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (corral_settings, _SETTINGS | {"blends": []}, "blends has shape"),
        (corral_settings, _SETTINGS | {"scale": 0.0}, "scale is 0; the bound is infinite there"),
        (corral_settings, _SETTINGS | {"hedge_scale": -1.0}, "hedge_scale is -1.0"),
        (corral_rate, _RATE | {"total_inverse": 0.5}, "total_inverse is 0.5; it must be finite and at least 1"),
        (corral_rate, _RATE | {"total_moment": 0.0}, "total_moment is 0 at blend 0"),
        (stable_reward_regret, _STABLE | {"inverse": 0.5}, "inverse is 0.5; it must be finite and at least 1"),
        (master_regret, _MASTER | {"n_bases": 0}, "n_bases is 0"),
        (master_regret, _MASTER | {"cost": math.nan}, "cost is nan"),
        (phi, _PHI | {"form": "print"}, "form is 'print'; did you mean 'printed'"),
        (phi, _PHI | {"alignment": -1.0}, "alignment is -1.0"),
        (corralled_reward_regret, _PHI | {"failure": 0.1}, "failure is 0.1, but the printed bound has none"),
        (corralled_reward_regret, _PHI | {"audits": -1.0}, "audits is -1.0"),
    ],
)
def test_a_bad_argument_is_refused_by_name(function, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        function(**arguments)
