import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import naive
from typeover.errors import InvalidInputError
from typeover.kernels import multiplier  # compiled before the first example
from typeover.oracles import Frontier, exact, frontier, mwu
from typeover.theory import best_feasible

UNIT = st.integers(0, 16).map(lambda n: n / 16)
POINTS = st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=10).map(lambda points: tuple(zip(*points, strict=True)))
TOLERANCES = st.floats(0, 1.2) | UNIT
CAPS = st.floats(0.01, 40) | st.integers(1, 8).map(float)
STEPS = st.sampled_from(["tuned", "printed"])


def random_instance(seed, n):
    """Rewards that mostly cost loss, so that the tolerance binds."""
    rng = np.random.default_rng(seed)
    losses = rng.random(n)
    return np.clip(0.6 * losses + 0.4 * rng.random(n), 0, 1), losses


def linear_program(rewards, losses, cut):
    """The best reward of a mixture within the cut, by HiGHS."""
    found = linprog(
        -np.asarray(rewards), A_ub=[losses], b_ub=[cut], A_eq=[np.ones(len(rewards))], b_eq=[1], method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    assert found.status == 0
    return -found.fun


def lagrangian(solution, rewards, losses, cut, lam):
    mixed = solution.weights @ np.asarray(rewards)[solution.support]
    return mixed - lam * (solution.weights @ np.asarray(losses)[solution.support] - cut)


def assert_a_mixture(solution, rewards, losses):
    assert (solution.weights > 0).all()
    assert solution.weights.sum() == pytest.approx(1, abs=1e-12)
    assert len(set(solution.support.tolist())) == solution.support.size
    assert (np.diff(np.asarray(losses)[solution.support]) > 0).all()
    assert solution.reward == pytest.approx(solution.weights @ np.asarray(rewards)[solution.support], abs=1e-12)
    assert solution.loss == pytest.approx(solution.weights @ np.asarray(losses)[solution.support], abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 64, 65, 500, 3000])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tolerance", [0.0, 1e-3, 0.1, 0.5, 2.0])
def test_the_value_is_that_of_the_linear_program(n, seed, tolerance):
    rewards, losses = random_instance(seed, n)
    solution, cut = exact(rewards, losses, tolerance), losses.min() + tolerance
    assert solution.reward == pytest.approx(linear_program(rewards, losses, cut), abs=1e-9)
    assert_a_mixture(solution, rewards, losses)
    assert solution.support.size <= 2
    assert solution.loss <= cut + 1e-12
    assert solution.violation <= 1e-15
    assert abs(solution.gap) <= 1e-12


@given(POINTS, TOLERANCES)
def test_ties_and_duplicates_keep_the_optimum_and_its_certificate(points, tolerance):
    rewards, losses = points
    solution, cut = exact(rewards, losses, tolerance), min(losses) + tolerance
    assert_a_mixture(solution, rewards, losses)
    assert solution.support.size <= 2
    assert solution.violation <= 1e-12
    pairs = [(i, j) for i in range(len(losses)) for j in range(len(losses)) if losses[i] <= cut < losses[j]]
    mixed = [rewards[i] + (rewards[j] - rewards[i]) * (cut - losses[i]) / (losses[j] - losses[i]) for i, j in pairs]
    alone = [reward for reward, loss in zip(rewards, losses, strict=True) if loss <= cut]
    assert solution.reward == pytest.approx(max(alone + mixed), abs=1e-9)
    assert solution.lower - 1e-9 <= solution.reward <= solution.upper + 1e-9
    assert abs(solution.gap) <= 1e-9 * (1 + solution.multiplier)


@given(POINTS, st.lists(TOLERANCES, min_size=3, max_size=8, unique=True))
def test_the_best_reward_rises_with_the_tolerance_ever_more_slowly(points, tolerances):
    edge, at = frontier(*points), np.sort(tolerances)
    rewards = np.array([edge.at(tolerance).reward for tolerance in at])
    assert (np.diff(rewards) >= -1e-12).all()
    chords = rewards[:-2] + (rewards[2:] - rewards[:-2]) * ((at[1:-1] - at[:-2]) / (at[2:] - at[:-2]))
    assert (rewards[1:-1] >= chords - 1e-12).all()


