from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from typeover.core.feedback import Feedback
from typeover.core.state import State
from typeover.environments import w1
from typeover.errors import InvalidInputError, StateError
from typeover.evaluation import simulate
from typeover.learners import EFBO, RewardOnly
from typeover.losses import Function, Table, ZeroOne
from typeover.oracles import exact, mwu
from typeover.policies import Constant, PolicySet, TablePolicies
from typeover.theory import blend_grid, block_length

NAMES = tiny.NAMES
LINE = Table([[0, 0.2, 0.9], [0.2, 0, 0.7], [0.9, 0.7, 0]], items=NAMES)
EACH = PolicySet([Constant(name) for name in NAMES], names=NAMES)


def learner(*, policies=EACH, loss=LINE, tolerance=0.1, horizon=100, block=2, seed=1, **others):
    return EFBO(policies=policies, loss=loss, tolerance=tolerance, horizon=horizon, block=block, seed=seed, **others)


def teach(efbo, history):
    """Let it decide, then hear these rounds instead of its own: (context, candidates, suggestion, feedback)."""
    for context, actions, suggestion, feedback in history:
        own = efbo.decide(context, actions)
        if own.revealing:
            efbo.learn(own, feedback)
        else:
            efbo.learn(msgspec.structs.replace(own, suggestion=suggestion, index=suggestion), feedback)
    return efbo


def random_history(seed, rounds, *, block, new=True, changing=False):
    """Rewards and corrections as they might come; candidates may change from round to round."""
    source = np.random.default_rng(seed)
    history = []
    for t in range(rounds):
        actions = list(NAMES)
        if changing:
            actions = [f"a{i}" for i in source.permutation(6)[: source.integers(2, 6)]]
        is_audit = t // block % 4 in {1, 2}
        answer = "something new" if new and source.random() < 0.2 else actions[source.integers(len(actions))]
        kind = source.random()
        if is_audit:
            feedback = Feedback() if kind < 0.2 else Feedback(correction=answer)
        elif kind < 0.5:
            feedback = Feedback(reward=float(source.random()))
        elif kind < 0.6:
            feedback = Feedback(reward=float(source.random()), accepted=None)
        elif kind < 0.8:
            feedback = Feedback(correction=answer)
        else:
            feedback = Feedback()
        history.append((t % 3, actions, int(source.integers(len(actions))), feedback))
    return history


def naive(history, policies, loss, block, gain):
    """The four means, a round and a policy at a time, straight from Eq. 2, 3 and 5."""
    sums = np.zeros((4, len(policies)))
    answered = np.zeros(4)
    for t, (context, actions, suggestion, feedback) in enumerate(history[: 4 * block]):
        part = t // block
        vote = policies.vote(context, actions)
        if part in {0, 3} or feedback.correction is not None:
            answered[part] += 1
        for i in range(len(policies)):
            for a in range(len(actions)):
                p = float(vote[i] == a) if vote.ndim == 1 else vote[i, a]
                if part in {0, 3}:
                    sums[part, i] += p * len(actions) * feedback.reward * (a == suggestion)
                elif feedback.correction is not None:
                    delta = loss.deltas([actions[a]], feedback.correction, context)[0]
                    sums[part, i] += p * (delta if part == 1 else gain(delta))
    return sums / np.maximum(answered, 1)[:, None]


def means(efbo):
    return np.array([efbo._mean(name) for name in ("rewards", "losses", "gains", "selection")])


# Blocks


@pytest.mark.parametrize(("blends", "revealing"), [("grid", [False, True, True, False]), ("none", [False, True])])
def test_blocks_are_uniform_revealing_revealing_uniform_of_the_given_length(blends, revealing):
    efbo = learner(block=3, blends=blends)
    assert efbo.explores == 3 * len(revealing)
    seen = []
    for _ in range(efbo.explores):
        decision = efbo.decide("x", NAMES)
        assert decision.propensities.tolist() == [1 / 3] * 3
        assert (decision.index == -1, decision.action is None) == (decision.revealing, decision.revealing)
        assert decision.audit_probability == float(decision.revealing)
        assert efbo.mixture is None
        seen.append(decision.revealing)
    assert seen == [flag for flag in revealing for _ in range(3)]
    assert not efbo.decide("x", NAMES).revealing
    assert efbo.mixture is not None


