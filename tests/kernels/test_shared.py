from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from typeover.kernels import shared as k


class Twins:
    """The same start for the kernel and its twin."""

    def __init__(self, seed, *, n=12, n_actions=4, n_blends=3, audits=k.BY_NEED, is_randomised=False, budget=np.inf):
        source = np.random.default_rng(seed)
        self.n, self.n_actions = n, n_actions
        self.settings = np.array([0.1, 2.0, 2.0, 1.0, audits, budget, 0.05, 0.25])
        votes = source.integers(n_actions, size=(5, n), dtype=np.int32)
        self.votes = source.dirichlet(np.ones(n_actions), size=(5, n)) if is_randomised else votes
        places = source.random((5, n_actions))
        self.deltas = np.abs(places[:, :, None] - places[:, None, :])
        self.sides = [self.start(n, n_blends) for _ in range(2)]
        self.source = source

    def start(self, n, n_blends):
        book = np.zeros(k.BOOK)
        book[k.NEED], book[k.NEXT_LOOK] = 1, k.FIRST_LOOK
        master = np.zeros((3, n_blends))
        master[k.BLENDS] = np.linspace(0, 1, n_blends)
        return np.zeros((4, n)), np.ones((2, n), dtype=bool), master, book

    def tape(self, n_rounds):
        s, K = self.source, self.n_actions
        accepted = s.random((K, n_rounds)) < 0.5
        return (
            s.integers(5, size=n_rounds, dtype=np.int32), accepted, s.random((K, n_rounds)) * accepted,
            ~accepted & (s.random((K, n_rounds)) < 0.8), s.integers(K, size=n_rounds, dtype=np.int32),
            s.random((n_rounds, 2)),
        )  # fmt: skip

    def scratch(self):
        n, K, M = self.n, self.n_actions, self.sides[0][2].shape[1]
        return np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((M, K)), np.zeros(K), np.zeros(K)

    def arguments(self, side, tape):
        drawn = np.zeros(len(tape[0]), dtype=np.int32), np.zeros(len(tape[0]), dtype=bool)
        return (self.votes, self.deltas, self.deltas, *tape, *side, self.settings, *self.scratch(), *drawn)


KINDS = pytest.mark.parametrize("is_randomised", [False, True], ids=["indices", "probabilities"])
RULES = pytest.mark.parametrize("audits", [k.BY_NEED, k.FIXED_RATE, k.NO_AUDITS], ids=["need", "fixed", "none"])


def assert_same(one, other):
    for own, twin in zip(one, other, strict=True):
        np.testing.assert_allclose(own, twin, rtol=1e-7, atol=1e-7)


@KINDS
@RULES
def test_a_tape_is_played_as_its_twin_plays_it(audits, is_randomised):
    for seed in range(3):
        twins = Twins(seed, audits=audits, is_randomised=is_randomised, budget=20)
        tape = twins.tape(500)  # longer, and rounding is amplified by weights 1/p until draws differ
        own, twin = (twins.arguments(side, tape) for side in twins.sides)
        k.play(*own)
        naive.play(*twin)
        np.testing.assert_array_equal(own[-2], twin[-2])
        np.testing.assert_array_equal(own[-1], twin[-1])
        assert_same(*twins.sides)
        assert own[-1].sum() == (0 if audits == k.NO_AUDITS else 20)


def midway(seed, **others):
    """Both sides at the same place in the middle of a run."""
    twins = Twins(seed, **others)
    k.play(*twins.arguments(twins.sides[0], twins.tape(300)))
    for own, other in zip(*twins.sides, strict=True):
        other[...] = own
    return twins


