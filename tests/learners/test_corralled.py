import json
import math

import msgspec
import numpy as np
import pytest

import corral_twins as twins
import naive
import tiny
import typeover
from typeover import Feedback, PolicySet
from typeover.constraints import ActiveQueries, Biased, DoublyRobust
from typeover.environments import w1, w2
from typeover.errors import InvalidInputError
from typeover.kernels import corral as c
from typeover.kernels import shared as k
from typeover.learners import ConstrainedExp4, CorralledExp4
from typeover.learners.corralled import ARRAYS
from typeover.losses import Function, ZeroOne
from typeover.policies import Constant, TablePolicies

RULES = pytest.mark.parametrize(
    "constraint",
    [
        Biased(bias_bound=0.02),
        DoublyRobust(),
        DoublyRobust(control="played", radius="empirical"),
        DoublyRobust(control="counterfactual", rate="printed", bias_bound=0.5),
        ActiveQueries(failure=0.9),
    ],
    ids=["biased", "anchored", "played", "counterfactual", "active"],
)
OBSERVABLE = pytest.mark.parametrize(
    "constraint",
    [Biased(bias_bound=0.02), DoublyRobust(cap=None), ActiveQueries(failure=0.9)],
    ids=["biased", "robust", "active"],
)
NAMES = ["refund", "invoice", "thanks"]


def corralled(world=None, policies=None, **others):
    given = {"tolerance": 0.1, "horizon": 500, "seed": 3} | others
    world = tiny.world() if world is None else world
    return CorralledExp4(policies=tiny.tables() if policies is None else policies, loss=world.loss, **given)


def simulated(learner, world=None, rounds=500):
    run = typeover.simulate(tiny.world() if world is None else world, learner, rounds=rounds, seed=1, at=[rounds])
    assert np.isfinite(run.reward_regret).all()
    json.dumps(learner.figures(), allow_nan=False)
    return run


@RULES
@pytest.mark.parametrize("blend", [0, 1])
def test_a_pure_blend_rests_on_one_signal_alone(constraint, blend):
    """At 1 the rewards decide among the alive, at 0 the corrections: the other sum can be anything."""
    world, policies = tiny.world(), tiny.tables()
    learner = ConstrainedExp4(
        policies=policies, loss=world.loss, tolerance=0.1, horizon=500, blend=blend, constraint=constraint, seed=3
    )
    simulated(learner)
    learner._plain[c.BUDGET] = 0  # no more audits, so that the counterfactual control may be asked round by round
    learner.constraint = None
    ends = []
    for other in (0.0, 1e3):
        restored = {name: getattr(learner, f"_{name}").copy() for name in ("rewards", "sums", "master", "book")}
        (learner._sums[c.LOSSES] if blend else learner._rewards)[...] += other * np.arange(5)
        learner._rng = np.random.default_rng(1)
        ends.append(learner.decide(1, NAMES).propensities)
        for name, values in restored.items():
            setattr(learner, f"_{name}", values)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


@RULES
def test_one_policy_is_always_played(constraint):
    learner = corralled(policies=TablePolicies(np.full((3, 1), 2)), constraint=constraint)
    run = simulated(learner)
    assert learner.figures()["alive"] == 1
    assert run.rounds[-1] == 500


@RULES
def test_the_only_policy_is_followed_whatever_it_chooses(constraint):
    world, policies = tiny.world(), TablePolicies(np.full((3, 1), 2))
    learner = corralled(policies=policies, constraint=constraint)
    played = learner.play(world.session(seed=1, policies=policies, tolerance=0.1).tape(100))
    assert played.suggestions.tolist() == [2] * 100
    assert learner.marginal(0, NAMES).tolist() == pytest.approx([0.0, 0.0, 1.0])


def test_one_candidate_is_always_suggested():
    policies = PolicySet([Constant("refund"), Constant("refund")])
    learner = CorralledExp4(policies=policies, loss=ZeroOne(), tolerance=0.1, horizon=100, seed=1)
    for _ in range(100):
        decision = learner.decide("where is my money?", ["refund"])
        assert decision.propensities.tolist() == [1.0]
        learner.learn(decision, Feedback(correction="refund") if decision.revealing else Feedback(reward=1.0))