@pytest.mark.parametrize("schedule", ["minimax", "aligned", "misaligned"])
def test_a_schedule_names_the_block_length(schedule):
    efbo = learner(horizon=5000, block=schedule, n_actions=3)
    assert efbo.block == block_length(5000, schedule, n_actions=3, n_policies=3)
    assert efbo.figures()["explores"] == 4 * efbo.block


def test_a_named_revealing_action_is_shown_on_audits_alone():
    efbo = learner(block=1, revealing="thanks")
    decisions = [efbo.decide("x", NAMES) for _ in range(5)]
    assert [d.revealing for d in decisions] == [False, True, True, False, False]
    assert {(d.action, d.index) for d in decisions[1:3]} == {("thanks", 2)}


def test_a_revealing_action_may_depend_on_the_context():
    efbo = learner(block=1, revealing=lambda context, actions: actions[context])
    efbo.decide(0, NAMES)
    assert [efbo.decide(x, NAMES).action for x in (2, 0)] == ["thanks", "refund"]


def test_a_refused_audit_draws_nothing():
    one, other = learner(block=1, revealing="thanks"), learner(block=1, revealing="thanks")
    one.decide("x", NAMES)
    other.decide("x", NAMES)
    with pytest.raises(InvalidInputError, match="revealing action 'thanks' is no candidate of this round"):
        one.decide("x", NAMES[:2])
    assert [one.decide("x", NAMES).suggestion for _ in range(20)] == [
        other.decide("x", NAMES).suggestion for _ in range(20)
    ]


# Sums


@pytest.mark.parametrize("policies", [tiny.tables(), tiny.randomised()], ids=["tables", "randomised"])
def test_importance_weighted_rewards_are_unbiased_summed_over_everything_that_can_happen(policies):
    """Eq. 2: E[K r 1(a = pi(x))] over contexts, answers, the uniform draw, accepting and paying is E[r(pi)]."""
    world = tiny.world()
    expected = np.zeros(len(policies))
    for a in range(3):
        for x, j, accepted, chance in tiny.outcomes(world, [a] * 3):
            mean = world.tables.rewards[x, a, j]
            for paid, share in ((1.0, mean), (0.0, 1 - mean)):  # rewards are coins
                efbo = learner(policies=policies, loss=world.loss, block=1)
                correction = world.tables.answers[x][j]
                feedback = Feedback(reward=paid, accepted=True) if accepted else Feedback(correction=correction)
                teach(efbo, [(x, NAMES, a, feedback)])
                expected += chance * share / 3 * efbo._mean("rewards")
    assert expected == pytest.approx(world.values(policies)[0], abs=1e-12)


@pytest.mark.parametrize("policies", [tiny.tables(), tiny.randomised()], ids=["tables", "randomised"])
def test_audited_losses_are_unbiased_summed_over_everything_that_can_happen(policies):
    """Eq. 2: the mean of Delta_t(pi(x_t)) over contexts and answers is E[Delta(pi)]; Eq. 3 has 1 minus that."""
    world = tiny.world()
    expected, gains = np.zeros(len(policies)), np.zeros(len(policies))
    for x, j, _, chance in tiny.outcomes(world, [None] * 3):
        efbo = learner(policies=policies, loss=world.loss, block=1)
        answer = Feedback(correction=world.tables.answers[x][j])
        teach(efbo, [(x, NAMES, 0, Feedback()), (x, NAMES, 0, answer), (x, NAMES, 0, answer)])
        expected += chance * efbo._mean("losses")
        gains += chance * efbo._mean("gains")
    assert expected == pytest.approx(world.values(policies)[1], abs=1e-12)
    assert gains == pytest.approx(1 - world.values(policies)[1], abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 9), st.booleans())
