"""Best mixtures under a constraint: the saddle point of Algorithm 1, exactly and by multiplicative weights."""

from __future__ import annotations

from typeover.oracles.saddle import Frontier, Solution, exact, frontier, mwu

__all__ = ["Frontier", "Solution", "exact", "frontier", "mwu"]
