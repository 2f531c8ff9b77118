import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.core.feedback import Feedback, Outcome
from typeover.errors import InvalidInputError

OUTCOMES = [
    ({}, "dismissed"),
    ({"reward": 0}, "dismissed"),
    ({"reward": 0.0, "accepted": False}, "dismissed"),
    ({"reward": 0.2}, "accepted"),
    ({"reward": 1}, "accepted"),
    ({"reward": 5e-324}, "accepted"),
    ({"reward": 0.0, "accepted": True}, "accepted"),
    ({"reward": 0.7, "accepted": True}, "accepted"),
    ({"accepted": None}, "unobserved"),
    ({"reward": 0.7, "accepted": None}, "unobserved"),
    ({"correction": "refund"}, "corrected"),
    ({"correction": ""}, "corrected"),
    ({"correction": 0}, "corrected"),
    ({"correction": "refund", "accepted": False}, "corrected"),
    ({"correction": "refund", "accepted": None}, "corrected"),
    ({"reward": np.float64(0.5)}, "accepted"),
    ({"reward": np.float32(0.5)}, "accepted"),
    ({"reward": np.int64(1)}, "accepted"),
    ({"reward": 0.5, "accepted": np.True_}, "accepted"),
    ({"accepted": np.False_}, "dismissed"),
]


@pytest.mark.parametrize(("words", "outcome"), OUTCOMES)
def test_what_the_user_did_has_one_of_four_names(words, outcome):
    feedback = Feedback(**words)
    assert feedback.outcome == Outcome(outcome)
    assert feedback.revealed == (outcome == "corrected")


@given(reward=st.floats(0, 1), accepted=st.sampled_from([msgspec.UNSET, None, True]))
def test_an_answer_that_was_not_entered_is_never_revealed(reward, accepted):
    assert not Feedback(reward=reward, accepted=accepted).revealed


@pytest.mark.parametrize("reward", [-0.1, 1.0000001, math.nan, math.inf, "1", None, True, [0.5], 1 + 0j])
def test_a_reward_outside_the_unit_interval_is_refused(reward):
    with pytest.raises(InvalidInputError, match=r"reward is .*; it must be a number in \[0, 1\]; scale it"):
        Feedback(reward=reward)


IMPOSSIBLE = [
    ({"correction": "a", "reward": 0.5}, "correction 'a' came with reward 0.5; a round that was typed over earns 0"),
    ({"correction": "a", "accepted": True}, "correction 'a' came with accepted=True"),
    ({"correction": "a", "accepted": np.True_}, "correction 'a' came with accepted=True"),
    ({"correction": "a", "reward": 0.5, "accepted": True}, "correction 'a' came with"),
    ({"accepted": False, "reward": 0.5}, "accepted=False came with reward 0.5; a rejected suggestion earns 0"),
    ({"accepted": np.False_, "reward": 0.5}, "accepted=False came with reward 0.5"),
    ({"correction": "a", "told": "b"}, "told 'b' came with correction 'a'; what was entered is known already"),
    ({"accepted": "yes"}, "accepted is 'yes'; it must be True, False, None"),
    ({"accepted": 1}, "accepted is 1;"),
    ({"accepted": 0.0}, "accepted is 0.0;"),
    ({"accepted": []}, r"accepted is \[\];"),
]


@pytest.mark.parametrize(("words", "message"), IMPOSSIBLE)
def test_what_cannot_have_happened_is_refused(words, message):
    with pytest.raises(InvalidInputError, match=message):
        Feedback(**words)


def test_an_answer_that_is_told_is_known_and_says_nothing_of_what_the_user_did():
    accepted = Feedback(reward=1, accepted=True, told="refund")
    assert (accepted.outcome, accepted.revealed, accepted.answer) == (Outcome.ACCEPTED, True, "refund")
    dismissed = Feedback(told="refund")
    assert (dismissed.outcome, dismissed.revealed, dismissed.answer) == (Outcome.DISMISSED, True, "refund")
    entered = Feedback(correction="refund")
    assert (entered.outcome, entered.answer) == (Outcome.CORRECTED, "refund")
    assert Feedback(reward=1).answer is None


def test_feedback_goes_through_json_and_back():
    for words, _ in [*OUTCOMES, ({"reward": 1, "told": "refund"}, "accepted")]:
        feedback = Feedback(**words)
        assert msgspec.json.decode(msgspec.json.encode(feedback), type=Feedback) == feedback
