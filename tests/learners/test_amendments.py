"""A correction after an accept: the contract says what it teaches, these tests what it counts and where it ends."""

import numpy as np
import pytest

from typeover import learners
from typeover.constraints import Biased
from typeover.core.feedback import Feedback
from typeover.core.state import State
from typeover.errors import InvalidInputError
from typeover.learners import ledger
from typeover.losses import Function, ZeroOne
from typeover.policies import Constant, PolicySet

NAMES = ("refund", "invoice", "thanks")
EACH = PolicySet([Constant(name) for name in NAMES], names=NAMES)
ACCEPT, TYPED = Feedback(reward=0.75), Feedback(correction="invoice")
KINDS = {
    "shared": (learners.SharedExp4, {"loss": ZeroOne(), "tolerance": 0.1, "audits": 0}),
    "corralled": (
        learners.CorralledExp4,
        {"loss": ZeroOne(), "tolerance": 0.1, "horizon": 200, "constraint": Biased(bias_bound=0.1, radius="empirical")},
    ),
    "anytime": (learners.AnytimeEFBO, {"loss": ZeroOne(), "tolerance": 0.1, "audits": 0}),
    "efbo": (learners.EFBO, {"loss": ZeroOne(), "tolerance": 0.1, "horizon": 200}),
    "reward-only": (learners.RewardOnly, {"horizon": 200}),
    "correction-only": (learners.CorrectionOnly, {"loss": ZeroOne()}),
    "fixed": (learners.Fixed, {"policy": 0}),
}


def made(name, **others):
    kind, settings = KINDS[name]
    return kind(**{"policies": EACH, "seed": 3} | settings | others)


def fixed(**others):
    return learners.Fixed(policies=EACH, policy=0, seed=1, **others)


def audited_once(learner):
    """An audit and a shown round of it, neither answered."""
    found = {}
    while len(found) < 2:
        decision = learner.decide("x", NAMES)
        found.setdefault(decision.revealing, decision)
    return found[True], found[False]


# What it teaches


@pytest.mark.parametrize("name", KINDS)
def test_amended_in_the_middle_of_a_run_sums_hold_for_each_round_what_was_entered_last(name):
    """Those of the last answers, learnt with the probabilities of the decisions that the run had made."""
    learner, again, source = made(name), made(name), np.random.default_rng(5)
    waiting, last = [], []
    for _ in range(200):
        decision = learner.decide("x", NAMES)
        is_liked = not decision.revealing and source.random() < 0.6
        answer = Feedback(reward=float(source.random())) if is_liked else TYPED
        learner.learn(decision, answer)
        if is_liked and source.random() < 0.5:
            answer = Feedback(correction=NAMES[source.integers(3)])
            waiting.append((decision, answer))
        last.append((decision, answer))
        if source.random() < 0.2 or decision.round.number == 200:
            for late in waiting[::-1]:
                learner.learn(*late)
            waiting.clear()
    if name == "corralled":
        again._rewards, again._master = again._bases(3)
    for decision, answer in last:
        again._learn(decision, answer)
    assert learner.figures()["amended"] > 20
    for sums in ("_sums", "_rewards"):
        one, other = getattr(learner, sums, {}), getattr(again, sums, {})
        pairs = [(one[key], other[key]) for key in one] if isinstance(one, dict) else [(one, other)]
        for values, wanted in pairs:
            np.testing.assert_allclose(values, wanted, rtol=1e-9, atol=1e-9)
    assert getattr(learner, "_answered", None) == getattr(again, "_answered", None)


def test_users_who_take_everything_and_rewrite_it_later_teach_what_they_want():
    shared = made("shared")
    for _ in range(400):
        decision = shared.decide("x", NAMES)
        shared.learn(decision, Feedback(reward=1.0))
        if decision.action != "invoice":
            shared.learn(decision, TYPED)
    assert shared.decide("x", NAMES).propensities[1] > 0.9
    assert shared.figures()["fidelity"] > 0.8