@KINDS
@RULES
def test_each_step_of_a_round_is_that_of_its_twin(audits, is_randomised):
    for seed in range(8):
        twins = midway(seed, audits=audits, is_randomised=is_randomised)
        one, other = twins.sides
        votes, row = twins.votes[seed % 5], twins.deltas[seed % 5, 1]
        weights, powers, played, q, p, bar = twins.scratch()
        one[3][k.ROUND] += 1
        other[3][k.ROUND] += 1
        one[3][k.NEXT_LOOK] = other[3][k.NEXT_LOOK] = one[3][k.ROUND]  # a look in this round
        k.review(*one, twins.settings, weights, powers, played)
        naive.review(*other, twins.settings, weights, powers, played)
        assert_same(one, other)
        found = k.choose(votes, 0.37, 0.01, *one, twins.settings, weights, powers, q, p)
        shares, chances = q.copy(), p.copy()
        twin = naive.choose(votes, 0.37, 0.01, *other, twins.settings, weights, powers, q, p)
        assert found == pytest.approx(twin)
        assert_same((shares, chances, *one), (q, p, *other))
        assert k.effective(0.3, one[3]) == pytest.approx(naive.effective(0.3, other[3]))
        assert k.consensus(votes, one[1], bar) == naive.consensus(votes, other[1], bar)
        k.estimate(votes, row, 2, 0.7, one[0], one[3])
        naive.estimate(votes, row, 2, 0.7, other[0], other[3])
        k.audited(votes, 1, row, twins.deltas[0, 2], 0.2, 0.7, one[0], one[3], bar)
        naive.audited(votes, 1, row, twins.deltas[0, 2], 0.2, 0.7, other[0], other[3], bar)
        k.taught(votes, 1, row, True, 0.2, one[0], one[3], twins.settings)
        naive.taught(votes, 1, row, True, 0.2, other[0], other[3], twins.settings)
        k.rewarded(votes, 1, 0.8, 0.25, shares[:, 1], one[0], one[2])
        naive.rewarded(votes, 1, 0.8, 0.25, shares[:, 1], other[0], other[2])
        assert_same(one, other)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_probabilities_are_a_distribution_and_the_dead_get_nothing(seed, is_randomised):
    twins = midway(seed % 50, is_randomised=is_randomised)
    sums, flags, master, book = twins.sides[0]
    source = np.random.default_rng(seed)
    flags[k.LISTED] = source.random(twins.n) < 0.5
    flags[k.LISTED, source.integers(twins.n)] = True
    weights, powers, _, q, p, _ = twins.scratch()
    before = book[k.SUPPORT]
    k.choose(twins.votes[0], 0.5, 0.5, sums, flags, master, book, twins.settings, weights, powers, q, p)
    assert p.sum() == pytest.approx(1)
    assert book[k.SUPPORT] - before == (p > 0).sum()
    assert master[k.SHARES].sum() == pytest.approx(1)
    if not is_randomised:
        assert not p[np.setdiff1d(np.arange(4), twins.votes[0][flags[k.LISTED]])].any()


@KINDS
def test_the_anchor_is_what_most_of_the_shortlist_would_show_whatever_the_others_do(is_randomised):
    votes, flags = np.array([2, 0, 2, 1, 1, 1, 1], dtype=np.int32), np.ones((2, 7), dtype=bool)
    flags[k.LISTED, 4:] = False  # of 0, 1, 2 and 2 again: 2
    shown = 0.6 * np.eye(3)[votes] + 0.4 / 3 if is_randomised else votes
    assert k.consensus(shown, flags, np.zeros(3)) == 2
    flags[k.LISTED] = True
    assert k.consensus(shown, flags, np.full(3, 9.0)) == 1


def test_policy_sets_only_shrink_and_the_shortlist_lies_within():
    twins = Twins(3, audits=k.FIXED_RATE)
    side = twins.sides[0]
    alive = side[1][k.ALIVE].copy()
    for _ in range(20):
        k.play(*twins.arguments(side, twins.tape(500)))
        assert not (side[1][k.ALIVE] & ~alive).any()
        assert not (side[1][k.LISTED] & ~side[1][k.ALIVE]).any()
        alive = side[1][k.ALIVE].copy()
    assert alive.any()


def test_estimates_of_the_constraint_are_unbiased_summed_over_audits_and_none():
    """E over Z of what is added equals Delta, whatever the control says: exact for any gamma."""
    twins = midway(1)
    votes, control, truth = twins.votes[0], twins.deltas[0, 1], twins.deltas[0, 3]
    for gamma in (0.01, 0.3, 1.0):
        ends = []
        for is_audit in (False, True):
            sums, book, bar = np.zeros((4, twins.n)), np.zeros(k.BOOK), np.zeros(4)
            if is_audit:
                k.audited(votes, 0, control, truth, gamma, 1.0, sums, book, bar)
            else:
                k.estimate(votes, control, 0, 1.0, sums, book)
            ends.append(sums[k.CONSTRAINT])
        np.testing.assert_allclose((1 - gamma) * ends[0] + gamma * ends[1], truth[votes], atol=1e-12)
