from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logged import entries
from typeover.core.decision import Decision, Round
from typeover.core.feedback import Feedback, Outcome
from typeover.errors import InvalidInputError
from typeover.logs import Entry, Micros
from typeover.logs.schema import from_json, to_json

PAGE = Path(__file__).parents[2] / "docs" / "log-schema.md"
ASKED = {
    "decision_id": "d-1", "loop": "tickets", "sequence": 1, "time": 0, "context": "x", "actions": ("a", "b"),
    "index": 1, "suggestion": 1, "action": "b", "probability": 0.25, "propensities": (0.75, 0.25),
}  # fmt: skip


@given(entries())
def test_what_was_decided_and_heard_comes_back_from_an_entry(case):
    decision, feedback, entry = case
    back, heard = entry.decision(), entry.feedback()
    for name in ("index", "suggestion", "action", "revealing", "audit_probability", "version", "probability"):
        assert getattr(back, name) == getattr(decision, name)
    assert back.propensities.tolist() == decision.propensities.tolist()
    assert (back.round.number, back.round.context, back.round.actions) == (
        decision.round.number, decision.round.context, decision.round.actions,
    )  # fmt: skip
    if feedback is None:
        assert heard is None
    else:
        assert (heard.outcome, heard.reward, heard.correction) == (
            feedback.outcome,
            feedback.reward,
            feedback.correction,
        )
    again = Entry.from_decision(
        back, heard, decision_id=entry.decision_id, loop=entry.loop, sequence=entry.sequence, time=entry.time,
        feedback_time=entry.feedback_time, priors=entry.priors,
    )  # fmt: skip
    amended = {"correction": entry.correction, "amended": True} if entry.amended else {}
    assert msgspec.structs.replace(again, **amended) == entry


@given(entries())
def test_an_entry_comes_back_from_json(case):
    entry = case[2]
    line = msgspec.json.encode(entry, enc_hook=to_json)
    back = msgspec.json.decode(line, type=Entry, dec_hook=from_json)
    assert back == entry
    assert type(back.time) is Micros
    assert re.search(rb'"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"', line)


@given(st.integers(-(2**55), 2**57))
def test_a_time_is_read_as_it_was_written_and_in_any_zone(moment):
    text = repr(Micros(moment))
    assert Micros.parse(text) == moment
    assert Micros.parse(text[:-1] + "+00:00") == moment
    assert Micros.parse(text[:-1] + "+02:00") == moment - 7_200_000_000


def test_the_arrays_of_a_context_become_lists_and_candidates_may_be_a_range():
    decision = Decision(
        round=Round(1, {"z": np.array([1.5, 2]), "n": np.int64(3)}, range(2)), action=1, index=1, suggestion=1,
        propensities=np.array([0.5, 0.5]),
    )  # fmt: skip
    entry = Entry.from_decision(decision, decision_id="d", loop="l", sequence=1, time=0)
    assert entry.context == {"z": [1.5, 2.0], "n": 3}
    assert entry.actions == (0, 1)


def test_silence_counts_as_the_default_reward_and_never_as_accepted():
    expired = Entry(**ASKED, expired=True)
    assert expired.feedback() is None
    heard = msgspec.structs.replace(expired, reward=0.5).feedback()
    assert (heard.outcome, heard.reward) == (Outcome.UNOBSERVED, 0.5)


def test_an_amendment_stands_beside_the_accept():
    entry = Entry(**ASKED, accepted=True, reward=0.75, correction="later", amended=True)
    assert (entry.feedback().outcome, entry.feedback().reward) == (Outcome.ACCEPTED, 0.75)
    assert entry.amendment() == Feedback(correction="later")
    assert Entry(**ASKED, accepted=True, reward=0.75).amendment() is None