def test_the_sums_are_those_of_the_formulas_recomputed_from_the_raw_history(seed, block, is_randomised):
    policies = tiny.randomised(seed) if is_randomised else tiny.tables(seed)
    history = random_history(seed, 4 * block, block=block)
    efbo = teach(learner(policies=policies, block=block), history)
    assert means(efbo) == pytest.approx(naive(history, policies, LINE, block, lambda u: 1 - u), abs=1e-9)


def test_a_transform_takes_the_place_of_one_minus_delta_in_the_blend_alone():
    history = random_history(4, 40, block=10)
    efbo = teach(learner(policies=tiny.tables(), block=10, transform=np.sqrt), history)
    assert means(efbo) == pytest.approx(naive(history, tiny.tables(), LINE, 10, math.sqrt), abs=1e-9)


def test_two_rounds_a_block_worked_by_hand():
    """Three candidates, one policy for each; K = 3."""
    accept, typed = Feedback, (lambda word: Feedback(correction=word))
    history = [
        ("x", NAMES, 0, accept(reward=0.5)),  # A: refund earns 3 * 0.5
        ("x", NAMES, 2, accept(reward=1.0)),  # A: thanks earns 3 * 1
        ("x", NAMES, 0, typed("refund")),  # B: 0, .2, .9
        ("x", NAMES, 0, typed("invoice")),  # B: .2, 0, .7
        ("x", NAMES, 0, typed("refund")),  # C: 1, .8, .1
        ("x", NAMES, 0, typed("a complaint")),  # C: nothing is near: 0, 0, 0
        ("x", NAMES, 1, accept(reward=0.4)),  # D: invoice earns 3 * .4
        ("x", NAMES, 0, typed("thanks")),  # D: 0
    ]
    efbo = teach(learner(tolerance=0.2, blends=[0, 0.5, 1]), history)
    assert means(efbo) == pytest.approx(np.array([[0.75, 0, 1.5], [0.1, 0.1, 0.8], [0.5, 0.4, 0.05], [0, 0.6, 0]]))
    efbo.decide("x", NAMES)
    # least loss .1, so the cut is .3: up to 2/7 of `thanks` (loss .8) beside one of loss .1
    found = {mu: dict(zip(s.support.tolist(), s.weights.tolist(), strict=True)) for mu, s in efbo.solutions.items()}
    assert found[1.0] == pytest.approx({0: 5 / 7, 2: 2 / 7})  # .75 and 1.5
    assert found[0.5] == pytest.approx({0: 5 / 7, 2: 2 / 7})  # .625 and .775
    assert found[0.0] == {0: 1.0}  # .5 is the highest gain
    assert [s.reward for s in efbo.solutions.values()] == pytest.approx([0.5, (5 * 0.625 + 2 * 0.775) / 7, 6.75 / 7])
    assert efbo.blend == 0.0  # block D gives each of them 0: the first stays
    assert efbo.mixture.support.tolist() == [0]
    assert efbo.figures()["fidelity"] == pytest.approx(0.9)


# Selection


@pytest.mark.parametrize("saddle", ["exact", "mwu"])
@pytest.mark.parametrize("seed", range(6))
def test_the_blend_is_the_one_that_equation_5_selects(seed, saddle):
    policies, block, horizon = tiny.tables(seed, policies=12), 12, 200
    history = random_history(seed, 4 * block, block=block)
    efbo = teach(learner(policies=policies, block=block, horizon=horizon, tolerance=0.05, saddle=saddle), history)
    efbo.decide(0, NAMES)
    R, D_c, D_b, _ = naive(history, policies, LINE, block, lambda u: 1 - u)
    scores = {}
    for mu in blend_grid(3, horizon).tolist():
        rewards = mu * R + (1 - mu) * D_b
        if saddle == "exact":
            chosen = exact(rewards, D_c, 0.05)
        else:
            chosen = mwu(rewards, D_c, 0.05, cap=horizon / block, iterations=horizon)  # B = T/T0, S = B T0
            assert efbo.solutions[mu].iterations == horizon
        assert efbo.solutions[mu].support.tolist() == chosen.support.tolist()
        assert efbo.solutions[mu].multiplier == pytest.approx(chosen.multiplier)
        total = 0.0
        for i, weight in zip(chosen.support, chosen.weights, strict=True):
            for context, actions, shown, feedback in history[3 * block :]:
                if policies.vote(context, actions)[i] == shown:
                    total += weight * 3 * feedback.reward / block
        scores[mu] = total
    assert efbo.solutions.keys() == scores.keys()
    assert scores[efbo.blend] == pytest.approx(max(scores.values()), abs=1e-12)
    assert next(mu for mu, score in scores.items() if score > max(scores.values()) - 1e-12) == efbo.blend


