from __future__ import annotations

import math

import numpy as np
import pytest

import naive
from typeover.constraints import ActiveQueries, Biased, DoublyRobust
from typeover.constraints.estimators import unconstrained
from typeover.kernels import corral as c
from typeover.kernels import shared as k
from typeover.kernels.leader import SCRATCH
from typeover.theory.corral import corral_settings

CONSTRAINTS = {
    "biased": Biased(bias_bound=0.1),
    "biased empirical": Biased(bias_bound=0.1, radius="empirical"),
    "anchored": DoublyRobust(),
    "anchored empirical": DoublyRobust(radius="empirical"),
    "played printed": DoublyRobust(control="played", rate="printed", bias_bound=0.8),
    "counterfactual": DoublyRobust(control="counterfactual", rate="printed", bias_bound=0.5),
    "counterfactual fixed": DoublyRobust(control="counterfactual", bias_bound=0.5, cap=0.1),
    "active": ActiveQueries(cap=0.7, failure=0.5),
    "none": None,
}
KINDS = pytest.mark.parametrize("is_randomised", [False, True], ids=["indices", "probabilities"])
RULES = pytest.mark.parametrize("rule", CONSTRAINTS)


class Twins:
    """A world of coins, the same start for the kernel and its twins."""

    def __init__(self, seed, rule, *, horizon=3000, n=12, n_actions=4, n_bases=5, is_randomised=False, tolerance=0.0):
        source = self.source = np.random.default_rng(seed)
        self.n, self.n_actions, self.horizon = n, n_actions, horizon
        constraint = CONSTRAINTS[rule]
        self.settings = unconstrained()
        if constraint is not None:
            self.settings = constraint.plain(tolerance=tolerance, horizon=horizon, n_policies=n)
        votes = source.integers(n_actions, size=(5, n), dtype=np.int32)
        self.votes = source.dirichlet(np.ones(n_actions), size=(5, n)) if is_randomised else votes
        places = source.random((5, n_actions))
        self.near = np.abs(places[:, :, None] - places[:, None, :])
        self.blends = np.linspace(0, 1, n_bases) if rule != "none" else np.ones(n_bases)
        hedge = corral_settings(blends=self.blends, horizon=horizon, n_actions=n_actions, n_policies=n)
        self.scales, self.first = hedge.regrets, hedge.inverses if n_bases > 1 else np.ones(1)
        self.sides = [self.start(n_bases) for _ in range(2)]

    def start(self, n_bases):
        book, master = np.zeros(c.ENTRIES), np.zeros((7, n_bases))
        book[k.NEXT_LOOK] = k.FIRST_LOOK
        master[c.BLENDS], master[c.SHARES], master[c.SCALES] = self.blends, 1 / n_bases, self.scales
        master[c.INVERSES] = master[c.FIRST] = self.first
        return np.zeros((n_bases, self.n)), np.zeros((2, self.n)), np.ones(self.n, dtype=bool), master, book

    def tape(self, n_rounds, share_known=0.8):
        s, K = self.source, self.n_actions
        contexts = s.integers(5, size=n_rounds, dtype=np.int32)
        entered = np.where(s.random(n_rounds) < 0.8, contexts % K, s.integers(K, size=n_rounds)).astype(np.int32)
        accepted = s.random((K, n_rounds)) < 0.3 + 0.4 * (np.arange(K) % 2)[:, None]
        revealed = ~accepted & (s.random((K, n_rounds)) < share_known)
        earned = s.random((K, n_rounds)) * accepted
        return contexts, accepted, earned, revealed, entered, s.random((n_rounds, 3))

    def scratch(self, side):
        return np.zeros(SCRATCH), np.zeros((5, side[3].shape[1])), np.zeros(self.n_actions)

    def run(self, side, tape):
        n = len(tape[0])
        drawn = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=bool), np.zeros(n, dtype=np.int32), np.zeros((n, 2))
        bar = np.zeros(self.n_actions)
        c.run(self.votes, self.near, self.near, *tape, *side, self.settings, *self.scratch(side), bar, *drawn)
        return drawn


