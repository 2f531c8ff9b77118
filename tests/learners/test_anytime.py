from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from typeover.core.draw import cumulative, draw
from typeover.core.feedback import Feedback
from typeover.environments import w1, w2
from typeover.evaluation import simulate
from typeover.learners import EFBO, AnytimeEFBO
from typeover.learners.settings import BASES
from typeover.losses import Table
from typeover.oracles import exact
from typeover.policies import Constant, PolicySet

NAMES = tiny.NAMES
LINE = Table([[0, 0.2, 0.9], [0.2, 0, 0.7], [0.9, 0.7, 0]], items=NAMES)
EACH = PolicySet([Constant(name) for name in NAMES], names=NAMES)
SETS = pytest.mark.parametrize("policies", [tiny.tables(), tiny.randomised()], ids=["tables", "randomised"])


def learner(*, policies=EACH, loss=LINE, tolerance=0.1, seed=1, **others):
    return AnytimeEFBO(policies=policies, loss=loss, tolerance=tolerance, seed=seed, **others)


def history(anytime, rounds, seed, *, share_late=0.3):
    """Rounds of a whimsical world, some answered late and some never: what was decided, and what was heard."""
    source, world, heard, late = np.random.default_rng(seed), tiny.world(seed % 7), [], []
    session = world.session(seed=seed, policies=anytime.policies, tolerance=0.1)
    for _ in range(rounds):
        decision = anytime.decide(*session.ask())
        feedback = session.answer(decision)
        kind = source.random()
        if kind < 0.1:
            continue
        if kind < 0.2:
            feedback = Feedback()  # also to audits
        elif kind < 0.3 and not decision.revealing:
            feedback = Feedback(reward=feedback.reward, accepted=None)
        heard.append((decision, feedback))
        if source.random() < share_late:
            late.append((decision, feedback))
        else:
            anytime.learn(decision, feedback)
        if late and source.random() < 0.2:
            anytime.learn(*late.pop(source.integers(len(late))))
    source.shuffle(late)
    for one in late:
        anytime.learn(*one)
    return heard


def met(votes, values):
    """A value per candidate, as each policy meets it."""
    return values[votes] if votes.ndim == 1 else votes @ values


def naive(heard, loss, folds, n_policies):
    """R, H and D by their formulas, from what was decided and heard in these halves of the rounds."""
    rewards, losses, control, audits = (np.zeros(n_policies) for _ in range(4))
    n_shown = n_known = n_audits = 0
    weight = 0.0
    for decision, feedback in heard:
        if decision.round.number % 2 not in folds:
            continue
        x, actions, votes = decision.round.context, decision.round.actions, decision.recommended
        if not decision.revealing:
            hit = np.zeros(len(actions))
            hit[decision.suggestion] = feedback.reward / decision.propensities[decision.suggestion]
            rewards, n_shown = rewards + met(votes, hit), n_shown + 1
        answer = feedback.correction
        if feedback.outcome.value == "accepted":
            answer = decision.action
        deltas = None if answer is None else loss.deltas(actions, answer, x)
        if deltas is not None:
            losses, n_known = losses + met(votes, deltas), n_known + 1
        if decision.kept is not None:
            gamma = decision.audit_probability
            control, weight = control + gamma * met(votes, decision.kept), weight + gamma
            if decision.revealing and deltas is not None:
                audits, n_audits = audits + met(votes, deltas - decision.kept), n_audits + 1
    losses = losses / max(1, n_known)
    return rewards / max(1, n_shown), losses, control / weight + audits / n_audits if n_audits else losses


# Deciding