def test_what_is_played_after_exploration_is_the_mixture_that_was_selected():
    world, policies = tiny.world(), tiny.randomised()
    efbo = learner(policies=policies, loss=world.loss, block=20)
    simulate(world, efbo, rounds=90, seed=3)
    chosen = efbo.solutions[efbo.blend]
    for x in range(3):
        expected = chosen.weights @ policies.vote(x, NAMES)[chosen.support]
        assert efbo.decide(x, NAMES).propensities == pytest.approx(expected)


def test_a_mixture_stays_a_mixture():
    history = [
        ("x", NAMES, 2, Feedback(reward=1.0)),
        *[("x", NAMES, 0, Feedback(correction="refund"))] * 2,
        ("x", NAMES, 2, Feedback(reward=1.0)),
    ]
    efbo = teach(learner(block=1, tolerance=0.3, blends=[1]), history)
    assert efbo.decide("x", NAMES).propensities == pytest.approx([2 / 3, 0, 1 / 3])
    assert len({efbo.decide("x", NAMES).action for _ in range(40)}) == 2  # fails with probability (2/3)^40 = 1e-7


def test_a_cap_prices_infidelity_at_most_that_much():
    history = random_history(1, 40, block=10)
    free = teach(learner(policies=tiny.tables(), block=10, tolerance=0, blends=[1]), history)
    capped = teach(learner(policies=tiny.tables(), block=10, tolerance=0, blends=[1], cap=1.01), history)
    for efbo in (free, capped):
        efbo.decide(0, NAMES)
    R, D_c, *_ = naive(history, tiny.tables(), LINE, 10, lambda u: 1 - u)
    assert capped.solutions[1.0].multiplier <= 1.01
    assert capped.solutions[1.0].lower == pytest.approx(exact(R, D_c, 0, cap=1.01).lower)
    assert free.solutions[1.0].violation == 0


@pytest.mark.parametrize("seed", range(4))
def test_blends_of_zero_and_one_are_the_two_parents(seed):
    policies = tiny.tables(seed, policies=12)
    history = random_history(seed, 40, block=10)
    R, D_c, D_b, _ = naive(history, policies, LINE, 10, lambda u: 1 - u)
    for blend, rewards in ((1.0, R), (0.0, D_b)):
        efbo = teach(learner(policies=policies, block=10, blends=[blend]), history)
        efbo.decide(0, NAMES)
        parent = exact(rewards, D_c, 0.1)
        assert efbo.blend == blend
        assert efbo.mixture.support.tolist() == parent.support.tolist()
        assert efbo.mixture.weights == pytest.approx(parent.weights, abs=1e-9)
    plain = teach(learner(policies=policies, block=10, blends="none"), history[:20])
    plain.decide(0, NAMES)
    assert plain.mixture.support.tolist() == exact(R, D_c, 0.1).support.tolist()


def test_with_every_policy_allowed_and_rewards_alone_it_plays_what_reward_only_plays():
    history = random_history(5, 40, block=10)
    efbo = teach(learner(policies=tiny.tables(), block=10, tolerance=1, blends=[1]), history)
    greedy = RewardOnly(policies=tiny.tables(), horizon=100, block=10, seed=1)
    teach(greedy, history[:10])
    efbo.decide(0, NAMES)
    greedy.decide(0, NAMES)
    assert efbo.mixture.support.tolist() == greedy._stage.mixture.support.tolist()


