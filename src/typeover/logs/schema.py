"""One round of a decision log: what was asked, what was shown and with which probabilities, what the user did.

The same fields in every form of the log (docs/log-schema.md). An entry checks itself, so that whatever reads one can
rely on it: the index fits the candidates, the propensities are a distribution, a round ended in one way at most.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import numpy as np

from typeover.core.decision import NOTHING, Decision, Round
from typeover.core.feedback import Feedback, Outcome
from typeover.core.inputs import real, whole
from typeover.errors import InvalidInputError

VERSION = 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ID = re.compile(r"[!-.0-~]{1,256}")
_LOOP = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_SUM = 1e-6
"""How far propensities may be from summing to 1 through rounding."""


class Micros(int):
    """Microseconds since 1970 in UTC; RFC 3339 with microseconds and Z in JSON.

    >>> Micros(1_500_000)
    1970-01-01T00:00:01.500000Z
    """

    def __repr__(self) -> str:
        return (_EPOCH + timedelta(microseconds=int(self))).isoformat(timespec="microseconds")[:-6] + "Z"

    @classmethod
    def parse(cls, text: Any) -> Micros:
        """From its JSON form, or any other RFC 3339 time."""
        try:
            moment = datetime.fromisoformat(text)
            return cls((moment - _EPOCH) // timedelta(microseconds=1))
        except (TypeError, ValueError):  # no time of a zone cannot be subtracted either
            raise InvalidInputError(f"{text!r:.60} is no time; write it like '2026-01-31T12:00:00.000000Z'") from None


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A decision and its feedback, as far as it has come.

    >>> entry = Entry(
    ...     decision_id="d-1", loop="tickets", sequence=1, time=Micros(0), context="where is my money?",
    ...     actions=("refund", "invoice"), index=1, suggestion=1, action="invoice", probability=0.25,
    ...     propensities=(0.75, 0.25), correction="refund", reward=0.0,
    ... )
    >>> entry.decision()
    Decision(round 1: show 'invoice', probability 0.25)
    >>> entry.feedback().outcome.value
    'corrected'
    """

    decision_id: str
    loop: str
    sequence: int
    time: Micros
    context: Any
    actions: tuple[Any, ...]
    priors: tuple[float, ...] | None = None
    index: int
    suggestion: int = NOTHING
    action: Any = None
    probability: float | None = None
    propensities: tuple[float, ...] | None = None
    revealing: bool = False
    audit_probability: float = 0.0
    version: int = 0
    shown: Any = None
    reward: float | None = None
    accepted: bool | None = None
    correction: Any = None
    dismissed: bool = False
    expired: bool = False
    feedback_time: Micros | None = None
    amended: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot have happened, by the field's name."""
        for name in ("time", "feedback_time"):
            if (value := getattr(self, name)) is not None and type(value) is not Micros:
                msgspec.structs.force_setattr(self, name, _micros(name, value))
        _check_question(self)
        _check_draw(self)
        _check_outcome(self)

    @classmethod
    def from_decision(
        cls, decision: Decision, feedback: Feedback | None = None, *, decision_id: str, loop: str, sequence: int,
        time: int, feedback_time: int | None = None, priors: tuple[float, ...] | None = None,
    ) -> Entry:  # fmt: skip
        """What a learner decided and heard; context, candidates and correction must have a JSON form."""
        return cls(
            decision_id=decision_id,
            loop=loop,
            sequence=sequence,
            time=Micros(time),
            context=_plain("context", decision.round.context),
            actions=tuple(_plain("actions", list(decision.round.actions))),
            priors=priors,
            index=decision.index,
            suggestion=decision.suggestion,
            action=_plain("action", decision.action),
            probability=decision.probability,
            propensities=tuple(decision.propensities.tolist()),
            revealing=decision.revealing,
            audit_probability=float(decision.audit_probability),
            version=decision.version,
            feedback_time=None if feedback_time is None else Micros(feedback_time),
            **({} if feedback is None else _outcome(feedback)),
        )

    def decision(self) -> Decision:
        """What was decided; its round has the entry's sequence number. Refused where the propensities are not known."""
        if self.propensities is None:
            raise InvalidInputError(
                f"decision {self.decision_id!r} has no propensities, so it cannot be learnt from as a decision; leave "
                "out the rounds whose propensities are None"
            )
        return Decision(
            round=Round(self.sequence, self.context, self.actions),
            action=self.action,
            index=self.index,
            suggestion=self.suggestion,
            propensities=np.array(self.propensities),
            revealing=self.revealing,
            audit_probability=self.audit_probability,
            version=self.version,
        )

    def feedback(self) -> Feedback | None:
        """What the user did at first; None if nothing came, or only silence without a default reward."""
        if self.accepted:
            return Feedback(reward=self.reward or 0.0, accepted=True)
        if self.correction is not None:
            return Feedback(correction=self.correction)
        if self.dismissed:
            return Feedback()
        return None if self.reward is None else Feedback(reward=self.reward, accepted=None)

    def amendment(self) -> Feedback | None:
        """The correction that came after an accept, if one did."""
        return Feedback(correction=self.correction) if self.amended else None


def _outcome(feedback: Feedback) -> dict[str, Any]:
    """The fields that say how the round ended."""
    if feedback.told is not None:
        raise InvalidInputError(
            f"told is {feedback.told!r:.60}; a log holds what users did, and this user entered nothing: leave it out"
        )
    outcome = feedback.outcome
    return {
        "reward": float(feedback.reward),
        "accepted": True if outcome is Outcome.ACCEPTED else None,
        "correction": _plain("correction", feedback.correction),
        "dismissed": outcome is Outcome.DISMISSED,
    }