def assert_same(one, other):
    for own, twin in zip(one, other, strict=True):
        np.testing.assert_allclose(own, twin, rtol=1e-9, atol=1e-9)


def assert_run_is_its_twin(seed, rule, horizon, **others):
    """A twin on its own draws the same; one that learns with what the kernel logged has the same probabilities."""
    twins = Twins(seed, rule, horizon=horizon, **others)
    tape = twins.tape(horizon)
    *drawn, chances = twins.run(twins.sides[0], tape)
    world = twins.votes, twins.near, twins.near, *tape, twins.blends, twins.scales, twins.first, twins.settings
    for log in (None, chances):
        *found, own, alive, shares = naive.run(*world, log)
        for column, twin in zip(drawn, found, strict=True):
            np.testing.assert_array_equal(column, twin)
        np.testing.assert_array_equal(twins.sides[0][2], alive[-1])
    np.testing.assert_allclose(chances, own, rtol=1e-9, atol=0)
    np.testing.assert_allclose(twins.sides[0][3][c.SHARES], shares[-1], rtol=1e-9, atol=0)
    return drawn[1], alive


@KINDS
@RULES
def test_a_run_is_that_of_a_twin_which_updates_every_base_every_round(rule, is_randomised):
    for seed in range(3):
        audits, alive = assert_run_is_its_twin(seed, rule, 3000, is_randomised=is_randomised)
        assert audits.any() == (rule not in {"biased", "biased empirical", "none"})
        assert (alive[1:] <= alive[:-1]).all()  # sets only shrink
        assert alive[-1].any()


def test_a_single_base_runs_as_its_twin():
    assert_run_is_its_twin(1, "anchored", 2000, n_bases=1)


@pytest.mark.slow
@KINDS
@RULES
def test_long_runs_are_those_of_the_twin(rule, is_randomised):
    for seed in range(10):
        assert_run_is_its_twin(seed, rule, 10_000, is_randomised=is_randomised)


def midway(seed, rule, **others):
    """Both sides at the same place in the middle of a run."""
    twins = Twins(seed, rule, **others)
    twins.run(twins.sides[0], twins.tape(400))
    for own, other in zip(*twins.sides, strict=True):
        other[...] = own
    return twins


@KINDS
@RULES
def test_each_step_of_a_round_is_that_of_its_twin(rule, is_randomised):
    for seed in range(4):
        twins = midway(seed, rule, is_randomised=is_randomised)
        (one, other), settings = twins.sides, twins.settings
        votes, near, row = twins.votes[seed], twins.near[seed], twins.near[seed, 1]
        one[4][k.NEXT_LOOK] = other[4][k.NEXT_LOOK] = one[4][k.ROUND]  # a look in this round
        scratch, twin_scratch = twins.scratch(one), twins.scratch(other)
        c.narrow(one[1], one[2], one[4], settings)
        naive.narrow(other[1], other[2], other[4], settings)
        assert_same(one, other)
        found = c.pick(votes, near, 0.6, 0.37, 0.01, *one, settings, *scratch)
        twin = naive.pick(votes, near, 0.6, 0.37, 0.01, *other, settings, *twin_scratch)
        assert found == pytest.approx(twin)
        assert_same((scratch[2], *one), (twin_scratch[2], *other))
        assert c.control(votes, 2, one[4], settings) == naive.control(votes, 2, other[4], settings)
        bar, is_audit = np.zeros(4), seed % 2 == 0
        own, others = ((*side[1:3], side[4], settings, scratch[0]) for side in (one, other))
        c.absorb(votes, row, 2, is_audit, *own)
        naive.absorb(votes, row, 2, is_audit, *others)
        c.answered(votes, row, near[3], 1, 0.2, *own, bar)
        naive.answered(votes, row, near[3], 1, 0.2, *others, bar)
        c.pay(votes, 2, 1, 0.8, 0.5, 0.25, one[0], one[3])
        naive.pay(votes, 2, 1, 0.8, 0.5, 0.25, other[0], other[3])
        c.shown(votes, near[2], True, 1, 0.2, *own)
        naive.shown(votes, near[2], True, 1, 0.2, *others)
        assert_same(one, other)


