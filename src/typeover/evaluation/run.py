"""What a simulation found: cumulative figures at chosen rounds, as arrays."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Vector
from typeover.errors import InvalidInputError


class Run(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Cumulative sums after `rounds[i]` rounds; regret is against the best feasible policy, or mixture where named."""

    rounds: NDArray[np.int64]
    reward_regret: Vector
    """Audits earn nothing in it."""
    reward_regret_mixture: Vector
    fidelity_regret: Vector
    """Over rounds in which something was shown: Delta minus that of the most faithful policy."""
    fidelity_loss: Vector
    """Over rounds in which something was shown: expected Delta."""
    constraint_regret: Vector
    """The paper's: Delta minus that of the best feasible policy; an audit that shows nothing counts as Delta = 1."""
    constraint_regret_mixture: Vector
    shown: Vector
    audits: Vector
    accepted: Vector
    corrections: Vector
    reward: Vector
    """Observed."""
    tolerance: float
    seed: int
    seconds: float
    compiled: bool
    """Played on the learner's compiled path."""

    @property
    def violation(self) -> Vector:
        """Mean fidelity regret of what was shown, minus the tolerance; NaN while nothing was shown."""
        return _share(self.fidelity_regret, self.shown) - self.tolerance

    @property
    def fidelity(self) -> Vector:
        """1 - mean Delta of what was shown; NaN while nothing was shown."""
        return 1.0 - _share(self.fidelity_loss, self.shown)

    @property
    def accepted_share(self) -> Vector:
        """Of the rounds that were no audits; NaN while there is none."""
        return _share(self.accepted, self.rounds - self.audits)

    @property
    def rounds_per_second(self) -> float:
        """How fast it went."""
        return float(self.rounds[-1]) / self.seconds

    def between(self, start: int, stop: int) -> dict[str, float]:
        """Means per round from round `start` + 1 to `stop`, both recorded.

        `violation` is over what was shown, `accepted_share` over rounds that were no audits; NaN where there is none.
        """
        for name, mark in (("start", start), ("stop", stop)):
            if mark not in self.rounds and (name == "stop" or mark != 0):
                raise InvalidInputError(f"{name} is {mark!r}, which was not recorded; pass it to simulate in at=[...]")
        if start >= stop:
            raise InvalidInputError(f"start is {start!r} and stop {stop!r}; start must come before stop")
        i, j = (
            (0 if start == 0 else int(np.searchsorted(self.rounds, start)) + 1),
            int(np.searchsorted(self.rounds, stop)) + 1,
        )

        def gained(values: Vector) -> float:
            return float(values[j - 1] - (values[i - 1] if i else 0.0))

        n, shown, asked = stop - start, gained(self.shown), gained(self.audits)
        return {
            "reward": gained(self.reward) / n,
            "reward_regret": gained(self.reward_regret) / n,
            "constraint_regret": gained(self.constraint_regret) / n,
            "audits": asked / n,
            "violation": gained(self.fidelity_regret) / shown - self.tolerance if shown else float("nan"),
            "accepted_share": gained(self.accepted) / (n - asked) if n > asked else float("nan"),
        }

    def summary(self) -> dict[str, Any]:
        """The last row, in plain numbers."""
        return {
            "rounds": int(self.rounds[-1]),
            "reward_regret": float(self.reward_regret[-1]),
            "constraint_regret": float(self.constraint_regret[-1]),
            "violation": float(self.violation[-1]),
            "fidelity": float(self.fidelity[-1]),
            "accepted_share": float(self.accepted_share[-1]),
            "audits": int(self.audits[-1]),
        }


def _share(totals: Vector, counts: Vector) -> Vector:
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Vector = totals / counts
    return means