@SETS
@pytest.mark.parametrize("audits", ["falling", 0])
def test_propensities_are_the_mixture_and_the_share_of_uniform_rounds_exactly(policies, audits):
    world = tiny.world()
    anytime = learner(policies=policies, loss=world.loss, audits=audits)
    session = world.session(seed=3, policies=policies, tolerance=0.1)
    for number in range(1, 200):
        x, actions = session.ask()
        decision = anytime.decide(x, actions)
        mixture, share = anytime.mixture, anytime.figures()["uniform_share"]
        if number <= 10:
            assert (mixture, share) == (None, 1.0)
            expected = np.full(3, 1 / 3)
        else:
            assert 0 < share <= 0.3 * (number / 1.1 - 1) ** (-1 / 3)
            expected = np.zeros(3)
            for i, weight in zip(mixture.support, mixture.weights, strict=True):
                expected += weight * met(policies.vote(x, actions), np.eye(3))[i]
            expected = (1 - share) * expected + share / 3
        assert decision.propensities == pytest.approx(expected, abs=1e-15)
        assert decision.propensities.min() >= share / 3 * (1 - 1e-12)
        assert decision.audit_probability == anytime.figures()["audit_probability"]
        anytime.learn(decision, session.answer(decision))


def test_one_uniform_draws_the_suggestion_and_another_the_audit():
    anytime = learner(rng=np.random.default_rng(3), seed=None)
    uniforms, n_audits = np.random.default_rng(3).random((500, 2)), 0
    for u, v in uniforms:
        decision = anytime.decide("x", NAMES)
        assert decision.suggestion == draw(cumulative(decision.propensities), u)
        assert decision.revealing == (v < decision.audit_probability)
        assert decision.index == (-1 if decision.revealing else decision.suggestion)
        n_audits += decision.revealing
    assert n_audits > 10


def test_looks_come_at_geometrically_growing_rounds_and_audits_fall():
    anytime = learner(growth=2.0)
    decisions = [anytime.decide("x", NAMES) for _ in range(200)]
    changes = [d.round.number for e, d in pairwise(decisions) if d.version > e.version]
    assert changes == [11, 23, 47, 95, 191]
    for begin in changes:
        assert decisions[begin - 1].audit_probability == pytest.approx(0.5 * begin ** (-1 / 3))


def test_without_audits_none_is_made_and_the_figures_say_what_fidelity_rests_on():
    world, policies = tiny.world(), tiny.tables()
    silent, asking = (learner(policies=policies, loss=world.loss, audits=audits) for audits in (0, "falling"))
    for anytime in (silent, asking):
        simulate(world, anytime, rounds=300, seed=2)
    assert silent.figures()["audits"] == 0
    assert silent.figures()["fidelity_rests_on"] == "corrections and accepts, taken at their word"
    assert silent.figures()["fidelity_interval"] is None
    assert silent.figures()["fidelity"] is not None
    assert asking.figures()["audits"] > 0
    assert asking.figures()["fidelity_rests_on"] == "audits"


def test_audits_that_nobody_answers_leave_fidelity_to_what_is_volunteered():
    anytime = learner()
    for _ in range(100):
        decision = anytime.decide("x", NAMES)
        anytime.learn(decision, Feedback() if decision.revealing else Feedback(correction="refund"))
    assert anytime.figures()["unanswered_audits"] == anytime.figures()["audits"] > 0
    assert anytime.figures()["fidelity_rests_on"] == "corrections and accepts, taken at their word"
    assert anytime.mixture.support.tolist() == [0]  # the one that users type


def test_a_loss_that_fails_leaves_everything_as_it_was():
    class Moody:
        is_ill = False

        def deltas(self, actions, answer, context):
            return [2.0] * 3 if self.is_ill else [0.0] * 3

    loss = Moody()
    one, other = (learner(loss=loss) for _ in range(2))
    loss.is_ill = True
    with pytest.raises(ValueError, match="loss gave"):
        one.decide("x", NAMES)
    loss.is_ill = False
    assert [one.decide("x", NAMES).suggestion for _ in range(20)] == [
        other.decide("x", NAMES).suggestion for _ in range(20)
    ]


# Sums


