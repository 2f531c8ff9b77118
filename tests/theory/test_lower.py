"""The lower bound, as printed and as its proof shows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.theory import least_constraint_regret, least_reward_regret

_PRINTED = {"horizon": 10**4, "tolerance": 0.1, "constraint_regret": 400.0}
_PROOF = {"horizon": 10**4, "tolerance": 0.01, "reward_regret": 50.0, "reward_gap": 0.5}


def test_both_forms_by_hand():
    assert least_reward_regret(**_PRINTED) == pytest.approx(500)
    assert least_reward_regret(**_PRINTED | {"tolerance": 0.01}) == pytest.approx(100)
    assert least_constraint_regret(**_PROOF, form="printed") == pytest.approx(100)
    assert least_constraint_regret(**_PROOF) == pytest.approx(0.5 * math.sqrt(0.5 / 50) * (5000 - 100))


def test_no_regret_at_all_still_costs_fidelity():
    assert least_constraint_regret(**_PROOF | {"reward_regret": 0.0}) == pytest.approx(0.44 * 10**4)
    assert least_constraint_regret(**_PROOF | {"reward_regret": 0.0}, form="printed") == pytest.approx(100)
    assert least_reward_regret(**_PRINTED | {"constraint_regret": 0.0}) == pytest.approx(1000)


def test_a_tolerance_above_what_can_be_hidden_promises_nothing():
    assert least_constraint_regret(**_PROOF | {"tolerance": 0.2}) == 0
    assert least_constraint_regret(**_PROOF | {"tolerance": 0.5}) == 0
    assert 0 < least_constraint_regret(**_PROOF | {"tolerance": 0.07}) < least_constraint_regret(**_PROOF)


def test_the_divergence_is_within_its_bound_up_to_the_largest_tilt():
    gamma = np.linspace(0.001, 0.44, 500)
    kl = -0.25 * np.log(1 - 4 * gamma**2)  # half of the contexts tell; a fair coin against 1/2 + gamma
    assert (kl <= 2 * gamma**2).all()


@given(T=st.integers(1, 10**8), eps=st.floats(0, 1), R=st.floats(0, 1e6), c=st.floats(0.01, 0.9))
def test_more_reward_regret_leaves_less_to_pay_and_more_rounds_leave_more(T, eps, R, c):
    for form in ("printed", "provable"):
        here = {"horizon": T, "tolerance": eps, "reward_regret": R, "reward_gap": c, "form": form}
        least = least_constraint_regret(**here)
        assert 0 <= least <= T
        assert least_constraint_regret(**here | {"reward_regret": 2 * R}) <= least * (1 + 1e-9)
        assert least_constraint_regret(**here | {"horizon": 2 * T}) >= least * (1 - 1e-9)
        assert least_constraint_regret(**here | {"reward_gap": c + 0.1}) >= least * (1 - 1e-9)
    here = {"horizon": T, "tolerance": eps, "constraint_regret": R}
    assert least_reward_regret(**here | {"constraint_regret": 2 * R}) <= least_reward_regret(**here)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (least_reward_regret, _PRINTED | {"horizon": 0}, "horizon is 0"),
        (least_reward_regret, _PRINTED | {"constraint_regret": -1.0}, "constraint_regret is -1.0"),
        (least_constraint_regret, _PROOF | {"reward_gap": 0.0}, "reward_gap is 0; the two policies must differ"),
        (least_constraint_regret, _PROOF | {"reward_regret": math.inf}, "reward_regret is inf"),
        (least_constraint_regret, _PROOF | {"tolerance": -0.1}, "tolerance is -0.1"),
        (least_constraint_regret, _PROOF | {"form": "proof"}, "form is 'proof'"),
    ],
)
def test_a_bad_argument_is_refused_by_name(function, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        function(**arguments)
