import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import naive
from typeover.kernels.master import charge, hedged_ftrl

EXACT = 1e-12  # relative, of every single p


def powers(rng, low, high, size):
    return 10.0 ** rng.uniform(low, high, size)


def instance(seed, n_bases, hardness, is_balanced):
    """Losses, round, hedge scales, rho, rho0; the harder, the further everything spreads.

    Balanced: hedges and losses are large and nearly cancel, as they do in a run, so that many bases stay in play.
    """
    rng = np.random.default_rng(seed)
    t = np.floor(10.0 ** rng.uniform(0, 9 * rng.random()))
    losses = powers(rng, -3, 9 * hardness, n_bases) * (rng.random(n_bases) < 0.8)
    scales = powers(rng, -3, 5 * hardness, n_bases) * (rng.random(n_bases) < 0.7)
    rho0 = n_bases * powers(rng, 0, 3 * hardness, n_bases)
    rho = np.minimum(np.maximum(rho0, powers(rng, 0, 12 * hardness, n_bases)), 1e12)
    if rng.random() < 0.2:
        rho = powers(rng, -1, 12 * hardness, n_bases)  # as no run would have it
    if is_balanced:
        u = 1 / np.sqrt(powers(rng, -12 * rng.random(), 0, n_bases))
        losses = np.sqrt(t) * u + scales * (np.maximum(np.sqrt(rho), u) - np.sqrt(rho0))
        losses -= losses.min()
    return losses, t, scales, rho, rho0


INSTANCES = st.builds(instance, st.integers(0, 2**32), st.integers(1, 64), st.floats(0, 1), st.booleans())


def solve(L, t, R, rho, rho0, start=None):
    """The weights and the certificate."""
    p = np.full(len(L), 1.0 / len(L)) if start is None else start.copy()
    certificate = hedged_ftrl(L, t, R, rho, rho0, p, np.empty((5, len(L))))
    return p, certificate


@given(INSTANCES, st.integers(0, 2**32))
def test_newton_agrees_with_bisection_to_twelve_digits_from_any_start(drawn, seed):
    start = powers(np.random.default_rng(seed), -12, 0, len(drawn[0]))
    p, (n_steps, residual, violation) = solve(*drawn, start=start)
    assert p == pytest.approx(naive.hedged_ftrl(*drawn), rel=EXACT, abs=0)
    assert n_steps <= 60
    assert residual < 2e-14
    assert violation < EXACT


@given(INSTANCES)
def test_one_multiplier_serves_every_base_and_the_weights_sum_to_one(drawn):
    p, _ = solve(*drawn)
    assert p.min() > 0
    assert abs(math.fsum(p) - 1) <= 1e-15
    lows, highs = [], []
    with localcontext(prec=60):
        t = Decimal(float(drawn[1]))
        for q, loss, scale, rho, rho0 in zip(
            *([Decimal(float(v)) for v in c] for c in (p, drawn[0], *drawn[2:])), strict=True
        ):
            for ends, factor in ((lows, 1 - EXACT), (highs, 1 + EXACT)):
                near = q * Decimal(factor)
                ends.append(loss - (t / near).sqrt() - scale * (max(rho, 1 / near).sqrt() - rho0.sqrt()))
    assert max(lows) <= min(highs)


@given(INSTANCES, st.randoms(use_true_random=False))
def test_relabelling_bases_relabels_weights(drawn, random):
    L, t, R, rho, rho0 = drawn
    order = list(range(len(L)))
    random.shuffle(order)
    relabelled = [np.ascontiguousarray(column[order]) for column in (L, R, rho, rho0)]
    p, _ = solve(relabelled[0], t, *relabelled[1:])
    assert p == pytest.approx(solve(*drawn)[0][order], rel=EXACT, abs=0)