@SETS
def test_weighted_sums_are_unbiased_summed_over_everything_that_can_happen(policies):
    """A round adds, in expectation: r(pi) where it is shown, and gamma Delta(pi) to control and audits together."""
    world = tiny.world()
    trained = learner(policies=policies, loss=world.loss)
    history(trained, 40, seed=8)
    expected, shown = dict.fromkeys(("rewards", "audits", "control"), 0.0), 0.0
    state = trained.state()
    for a in range(3):
        for x, j, accepted, chance in tiny.outcomes(world, [a] * 3):
            answer = world.tables.answers[x][j]
            mean = world.tables.rewards[x, a, j]
            taken = Feedback(reward=mean, accepted=True) if accepted else Feedback(correction=answer)
            for is_audit in (False, True):
                anytime = AnytimeEFBO.from_state(state, policies=policies, loss=world.loss)
                own = anytime.decide(x, NAMES)
                assert anytime.mixture is not None
                gamma = own.audit_probability
                assert 0 < gamma < 0.5
                share = chance * own.propensities[a] * (gamma if is_audit else 1 - gamma)
                given = msgspec.structs.replace(
                    own, suggestion=a, index=-1 if is_audit else a, action=None if is_audit else NAMES[a],
                    revealing=is_audit,
                )  # fmt: skip
                anytime.learn(given, Feedback(correction=answer) if is_audit else taken)
                for name in expected:
                    expected[name] += share * (anytime._total(name, (0, 1)) - trained._total(name, (0, 1)))
                shown += share * (not is_audit)
    rewards, losses = world.values(policies)
    assert expected["rewards"] / shown == pytest.approx(rewards, abs=1e-12)
    assert (expected["control"] + expected["audits"]) / gamma == pytest.approx(losses, abs=1e-12)


@SETS
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_late_answers_in_any_order_give_the_means_of_the_formulas(policies, seed):
    anytime = learner(policies=policies, loss=tiny.world(seed % 7).loss, seed=seed)
    heard = history(anytime, 120, seed)
    for folds in ([0], [1], [0, 1]):
        means = np.array(anytime._means(folds))
        assert means == pytest.approx(np.array(naive(heard, anytime.loss, folds, len(policies))), abs=1e-9)


# Looks


@SETS
@pytest.mark.parametrize("seed", range(5))
def test_a_look_plays_the_saddle_point_of_the_blend_that_two_folds_select(policies, seed):
    anytime = learner(policies=policies, loss=tiny.world(seed).loss, seed=seed)
    heard = history(anytime, 150, seed, share_late=0)
    while anytime.decide(0, NAMES).round.number < anytime._stage.last:
        pass
    anytime.decide(0, NAMES)
    sides = [naive(heard, anytime.loss, [fold], len(policies)) for fold in (0, 1)]
    scores = {}
    for blend in BASES:
        scores[blend] = 0.0
        for (R, H, D), (other, *_) in (sides, sides[::-1]):
            solution = exact(blend * R + (1 - blend) * (1 - H), D, 0.1)
            scores[blend] += float(solution.weights @ other[solution.support])
    assert scores[anytime.blend] == pytest.approx(max(scores.values()), abs=1e-9)
    R, H, D = naive(heard, anytime.loss, [0, 1], len(policies))
    chosen = exact(anytime.blend * R + (1 - anytime.blend) * (1 - H), D, 0.1)
    assert anytime.mixture.support.tolist() == chosen.support.tolist()
    assert anytime.mixture.weights == pytest.approx(chosen.weights, abs=1e-9)
    assert anytime._stage.anchor == D.argmin()
    assert anytime.figures()["fidelity"] == pytest.approx(1 - chosen.loss)