@given(POINTS, st.floats(1 / 32, 1))
def test_the_multiplier_is_the_price_of_fidelity(points, tolerance):
    solution = exact(*points, tolerance)
    step = 1e-7
    gained = (exact(*points, tolerance + step).reward - solution.reward) / step
    lost = (solution.reward - exact(*points, tolerance - step).reward) / step
    assert gained - 1e-6 <= solution.multiplier <= lost + 1e-6
    rewards, losses = (np.array(column) for column in points)
    at_least = rewards[losses == losses.min()].max()
    assert solution.multiplier <= (rewards.max() - at_least) / tolerance + 1e-9


@given(POINTS, TOLERANCES)
def test_the_frontier_answers_every_tolerance_as_solving_anew(points, tolerance):
    read, solved = frontier(*points).at(tolerance), exact(*points, tolerance)
    assert read.support.tolist() == solved.support.tolist()
    assert read.weights.tolist() == solved.weights.tolist()
    assert read.reward == solved.reward


@given(POINTS, TOLERANCES, CAPS)
def test_with_a_cap_it_is_the_saddle_of_the_capped_game(points, tolerance, cap):
    rewards, losses = points
    cut = min(losses) + tolerance
    solution, value = exact(*points, tolerance, cap=cap), naive.capped_saddle_value(rewards, losses, cut, cap)
    assert_a_mixture(solution, rewards, losses)
    assert 0 <= solution.multiplier <= cap
    assert solution.lower == pytest.approx(value, abs=1e-9)
    assert solution.upper == pytest.approx(value, abs=1e-9)
    worst = min(lagrangian(solution, rewards, losses, cut, lam) for lam in (0, cap))
    assert worst == pytest.approx(value, abs=1e-9)  # L is linear in lam: the ends decide


@given(POINTS, TOLERANCES)
def test_a_cap_that_the_price_does_not_reach_changes_nothing(points, tolerance):
    free = exact(*points, tolerance)
    capped = exact(*points, tolerance, cap=max(free.multiplier, 0.5))
    assert capped.support.tolist() == free.support.tolist()
    assert capped.weights.tolist() == free.weights.tolist()
    assert capped.multiplier == free.multiplier


def test_a_cap_below_the_price_buys_infeasible_reward_by_hand():
    # Edges have slopes 3, 1, 0.2; the cut 0.05 lies on the first. At 2 a unit the first edge is worth it, not the next.
    rewards, losses = [0.0, 0.3, 0.5, 0.6], [0.0, 0.1, 0.3, 0.8]
    solution = exact(rewards, losses, 0.05, cap=2)
    assert solution.support.tolist() == [1]
    assert solution.multiplier == 2
    assert solution.violation == pytest.approx(0.05)
    assert solution.lower == pytest.approx(0.3 - 2 * 0.05)
    assert exact(rewards, losses, 0.05, cap=0.5).support.tolist() == [2]
    assert exact(rewards, losses, 0.05, cap=0.1).support.tolist() == [3]
    assert exact(rewards, losses, 0.05).weights.tolist() == pytest.approx([0.5, 0.5])


def test_a_price_beyond_the_largest_number_still_gives_the_optimum():
    edge = Frontier(np.arange(2), np.array([0.0, 1e-11]), np.array([0.0, 1e300]))
    solution = edge.at(0.0)
    assert solution.support.tolist() == [0]
    assert math.isfinite(solution.multiplier)
    assert solution.lower == 0
    assert math.isfinite(solution.upper)


def test_a_policy_on_the_boundary_is_not_lost_to_rounding():
    alike, tolerance = [0.1 + 0.2, 0.3], 0.0  # 0.30000000000000004 and 0.3: the better one is as faithful
    assert exact([0.9, 0.2], alike, tolerance).support.tolist() == [0]
    assert exact([0.9, 0.2], alike, tolerance).reward == 0.9
    assert exact([0.9, 0.2], alike, tolerance, cap=3).support.tolist() == [0]
    boundary = exact([0.2, 0.9, 1.0], [0.7, 0.8, 0.9], 0.1)  # 0.7 + 0.1 < 0.8
    assert boundary.support.tolist() == [1]
    assert boundary.weights.tolist() == [1.0]
    assert 0 < boundary.violation <= 1e-12
    assert boundary.gap == pytest.approx(0, abs=1e-12)