def _check_question(entry: Entry) -> None:
    if not _ID.fullmatch(entry.decision_id):
        raise InvalidInputError(
            f"decision_id is {entry.decision_id!r:.60}; it must be 1 to 256 printable ASCII characters, no space, no /"
        )
    if not _LOOP.fullmatch(entry.loop):
        raise InvalidInputError(f"loop is {entry.loop!r:.80}; it must match {_LOOP.pattern}")
    whole("sequence", entry.sequence, meaning="the place in the loop's log")
    whole("version", entry.version, low=0, meaning="how often the loop had published")
    n = len(entry.actions)
    if n == 0:
        raise InvalidInputError("actions is empty; a round has at least one candidate")
    if entry.priors is not None and len(entry.priors) != n:
        raise InvalidInputError(f"priors has {len(entry.priors)} entries for {n} actions; give one per action, or none")
    for name, place in (("index", entry.index), ("suggestion", entry.suggestion)):
        if not NOTHING <= place < n:
            raise InvalidInputError(f"{name} is {place}; it must lie in -1 (nothing) to {n - 1}, one of the actions")
    shown = None if entry.index == NOTHING else entry.actions[entry.index]
    if entry.action != shown:
        raise InvalidInputError(f"action is {entry.action!r:.60}; index {entry.index} of actions is {shown!r:.60}")
    if not entry.revealing and entry.suggestion not in {entry.index, NOTHING}:
        raise InvalidInputError(
            f"suggestion is {entry.suggestion} and index {entry.index}; they are equal unless the round is revealing"
        )


def _check_draw(entry: Entry) -> None:
    real("audit_probability", entry.audit_probability, high=1.0, meaning="how likely the round was to be an audit")
    if entry.probability is not None:
        real("probability", entry.probability, high=1.0, meaning="of the suggestion, when it was drawn")
    if entry.shown is not None and (entry.propensities is not None or entry.probability is not None):
        raise InvalidInputError(
            f"shown is {entry.shown!r:.60}, so the application chose and nothing was drawn; leave out probability and "
            "propensities"
        )
    if entry.shown is not None and entry.shown != entry.action:
        raise InvalidInputError(f"shown is {entry.shown!r:.60} and action {entry.action!r:.60}; they must be the same")
    if entry.propensities is None:
        return
    p, n = entry.propensities, len(entry.actions)
    if len(p) != n or not all(0 <= one <= 1 for one in p) or abs(sum(p) - 1) > _SUM:
        raise InvalidInputError(
            f"propensities has {len(p)} entries from {min(p, default=0):g} with sum {sum(p):g}; it must hold one "
            f"probability for each of the {n} actions, with sum 1"
        )
    if entry.suggestion == NOTHING or entry.probability != p[entry.suggestion]:
        raise InvalidInputError(
            f"probability is {entry.probability!r} and suggestion {entry.suggestion}; with propensities there is a "
            "suggestion, and probability is its entry in them"
        )


def _check_outcome(entry: Entry) -> None:
    if entry.reward is not None:
        real("reward", entry.reward, high=1.0, meaning="scaled from the loop's reward_range")
    if entry.accepted is False:
        raise InvalidInputError("accepted is false; it is true or left out: a rejection has a correction or dismissed")
    ended = [
        name
        for name, holds in (
            ("accepted", entry.accepted),
            ("correction", entry.correction is not None and not entry.amended),
            ("dismissed", entry.dismissed),
            ("expired", entry.expired),
        )
        if holds
    ]
    if len(ended) > 1:
        raise InvalidInputError(f"{' and '.join(ended)} stand together; a round ends in one way: keep one")
    if entry.amended and not (entry.accepted and entry.correction is not None):
        raise InvalidInputError("amended is true; that takes accepted and the correction that came after it")
    if entry.revealing and entry.accepted:
        raise InvalidInputError("accepted is true in a revealing round; on an audit there is nothing to accept")
    if entry.reward and ended in (["correction"], ["dismissed"]):
        raise InvalidInputError(f"reward is {entry.reward:g} beside {ended[0]}; a round that was not accepted earns 0")


def to_json(value: Any) -> Any:
    """What msgspec cannot write by itself: times, and numpy's numbers and arrays."""
    if isinstance(value, Micros):
        return repr(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise NotImplementedError


def from_json(kind: type, value: Any) -> Any:
    """What msgspec cannot read by itself."""
    return kind.parse(value) if kind is Micros else value


def _plain(name: str, value: Any) -> Any:
    """The value as JSON gives it back: lists for tuples, plain numbers for numpy's."""
    if value is None or type(value) in {str, int, bool}:
        return value
    try:
        return msgspec.json.decode(msgspec.json.encode(value, enc_hook=to_json))
    except (TypeError, ValueError, NotImplementedError, OverflowError) as error:
        raise InvalidInputError(
            f"{name} is {value!r:.60}, which has no JSON form ({error}); use text, numbers, lists and dicts of them"
        ) from None


def _micros(name: str, value: Any) -> Micros:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        try:
            repr(moment := Micros(value))
        except OverflowError:
            pass
        else:
            return moment
    raise InvalidInputError(f"{name} is {value!r:.60}; it must be microseconds since 1970, in the years 1 to 9999")