def test_a_round_that_the_application_chose_has_no_propensities_and_is_no_decision():
    drawn = {"probability": None, "propensities": None, "suggestion": -1}
    entry = Entry(**ASKED | drawn | {"shown": "b"}, correction="c")
    assert entry.feedback().correction == "c"
    with pytest.raises(InvalidInputError, match="decision 'd-1' has no propensities"):
        entry.decision()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"decision_id": ""}, "decision_id is ''; it must be 1 to 256"),
        ({"decision_id": "a/b"}, "decision_id is 'a/b'"),
        ({"decision_id": "a" * 257}, "decision_id is "),
        ({"loop": "Tickets"}, "loop is 'Tickets'; it must match"),
        ({"sequence": 0}, "sequence is 0; it must be a whole number from 1"),
        ({"version": -1}, "version is -1"),
        ({"time": "now"}, "time is 'now'; it must be microseconds since 1970"),
        ({"time": 2**62}, "time is 4611686018427387904; it must be microseconds"),
        ({"feedback_time": 1.5}, "feedback_time is 1.5"),
        ({"actions": ()}, "actions is empty"),
        ({"priors": (1.0,)}, "priors has 1 entries for 2 actions"),
        ({"index": 2}, r"index is 2; it must lie in -1 \(nothing\) to 1"),
        ({"suggestion": -2}, "suggestion is -2"),
        ({"action": "a"}, "action is 'a'; index 1 of actions is 'b'"),
        ({"index": -1}, "action is 'b'; index -1 of actions is None"),
        ({"suggestion": 0}, "suggestion is 0 and index 1; they are equal unless the round is revealing"),
        ({"audit_probability": 1.5}, r"audit_probability is 1\.5"),
        ({"probability": 0.5}, r"probability is 0\.5 and suggestion 1"),
        ({"probability": None}, "probability is None and suggestion 1"),
        ({"suggestion": -1}, r"probability is 0\.25 and suggestion -1"),
        ({"probability": 2, "propensities": None}, "probability is 2"),
        ({"propensities": (1.0,)}, "propensities has 1 entries"),
        ({"propensities": (0.5, 0.25)}, r"propensities has 2 entries from 0\.25 with sum 0\.75"),
        ({"propensities": (1.25, -0.25)}, "propensities has 2 entries from -0.25"),
        ({"shown": "b"}, "shown is 'b', so the application chose and nothing was drawn"),
        ({"shown": "a", "propensities": None, "probability": None, "suggestion": -1}, "shown is 'a' and action 'b'"),
        ({"reward": 1.5}, r"reward is 1\.5"),
        ({"accepted": False}, "accepted is false; it is true or left out"),
        ({"accepted": True, "dismissed": True}, "accepted and dismissed stand together"),
        ({"accepted": True, "correction": "c"}, "accepted and correction stand together"),
        ({"expired": True, "correction": "c"}, "correction and expired stand together"),
        ({"amended": True}, "amended is true; that takes accepted and the correction"),
        ({"accepted": True, "revealing": True}, "accepted is true in a revealing round"),
        ({"correction": "c", "reward": 0.5}, r"reward is 0\.5 beside correction"),
        ({"dismissed": True, "reward": 0.5}, r"reward is 0\.5 beside dismissed"),
    ],
)
def test_what_cannot_have_happened_is_refused_by_field(change, message):
    Entry(**ASKED)
    with pytest.raises(InvalidInputError, match=message):
        Entry(**ASKED | change)


@pytest.mark.parametrize(
    ("question", "feedback", "message"),
    [
        (object(), None, "context is <object .*, which has no JSON form"),
        ("x", Feedback(correction=object()), "correction is <object .*, which has no JSON form"),
        ("x", Feedback(reward=1.0, told="b"), "told is 'b'; a log holds what users did"),
    ],
)
def test_what_a_log_cannot_hold_is_refused(question, feedback, message):
    decision = Decision(round=Round(1, question, ("a",)), action="a", index=0, suggestion=0, propensities=np.ones(1))
    with pytest.raises(InvalidInputError, match=message):
        Entry.from_decision(decision, feedback, decision_id="d", loop="l", sequence=1, time=0)


def test_the_page_names_every_field_with_its_type_and_what_is_left_out():
    """Only what may be left out has a default, and the page says which."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| .+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    defaults = {field.name: field.default for field in msgspec.structs.fields(Entry) if not field.required}
    words = {name: json.dumps(default).removesuffix(".0") for name, default in defaults.items()}
    expected = [(name, words.get(name, "needed")) for name in Entry.__struct_fields__]
    assert [(name, left_out) for name, _, left_out in rows] == expected
    kinds = {"text": "str", "integer": "int", "number": "float", "time": "Micros", "true or false": "bool"}
    kinds |= {"true": "bool", "any JSON": "Any", "list": "tuple[Any, ...]", "list of numbers": "tuple[float, ...]"}
    for name, kind, _ in rows:
        assert Entry.__annotations__[name].removesuffix(" | None") == kinds[kind]
