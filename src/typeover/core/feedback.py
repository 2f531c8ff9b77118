"""What the user did with what was shown: accept, type over, dismiss, or something that was not observed.

The reward counts for the objective; only an accept or a correction says anything about the answer the user wanted.
A dismissal is neither: nothing was entered, and it is never counted as accepted.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
import numpy as np

from typeover.errors import InvalidInputError


class Outcome(StrEnum):
    """The four ways in which a round can end."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    DISMISSED = "dismissed"
    UNOBSERVED = "unobserved"


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to one decision.

    >>> Feedback(reward=0.8).outcome.value
    'accepted'
    >>> Feedback(correction="refund").revealed
    True
    >>> Feedback().outcome.value
    'dismissed'
    """

    reward: float = 0.0
    """Observed reward in [0, 1]; 0 whenever the user typed over (the paper's r_t)."""
    correction: Any = None
    """What the user entered instead, at once or after an accept (an amendment), or in answer to an audit; it may be no
    candidate. None: nothing entered."""
    accepted: bool | msgspec.UnsetType | None = msgspec.UNSET
    """Left out: reward > 0. None: acceptance was not observed (imports, clicks); rewards learn, fidelity does not."""
    told: Any = None
    """The answer wanted, known though the user did not enter it (a simulation that tells it). None: not told."""

    def __post_init__(self) -> None:
        """Refuse what cannot have happened."""
        if isinstance(self.accepted, np.bool_):
            msgspec.structs.force_setattr(self, "accepted", bool(self.accepted))
        if isinstance(self.reward, np.floating | np.integer):
            msgspec.structs.force_setattr(self, "reward", float(self.reward))
        reward = self.reward
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not 0 <= reward <= 1:  # NaN fails too
            raise InvalidInputError(
                f"reward is {reward!r}; it must be a number in [0, 1]; scale it: (reward - lowest) / (highest - lowest)"
            )
        if not isinstance(self.accepted, bool | msgspec.UnsetType | None):
            raise InvalidInputError(
                f"accepted is {self.accepted!r}; it must be True, False, None (not observed) or left out"
            )
        if self.correction is not None and reward > 0:
            raise InvalidInputError(
                f"correction {self.correction!r} came with reward {reward:g}; a round that was typed over earns 0: "
                "send the correction alone"
            )
        if self.correction is not None and self.accepted is True:
            raise InvalidInputError(
                f"correction {self.correction!r} came with accepted=True; a feedback is one or the other: "
                "send the correction alone"
            )
        if self.correction is not None and self.told is not None:
            raise InvalidInputError(
                f"told {self.told!r} came with correction {self.correction!r}; what was entered is known already: "
                "send the correction alone"
            )
        if self.accepted is False and reward > 0:
            raise InvalidInputError(
                f"accepted=False came with reward {reward:g}; a rejected suggestion earns 0: leave accepted out, "
                "or pass accepted=None where acceptance was not observed"
            )

    @property
    def revealed(self) -> bool:
        """xi: the answer that the user wanted is known."""
        return self.answer is not None

    @property
    def answer(self) -> Any:
        """What the user wanted, as far as it is known: entered or told; None: not known."""
        return self.told if self.correction is None else self.correction

    @property
    def outcome(self) -> Outcome:
        """Which of the four it is."""
        if self.correction is not None:
            return Outcome.CORRECTED
        if self.accepted is None:
            return Outcome.UNOBSERVED
        accepted = self.reward > 0 if self.accepted is msgspec.UNSET else self.accepted
        return Outcome.ACCEPTED if accepted else Outcome.DISMISSED
