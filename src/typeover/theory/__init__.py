"""What the paper promises: grid of blends, block lengths, bounds, and how well corrections stand in for rewards."""

from __future__ import annotations

from typeover.theory.blends import blend_grid
from typeover.theory.bounds import blended_deviation, converted_regret, efbo_constraint_regret, efbo_reward_regret
from typeover.theory.schedules import Schedule, block_length
from typeover.theory.similarity import SimilarityCurve, best_feasible, feasible, similarity_curve

__all__ = [
    "Schedule",
    "SimilarityCurve",
    "best_feasible",
    "blend_grid",
    "blended_deviation",
    "block_length",
    "converted_regret",
    "efbo_constraint_regret",
    "efbo_reward_regret",
    "feasible",
    "similarity_curve",
]
