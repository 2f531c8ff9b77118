"""How a learner fares: simulation with regret counted inside."""

from __future__ import annotations

from typeover.evaluation.run import Run
from typeover.evaluation.simulate import simulate

__all__ = ["Run", "simulate"]
