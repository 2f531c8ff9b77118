from __future__ import annotations

import pytest

from typeover.core.decision import Decision, Round
from typeover.core.feedback import Feedback
from typeover.learners import Uniform, ledger
from typeover.learners.ledger import Ledger
from typeover.policies import Constant, PolicySet


def test_rounds_that_never_get_an_answer_do_not_pile_up_for_ever(monkeypatch):
    monkeypatch.setattr(ledger, "MOST_OPEN", 3)
    uniform = Uniform(policies=PolicySet([Constant("a")]), seed=1)
    decisions = [uniform.decide("x", ["a", "b"]) for _ in range(5)]
    assert uniform.figures()["unanswered"] == 5
    assert len(uniform.state().json["ledger"]["open"]) == 3
    uniform.learn(decisions[0], Feedback(reward=1.0))  # given up
    uniform.learn(decisions[4], Feedback(reward=1.0))
    assert uniform.figures()["repeated"] == 1
    assert uniform.figures()["accepted"] == 1


def test_a_book_goes_on_where_it_was_saved():
    book = Ledger()
    for revealing in (False, True, False):
        book.decided(revealing=revealing)
    again = Ledger.from_plain(book.plain(), book.arrays())
    assert again.figures() == book.figures()
    assert again.figures()["audits"] == 1
    assert again.figures()["unanswered"] == 3


@pytest.mark.parametrize("number", [0, 4])
def test_rounds_of_others_are_refused(number):
    book = Ledger()
    for _ in range(3):
        book.decided(revealing=False)
    decision = Decision(
        round=Round(number, "x", ("a",)), action="a", index=0, suggestion=0, propensities=None, revealing=False
    )
    with pytest.raises(ValueError, match=f"round {number} was not decided here"):
        book.is_open(decision)