@given(INSTANCES, st.integers(-(2**30), 2**30))
def test_a_constant_on_all_losses_changes_nothing(drawn, shift):
    L, *rest = drawn
    L = np.round(L * 1024) / 1024  # so that adding the shift is exact
    assert solve(L + shift, *rest)[0] == pytest.approx(solve(L, *rest)[0], rel=EXACT, abs=0)


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=20), st.integers(1, 10**6))
def test_without_hedges_these_are_the_weights_of_tsallis_inf(losses, t):
    L, ones = np.array(losses), np.ones(len(losses))
    p, _ = solve(L, t, 0 * ones, 50 * ones, 50 * ones)
    x = min(L) - math.sqrt(t / p[np.argmin(L)])
    assert p == pytest.approx(t / (L - x) ** 2, rel=1e-10)


@given(st.lists(st.floats(1e-3, 100), min_size=1, max_size=64))
def test_the_first_weights_are_uniform_whatever_the_hedges(variances):
    C, M = np.array(variances), len(variances)
    rho0 = M * np.maximum(1, C)
    p, _ = solve(np.zeros(M), 1, np.sqrt(1e6 * C), rho0, rho0)
    assert p == pytest.approx(np.full(M, 1 / M), rel=1e-14)


def test_a_single_base_gets_everything():
    for loss in (0.0, 1e9):
        one = np.array([1.0])
        assert solve(loss * one, 7.0, 1e5 * one, 1e12 * one, one)[0].tolist() == [1.0]


def test_two_bases_by_hand():
    # t = 4, R = 1, rho_0 = 2, rho = (4, 4). Meant: p = (16/25, 9/25), u = (5/4, 5/3), both below sqrt(rho): the hedges
    # cancel, and L_2 - L_1 = 2 (5/3 - 5/4) = 5/6. With rho_2 = 2 base 2's hedge is 5/3, base 1's stays 2:
    # L_2 - L_1 = 2 (5/3 - 5/4) + 5/3 - 2 = 1/2.
    scales, rho0 = np.ones(2), np.full(2, 2.0)
    p, _ = solve(np.array([1.0, 1 + 5 / 6]), 4.0, scales, np.array([4.0, 4.0]), rho0)
    assert p == pytest.approx([0.64, 0.36], rel=1e-14)
    p, _ = solve(np.array([1.0, 1.5]), 4.0, scales, np.array([4.0, 2.0]), rho0)
    assert p == pytest.approx([0.64, 0.36], rel=1e-14)


@given(INSTANCES, st.floats(1e-6, 1e3), st.integers(0, 63))
def test_a_loss_moves_weight_away_from_its_base_and_a_larger_rho_towards_it(drawn, more, place):
    L, t, R, rho, rho0 = drawn
    i, before = place % len(L), solve(*drawn)[0]
    others = np.arange(len(L)) != i
    heavier, larger = L.copy(), rho.copy()
    heavier[i] += more
    larger[i] *= 1 + more
    for after, sign in ((solve(heavier, t, R, rho, rho0)[0], 1), (solve(L, t, R, larger, rho0)[0], -1)):
        assert sign * after[i] <= sign * before[i] + EXACT * before[i]
        assert np.all(sign * after[others] >= sign * before[others] - EXACT * before[others])


@given(st.floats(0, 1e3), st.floats(1, 1e4), st.floats(0, 1e3), st.floats(1, 1e3), st.floats(0.01, 0.4))
def test_the_weight_of_a_base_is_convex_and_increasing_in_the_multiplier(loss, t, scale, rho, step):
    drawn = [Decimal(v) for v in (loss, t, scale, rho, 2.0)]
    with localcontext(prec=60):  # from p = 1 downwards, in steps that meet both branches
        top = drawn[0] - drawn[1].sqrt() - drawn[2] * (drawn[3].sqrt() - drawn[4].sqrt())
        places = [top - Decimal(step) * n * (drawn[1].sqrt() + drawn[2]) for n in range(100)]
        weights = [naive.base_weight(x, *drawn) for x in places]
        falls = [left - right for left, right in itertools.pairwise(weights)]
    assert min(falls) > 0
    assert all(left > right for left, right in itertools.pairwise(falls))


