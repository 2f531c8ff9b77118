import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.core.decision import NOTHING, Decision, Round, check_actions
from typeover.errors import InvalidInputError


@given(st.lists(st.integers() | st.text() | st.tuples(st.integers(), st.text()), min_size=1, unique=True))
def test_distinct_names_pass_as_they_are(actions):
    assert check_actions(actions) is actions


@pytest.mark.parametrize("actions", [("a", "b"), range(4), np.array(["a", "b"]), np.arange(3)])
def test_tuples_ranges_and_arrays_are_lists_too(actions):
    assert check_actions(actions) is actions


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([], r"actions is empty; at least one is needed"),
        ((), "actions is empty"),
        (["a", "b", "a", "b"], "'a' stands twice in actions; each may stand once"),
        ([1, 2, 1.0], r"1\.0 stands twice"),
        ([1, True], "True stands twice"),
        ("refund", r"actions is 'refund'; it must be a list of names"),
        (None, "actions is None"),
        (3, "actions is 3"),
        (iter("ab"), "actions is <"),
        ([["a"], "b"], r"\['a'\] in actions cannot be a name; use strings or numbers"),
        (["a", {"b": 1}], r"\{'b': 1\} in actions cannot be a name"),
        ([("a", ["b"])], r"\('a', \['b'\]\) in actions cannot be a name"),
    ],
)
def test_bad_candidates_are_refused_by_name(actions, message):
    with pytest.raises(InvalidInputError, match=message):
        check_actions(actions)


def test_the_refusal_says_whose_candidates_they_are():
    with pytest.raises(InvalidInputError, match="labels is empty"):
        check_actions([], "labels")


def test_the_probability_is_that_of_the_suggestion_even_if_nothing_was_shown():
    asked = Round(number=1, context=None, actions=["a", "b"])
    audit = Decision(
        round=asked, action=None, index=NOTHING, suggestion=1, propensities=np.array([0.25, 0.75]), revealing=True
    )
    assert audit.probability == 0.75
    assert isinstance(audit.probability, float)


def test_a_decision_cannot_be_changed_afterwards():
    asked = Round(number=1, context=None, actions=["a"])
    decision = Decision(round=asked, action="a", index=0, suggestion=0, propensities=np.ones(1))
    with pytest.raises(AttributeError):
        decision.index = 1
    with pytest.raises(AttributeError):
        asked.number = 2