@RULES
def test_equal_policies_stay_equal(constraint):
    learner = corralled(policies=TablePolicies(np.repeat([[0], [1], [2]], 4, axis=1)), constraint=constraint)
    simulated(learner)
    assert learner.figures()["alive"] == 4
    for row in (*learner._rewards, *learner._sums):
        np.testing.assert_array_equal(row, np.full(4, row[0]))


@RULES
def test_when_one_policy_is_left_it_is_played(constraint):
    learner = corralled(constraint=constraint)
    learner._alive[[0, 1, 3, 4]] = False
    world = tiny.world()
    tape = world.session(seed=5, policies=tiny.tables(), tolerance=0.1).tape(300)
    plays = learner.play(tape)
    votes = np.array([tiny.tables().vote(x, NAMES)[2] for x in range(3)])
    np.testing.assert_array_equal(plays.suggestions, votes[tape.contexts])
    assert learner.figures()["alive"] == 1


@RULES
def test_a_horizon_of_one_round_is_played(constraint):
    simulated(corralled(constraint=constraint, horizon=1), rounds=1)


@RULES
def test_more_rounds_than_the_horizon_are_played(constraint):
    simulated(corralled(constraint=constraint, horizon=50))


def test_losses_of_zero_rule_nobody_out_and_leave_the_constraint_out_of_it():
    learner = CorralledExp4(
        policies=tiny.tables(), loss=Function(lambda action, answer, context: 0.0), tolerance=0, horizon=500, seed=3
    )
    simulated(learner)
    assert learner.figures()["alive"] == 5
    assert not learner._sums.any()
    assert learner.figures()["fidelity"] == 1


def test_without_bias_at_the_printed_rate_the_doubly_robust_estimate_is_the_biased_one():
    robust, biased = (
        corralled(constraint=constraint)
        for constraint in (DoublyRobust(rate="printed", bias_bound=0.0), Biased(bias_bound=0.0))
    )
    simulated(robust)
    simulated(biased)
    for name in ("rewards", "sums", "master", "book"):
        np.testing.assert_array_equal(getattr(robust, f"_{name}"), getattr(biased, f"_{name}"))
    assert robust.figures()["audits"] == 0


def test_a_counterfactual_control_is_refused_round_by_round():
    learner = corralled(constraint=DoublyRobust(control="counterfactual", bias_bound=0.1))
    with pytest.raises(InvalidInputError, match=r"counterfactual.*simulation"):
        learner.decide(0, NAMES)
    simulated(learner)  # on a tape it is known


def test_audits_stop_at_the_cap_and_the_figures_say_when():
    learner = corralled(constraint=DoublyRobust(cap=0.3))
    simulated(learner)
    figures = learner.figures()
    assert figures["audits"] == 19  # the first whole number from 0.3 * 500^(2/3) = 18.9
    assert 19 <= figures["frozen_at"] <= 500


def test_a_round_that_is_refused_did_not_take_place():
    def shaky(action, answer, context):
        return 2.0 if context == "bad" else float(action != answer)

    def make():
        policies = PolicySet([Constant(name) for name in NAMES])
        constraint = DoublyRobust(control="played")
        return CorralledExp4(
            policies=policies, loss=Function(shaky), tolerance=0.1, horizon=50, constraint=constraint, seed=2
        )

    one, other = make(), make()
    for number in range(30):
        if number % 7 == 0:
            with pytest.raises(InvalidInputError, match="surrogate loss must return"):
                one.decide("bad", NAMES)
        decisions = [learner.decide("good", NAMES) for learner in (one, other)]
        assert decisions[0].propensities.tolist() == decisions[1].propensities.tolist()
        for learner, decision in zip((one, other), decisions, strict=True):
            learner.learn(decision, Feedback(correction="thanks"))
    for name, values in other.state().arrays.items():
        np.testing.assert_array_equal(one.state().arrays[name], values)
    assert one.state().json == other.state().json