@pytest.mark.parametrize("rule", ["anchored", "played printed", "counterfactual"])
def test_estimates_are_unbiased_summed_over_audits_and_none(rule):
    """E over Z of what is added equals Delta, whatever the control says: exact for any gamma."""
    twins = midway(1, rule)
    _, _, _, _, book = twins.sides[0]
    votes, near, truth, a = twins.votes[0], twins.near[0], twins.near[0, 3], 2
    at = c.control(votes, a, book, twins.settings)
    for h in [near[at]] if at >= 0 else [near[a], truth]:  # Deltahat of an accept, and of a correction
        for gamma in (0.01, 0.3, 1.0):
            added = []
            for is_audit in (False, True):
                sums, alive = np.zeros((1, twins.n)), np.ones(twins.n, dtype=bool)
                heard = sums, alive, np.zeros(c.ENTRIES), twins.settings, np.zeros(SCRATCH)
                if is_audit:
                    c.answered(votes, h, truth, a, gamma, *heard, np.zeros(4))
                else:
                    c.absorb(votes, h, a, False, *heard)
                added.append(sums[c.LOSSES])
            mean = (1 - gamma) * added[0] + gamma * added[1]
            np.testing.assert_allclose(mean, truth[votes], atol=1e-12)


@RULES
def test_the_dead_never_get_weight_back(rule):
    twins = Twins(4, rule)
    side = twins.sides[0]
    side[2][[0, 3, 5]] = False
    dead = side[2].copy()
    for _ in range(5):
        twins.run(side, twins.tape(300))
        assert not (side[2] & ~dead).any()
        blocks, scratch, p = twins.scratch(side)
        c.pick(twins.votes[0], twins.near[0], 0.5, 0.5, 0.99, *side, twins.settings, blocks, scratch, p)
        assert not p[np.setdiff1d(np.arange(4), twins.votes[0][side[2]])].any()
        dead = side[2].copy()


def test_after_the_cap_nothing_is_asked_and_the_estimates_stay():
    twins = Twins(2, "counterfactual fixed")
    side = twins.sides[0]
    _, audits, _, _ = twins.run(side, twins.tape(2000))
    assert audits.sum() == math.ceil(0.1 * 3000 ** (2 / 3))
    assert side[4][c.CLOSED] == np.flatnonzero(audits)[-1] + 1
    sums, alive = side[1].copy(), side[2].copy()
    twins.run(side, twins.tape(500))
    np.testing.assert_array_equal(side[1], sums)
    np.testing.assert_array_equal(side[2], alive)
    assert side[0].any()  # rewards are learnt from nevertheless


def test_the_rate_keeps_negative_estimates_in_reach():
    """Eta (1 - mu) b <= 1, so that exp(-eta Deltabar) stays within the bound of the regret's proof."""
    twins = midway(3, "anchored", n_bases=1)
    book, master = twins.sides[0][4], twins.sides[0][3]
    book[c.BOUND] = 1e6
    _, sums, alive, _, _ = twins.sides[0]
    blocks, scratch, p = twins.scratch(twins.sides[0])
    sums[c.LOSSES] = 1e6 * np.arange(twins.n)
    master[c.BLENDS] = 0
    c.pick(twins.votes[0], twins.near[0], 0, 0.5, 0.99, *twins.sides[0], twins.settings, blocks, scratch, p)
    weights = np.bincount(twins.votes[0], np.exp(-np.arange(twins.n)) * alive, minlength=p.size)
    np.testing.assert_allclose(p, weights / weights.sum(), rtol=1e-9)
