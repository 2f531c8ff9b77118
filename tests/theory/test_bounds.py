"""The deviation of Eq. 6, the conversion lemma and Theorem 2."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from typeover.errors import InvalidInputError
from typeover.rng import stream
from typeover.theory import (
    best_feasible,
    blend_grid,
    blended_deviation,
    converted_regret,
    efbo_constraint_regret,
    efbo_reward_regret,
    similarity_curve,
)

_UNIT = st.floats(0, 1)
_DEVIATION = {"block": 1000, "blend": 0.3, "n_actions": 4, "n_policies": 50}
_REWARD = {
    "horizon": 10**6,
    "block": 10**4,
    "blends": [0.0, 0.2, 0.5, 1.0],
    "n_actions": 4,
    "n_policies": 50,
    "alignment": 0.7,
    "slack": 0.05,
}
_CONSTRAINT = {"horizon": 10**6, "block": 10**4, "n_policies": 50, "tolerance": 0.05}


# Eq. 6


def test_the_deviation_is_equation_6_by_hand():
    log = math.log(4 * 50 * 1000)
    width = 2 * math.sqrt(2 * 1000 * (0.09 * 4 + 0.49 * 0.5) * log) + (0.3 * 4 + 0.7) * log
    assert blended_deviation(**_DEVIATION, second_moment=0.5) == pytest.approx(width)
    log = math.log(4 * 50 / 0.05)
    width = 2 * math.sqrt(2 * 1000 * (0.09 * 4 + 0.49) * log) + (0.3 * 4 + 0.7) * log
    assert blended_deviation(**_DEVIATION, failure=0.05) == pytest.approx(width)


@pytest.mark.parametrize("blend", [0.0, 0.25, 1.0])
def test_no_policy_ever_deviates_by_more_than_v(blend):
    # Bernstein at 3 log(4 |Pi| / delta) lies below V, so each repetition fails with probability at most
    # delta^3 / (32 |Pi|^2); another seed would fail this test with probability at most 8000 * 1e-3 / (32 * 64) < 4e-3.
    K, N, T0, repetitions = 3, 8, 60, 8000
    rng = stream(3, "deviation", str(blend))
    value, loss = rng.random((5, K)), rng.random((5, K))  # per context and action
    policies = rng.integers(0, K, (N, 5))
    x = rng.integers(0, 5, (2, repetitions, T0))  # contexts of the uniform block and of the revealing block
    a = rng.integers(0, K, (repetitions, T0))
    r = rng.random((repetitions, T0)) < value[x[0], a]
    delta = rng.random((repetitions, T0, 1)) < loss[x[1]]  # Delta in {0, 1}
    worst = np.zeros(repetitions)
    for policy in policies:
        rewards = (K * r * (a == policy[x[0]])).sum(axis=1)  # Eq. 2
        likeness = (1 - np.take_along_axis(delta, policy[x[1]][:, :, None], axis=2)[:, :, 0]).sum(axis=1)
        mean = blend * value[range(5), policy].mean() + (1 - blend) * (1 - loss[range(5), policy].mean())
        worst = np.maximum(worst, abs(blend * rewards + (1 - blend) * likeness - T0 * mean))  # Eq. 3
    width = blended_deviation(block=T0, blend=blend, n_actions=K, n_policies=N, failure=0.1)
    assert worst.max() <= width
    assert worst.max() > width / 6  # loose, but of the right order


@given(blend=_UNIT, block=st.integers(1, 10**6), K=st.integers(1, 100), N=st.integers(1, 10**6))
def test_the_deviation_grows_with_actions_policies_and_rounds_but_not_per_round(blend, block, K, N):
    here = {"block": block, "blend": blend, "n_actions": K, "n_policies": N}
    v = blended_deviation(**here)
    assert blended_deviation(**here | {"n_actions": K + 1}) >= v
    assert blended_deviation(**here | {"n_policies": N + 1}) > v
    assert v < blended_deviation(**here | {"block": 2 * block}) < 2 * v
    assert blended_deviation(**here, second_moment=2.0) >= v
    assert blended_deviation(**here, failure=1 / block if block > 1 else 0.5) <= v * (1 + 1e-12) or block == 1
    assert blended_deviation(**here, failure=0.1) > blended_deviation(**here, failure=0.2)


# the conversion lemma


@settings(deadline=None)  # the first call compiles
@given(points=arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=_UNIT), blend=_UNIT, data=st.data())
def test_no_policy_has_more_reward_regret_than_the_lemma_converts(points, blend, data):
    r, c = points.T
    alpha, tolerance = data.draw(st.floats(0, 20)), data.draw(_UNIT)
    best, d = best_feasible(r, c, tolerance), similarity_curve(r, c, tolerance)(alpha)
    for i in range(r.size):
        R = blend * (r[best] - r[i]) + (1 - blend) * (c[i] - c[best])
        bound = converted_regret(blended_regret=R, blend=blend, alignment=alpha, slack=d)
        heard = blend + alpha * (1 - blend)
        assert math.isinf(bound) or (r[best] - r[i]) * heard <= bound * heard + 1e-9


def test_the_lemma_is_tight_for_the_policy_that_makes_the_slack():
    r, c = [0.8, 0.2], [0.3, 0.2]
    d = similarity_curve(r, c, 0.1)(1.0)  # 0.6 + 0.1
    R = 0.5 * 0.6 + 0.5 * (0.2 - 0.3)
    assert converted_regret(blended_regret=R, blend=0.5, alignment=1.0, slack=d) == pytest.approx(0.6)


def test_rewards_alone_need_no_similarity():
    assert converted_regret(blended_regret=0.1, blend=1.0, alignment=0.0, slack=1.0) == pytest.approx(0.1)


def test_corrections_alone_that_say_nothing_about_rewards_promise_nothing():
    assert converted_regret(blended_regret=0.0, blend=0.0, alignment=0.0, slack=0.0) == math.inf


# Theorem 2


def _blended_term(log, extra):
    """The least of Theorem 2's second term over _REWARD's blends, written out."""
    return min(
        (
            2 * (2 * math.sqrt(2e4 * (m * m * 4 + (1 - m) ** 2) * log) + (4 * m + 1 - m) * log) / 1e4
            + extra
            + (1 - m) * 0.05
        )
        / (m + 0.7 * (1 - m))
        for m in _REWARD["blends"]
    )


def test_the_reward_regret_is_theorem_2_by_hand():
    expected = math.sqrt(4 * math.log(10**4 * 4) / 10**4) + _blended_term(math.log(4 * 50 * 10**4), 0) + 0.01
    assert efbo_reward_regret(**_REWARD) == pytest.approx(expected)
    selection = math.sqrt(4 * math.log(4 / 0.2) / 10**4)
    expected = selection + _blended_term(math.log(4 * 50 / 0.1), math.sqrt(100 / 10**6))  # B = T/T0, S = B T0
    assert efbo_reward_regret(**_REWARD, failure=0.1) == pytest.approx(expected)
    expected = selection + _blended_term(math.log(4 * 50 / 0.1), math.sqrt(30 / 5000))
    assert efbo_reward_regret(**_REWARD, failure=0.1, cap=30.0, iterations=5000) == pytest.approx(expected)


def test_the_constraint_regret_is_theorem_2_by_hand():
    assert efbo_constraint_regret(**_CONSTRAINT) == pytest.approx(0.05 + math.sqrt(math.log(5e5) / 1e4) + 0.01)
    sampling = 0.05 + math.sqrt(math.log(500) / 1e4)
    assert efbo_constraint_regret(**_CONSTRAINT, failure=0.1) == pytest.approx(sampling + 1 / 100 + 1e-4)
    given_both = efbo_constraint_regret(**_CONSTRAINT, failure=0.1, cap=30.0, iterations=5000)
    assert given_both == pytest.approx(sampling + 1 / 30 + 1 / math.sqrt(150_000))


@given(alignment=st.floats(0, 10), slack=_UNIT, K=st.integers(2, 50), failure=st.none() | st.floats(0.001, 0.4))
def test_more_likeness_promises_less_reward_regret(alignment, slack, K, failure):
    here = _REWARD | {"alignment": alignment, "slack": slack, "n_actions": K, "failure": failure}
    promise = efbo_reward_regret(**here)
    assert efbo_reward_regret(**here | {"alignment": alignment + 1}) <= promise
    assert efbo_reward_regret(**here | {"slack": slack + 0.1}) >= promise
    assert efbo_reward_regret(**here | {"n_actions": K + 1}) > promise
    assert efbo_reward_regret(**here | {"n_policies": 51}) > promise
    if failure:
        assert efbo_reward_regret(**here | {"failure": failure / 2}) > promise
        assert efbo_reward_regret(**here, iterations=10**7) <= promise


def test_a_longer_game_with_its_block_promises_less_of_both():
    games = [(10 ** (3 * k), 10 ** (2 * k)) for k in range(1, 5)]
    rewards = [
        efbo_reward_regret(**_REWARD | {"horizon": T, "block": T0, "blends": blend_grid(4, T), "slack": 0.0})
        for T, T0 in games
    ]
    constraints = [efbo_constraint_regret(**_CONSTRAINT | {"horizon": T, "block": T0}) for T, T0 in games]
    assert rewards == sorted(rewards, reverse=True)
    assert constraints == sorted(constraints, reverse=True)
    assert constraints[-1] == pytest.approx(0.05, abs=1e-3)  # only the tolerance stays


def test_the_constraint_regret_grows_with_tolerance_and_policies():
    promise = efbo_constraint_regret(**_CONSTRAINT)
    assert efbo_constraint_regret(**_CONSTRAINT | {"tolerance": 0.06}) == pytest.approx(promise + 0.01)
    assert efbo_constraint_regret(**_CONSTRAINT | {"n_policies": 51}) > promise


def test_one_blend_needs_no_selection():
    alone = efbo_reward_regret(**_REWARD | {"blends": [1.0]}, failure=0.9, iterations=10**12)
    v = blended_deviation(block=10**4, blend=1.0, n_actions=4, n_policies=50, failure=0.9)
    assert alone == pytest.approx(2 * v / 10**4 + math.sqrt(100 / 10**12))


def test_corrections_without_any_likeness_promise_nothing_if_rewards_are_never_heard():
    assert efbo_reward_regret(**_REWARD | {"blends": [0.0], "alignment": 0.0}) == math.inf


def test_a_tolerance_as_small_as_the_sampling_error_breaks_the_printed_reward_bound():
    # Two policies: rewards 0 and 1, losses 1/2 and 1/2 + eps, so the second is pi*, just feasible. In half of
    # all samples it is not, and the exact optimum of the *sampled* problem mixes it in with weight eps / difference.
    # Blend 1 and rewards known without error leave nothing else to lose; the cap T/T0 = 1000 is above 1/eps.
    T0, T, eps, repetitions = 10**6, 10**9, 0.0012, 20_000
    rng = stream(5, "boundary")
    difference = (rng.binomial(T0, 0.5 + eps, repetitions) - rng.binomial(T0, 0.5, repetitions)) / T0
    regret = np.mean(1 - eps / np.maximum(difference, eps))
    printed = efbo_reward_regret(horizon=T, block=T0, blends=[1.0], n_actions=2, n_policies=2, alignment=0.0, slack=0.0)
    assert regret > 2.5 * printed  # 0.14 against 0.04; a sampling error of the mean of 1e-3
    deviation = math.sqrt(math.log(4 * 2 * T0) / (2 * T0))  # Hoeffding: of either mean loss
    assert regret <= min(T / T0, 1 / eps) * 2 * deviation  # the term that is missing


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (
            blended_deviation,
            _DEVIATION | {"block": 0},
            "block is 0; it must be a whole number from 1: the rounds of one",
        ),
        (blended_deviation, _DEVIATION | {"blend": 1.1}, "blend is 1.1; it must be a number from 0 to 1: 0 trusts"),
        (blended_deviation, _DEVIATION | {"blend": "half"}, "blend is 'half'"),
        (blended_deviation, _DEVIATION | {"blend": math.nan}, "blend is nan"),
        (blended_deviation, _DEVIATION | {"n_actions": 2.5}, "n_actions is 2.5"),
        (blended_deviation, _DEVIATION | {"n_policies": 0}, "n_policies is 0"),
        (
            blended_deviation,
            _DEVIATION | {"second_moment": -1},
            "second_moment is -1; it must be a finite number from 0",
        ),
        (blended_deviation, _DEVIATION | {"failure": 0.0}, "failure is 0.0; it must lie strictly between 0 and 1"),
        (blended_deviation, _DEVIATION | {"failure": 2.0}, "failure is 2.0; it must be a number from 0 to 1"),
        (efbo_reward_regret, _REWARD | {"block": 300_000}, "block is 300000; four blocks must fit .* at most 250000"),
        (efbo_reward_regret, _REWARD | {"horizon": 0}, "horizon is 0"),
        (efbo_reward_regret, _REWARD | {"blends": []}, r"blends has shape \(0,\); it must be a list of at least one"),
        (efbo_reward_regret, _REWARD | {"blends": 0.5}, r"blends has shape \(\)"),
        (
            efbo_reward_regret,
            _REWARD | {"blends": [0.5, -0.1]},
            r"blends\[1\] is -0.1; it must be a number from 0 to 1",
        ),
        (efbo_reward_regret, _REWARD | {"blends": ["a"]}, r"blends is \['a'\]; it must be a list of numbers"),
        (efbo_reward_regret, _REWARD | {"alignment": -0.1}, "alignment is -0.1; .* alpha of Definition 1"),
        (efbo_reward_regret, _REWARD | {"slack": math.inf}, "slack is inf; it must be a finite number from 0"),
        (efbo_reward_regret, _REWARD | {"cap": 3.0}, "cap is 3.0, but .* leave cap out, or pass failure="),
        (efbo_reward_regret, _REWARD | {"failure": 0.1, "cap": 0}, "cap is 0; the multiplier needs room"),
        (efbo_reward_regret, _REWARD | {"failure": 0.1, "iterations": 0}, "iterations is 0"),
        (efbo_constraint_regret, _CONSTRAINT | {"tolerance": -1.0}, "tolerance is -1.0"),
        (efbo_constraint_regret, _CONSTRAINT | {"iterations": 9}, "iterations is 9, but .* leave iterations out"),
        (efbo_constraint_regret, _CONSTRAINT | {"failure": True}, "failure is True"),
        (
            converted_regret,
            {"blended_regret": math.inf, "blend": 0.5, "alignment": 1.0, "slack": 0.0},
            "blended_regret is inf; it must be a finite number: regret",
        ),
    ],
)
def test_a_bad_argument_is_refused_by_name(function, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        function(**arguments)
