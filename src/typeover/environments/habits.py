"""Habits that change any user, as real people have them; each wraps a user, and they may be stacked.

None keeps the paper's Assumption 3: a rejection no longer brings the answer for certain, an accept no longer says that
the suggestion was near, or what is entered is not what was wanted. What a world counts is about the answer wanted.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Flags, Vector
from typeover.core.inputs import real, whole
from typeover.environments.users import Conduct, User, conduct
from typeover.rng import stream


class Hurried(msgspec.Struct, frozen=True):
    """U3: after a rejection enters the answer with probability `correction_share`, else nothing (a dismissal).

    Breaks Assumption 3: what is too far may go uncorrected. An audit is answered all the same.
    """

    user: User
    correction_share: float = 0.85

    def __post_init__(self) -> None:
        """A share is a probability."""
        real("correction_share", self.correction_share, high=1.0, meaning="how often a rejection brings the answer")

    def conduct(self, losses: Vector, matches: Flags) -> Conduct:
        """The same accepts, fewer corrections."""
        own = conduct(self.user, losses, matches)
        before = np.ones(losses.shape) if own.correction is None else own.correction
        return own._replace(correction=before * self.correction_share)


class Careless(msgspec.Struct, frozen=True):
    """U4: lets a wrong suggestion that they would have rejected pass with probability `share` (1: rubber-stamping).

    Breaks Assumption 3 unless the share is 0: what is accepted may be as far as Delta goes.
    """

    user: User
    share: float = 0.2

    def __post_init__(self) -> None:
        """A share is a probability."""
        real("share", self.share, high=1.0, meaning="how often a wrong suggestion is let pass")

    def conduct(self, losses: Vector, matches: Flags) -> Conduct:
        """More accepts, of what is not the answer."""
        own = conduct(self.user, losses, matches)
        let_pass = self.share * (1 - own.acceptance) * ~matches
        return own._replace(acceptance=own.acceptance + let_pass)


class Moody(msgspec.Struct, frozen=True):
    """U5: a feature of the context that has nothing to do with Delta shifts what is accepted.

    The mood of a context is uniform in [-swing, swing]: a good one accepts that share of what would have been rejected,
    a bad one rejects that share of what would have been accepted. Breaks Assumption 3 unless the swing is 0.
    """

    user: User
    swing: float = 0.3
    seed: int = 0

    def __post_init__(self) -> None:
        """A share is a probability."""
        real("swing", self.swing, high=1.0, meaning="the largest share of accepts or rejections that a mood turns")
        whole("seed", self.seed, low=0, meaning="which contexts have which mood")

    def moods(self, n_contexts: int) -> Vector:
        """The feature: one number in [-swing, swing] per context."""
        return stream(self.seed, "moods").uniform(-self.swing, self.swing, n_contexts)

    def conduct(self, losses: Vector, matches: Flags) -> Conduct:
        """Other accepts, by context."""
        own = conduct(self.user, losses, matches)
        mood = self.moods(len(losses))[:, None, None]
        turned = np.where(mood > 0, mood * (1 - own.acceptance), mood * own.acceptance)
        return own._replace(acceptance=own.acceptance + turned)


class Slipping(msgspec.Struct, frozen=True):
    """U6: with probability `share` enters the answer nearest to the one wanted in its place, on audits too.

    Breaks Assumption 3: Delta against what was entered is not Delta against what was wanted.
    """

    user: User
    share: float = 0.08

    def __post_init__(self) -> None:
        """A share is a probability."""
        real("share", self.share, high=1.0, meaning="how often another answer near the one wanted is entered")

    def conduct(self, losses: Vector, matches: Flags) -> Conduct:
        """The same accepts, other words."""
        own = conduct(self.user, losses, matches)
        n_answers = losses.shape[2]
        same = np.eye(n_answers)
        slip = (1 - self.share) * same + self.share * same[nearest(losses)]
        return own._replace(entering=slip if own.entering is None else own.entering @ slip)


def nearest(losses: Vector) -> NDArray[np.intp]:
    """The other answer nearest to each, (X, J); an answer that is the only one is nearest to itself.

    Two answers are as far apart as some candidate's losses against them differ: by the triangle inequality never more
    than their distance, and exactly that if one of them is a candidate.
    """
    n_answers = losses.shape[2]
    apart = np.zeros((len(losses), n_answers, n_answers))
    for row in losses.swapaxes(0, 1):
        np.maximum(apart, np.abs(row[:, :, None] - row[:, None, :]), out=apart)
    apart[:, np.arange(n_answers), np.arange(n_answers)] = np.inf
    closest: NDArray[np.intp] = apart.argmin(axis=2)
    return closest
