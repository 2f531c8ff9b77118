"""Exp4 at one blend: its rate, cor:exp4_bound and Theorem 6."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.theory import (
    blended_deviation,
    exp4_blended_regret,
    exp4_rate,
    exp4_reward_regret,
    kept_constraint_regret,
)

_BASE = {"horizon": 10**4, "blend": 0.5, "n_actions": 4, "n_policies": 50}
_REWARD = _BASE | {"alignment": 0.7, "slack": 0.05}
_KEPT = {"tolerance": 0.05, "violations": [0.3, 0.1]}
_C, _LOG = 0.25 * 4 + 0.25, math.log(50)


def test_the_rate_by_hand():
    here = {"blend": 0.5, "n_actions": 4, "n_policies": 50}
    assert exp4_rate(number=[1, 4], **here) == pytest.approx(np.sqrt(_LOG / _C) * np.array([1, 0.5]))
    assert exp4_rate(number=1, **here, second_moment=5.0) == pytest.approx(math.sqrt(_LOG / 2.25))


def test_the_blended_regret_by_hand():
    assert exp4_blended_regret(**_BASE, audits=7) == pytest.approx(2 * 100 * math.sqrt(_C * _LOG) + 7)
    assert exp4_blended_regret(**_BASE, rate=0.1) == pytest.approx(100 * (_LOG / 0.1 + 0.1 * _C))
    provable = exp4_blended_regret(**_BASE, audits=7, form="provable")
    assert provable == pytest.approx(3 * 100 * math.sqrt(_C * _LOG) + 7)
    signed = exp4_blended_regret(**_BASE, form="provable", has_negative_estimates=True)
    assert signed == pytest.approx((1 + 4 * (math.e - 2)) * 100 * math.sqrt(_C * _LOG))


@given(blend=st.floats(0, 1), T=st.integers(1, 10**6), N=st.integers(2, 10**6), K=st.integers(1, 50))
def test_the_balancing_rate_is_the_best_and_print_promises_more(blend, T, N, K):
    here = {"horizon": T, "blend": blend, "n_actions": K, "n_policies": N}
    printed = exp4_blended_regret(**here)
    eta = float(exp4_rate(number=1, blend=blend, n_actions=K, n_policies=N))
    for factor in (0.5, 1, 2):
        assert exp4_blended_regret(**here, rate=factor * eta) >= printed * (1 - 1e-9)
    provable = exp4_blended_regret(**here, form="provable")
    assert printed < provable < exp4_blended_regret(**here, form="provable", has_negative_estimates=True)
    assert exp4_blended_regret(**here | {"horizon": 4 * T}) == pytest.approx(2 * printed)
    assert exp4_blended_regret(**here | {"n_policies": N + 1}) > printed
    assert exp4_blended_regret(**here | {"n_actions": K + 1}) >= printed
    assert exp4_blended_regret(**here, second_moment=2.0) >= printed


def test_a_learner_with_the_rate_stays_within_the_provable_regret():
    # Full sum over the draw: p_t and the expected losses are exact, only importance weights are drawn.
    K, T, mu = 3, 400, 0.6
    value, delta = np.array([0.2, 0.5, 0.8]), np.array([0.1, 0.4, 0.3])
    rng = np.random.default_rng(4)
    regrets = []
    for _ in range(40):
        sums, regret = np.zeros(K), 0.0
        for t in range(1, T + 1):
            weights = np.exp(-float(exp4_rate(number=t, blend=mu, n_actions=K, n_policies=K)) * (sums - sums.min()))
            p = weights / weights.sum()
            blended = mu * (1 - value) + (1 - mu) * delta
            regret += p @ blended - blended.min()
            a = rng.choice(K, p=p)
            sums += (1 - mu) * delta
            sums[a] += mu * (rng.random() >= value[a]) / p[a]
        regrets.append(regret)
    bound = exp4_blended_regret(horizon=T, blend=mu, n_actions=K, n_policies=K, form="provable")
    assert bound / 10 < np.mean(regrets) < bound


def test_the_reward_regret_by_hand():
    V = blended_deviation(block=10**4, blend=0.5, n_actions=4, n_policies=50)
    assert exp4_reward_regret(**_REWARD, audits=100) == pytest.approx((V / 10**4 + 0.025) / 0.85 + 0.01)
    provable = exp4_reward_regret(**_REWARD, audits=100, failure=0.02, form="provable")
    assert provable == pytest.approx((3 * math.sqrt(_C * _LOG) / 100 + 0.025) / 0.85 + 0.01 + 0.02)


@given(blend=st.floats(0, 1), T=st.integers(1, 10**6), N=st.integers(1, 10**4), alpha=st.floats(0, 5))
def test_print_holds_what_can_be_proved_while_policies_are_few(blend, T, N, alpha):
    here = {
        "horizon": T, "blend": blend, "n_actions": 4, "n_policies": min(N, (4 * T) ** 8), "alignment": alpha,
        "slack": 0.1,
    }  # fmt: skip
    failure = 1e-12
    assert exp4_reward_regret(**here, failure=failure, form="provable") <= exp4_reward_regret(**here) + 2 * failure


def test_limits_of_the_blend():
    alone = exp4_reward_regret(**_REWARD | {"blend": 1.0, "alignment": 0.0, "slack": 1.0}, failure=0.1, form="provable")
    assert alone == pytest.approx(3 * math.sqrt(4 * _LOG) / 100 + 0.1)
    assert exp4_reward_regret(**_REWARD | {"blend": 0.0, "alignment": 0.0}) == math.inf
    assert exp4_blended_regret(**_BASE | {"n_policies": 1}) == 0


def test_what_plays_only_kept_policies_by_hand():
    assert kept_constraint_regret(**_KEPT) == pytest.approx(0.25)
    assert kept_constraint_regret(**_KEPT, audits=1, failure=0.1, form="provable") == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (exp4_rate, {"number": 0, "blend": 0.5, "n_actions": 4, "n_policies": 5}, "number is 0"),
        (exp4_blended_regret, _BASE | {"blend": 2.0}, "blend is 2.0"),
        (exp4_blended_regret, _BASE | {"rate": 0.0}, "rate is 0; Exp4 needs a rate above 0"),
        (exp4_blended_regret, _BASE | {"audits": -1.0}, "audits is -1.0"),
        (exp4_blended_regret, _BASE | {"blend": 0.0, "second_moment": 0.0}, "second_moment is 0 at blend 0"),
        (exp4_blended_regret, _BASE | {"form": "proved"}, "form is 'proved'"),
        (exp4_reward_regret, _REWARD | {"failure": 0.1}, "failure is 0.1, but the printed bound has none"),
        (exp4_reward_regret, _REWARD | {"horizon": 0}, "horizon is 0"),
        (exp4_reward_regret, _REWARD | {"slack": -1.0}, "slack is -1.0"),
        (kept_constraint_regret, _KEPT | {"violations": 0.1}, r"violations has shape \(\); give one number for each"),
        (kept_constraint_regret, _KEPT | {"violations": [-0.1]}, "violations is .-0.1."),
        (kept_constraint_regret, _KEPT | {"tolerance": -0.1}, "tolerance is -0.1"),
    ],
)
def test_a_bad_argument_is_refused_by_name(function, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        function(**arguments)