def test_beyond_the_slack_a_policy_is_infeasible():
    assert exact([0.2, 0.9], [0.3, 0.3 + 1e-9], 0.0).support.tolist() == [0]


@given(POINTS, UNIT, st.integers(0, 2**32))
def test_the_best_mixture_earns_no_less_than_the_best_feasible_policy_whatever_rounding_did(points, tolerance, seed):
    rewards, losses = (np.array(column) for column in points)
    losses += np.random.default_rng(seed).integers(-3, 4, size=losses.size) * 1e-16
    best = best_feasible(rewards, losses, tolerance)
    solution = exact(rewards, losses, tolerance)
    assert solution.reward >= rewards[best] - 1e-12
    assert solution.violation <= 1e-12
    assert abs(solution.gap) <= 1e-9


@given(POINTS, TOLERANCES, st.floats(1.01, 40), st.integers(1, 3000), STEPS)
def test_multiplicative_weights_bracket_the_capped_value(points, tolerance, cap, iterations, step):
    rewards, losses = points
    solution = mwu(*points, tolerance, cap=cap, iterations=iterations, step=step)
    cut = min(losses) + tolerance
    value = naive.capped_saddle_value(rewards, losses, cut, cap)
    assert_a_mixture(solution, rewards, losses)
    assert 0 <= solution.multiplier <= cap * (1 + 1e-9)
    assert solution.lower <= value + 1e-9
    assert solution.upper >= value - 1e-9
    assert solution.lower == pytest.approx(
        min(lagrangian(solution, rewards, losses, cut, lam) for lam in (0, cap)), abs=1e-9
    )
    assert solution.upper == pytest.approx(
        max(r - solution.multiplier * (d - cut) for r, d in zip(rewards, losses, strict=True)), abs=1e-9
    )
    assert solution.violation <= (max(rewards) - min(rewards) + solution.gap) / cap + 1e-9
    assert solution.iterations == iterations


@given(POINTS, st.floats(0, 1), st.integers(1, 40).map(lambda n: n + 0.123456789), st.integers(1, 200), STEPS)
def test_its_iterates_are_those_of_the_printed_lines(points, tolerance, cap, iterations, step):
    rewards, losses = points
    rate = math.sqrt(1 / (iterations * cap)) if step == "printed" else 2 * math.sqrt(math.log(cap) / iterations)
    counts, mean = naive.multiplicative_weights(losses, rewards, min(losses) + tolerance, cap, rate, iterations)
    solution = mwu(*points, tolerance, cap=cap, iterations=iterations, step=step)
    played = np.zeros(len(losses))
    played[solution.support] = solution.weights
    assert played == pytest.approx(np.array(counts) / iterations, abs=1e-15)
    assert solution.multiplier == pytest.approx(mean, rel=1e-9)


@given(st.integers(0, 2**32), st.integers(1, 150), st.floats(0, 1), st.sampled_from([None, 3.0]))
def test_relabelling_the_policies_relabels_the_support(seed, n, tolerance, cap):
    rewards, losses = random_instance(seed, n)
    order = np.random.default_rng(seed).permutation(n)
    solvers = [lambda r, d: exact(r, d, tolerance, cap=cap)]
    solvers.append(lambda r, d: mwu(r, d, tolerance, cap=cap or 5.0, iterations=200))
    for solve in solvers:
        plain, shuffled = solve(rewards, losses), solve(rewards[order], losses[order])
        assert order[shuffled.support].tolist() == plain.support.tolist()
        assert shuffled.weights.tolist() == plain.weights.tolist()
        assert (shuffled.lower, shuffled.upper) == (plain.lower, plain.upper)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(2, 60), st.floats(0, 1), st.floats(1.34, 60), st.integers(1, 20_000))
