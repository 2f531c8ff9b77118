import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.core.decision import NOTHING, Decision, Round, check_actions, check_distinct
from typeover.errors import InvalidInputError


@given(st.lists(st.integers() | st.text() | st.tuples(st.integers(), st.text()), min_size=1, unique=True))
def test_distinct_names_come_back_as_a_tuple_of_the_same_objects(actions):
    candidates = check_actions(actions)
    assert isinstance(candidates, tuple)
    assert len(candidates) == len(actions)
    assert all(a is b for a, b in zip(candidates, actions, strict=True))


def test_a_tuple_and_a_range_come_back_themselves():
    for actions in (("a", "b"), range(4)):
        assert check_actions(actions) is actions


@pytest.mark.parametrize("actions", [np.array(["a", "b"]), np.arange(3), np.array([0.5, 2.0])])
def test_arrays_are_lists_too(actions):
    candidates = check_actions(actions)
    assert isinstance(candidates, tuple)
    assert list(candidates) == actions.tolist()


def test_a_list_that_changes_later_does_not_change_the_candidates():
    actions = ["a", "b"]
    candidates = check_actions(actions)
    actions[0] = "z"
    assert candidates == ("a", "b")


def test_contexts_may_be_none_but_not_stand_twice():
    assert check_distinct([None, 1], "contexts") == (None, 1)
    with pytest.raises(InvalidInputError, match="None stands twice in contexts"):
        check_distinct([None, None], "contexts")


class Unsure:
    """As pandas' NA: whether it equals anything cannot be said."""

    def __eq__(self, other):
        raise TypeError("boolean value of NA is ambiguous")

    __ne__ = __eq__

    def __hash__(self):
        return 7

    def __repr__(self):
        return "<NA>"


class Endless:
    def __len__(self):
        return 2


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
        (np.array("a"), r"actions is array\('a'.*; it must be a list of names"),
        (b"ab", "actions is b'ab'; it must be a list of names"),
        (Endless(), "actions is <.*; it must be a list of names"),
        ({"a", "b"}, r"actions is \{.*\}, a set; give a list in a fixed order"),
        (frozenset("a"), "a frozenset; give a list in a fixed order"),
        ({"a": 1}, r"actions is \{'a': 1\}, a dict; give a list in a fixed order"),
        ({"a": 1}.keys(), "a dict_keys; give a list in a fixed order"),
        ({"a": 1}.values(), "a dict_values; give a list in a fixed order"),
        ({}, "a dict; give a list in a fixed order"),
        (dict.fromkeys(range(1000)), r"actions is .{80}, a dict"),
        (["a", Unsure()], "<NA> in actions cannot be a name, since it stands for nothing"),
        (["a", None], "None in actions cannot be a name, since it stands for nothing; leave it out"),
        (["a", math.nan], "nan in actions cannot be a name, since it stands for nothing"),
        (np.array([0.5, math.nan]), r"nan.* in actions cannot be a name"),
        (("a", np.float32("nan")), r"nan.* in actions cannot be a name"),
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


def test_decisions_and_rounds_are_shown_in_a_line():
    asked = Round(number=7, context="x" * 500, actions=range(3))
    shown = Decision(round=asked, action=1, index=1, suggestion=1, propensities=np.full(3, 1 / 3))
    assert repr(shown) == "Decision(round 7: show 1, probability 0.3333)"
    audit = Decision(round=asked, action=2, index=2, suggestion=1, propensities=np.full(3, 1 / 3), revealing=True)
    assert repr(audit) == "Decision(round 7: show 2; audit)"
    assert repr(asked).startswith("Round(7, context='xxx")
    assert len(repr(asked)) < 150