@pytest.mark.parametrize("name", ["efbo", "reward-only"])
def test_an_amendment_after_the_commitment_solves_again(name):
    learner, alone = made(name, block=20), made(name, block=20)
    for one, is_amended in ((learner, True), (alone, False)):
        rounds = [one.decide("x", NAMES) for _ in range(100)]
        liked = {d.round.number for d in rounds if d.action == "refund" and not d.revealing}
        for decision in rounds:
            accepts = decision.round.number in liked and is_amended
            one.learn(decision, Feedback(reward=1.0) if accepts else TYPED)
        one.decide("x", NAMES)
        before = one.figures()["version"]
        for decision in rounds:
            if decision.round.number in liked and is_amended:
                one.learn(decision, TYPED)
        assert one.decide("x", NAMES).version == before + is_amended
    assert learner.figures()["plays"] == alone.figures()["plays"]


# What it counts


def test_the_first_correction_after_an_accept_is_an_amendment_and_the_next_a_repetition():
    learner = fixed()
    decision = learner.decide("x", NAMES)
    for answer in (ACCEPT, ACCEPT, TYPED, TYPED, Feedback(correction="thanks"), Feedback()):
        learner.learn(decision, answer)
    figures = learner.figures()
    assert (figures["amended"], figures["repeated"], figures["accepted"], figures["corrections"]) == (1, 4, 1, 0)


@pytest.mark.parametrize(
    "first",
    [TYPED, Feedback(), Feedback(reward=0.5, accepted=None), Feedback(reward=0.5, told="refund")],
    ids=["correction", "dismissal", "unobserved", "told"],
)
def test_only_an_accept_that_left_the_answer_open_can_be_amended(first):
    learner = fixed()
    decision = learner.decide("x", NAMES)
    learner.learn(decision, first)
    learner.learn(decision, TYPED)
    learner.learn(decision, ACCEPT)
    assert (learner.figures()["amended"], learner.figures()["repeated"]) == (0, 2)


def test_an_accept_that_earned_nothing_can_be_amended():
    learner = fixed()
    decision = learner.decide("x", NAMES)
    learner.learn(decision, Feedback(accepted=True))
    learner.learn(decision, TYPED)
    assert learner.figures()["amended"] == 1


def test_an_audit_cannot_be_amended_even_where_it_showed_something_that_was_accepted():
    shared = made("shared", audits="fixed", revealing="thanks")
    audit, shown = audited_once(shared)
    for decision in (audit, shown):
        shared.learn(decision, ACCEPT)
        shared.learn(decision, TYPED)
    assert (shared.figures()["amended"], shared.figures()["repeated"]) == (1, 1)


@pytest.mark.parametrize("order", [1, -1])
def test_accepts_older_than_the_memory_are_not_amended(monkeypatch, order):
    monkeypatch.setattr(ledger, "MOST_AMENDABLE", 3)
    learner = fixed()
    rounds = [learner.decide("x", NAMES) for _ in range(5)]
    for decision in rounds[::order]:
        learner.learn(decision, Feedback(reward=decision.round.number / 8))
    learner = learners.Fixed.from_state(learner.state(), policies=EACH)
    assert learner.state().arrays["ledger.accepted"].tolist() == [3, 4, 5]
    assert learner.state().arrays["ledger.rewards"].tolist() == [3 / 8, 4 / 8, 5 / 8]
    sixth = learner.decide("x", NAMES)
    learner.learn(sixth, Feedback())  # remembered in the place of the third, and not accepted
    counts = []
    for decision in [*rounds, sixth]:
        learner.learn(decision, TYPED)
        counts.append(learner.figures()["amended"])
    assert counts == [0, 0, 0, 1, 2, 2]


def test_a_state_from_before_amendments_goes_on_without_their_memory():
    learner = made("shared")
    decision = learner.decide("x", NAMES)
    learner.learn(decision, ACCEPT)
    state = learner.state()
    old = {name: words for name, words in state.json["ledger"].items() if name != "amended_loss"}
    arrays = {name: values for name, values in state.arrays.items() if not name.startswith("ledger.")}
    again = learners.SharedExp4.from_state(State(state.json | {"ledger": old}, arrays), policies=EACH, loss=ZeroOne())
    assert again.figures() == learner.figures()
    again.learn(decision, TYPED)
    assert (again.figures()["amended"], again.figures()["repeated"]) == (0, 1)