def test_the_tuned_step_keeps_its_promised_gap(seed, n, tolerance, cap, iterations):
    rewards, losses = random_instance(seed, n)
    iterations = max(iterations, math.ceil(4 * math.log(cap)))  # so that the rate is at most 1
    solution = mwu(rewards, losses, tolerance, cap=cap, iterations=iterations)
    assert solution.gap + 1e-12 >= 0
    assert solution.gap <= 3 * cap * math.sqrt(math.log(cap) / iterations) + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_a_large_budget_comes_to_the_exact_mixture(seed):
    rewards, losses = random_instance(seed, 50)
    best = exact(rewards, losses, 0.05, cap=20)
    near = mwu(rewards, losses, 0.05, cap=20, iterations=10**6)
    assert near.reward == pytest.approx(best.reward, abs=near.gap + 20 * near.violation)
    assert near.gap < 0.05


def test_the_gap_falls_as_one_over_the_root_of_the_iterations():
    budgets = np.unique(np.logspace(4, 7, 10).astype(int))
    gaps = [
        np.mean([mwu(*random_instance(seed, 100), 0.05, cap=10, iterations=S).gap for seed in range(20)])
        for S in budgets.tolist()
    ]
    slope = np.polyfit(np.log(budgets), np.log(gaps), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.1)


GOOD = {"rewards": [0.2, 0.9], "losses": [0.0, 0.4], "tolerance": 0.1}
BAD = [
    ({"rewards": [0.2, math.nan]}, r"rewards\[1\] is nan; every policy needs a finite number"),
    ({"losses": [math.inf, 0.4]}, r"losses\[0\] is inf"),
    ({"rewards": [], "losses": []}, r"rewards has shape \(0,\) and losses \(0,\).* at least one"),
    ({"rewards": [0.2]}, r"rewards has shape \(1,\) and losses \(2,\)"),
    ({"rewards": [[0.2, 0.9]], "losses": [[0.0, 0.4]]}, r"rewards has shape \(1, 2\)"),
    ({"rewards": ["high", "low"]}, r"rewards"),
    ({"losses": 0.5, "rewards": 0.5}, r"rewards has shape \(\)"),
    ({"rewards": [10**400, 1]}, r"rewards is \[1000+; it must hold one number per policy"),
    ({"tolerance": -0.1}, r"tolerance is -0.1; it must be a finite number from 0"),
    ({"tolerance": math.nan}, "tolerance is nan"),
    ({"tolerance": "much"}, "tolerance is 'much'"),
    ({"cap": 0}, "cap is 0"),
    ({"cap": -1}, "cap is -1"),
    ({"cap": math.inf}, "cap is inf"),
]
BAD_MWU = [
    ({"cap": 1}, "cap is 1; multiplicative weights start at 1/cap, so it must exceed 1"),
    ({"cap": 0.5}, "cap is 0.5"),
    ({"iterations": 0}, "iterations is 0; it must be a whole number from 1"),
    ({"iterations": 10.0}, "iterations is 10.0"),
    ({"step": "tune"}, "step is 'tune'; did you mean 'tuned'"),
    ({"step": None}, "step is None"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_to_exact_is_refused_by_name(change, message):
    with pytest.raises(InvalidInputError, match=message):
        exact(**GOOD | change)


@pytest.mark.parametrize(("change", "message"), [*BAD, *BAD_MWU])
def test_bad_input_to_multiplicative_weights_is_refused_by_name(change, message):
    with pytest.raises(InvalidInputError, match=message):
        mwu(**{"cap": 2.0, "iterations": 5} | GOOD | change)


def test_inputs_are_left_alone_and_need_not_be_contiguous():
    table = np.ascontiguousarray(np.array(random_instance(3, 100)).T)
    before = table.copy()
    strided = mwu(table[:, 0], table[:, 1], 0.1, cap=3, iterations=100)
    dense = mwu(table[:, 0].copy(), table[:, 1].copy(), 0.1, cap=3, iterations=100)
    assert strided.support.tolist() == dense.support.tolist()
    assert (table == before).all()
    assert multiplier.multiplicative_weights.signatures  # compiled once, for these types only