@given(INSTANCES, st.integers(0, 63), st.floats(0, 1), st.booleans())
def test_a_round_charges_the_asked_base_and_remembers_small_probabilities(drawn, place, loss, is_audit):
    L, _, _, rho, _ = drawn
    p, asked = solve(*drawn)[0], place % len(L)
    expected = naive.charge(L, rho, p, asked, loss, is_audit)
    charge(L, rho, p, asked, loss, is_audit)
    assert [L.tolist(), rho.tolist()] == [list(column) for column in expected]


@njit
def play(means, inflation, R, rho0, uniforms):
    """The master over bases of known regret: what it and each base would lose, in expectation given the past; rho_T.

    Base i loses means[i] plus inflation[i] sqrt(rho_{t-1,i} / t): its own regret is at most
    2 inflation[i] sqrt(rho_T T).
    """
    M, T = means.size, uniforms.shape[0]
    L, rho, p, scratch = np.zeros(M), rho0.copy(), np.full(M, 1.0 / M), np.empty((5, M))
    losses, own, lost = np.empty(M), np.zeros(M), 0.0
    for t in range(1, T + 1):
        hedged_ftrl(L, float(t), R, rho, rho0, p, scratch)
        for i in range(M):
            losses[i] = min(1.0, means[i] + inflation[i] * math.sqrt(rho[i] / t))
            own[i] += losses[i]
            lost += p[i] * losses[i]
        asked, running = 0, p[0]
        while uniforms[t - 1, 0] >= running and asked < M - 1:
            asked += 1
            running += p[asked]
        charge(L, rho, p, asked, 1.0 if uniforms[t - 1, 1] < losses[asked] else 0.0, False)
    return lost, own, rho


def mean_play(means, inflation, R, rho0, horizon, n_runs=5):
    """Sums averaged over fixed seeds; sqrt(rho_T) in place of rho_T."""
    plays = [play(means, inflation, R, rho0, np.random.default_rng(s).random((horizon, 2))) for s in range(n_runs)]
    return (np.mean(column, axis=0) for column in zip(*((a, b, np.sqrt(c)) for a, b, c in plays), strict=True))


M = 8
STEADY = np.zeros(M)
ONE_LEARNS = 2.0 * (np.arange(M) == M - 1)
WORLDS = {
    "alike": (np.full(M, 0.5), STEADY),
    "spread": (np.linspace(0.2, 0.8, M), STEADY),
    "the best starves": (0.3 - 0.2 * (np.arange(M) == M - 1), ONE_LEARNS),
    "all starve": (np.linspace(0.1, 0.5, M), np.linspace(0.5, 2.0, M)),
}


@pytest.mark.parametrize("horizon", [10**4, 10**5])
@pytest.mark.parametrize("world", WORLDS)
def test_the_regret_against_each_base_is_within_its_bound(world, horizon):
    means, inflation = WORLDS[world]
    R, rho0 = 2 * inflation * math.sqrt(horizon), M * np.maximum(1.0, inflation**2)
    lost, own, root_rho = mean_play(means, inflation, R, rho0, horizon)
    paid = 4 * math.sqrt(M * horizon) + np.sum(R / np.sqrt(rho0)) + R * np.sqrt(rho0)
    assert np.all(lost - own <= paid - R * root_rho)
    assert np.all(own - horizon * means <= R * root_rho + 1e-9 * horizon)  # what the hedge is there to pay
    assert np.all(lost - horizon * means <= paid)


def test_without_its_hedge_the_master_starves_the_best_base():
    horizon, (means, inflation) = 10**5, WORLDS["the best starves"]
    R, rho0 = 2 * inflation * math.sqrt(horizon), np.full(M, float(M))
    paid = 4 * math.sqrt(M * horizon) + np.sum(R / np.sqrt(rho0)) + R[-1] * math.sqrt(M)
    hedged, _, _ = mean_play(means, inflation, R, rho0, horizon)
    unhedged, _, _ = mean_play(means, inflation, STEADY, rho0, horizon)
    best = horizon * means[-1]
    assert hedged - best < paid < 0.5 * (unhedged - best)
