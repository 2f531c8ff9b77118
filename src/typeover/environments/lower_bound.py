"""The instance on which the lower bound is proved (App. B): two users that only the revealing action tells apart.

x uniform on {-1, 1}^k, sgn(x) the product of its entries; two candidates a_-1 and a_1; pi1 plays a_sgn(x), pi2 the
other. Delta = 0 where sgn(x) = 1, and 1(a != a') where sgn(x) = -1. The answer wanted is a fair coin (S1), or falls on
pi2's side with probability 1/2 + tilt (S2). So E[Delta] is 1/4 for both under S1 (1/2 is printed, which leaves out that
half of the contexts cost nothing), and under S2 pi1 loses exactly `tilt` more than pi2.

The appendix leaves open what users do; this is the reading that the proof needs, since it counts the plays of pi2 as
the only source of information. Shown pi1's action, users accept, whatever they want, and it pays a coin of mean c.
Shown pi2's, they earn it nothing and enter what they want: it is the revealing action a0(x), there is no other, and
E[r(pi1)] - E[r(pi2)] = c. Assumption 3 does not hold.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Action, Actions, Flags, Vector
from typeover.core.inputs import real, whole
from typeover.environments.tabular import TabularWorld
from typeover.environments.worlds import TOLERANCE, Setting
from typeover.policies import TablePolicies

ACTIONS = (-1, 1)
"""a_-1 and a_1; the index of a_s is (s + 1) / 2."""


def lower_bound(*, k: int = 3, reward_gap: float = 0.5, tilt: float = 0.0, tolerance: float = TOLERANCE) -> Setting:
    """Users S1 (`tilt` 0), or S2 (`tilt` above the tolerance, so that pi1 is not feasible); policies pi1 and pi2.

    Context x stands for the signs in its binary digits: 1 for -1. Give learners `revealing=revealing_action`; one that
    shows nothing instead learns the same, and its audits count as Delta = 1 in the constraint regret.
    """
    sgn = signs(2 ** whole("k", k, meaning="the number of signs in a context"))
    real("reward_gap", reward_gap, high=1.0, meaning="c, what pi1's action pays")
    real("tilt", tilt, high=0.5, meaning="gamma, how far the answer wanted leans to pi2's action")
    real("tolerance", tolerance, high=1.0, meaning="how much loss above the most faithful policy's is allowed")
    right = (sgn + 1) // 2  # the index of a_sgn(x)
    differ = 1.0 - np.eye(2)
    world = TabularWorld(
        contexts=range(len(sgn)),
        actions=ACTIONS,
        answers=ACTIONS,
        answer_probabilities=np.where(np.eye(2)[right] == 1, 0.5 - tilt, 0.5 + tilt),
        losses=np.where(sgn[:, None, None] == 1, 0.0, differ),
        rewards=np.full((len(sgn), 2), reward_gap),
        user=Yielding(),
    )
    return Setting(world, TablePolicies(np.stack([right, 1 - right], axis=1), names=["pi1", "pi2"]), tolerance)


def signs(n_contexts: int) -> NDArray[np.int64]:
    """sgn(x): -1 for an odd number of binary ones."""
    ones = [x.bit_count() for x in range(n_contexts)]
    return 1 - 2 * (np.array(ones) % 2)


def revealing_action(context: Any, actions: Actions) -> Action:  # noqa: ARG001 - the form that learners call
    """a0(x) = a_-sgn(x), pi2's action."""
    return 1 if int(context).bit_count() % 2 else -1


class Yielding(msgspec.Struct, frozen=True):
    """Accepts pi1's action, whatever they want, and types over pi2's; lives in `lower_bound` only."""

    def acceptance(self, losses: Vector, matches: Flags) -> Vector:  # noqa: ARG002 - the protocol's signature
        """1 for a_sgn(x)."""
        right = (signs(len(losses)) + 1) // 2
        return np.broadcast_to(np.eye(2)[right][:, :, None], losses.shape).copy()