# Late, missing and odd answers


def test_audits_that_were_not_answered_leave_their_block():
    audits = [
        ("x", NAMES, 0, answer) for answer in (Feedback(correction="refund"), Feedback(), Feedback(accepted=None))
    ]
    history = [("x", NAMES, 0, Feedback())] * 3 + audits + audits[::-1] + [("x", NAMES, 0, Feedback())] * 3
    efbo = teach(learner(block=3), history)
    assert efbo._mean("losses").tolist() == pytest.approx([0, 0.2, 0.9])  # one answer of three
    assert efbo._mean("gains").tolist() == pytest.approx([1, 0.8, 0.1])
    assert efbo.figures()["unanswered_audits"] == 4
    assert efbo.figures()["audits"] == 6


def test_a_block_without_any_answer_still_ends():
    efbo = learner(block=1)
    for _ in range(5):
        decision = efbo.decide("x", NAMES)
    assert not decision.revealing
    assert efbo.figures()["unanswered_audits"] == 2


@pytest.mark.parametrize("is_shuffled", [False, True])
def test_answers_that_come_after_the_commitment_end_as_early_ones(is_shuffled):
    history = random_history(8, 40, block=10)
    early, late = (learner(policies=tiny.tables(), block=10, seed=4) for _ in range(2))
    held = []
    for context, actions, suggestion, feedback in history:
        for efbo in (early, late):
            decision = efbo.decide(context, actions)
            if not decision.revealing:
                decision = msgspec.structs.replace(decision, suggestion=suggestion, index=suggestion)
            if efbo is early:
                efbo.learn(decision, feedback)
            else:
                held.append((decision, feedback))
    first = late.decide(0, NAMES)  # commits on nothing
    assert late.mixture is not None
    assert early.decide(0, NAMES).suggestion is not None
    if is_shuffled:
        np.random.default_rng(2).shuffle(held)
    for decision, feedback in held:
        late.learn(decision, feedback)
    assert means(late) == pytest.approx(means(early), abs=1e-12)
    one, other = early.decide(1, NAMES), late.decide(1, NAMES)
    assert other.version > first.version  # it has published again
    assert other.propensities == pytest.approx(one.propensities, abs=1e-9)
    assert late.blend == early.blend
    assert late.mixture.support.tolist() == early.mixture.support.tolist()


def test_dismissals_are_never_accepted_and_never_teach_fidelity():
    efbo = learner(block=2)
    for _ in range(8):
        efbo.learn(efbo.decide("x", NAMES), Feedback())
    figures = efbo.figures()
    assert (figures["accepted"], figures["dismissals"], figures["corrections"]) == (0, 4, 0)
    assert figures["accepted_share"] == 0
    assert efbo._answered["losses"] == efbo._answered["gains"] == 0
    assert not means(efbo).any()


def test_where_acceptance_was_not_observed_rewards_learn_and_nothing_is_counted_as_accepted():
    efbo = learner(block=1)
    decision = efbo.decide("x", NAMES)
    efbo.learn(decision, Feedback(reward=0.5, accepted=None))
    assert efbo._mean("rewards").sum() == 1.5
    figures = efbo.figures()
    assert (figures["accepted"], figures["unobserved"], figures["accepted_share"]) == (0, 1, None)


def test_what_was_taken_and_earned_nothing_is_accepted():
    efbo = learner(block=1)
    efbo.learn(efbo.decide("x", NAMES), Feedback(accepted=True))
    assert efbo.figures()["accepted_share"] == 1


