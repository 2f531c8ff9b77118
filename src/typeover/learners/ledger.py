"""Which rounds are still open, and what has come back: the same book for every learner."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typeover.core.decision import Decision
from typeover.core.feedback import Feedback, Outcome
from typeover.errors import InvalidInputError

MOST_OPEN = 2**17
"""Rounds that may wait for an answer; beyond, the oldest is given up, for answers may also never come."""


class Ledger:
    """Counts rounds and answers; a round is answered once."""

    def __init__(self) -> None:
        self.rounds = 0
        self.counts: Counter[str] = Counter()
        self._open: dict[int, None] = {}  # in the order of the rounds

    def decided(self, *, revealing: bool) -> int:
        """Open the next round; its number."""
        self.rounds += 1
        self._open[self.rounds] = None
        self.counts["audits"] += revealing
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]
            self.counts["given_up"] += 1
        return self.rounds

    def is_open(self, decision: Decision) -> bool:
        """Whether this decision still waits for its answer; a second answer is counted and left out."""
        number = decision.round.number
        if not 1 <= number <= self.rounds:
            raise InvalidInputError(
                f"round {number} was not decided here (the last was {self.rounds}); learn from your own decisions only"
            )
        if number not in self._open:
            self.counts["repeated"] += 1
            return False
        return True

    def answered(self, decision: Decision, feedback: Feedback) -> None:
        """Close the round."""
        del self._open[decision.round.number]
        self.counts[("audit " if decision.revealing else "") + feedback.outcome.value] += 1

    def played(self, outcomes: dict[str, int]) -> None:
        """Rounds of a tape, answered as they were played."""
        self.rounds += sum(number for name, number in outcomes.items() if name != "audits")
        self.counts.update(outcomes)

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
        return {"rounds": self.rounds, "open": list(self._open), "counts": dict(+self.counts)}

    @classmethod
    def from_plain(cls, words: dict[str, Any]) -> Ledger:
        """What `plain` gave."""
        ledger = cls()
        ledger.rounds, ledger.counts = words["rounds"], Counter(words["counts"])
        ledger._open = dict.fromkeys(words["open"])
        return ledger
