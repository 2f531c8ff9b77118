"""What regret is counted against, and how, on worlds small enough for hands and for a linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import tiny
from typeover.environments import Exact, TabularWorld
from typeover.errors import InvalidInputError
from typeover.learners import EFBO, RewardOnly
from typeover.losses import Table
from typeover.policies import Constant, Lookup, PolicySet, TablePolicies

AB = Table([[0, 0.5], [0.5, 0]], items=["a", "b"])


def two_contexts():
    """Users always want `a` in x and `b` in y; being right pays 0.8 in x and 0.4 in y, x comes three times of four."""
    return TabularWorld(
        contexts=["x", "y"],
        actions=["a", "b"],
        answers=["a", "b"],
        answer_probabilities=[[1, 0], [0, 1]],
        weights=[0.75, 0.25],
        losses=[[[0, 0.5], [0.5, 0]]] * 2,
        rewards=[[0.8, 0.8], [0.4, 0.4]],
        user=Exact(),
        is_coin=False,
    )


POLICIES = PolicySet([Constant("a"), Constant("b"), Lookup({"x": "a", "y": "b"})], names=["a", "b", "right"])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 0.5))
def test_the_best_feasible_policy_is_the_best_of_all_that_are_feasible(seed, tolerance):
    world, policies = tiny.world(seed), tiny.tables(seed, policies=9)
    benchmark = world.benchmark(policies, tolerance)
    rewards, losses = world.values(policies)
    feasible = [i for i in range(9) if losses[i] <= losses.min() + tolerance + 1e-12]
    assert benchmark.policy in feasible
    assert rewards[benchmark.policy] == max(rewards[i] for i in feasible)
    assert benchmark.n_feasible == len(feasible)
    assert losses[benchmark.least] == losses.min()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 0.5), st.booleans())
def test_the_best_feasible_mixture_is_worth_what_a_linear_program_says(seed, tolerance, is_randomised):
    world = tiny.world(seed)
    policies = (tiny.randomised if is_randomised else tiny.tables)(seed, policies=9)
    mixture = world.benchmark(policies, tolerance).mixture
    rewards, losses = world.values(policies)
    judge = linprog(
        -rewards, A_ub=[losses], b_ub=[losses.min() + tolerance], A_eq=[np.ones(9)], b_eq=[1], method="highs"
    )
    assert mixture.reward == pytest.approx(-judge.fun, abs=1e-7)  # the judge's own tolerance
    assert mixture.loss <= losses.min() + tolerance + 1e-12


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_values_by_context_average_to_the_values(seed, is_randomised):
    world = tiny.world(seed)
    policies = (tiny.randomised if is_randomised else tiny.tables)(seed)
    benchmark = world.benchmark(policies, 0.1)
    star, least, mixture = benchmark.policy, benchmark.least, benchmark.mixture
    expected = [
        benchmark.rewards[star], mixture.reward, benchmark.losses[least], benchmark.losses[star], mixture.loss,
    ]  # fmt: skip
    assert benchmark.by_context @ world.weights == pytest.approx(expected, abs=1e-12)


def counted(world, rounds, *, policies=POLICIES, tolerance=0.1):
    """Tally of a session whose contexts are found by asking; `rounds` decides by context and number."""
    session = world.session(seed=1, policies=policies, tolerance=tolerance)
    contexts = []
    for number, (suggestion, revealing, index) in enumerate(rounds, start=1):
        context, actions = session.ask()
        contexts.append(context)
        session.answer(tiny.decision(number, context, actions, suggestion, revealing=revealing, index=index))
    return contexts, session.tally()


def test_regrets_of_a_two_context_world_worked_by_hand():
    """pi* and the most faithful policy are `right`: 0.8 and 0.4 with Delta 0. Shown: a, b, nothing in turn."""
    rounds = [(0, False, 0), (1, False, 1), (0, True, -1)] * 4
    contexts, tally = counted(two_contexts(), rounds)
    best = {"x": 0.8, "y": 0.4}
    right = {"x": 0, "y": 1}
    expected = dict.fromkeys(tally, 0.0)
    for context, (_, revealing, index) in zip(contexts, rounds, strict=True):
        is_right = index == right[context] and not revealing
        delta = 0.0 if index == right[context] else 0.5
        expected["rounds"] += 1
        expected["reward_regret"] += best[context] * (not is_right)  # an audit earns nothing
        expected["reward"] += best[context] * is_right
        expected["accepted"] += is_right
        expected["corrections"] += not is_right and not revealing  # volunteered
        expected["audits"] += revealing
        expected["shown"] += not revealing
        expected["constraint_regret"] += 1.0 if revealing else delta  # Delta = 1 when nothing is shown
        expected["fidelity_regret"] += 0.0 if revealing else delta
        expected["fidelity_loss"] += 0.0 if revealing else delta
    expected["reward_regret_mixture"] = expected["reward_regret"]
    expected["constraint_regret_mixture"] = expected["constraint_regret"]
    assert tally == pytest.approx(expected)
    assert set(contexts) == {"x", "y"}


def test_a_named_revealing_action_earns_nothing_and_counts_by_its_own_delta():
    contexts, tally = counted(two_contexts(), [(0, True, 0)] * 8)
    off = 0.5 * contexts.count("y")
    assert tally["reward"] == tally["accepted"] == 0
    assert (tally["audits"], tally["shown"], tally["corrections"]) == (8, 8, 0)
    assert tally["reward_regret"] == pytest.approx(0.8 * contexts.count("x") + 0.4 * contexts.count("y"))
    assert tally["constraint_regret"] == tally["fidelity_regret"] == tally["fidelity_loss"] == pytest.approx(off)


def test_regret_may_be_negative_where_infidelity_pays():
    """One context; `b` pays 0.3 more than `a`, the only feasible one, and costs 0.5 more."""
    world = TabularWorld(
        contexts=["x"], actions=["a", "b"], answers=["a"], answer_probabilities=[[1]], losses=[[0, 0.5]],
        rewards=[[0.4, 0.7]], user=Generous(), is_coin=False,
    )  # fmt: skip
    _, tally = counted(world, [(1, False, 1)] * 10, policies=POLICIES.subset([0, 1]))
    assert tally["reward_regret"] == pytest.approx(-3)
    assert tally["reward_regret_mixture"] == pytest.approx(10 * (0.4 + 0.2 * 0.3 - 0.7))  # one fifth of b is allowed
    assert tally["constraint_regret"] == pytest.approx(5)
    assert tally["constraint_regret_mixture"] == pytest.approx(4)
    assert (tally["accepted"], tally["reward"]) == (10, pytest.approx(7))


def test_fidelity_is_compared_with_the_most_faithful_policy_and_the_constraint_with_the_best_feasible():
    """`b` pays more and is allowed: showing it has no constraint regret, but fidelity regret 0.5."""
    world = TabularWorld(
        contexts=["x"], actions=["a", "b"], answers=["a"], answer_probabilities=[[1]], losses=[[0.1, 0.6]],
        rewards=[[0.4, 0.7]], user=Generous(), is_coin=False,
    )  # fmt: skip
    _, tally = counted(world, [(1, False, 1)] * 10, policies=POLICIES.subset([0, 1]), tolerance=0.5)
    assert tally["constraint_regret"] == pytest.approx(0)
    assert tally["reward_regret"] == pytest.approx(0)
    assert tally["fidelity_regret"] == pytest.approx(5)
    assert tally["fidelity_loss"] == pytest.approx(6)


class Generous:
    def acceptance(self, losses, matches):
        return np.ones(losses.shape)


def test_expected_regret_is_counted_whatever_luck_the_round_had():
    """The regret of a round depends on its context and on what was shown, not on what the user happened to want."""
    world, policies = tiny.world(), TablePolicies([[0], [0], [0]])
    _, tally = counted(world, [(0, False, 0)] * 200, policies=policies)
    assert tally["reward_regret"] == pytest.approx(0, abs=1e-12)
    assert tally["constraint_regret"] == pytest.approx(0, abs=1e-12)
    assert 0 < tally["accepted"] < 200


def test_a_learner_in_a_world_sees_its_context_and_candidates_and_nothing_of_the_answer():
    world = two_contexts()
    session = world.session(seed=1, policies=POLICIES, tolerance=0.1)
    for number in range(1, 50):
        context, actions = session.ask()
        assert context in {"x", "y"}
        assert list(actions) == ["a", "b"]
        feedback = session.answer(tiny.decision(number, context, actions, 0))
        assert (feedback.correction is None) == (context == "x")


def test_a_session_is_asked_and_answered_in_turn():
    session = two_contexts().session(seed=1, policies=POLICIES, tolerance=0.1)
    with pytest.raises(InvalidInputError, match="answer was called without an open round; call ask first"):
        session.answer(tiny.decision(1, "x", ["a", "b"], 0))
    session.ask()
    session.answer(tiny.decision(1, "x", ["a", "b"], 0))
    with pytest.raises(InvalidInputError, match="answer was called without an open round"):
        session.answer(tiny.decision(1, "x", ["a", "b"], 0))
    with pytest.raises(InvalidInputError, match="already asked round by round; start another one"):
        session.tape(5)


def test_a_session_goes_on_beyond_the_rounds_that_it_fixes_at_once():
    _, tally = counted(two_contexts(), [(0, False, 0)] * 2500)
    assert tally["rounds"] == 2500
    assert tally["accepted"] + tally["corrections"] == 2500


def test_learners_carry_what_they_are_compared_with():
    efbo = EFBO(policies=POLICIES, loss=AB, tolerance=0.2, horizon=10, seed=1)
    assert efbo.policies is POLICIES
    assert efbo.tolerance == 0.2
    assert RewardOnly(policies=POLICIES, horizon=10, seed=1).policies is POLICIES