def test_corrections_that_users_volunteer_do_not_enter_the_audited_blocks():
    efbo = learner(block=1)
    efbo.learn(efbo.decide("x", NAMES), Feedback(correction="refund"))
    assert not means(efbo).any()
    assert efbo.figures()["corrections"] == 1


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_candidates_may_change_from_round_to_round(seed):
    def nth(k):
        return lambda contexts, actions: [(k + len(contexts) - 1) % len(actions)] * len(contexts)

    def shares(contexts, actions):
        return np.tile(np.arange(1, len(actions) + 1) / sum(range(1, len(actions) + 1)), (len(contexts), 1))

    policies = PolicySet([nth(0), nth(1), nth(4), shares][: 3 + seed % 2])
    loss = Function(lambda action, answer, _: (len(answer) * ord(action[-1])) % 7 / 7)
    history = random_history(seed, 40, block=10, changing=True)
    efbo = teach(learner(policies=policies, loss=loss, block=10), history)
    assert means(efbo) == pytest.approx(naive(history, policies, loss, 10, lambda u: 1 - u), abs=1e-9)
    for _, actions, *_ in history[:5]:
        decision = efbo.decide(0, actions)
        assert decision.propensities.shape == (len(actions),)
        assert decision.action == actions[decision.index]
    assert list(efbo.solutions) == blend_grid(max(len(actions) for _, actions, *_ in history), 100).tolist()


def test_an_answer_outside_the_candidates_teaches_through_the_loss():
    efbo = learner(loss=ZeroOne(), block=1)
    history = [("x", NAMES, 0, Feedback()), *[("x", NAMES, 0, Feedback(correction="new"))] * 2]
    assert means(teach(efbo, history))[1:3].tolist() == [[1, 1, 1], [0, 0, 0]]


def test_a_loss_that_breaks_its_word_is_refused_and_the_round_stays_open():
    class Broken:
        row = (0.0, 2.0, 0.0)

        def deltas(self, actions, answer, context=None):
            return np.array(self.row)

    efbo = learner(loss=Broken(), block=1)
    efbo.learn(efbo.decide("x", NAMES), Feedback())
    audit = efbo.decide("x", NAMES)
    for row in ([0.0, 2.0, 0.0], [0.0], [0.0, np.nan, 0.0]):
        Broken.row = row
        with pytest.raises(
            InvalidInputError, match=r"loss gave .* for the answer 'refund'; .* each of the 3 candidates"
        ):
            efbo.learn(audit, Feedback(correction="refund"))
    Broken.row = [0.0, 1.0, 0.0]
    efbo.learn(audit, Feedback(correction="refund"))
    assert efbo._mean("losses").tolist() == [0, 1, 0]


@pytest.mark.parametrize("transform", [lambda u: u.sum(), lambda u: u * np.nan])
def test_a_transform_that_breaks_its_word_is_refused(transform):
    efbo = learner(block=1, transform=transform)
    for _ in range(2):
        efbo.learn(efbo.decide("x", NAMES), Feedback())
    with pytest.raises(InvalidInputError, match=r"transform gave .*; it must turn losses"):
        efbo.learn(efbo.decide("x", NAMES), Feedback(correction="refund"))


# Relabelling


@given(st.permutations(range(3)), st.integers(0, 100))
@settings(max_examples=25, deadline=None)
def test_relabelling_the_actions_relabels_the_answers(order, seed):
    """Candidates in another order under the same names: the same mixture of policies, the same probability by name."""
    table = np.random.default_rng(seed).integers(3, size=(3, 8))
    place = np.argsort(order)  # where candidate a stands after shuffling
    history = random_history(seed, 40, block=10)
    shuffled = [(x, [NAMES[a] for a in order], int(place[a]), feedback) for x, _, a, feedback in history]
    plain = teach(learner(policies=TablePolicies(table), block=10), history)
    other = teach(learner(policies=TablePolicies(place[table]), block=10), shuffled)
    for x in range(3):
        by_name = dict(zip(NAMES, plain.decide(x, NAMES).propensities.tolist(), strict=True))
        names = [NAMES[a] for a in order]
        assert dict(zip(names, other.decide(x, names).propensities.tolist(), strict=True)) == by_name
    assert plain.blend == other.blend


# States