def test_ten_rounds_worked_by_hand():
    """Uniform over three, gamma = 1/2, the anchor is `refund`; users want it, and `thanks` pays most."""
    anytime = learner(tolerance=0.3, blends=[1])
    for number in range(1, 11):
        own = anytime.decide("x", NAMES)
        assert (own.audit_probability, own.kept.tolist()) == (0.5, [0, 0.2, 0.9])
        is_audit, a = number in {3, 6}, 2 if number in {1, 2} else 1
        given = msgspec.structs.replace(own, suggestion=a, index=-1 if is_audit else a, revealing=is_audit)
        answers = {1: Feedback(reward=1.0), 2: Feedback(reward=0.5), 3: Feedback(correction="refund")}
        anytime.learn(given, answers.get(number, Feedback(correction="invoice") if is_audit else Feedback()))
    anytime.decide("x", NAMES)
    R, H, D = anytime._means((0, 1))
    assert pytest.approx([0, 0, 3 * 1.5 / 8]) == R  # eight shown rounds
    assert pytest.approx([(0.9 + 0.9 + 0 + 0.2) / 4, (0.7 + 0.7 + 0.2 + 0) / 4, (0 + 0 + 0.9 + 0.7) / 4]) == H
    assert pytest.approx([0.1, 0.1, 0.8]) == D  # h = 0, .2, .9; plus the mean of (0, 0, 0) and (.2, -.2, -.2)
    weights = dict(zip(anytime.mixture.support.tolist(), anytime.mixture.weights.tolist(), strict=True))
    assert weights == pytest.approx({0: 4 / 7, 2: 3 / 7})  # .1 + 3/7 (.8 - .1) = .4


def test_the_interval_holds_the_fidelity_of_what_is_played():
    """Fails with probability below 0.05 per run by its construction; the bound is loose, and the seeds are fixed."""
    for seed in range(3):
        world, policies, tolerance = w2(careless=0.7, n_policies=30, seed=seed)
        anytime = AnytimeEFBO(policies=policies, loss=world.loss, tolerance=tolerance, seed=seed)
        simulate(world, anytime, rounds=5000, seed=seed)
        low, high = anytime.figures()["fidelity_interval"]
        true = 1 - float(anytime.mixture.weights @ world.values(policies)[1][anytime.mixture.support])
        assert 0 <= low <= true <= high <= 1
        assert low <= anytime.figures()["fidelity"] <= high
        assert high - low < 0.6


# How it fares; seeds are fixed, so these hold always or never


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("audits", "most"), [("falling", 0.08), (0, 0.03)])
def test_on_w1_it_loses_less_reward_than_algorithm_1_that_knows_the_horizon(seed, audits, most):
    """Measured at 1e4 rounds: 0.05 to 0.06, without audits 0.02; EFBO 0.165 to 0.175."""
    world, policies, tolerance = w1(seed=seed)
    anytime = AnytimeEFBO(policies=policies, loss=world.loss, tolerance=tolerance, audits=audits, seed=10 + seed)
    efbo = EFBO(policies=policies, loss=world.loss, tolerance=tolerance, horizon=10_000, seed=10 + seed)
    lost = [simulate(world, one, rounds=10_000, seed=seed).reward_regret[-1] / 10_000 for one in (anytime, efbo)]
    assert lost[0] < most < lost[1]


@pytest.mark.parametrize("seed", range(4))
def test_it_stays_faithful_among_users_who_let_most_errors_pass(seed):
    """Measured over the last 1e4 of 1e5 rounds: at most 0.003 beyond the tolerance."""
    world, policies, tolerance = w2(careless=0.7, seed=seed)
    anytime = AnytimeEFBO(policies=policies, loss=world.loss, tolerance=tolerance, seed=10 + seed)
    run = simulate(world, anytime, rounds=100_000, seed=seed, at=[90_000])
    assert run.between(90_000, 100_000)["violation"] < 0.03


def test_the_horizon_is_never_asked_for():
    """The first rounds of a long run are those of a short one."""
    world, policies, tolerance = w1(n_policies=20)
    regrets = []
    for rounds in (500, 2000):
        anytime = AnytimeEFBO(policies=policies, loss=world.loss, tolerance=tolerance, seed=1)
        regrets.append(simulate(world, anytime, rounds=rounds, seed=2, at=range(1, 501)).reward_regret[:500])
    assert regrets[0].tolist() == regrets[1].tolist()
