"""Decisions, feedback and log entries of every kind, for property tests."""

import msgspec
import numpy as np
from hypothesis import strategies as st

from typeover.core.decision import Decision, Round
from typeover.core.feedback import Feedback
from typeover.logs import Entry

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
names = st.text(min_size=1) | st.integers(-(2**53), 2**53)


@st.composite
def decisions(draw):
    """Anything that a learner may decide about things with a JSON form."""
    actions = draw(st.lists(names, min_size=1, max_size=5, unique_by=repr))
    weights = draw(st.lists(st.integers(0, 9), min_size=len(actions), max_size=len(actions)).filter(any))
    suggestion = draw(st.sampled_from(range(len(actions))))
    revealing = draw(st.booleans())
    index = draw(st.sampled_from([-1, *range(len(actions))])) if revealing else suggestion
    return Decision(
        round=Round(draw(st.integers(1, 2**40)), draw(plain), tuple(actions)),
        action=None if index < 0 else actions[index],
        index=index,
        suggestion=suggestion,
        propensities=np.array(weights) / sum(weights),
        revealing=revealing,
        audit_probability=draw(st.floats(0, 1)),
        version=draw(st.integers(0, 9)),
    )


rewards = st.floats(0, 1)
given_answers = names | st.dictionaries(st.text(), names, min_size=1)
corrections = st.builds(Feedback, correction=given_answers)
dismissals = st.builds(Feedback)
taken = st.builds(Feedback, reward=rewards, accepted=st.sampled_from([True, None])) | st.builds(
    Feedback, reward=rewards
)


@st.composite
def entries(draw):
    decision = draw(decisions())
    said = corrections | dismissals
    feedback = draw(st.none() | (said if decision.revealing else said | taken))
    times = st.integers(-(2**55), 2**56)
    entry = Entry.from_decision(
        decision, feedback, decision_id=draw(st.from_regex(r"[!-.0-~]{1,9}", fullmatch=True)),
        loop=draw(st.from_regex(r"[a-z][a-z0-9_-]{0,9}", fullmatch=True)), sequence=decision.round.number,
        time=draw(times), feedback_time=draw(st.none() | times),
        priors=draw(st.none() | st.just(tuple(0.5 * i for i in range(len(decision.round.actions))))),
    )  # fmt: skip
    if entry.accepted and draw(st.booleans()):
        entry = msgspec.structs.replace(entry, correction="later", amended=True)
    return decision, feedback, entry