def test_a_restored_learner_shows_what_it_showed_when_saved():
    setting = w1(n_policies=20)
    efbo = learner(policies=setting.policies, loss=setting.world.loss, block=10)
    simulate(setting.world, efbo, rounds=60, seed=0)
    again = EFBO.from_state(efbo.state(), policies=setting.policies, loss=setting.world.loss)
    assert again.figures() == efbo.figures()
    assert again.blend == efbo.blend
    assert again.solutions[again.blend].gap == efbo.solutions[efbo.blend].gap


def test_a_state_belongs_to_its_policies_and_its_learner():
    state = learner().state()
    with pytest.raises(StateError, match=r"saved with 3 policies .* but 2 were given"):
        EFBO.from_state(state, policies=EACH.subset([0, 1]), loss=LINE)
    with pytest.raises(StateError, match=r"format is 'typeover\.efbo'; expected 'typeover\.reward-only'"):
        RewardOnly.from_state(state, policies=EACH)


def test_parts_that_a_state_cannot_hold_are_asked_for_again():
    efbo = EFBO(
        policies=EACH, loss=LINE, tolerance=0.1, horizon=8, block=2, seed=1, transform=np.negative, revealing=NAMES[0]
    )
    with pytest.raises(StateError, match="with loss, revealing, transform, which it cannot hold; pass the same again"):
        EFBO.from_state(efbo.state(), policies=EACH)
    again = EFBO.from_state(efbo.state(), policies=EACH, loss=LINE, transform=np.negative, revealing=NAMES[0])
    assert again.state().json == efbo.state().json


def test_a_list_of_candidates_that_changes_before_the_answer_does_not_change_the_answer():
    efbo = EFBO(policies=EACH, loss=LINE, tolerance=0.1, horizon=8, block=2, seed=1)
    candidates = list(NAMES)
    decision = efbo.decide(0, candidates)
    candidates.reverse()
    assert list(decision.round.actions) == list(NAMES)


def test_figures_name_the_stage_and_what_is_played():
    efbo = learner(block=1)
    stages = []
    for _ in range(5):
        stages.append(efbo.figures()["stage"])
        efbo.learn(efbo.decide("x", NAMES), Feedback(correction="refund"))
    assert stages == ["rewards", "losses", "gains", "selection", "committed"]
    figures = efbo.figures()
    assert figures["plays"] == {"refund": 1.0}
    assert figures["fidelity"] == 1
    low, high = figures["fidelity_interval"]
    assert 0 <= low <= 1 <= high <= 1


def test_in_a_world_where_rewards_and_fidelity_agree_it_earns_what_is_allowed_and_keeps_the_tolerance():
    """W1, seeds fixed; block means over 736 rounds are within 0.1 of the truth for most of the 200 policies."""
    setting = w1()
    efbo = EFBO(policies=setting.policies, loss=setting.world.loss, tolerance=0.05, horizon=20_000, seed=0)
    run = simulate(setting.world, efbo, rounds=20_000, seed=0, at=[efbo.explores])
    assert efbo.block == 736
    late, uniform = run.between(efbo.explores, 20_000), run.between(0, efbo.explores)
    assert late["violation"] < 0
    assert late["audits"] == 0
    assert late["reward_regret"] < uniform["reward_regret"] / 5


# What must not pass in silence


@pytest.mark.parametrize("loss", [None, 3, ZeroOne, lambda action, answer, context: 0.0])
def test_what_is_no_loss_is_refused_before_anything_is_learnt(loss):
    with pytest.raises(
        InvalidInputError, match=r"loss is .*; it must be a surrogate loss .* typeover\.losses\.Function"
    ):
        learner(loss=loss)


def test_without_one_answered_audit_nothing_is_said_of_fidelity():
    efbo = learner(block=2)
    for _ in range(9):
        efbo.learn(efbo.decide("x", NAMES), Feedback())
    figures = efbo.figures()
    assert figures["stage"] == "committed"
    assert figures["unanswered_audits"] == 4
    assert figures["fidelity"] is None
    assert figures["fidelity_interval"] is None


