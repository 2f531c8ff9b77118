"""How far suggestions are from what users want: what is asked of them, and which policies that rules out."""

from __future__ import annotations

from typeover.constraints.estimators import ActiveQueries, Biased, Constraint, DoublyRobust, constraint_of

__all__ = ["ActiveQueries", "Biased", "Constraint", "DoublyRobust", "constraint_of"]