def test_a_round_that_is_refused_rules_nobody_out():
    broken = []

    def shaky(action, answer, context):
        return 2.0 if broken else float(action != answer)

    constraint = DoublyRobust(control="played", radius="empirical", failure=0.99, cap=None)
    policies = PolicySet([Constant(name) for name in NAMES])
    learner = CorralledExp4(
        policies=policies, loss=Function(shaky), tolerance=0, horizon=2_000, constraint=constraint, seed=1
    )
    while learner.alive.all():
        broken.append("at every try first")
        with pytest.raises(InvalidInputError, match="surrogate loss must return"):
            learner.decide("x", NAMES)
        broken.clear()
        assert learner.alive.all()
        decision = learner.decide("x", NAMES)
        learner.learn(decision, Feedback(correction="thanks"))
    assert learner.figures()["rounds"] < 2_000


def test_unanswered_audits_leave_the_estimate():
    learner = corralled(constraint=DoublyRobust())
    counted = []
    while len(counted) < 60:
        decision = learner.decide(0, NAMES)
        learner.learn(decision, Feedback())
        counted.append(decision.revealing)
    assert any(counted)
    assert learner._book[learner._shared.WEIGHT] == 60 - sum(counted)


def test_exp4_on_rewards_alone_needs_neither_loss_nor_horizon():
    learner = ConstrainedExp4(policies=tiny.tables(), tolerance=0.1, blend=1, constraint=None, seed=1)
    simulated(learner)
    figures = learner.figures()
    assert (figures["audits"], figures["alive"], figures["fidelity"]) == (0, 5, None)


def test_a_constraint_may_be_written_out():
    written = {"kind": "doubly_robust", "control": "played", "cap": None}
    learner = corralled(constraint=written)
    assert learner.constraint == DoublyRobust(control="played", cap=None)
    assert msgspec.to_builtins(learner.constraint)["kind"] == "doubly_robust"


def test_regret_falls_on_a_world_whose_signals_agree():
    setting = w1(n_policies=30)
    per_round = []
    for horizon in (2_000, 40_000):
        learner = corralled(setting.world, setting.policies, tolerance=0.05, horizon=horizon)
        per_round.append(simulated(learner, setting.world, horizon).reward_regret[-1] / horizon)
    assert per_round[1] < 0.7 * per_round[0]


@pytest.mark.parametrize("control", ["anchored", "played"])
def test_audits_rule_out_the_unfaithful_and_keep_the_faithful_where_users_let_everything_pass(control):
    """Losing a feasible policy in one of these runs has probability 0.05 at most, by the radius far less."""
    setting = w2(n_policies=40)
    world, policies = setting.world, setting.policies
    votes = np.array(
        [policies.vote(x, actions) for x, actions in zip(world.tables.contexts, world.tables.actions, strict=True)]
    )
    per_action = np.einsum("x,xj,xaj->xa", world.weights, world.answer_probabilities, world.losses)
    losses = np.take_along_axis(per_action, votes, axis=1).sum(axis=0)
    feasible = losses <= losses.min() + 0.05
    for seed in range(3):
        constraint = DoublyRobust(control=control, radius="empirical", cap=None)
        learner = corralled(world, policies, tolerance=0.05, horizon=100_000, constraint=constraint, seed=seed)
        simulated(learner, world, 100_000)
        assert learner._alive[feasible].all()
        assert not learner._alive.all()


def marginal_by_definition(learner, votes, near):
    """Every base's p_m by Eq. 11, weighed by P; between looks, so that the sets stay."""
    rewards, sums, alive, master, book = (getattr(learner, f"_{name}") for name in ARRAYS)
    mu, t, K = master[c.BLENDS], book[k.ROUND] + 1, len(near)
    assert t < book[k.NEXT_LOOK]
    P = np.array(naive.hedged_ftrl(master[c.CHARGED], t, master[c.SCALES], master[c.INVERSES], master[c.FIRST]))
    spent = master[c.SPENT] + K * np.maximum(master[c.INVERSES], 1 / P)
    gamma = twins.probability(t, book[k.ASKED], votes, near, alive, learner._plain)
    square, size = twins.moments(twins.effective(gamma, book), learner._plain)
    total = np.zeros(K)
    for m in range(len(P)):
        losses = mu[m] * rewards[m] + (1 - mu[m]) * sums[c.LOSSES]
        rate = twins.rate(mu[m], spent[m], book[c.MOMENT] + square, max(book[c.BOUND], size), alive.size)
        total += P[m] * (twins.leader(losses, alive, rate) @ twins.one_hot(votes, K))
    return total


