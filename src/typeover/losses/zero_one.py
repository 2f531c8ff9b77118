"""Right or wrong: Delta(a, answer) = 1[a != answer].

A metric. Every answer may be new: it is then one away from every candidate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from typeover.core.arrays import Actions, Vector


class ZeroOne:
    """Every suggestion but the answer itself is wrong, and equally wrong.

    Choose this when nothing is known about how candidates resemble each other. It needs no settings; an answer that is
    no candidate is 1 from all of them.

    >>> ZeroOne().deltas(["refund", "invoice"], "refund")
    array([0., 1.])
    >>> ZeroOne().deltas(["refund", "invoice"], "a complaint")
    array([1., 1.])
    """

    is_metric = True
    ignores_context = True

    def deltas(self, actions: Actions, answer: Any, context: Any = None) -> Vector:  # noqa: ARG002  same in every context
        """Delta(a, answer) for each candidate a."""
        return np.array([a != answer for a in actions], dtype=np.float64)