def test_an_amendment_that_the_loss_refuses_changes_nothing_and_may_be_sent_again():
    def shaky(action, answer, context):
        return 2.0 if answer == "bad" else float(action != answer)

    for name in ("shared", "anytime", "corralled"):
        learner = made(name, loss=Function(shaky))
        decision = learner.decide("x", NAMES)
        learner.learn(decision, ACCEPT)
        before = learner.state()
        with pytest.raises(InvalidInputError, match="surrogate loss must return"):
            learner.learn(decision, Feedback(correction="bad"))
        after = learner.state()
        assert after.json == before.json
        assert all(np.array_equal(values, after.arrays[key]) for key, values in before.arrays.items())
        learner.learn(decision, TYPED)
        assert learner.figures()["amended"] == 1


@pytest.mark.parametrize("name", ["shared", "corralled"])
@pytest.mark.parametrize("at_best", [0.0, 0.02], ids=["metric", "never wholly right"])
def test_what_amendments_take_back_leaves_no_squares_below_zero(name, at_best):
    """Rounding would: (0.02^2 + 0.01^2) - 0.02^2 < 0.01^2."""
    near = {"refund": 0.02, "thanks": 0.01}

    def apart(action, answer, context):
        if action == answer:
            return min(at_best, near.get(action, 0.0))
        return 0.0 if at_best and answer == "invoice" else near[answer if action == "invoice" else action]

    learner, taken = made(name, loss=Function(apart)), {}
    while taken.keys() != near.keys():
        decision = learner.decide("x", NAMES)
        if decision.action in near:
            taken[decision.action] = decision
    for answer in (ACCEPT, TYPED):
        for action in near:
            learner.learn(taken[action], answer)
    assert (learner._sums[-1] >= 0).all()
    low, high = learner.figures()["fidelity_interval"]
    assert low <= high
    for _ in range(60):
        assert learner.decide("x", NAMES).propensities.sum() == pytest.approx(1.0)


# What it says of users


def test_amendments_bound_from_below_what_was_let_pass():
    """One of five accepts replaced: Wilson's interval for 1 of 5 is (.036, .624)."""
    learner = made("shared", loss=Function(lambda action, answer, context: 0.4 * (action != answer)))
    assert learner.figures()["amended_share"] is None
    assert learner.figures()["amended_mean_delta"] is None
    for number in range(5):
        decision = learner.decide("x", NAMES)
        learner.learn(decision, ACCEPT)
        if number == 2:
            learner.learn(decision, Feedback(correction="something else"))
    figures = learner.figures()
    assert figures["amended_share"] == 0.2
    assert figures["amended_share_interval"] == pytest.approx([0.03622, 0.62447], abs=1e-4)
    assert figures["amended_mean_delta"] == pytest.approx(0.4 / 5)
    assert figures["let_pass"] is None  # no audits


def test_without_a_loss_nobody_can_say_how_far_off_it_was():
    for learner in (made("reward-only"), learners.Uniform(policies=EACH, seed=1)):
        decision = learner.decide("x", NAMES)
        learner.learn(decision, ACCEPT)
        learner.learn(decision, TYPED)
        assert learner.figures()["amended_share"] == 1.0
        assert learner.figures()["amended_mean_delta"] is None


@pytest.mark.parametrize("name", ["shared", "corralled"])
def test_what_audits_say_of_users_does_not_hear_amendments(name):
    others = {"audits": "fixed"} if name == "shared" else {"constraint": {"kind": "doubly_robust"}}
    learner, taken = made(name, **others), []
    for _ in range(300):
        decision = learner.decide("x", NAMES)
        accepts = not decision.revealing and decision.action != "thanks"
        learner.learn(decision, ACCEPT if accepts else TYPED)
        taken += [decision] if accepts else []
    before = learner.figures()
    assert before["let_pass"]["wrong_share"] > 0
    for decision in taken:
        learner.learn(decision, Feedback(correction="a word of their own"))
    after = learner.figures()
    assert after["amended"] == len(taken) > 50
    assert after["let_pass"] == before["let_pass"]
    for figure in ("accepted", "corrections", "accepted_share"):
        assert after[figure] == before[figure]