def test_nothing_can_be_accepted_where_nothing_was_shown():
    efbo = learner(block=1)
    efbo.learn(efbo.decide("x", NAMES), Feedback())
    audit = efbo.decide("x", NAMES)
    with pytest.raises(InvalidInputError, match="round 2 was an audit that showed nothing"):
        efbo.learn(audit, Feedback(reward=1.0))
    efbo.learn(audit, Feedback(correction="refund"))
    assert efbo.figures()["unanswered_audits"] == 0


@pytest.mark.parametrize("answer", [None, 1.0, {"reward": 1}])
def test_what_is_no_feedback_is_refused_by_name(answer):
    efbo = learner()
    with pytest.raises(InvalidInputError, match=r"feedback is .*; it must be typeover\.Feedback"):
        efbo.learn(efbo.decide("x", NAMES), answer)
    with pytest.raises(InvalidInputError, match=r"decision is .*; pass what decide returned"):
        efbo.learn("x", Feedback())


def test_votes_out_of_range_never_reach_the_sums():
    class Wild:
        names = ("wild",)

        def __len__(self):
            return 1

        def vote(self, context, actions):
            return np.array([len(actions)])

        votes = vote

        def subset(self, indices):
            return self

    with pytest.raises(InvalidInputError, match="policies gave index 3 for policy 0; there are 3 candidates: 0 to 2"):
        learner(policies=Wild()).decide("x", NAMES)


def test_figures_after_late_answers_speak_of_what_is_played_before_and_after_a_restart():
    setting = w1(n_policies=20)
    efbo = learner(policies=setting.policies, loss=setting.world.loss, block=10)
    session, late = setting.world.session(seed=3, policies=setting.policies, tolerance=0.1), []
    for number in range(1, 60):
        decision = efbo.decide(*session.ask())
        feedback = session.answer(decision)
        if number % 3:
            efbo.learn(decision, feedback)
        else:
            late.append((decision, feedback))
    before = efbo.figures()
    for decision, feedback in late:
        efbo.learn(decision, feedback)
    again = EFBO.from_state(efbo.state(), policies=setting.policies, loss=setting.world.loss)
    assert again.figures() == efbo.figures()
    assert efbo.figures()["fidelity"] == before["fidelity"], "nothing was published in between"
    efbo.decide(*session.ask())
    assert efbo.figures()["version"] == before["version"] + 1


def test_the_interval_of_fidelity_is_hoeffdings_for_all_policies_at_once():
    efbo = learner(block=10)
    for _ in range(41):
        efbo.learn(efbo.decide("x", NAMES), Feedback(correction="refund"))
    low, high = efbo.figures()["fidelity_interval"]
    assert low == pytest.approx(1 - math.sqrt(math.log(2 * 3 / 0.05) / (2 * 10)))
    assert high == 1.0


def test_after_an_interrupted_tape_it_refuses_to_go_on():
    setting = w1(n_policies=20)
    calls = []

    def interrupted(deltas):
        calls.append(1)
        raise KeyboardInterrupt

    efbo = learner(policies=setting.policies, loss=setting.world.loss, block=10, transform=interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulate(setting.world, efbo, rounds=60, seed=0)
    assert calls
    with pytest.raises(StateError, match="interrupted in the middle of a tape"):
        efbo.decide(0, range(6))


def test_a_damaged_state_is_refused_as_one():
    state = learner().state()
    for name in ("set", "parts", "rng", "ledger", "stage", "settings"):
        words = {key: value for key, value in state.json.items() if key != name}
        with pytest.raises(StateError, match=r"the state of this efbo is damaged .*load it again"):
            EFBO.from_state(State(json=words, arrays=state.arrays), policies=EACH, loss=LINE)
    with pytest.raises(StateError, match="damaged"):
        EFBO.from_state(State(json=state.json, arrays={}), policies=EACH, loss=LINE)
    with pytest.raises(StateError, match="without transform; leave it out"):
        EFBO.from_state(state, policies=EACH, loss=LINE, transform=np.negative)
