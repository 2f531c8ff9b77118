"""Which rounds are still open, and what has come back: the same book for every learner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Flags
from typeover.core.decision import Decision
from typeover.core.feedback import Feedback, Outcome
from typeover.core.tape import Responses
from typeover.errors import InvalidInputError

MOST_OPEN = 2**17
"""Rounds that may wait for an answer; beyond, the oldest is given up, for answers may also never come."""
MOST_AMENDABLE = 2**17
"""The last rounds in which an accept may still be amended; of older ones nobody knows what their accept had taught."""


class Ledger:
    """Counts rounds and answers; a round is answered once, and an accept may be amended once."""

    def __init__(self) -> None:
        self.rounds = 0
        self.counts: Counter[str] = Counter()
        self.amended_loss = 0.0
        """Sum of Delta(shown, entered afterwards) over amended rounds."""
        self._open: dict[int, None] = {}  # in the order of the rounds
        self._accepted = np.full(MOST_AMENDABLE, np.nan)  # by number modulo its length: the reward of an accept

    def decided(self, *, revealing: bool) -> int:
        """Open the next round; its number."""
        self.rounds += 1
        self._open[self.rounds] = None
        self._accepted[self.rounds % len(self._accepted)] = np.nan
        self.counts["audits"] += revealing
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]
            self.counts["given_up"] += 1
        return self.rounds

    def is_open(self, decision: Decision) -> bool:
        """Whether this decision still waits for its answer."""
        number = decision.round.number
        if not 1 <= number <= self.rounds:
            raise InvalidInputError(
                f"round {number} was not decided here (the last was {self.rounds}); learn from your own decisions only"
            )
        return number in self._open

    def answered(self, decision: Decision, feedback: Feedback) -> None:
        """Close the round."""
        number, outcome = decision.round.number, feedback.outcome
        del self._open[number]
        self.counts[("audit " if decision.revealing else "") + outcome.value] += 1
        is_recent = number > self.rounds - len(self._accepted)
        if outcome is Outcome.ACCEPTED and is_recent and not decision.revealing and not feedback.revealed:
            self._accepted[number % len(self._accepted)] = feedback.reward

    def amendable(self, decision: Decision, feedback: Feedback) -> Feedback | None:
        """The accept that this correction replaces; None: the answer is a mere repetition."""
        number = decision.round.number
        if feedback.outcome is not Outcome.CORRECTED or number <= self.rounds - len(self._accepted):
            return None
        reward = float(self._accepted[number % len(self._accepted)])
        return None if np.isnan(reward) else Feedback(reward=reward, accepted=True)

    def amended(self, decision: Decision, loss: float) -> None:
        """What was accepted was replaced; `loss` is Delta of what was shown, 0 for a learner without a loss."""
        self._accepted[decision.round.number % len(self._accepted)] = np.nan
        self.counts["amended"] += 1
        self.amended_loss += loss

    def played(self, responses: Responses, audits: Flags) -> None:
        """Rounds of a tape, answered as they were played; nobody amends them, but both paths leave the same book."""
        for is_audit in (False, True):
            self.counts.update(_outcomes(responses.among(audits == is_audit), is_audit=is_audit))
        size = len(self._accepted)
        numbers = np.arange(self.rounds + 1, self.rounds + 1 + len(audits))[-size:]
        amendable = responses.accepted & ~responses.revealed & ~audits
        self._accepted[numbers % size] = np.where(amendable, responses.rewards, np.nan)[-size:]
        self.rounds += len(audits)

    def figures(self) -> dict[str, Any]:
        """What came back, in numbers."""
        counts = self.counts
        decided = counts[Outcome.ACCEPTED] + counts[Outcome.CORRECTED] + counts[Outcome.DISMISSED]
        return {
            "rounds": self.rounds,
            "audits": counts["audits"],
            "unanswered_audits": counts["audits"] - counts["audit " + Outcome.CORRECTED],
            "accepted": counts[Outcome.ACCEPTED],
            "corrections": counts[Outcome.CORRECTED],
            "dismissals": counts[Outcome.DISMISSED],
            "unobserved": counts[Outcome.UNOBSERVED],
            "unanswered": len(self._open) + counts["given_up"],
            "repeated": counts["repeated"],
            "accepted_share": counts[Outcome.ACCEPTED] / decided if decided else None,
        }

    def plain(self) -> dict[str, Any]:
        """For saved states."""
        words = {"rounds": self.rounds, "open": list(self._open), "counts": dict(+self.counts)}
        return words | {"amended_loss": self.amended_loss}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """For saved states: the rounds that may be amended, and what their accepts earned."""
        size = len(self._accepted)
        numbers = np.arange(max(0, self.rounds - size) + 1, self.rounds + 1)
        rewards = self._accepted[numbers % size]
        kept = ~np.isnan(rewards)
        return {"ledger.accepted": numbers[kept], "ledger.rewards": rewards[kept]}

    @classmethod
    def from_plain(cls, words: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Ledger:
        """What `plain` and `arrays` gave; a state from before amendments has none that could be amended."""
        ledger = cls()
        ledger.rounds, ledger.counts = words["rounds"], Counter(words["counts"])
        ledger._open = dict.fromkeys(words["open"])
        ledger.amended_loss = words.get("amended_loss", 0.0)
        if "ledger.accepted" in arrays:
            size = len(ledger._accepted)
            recent = (numbers := arrays["ledger.accepted"]) > ledger.rounds - size
            ledger._accepted[numbers[recent] % size] = arrays["ledger.rewards"][recent]
        return ledger


def _outcomes(responses: Responses, *, is_audit: bool) -> dict[str, int]:
    """How a stretch of rounds ended."""
    n, accepted = len(responses.accepted), int(np.count_nonzero(responses.accepted))
    dismissed = int(np.count_nonzero(~responses.accepted & ~responses.revealed))
    kind = "audit " if is_audit else ""
    return {
        kind + Outcome.ACCEPTED: accepted,
        kind + Outcome.CORRECTED: n - accepted - dismissed,
        kind + Outcome.DISMISSED: dismissed,
        "audits": n * is_audit,
    }