def answer_some(learner, world, n_rounds):
    session = world.session(seed=4, policies=learner.policies, tolerance=0.1)
    for _ in range(n_rounds):
        decision = learner.decide(*session.ask())
        learner.learn(decision, session.answer(decision))


@OBSERVABLE
@pytest.mark.parametrize("policies", [tiny.tables(policies=9), tiny.randomised(policies=9)], ids=["one", "several"])
def test_the_marginal_is_the_sum_over_bases_of_what_each_would_do(constraint, policies):
    world = tiny.world()
    learner = corralled(world, policies, constraint=constraint)
    answer_some(learner, world, 124)
    for x, names in zip(world.tables.contexts, world.tables.actions, strict=True):
        near = np.array([world.loss.deltas(names, name, x) for name in names])
        expected = marginal_by_definition(learner, policies.vote(x, names), near)
        np.testing.assert_allclose(learner.marginal(x, names), expected, rtol=1e-9)


@OBSERVABLE
def test_asking_for_the_marginal_changes_nothing(constraint):
    world = tiny.world()
    asked, other = (corralled(world, constraint=constraint) for _ in range(2))
    for _ in range(40):
        for x in world.tables.contexts:
            assert asked.marginal(x, NAMES).sum() == pytest.approx(1)
        for learner in (asked, other):
            answer_some(learner, world, 3)
    assert asked.state().json == other.state().json
    for name, values in other.state().arrays.items():
        np.testing.assert_array_equal(asked.state().arrays[name], values)


@pytest.mark.parametrize("n_rounds", [0, 150])
def test_suggestions_come_as_often_as_the_marginal_says(n_rounds):
    """Hoeffding over three candidates: fails with probability 1e-6 if it is right."""
    world, policies, n = tiny.world(), tiny.tables(), 3000
    learner = corralled(world, policies)
    answer_some(learner, world, n_rounds)
    state, counts = learner.state(), np.zeros(3)
    for seed in range(n):
        clone = CorralledExp4.from_state(state, policies=policies, loss=world.loss)
        clone._rng = np.random.default_rng(seed)
        counts[clone.decide(1, NAMES).suggestion] += 1
    np.testing.assert_allclose(counts / n, learner.marginal(1, NAMES), atol=math.sqrt(math.log(6e6) / (2 * n)))


BAD = [
    ({"constraint": None}, "constraint is None"),
    ({"constraint": {"kind": "biassed"}}, "did you mean 'biased'"),
    ({"constraint": {"kind": "biased", "nu": 0.1}}, "has no 'nu'"),
    ({"blends": "gird"}, "blends is 'gird'"),
    ({"blends": []}, "blends is empty"),
    ({"blends": [0.5, 0.5]}, "each once"),
    ({"blends": [1.5]}, "blend is 1.5"),
    ({"hedge_scale": -1}, "hedge_scale is -1"),
    ({"horizon": 0}, "horizon is 0"),
    ({"tolerance": -0.1}, "tolerance is -0.1"),
    ({"n_actions": 0}, "n_actions is 0"),
]


@pytest.mark.parametrize(("given", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_settings_are_refused_by_name(given, message):
    with pytest.raises(InvalidInputError, match=message):
        corralled(**given)


def test_blending_needs_a_constraint_and_a_constraint_a_horizon():
    with pytest.raises(InvalidInputError, match=r"blend is 0\.5 without a constraint"):
        ConstrainedExp4(policies=tiny.tables(), tolerance=0.1, blend=0.5, constraint=None)
    with pytest.raises(InvalidInputError, match="horizon is None"):
        ConstrainedExp4(policies=tiny.tables(), loss=ZeroOne(), tolerance=0.1, blend=0.5)
    with pytest.raises(InvalidInputError, match="loss is None"):
        ConstrainedExp4(policies=tiny.tables(), tolerance=0.1, blend=0.5, horizon=10)
