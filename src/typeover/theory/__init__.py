"""What the paper promises: schedules, rates, radii, bounds, and how well corrections stand in for rewards."""

from __future__ import annotations

from typeover.theory.blends import blend_grid
from typeover.theory.bounds import blended_deviation, converted_regret, efbo_constraint_regret, efbo_reward_regret
from typeover.theory.corral import (
    CorralSettings,
    corral_rate,
    corral_settings,
    corralled_reward_regret,
    master_regret,
    phi,
    stable_reward_regret,
)
from typeover.theory.elimination import (
    ActiveRule,
    active_rule,
    biased_radius,
    nested_radius,
    nested_violation,
    nested_width,
    robust_audit_probability,
    robust_moments,
    robust_radius,
    robust_width,
)
from typeover.theory.empirical import doublings_needed, empirical_width
from typeover.theory.exp4 import exp4_blended_regret, exp4_rate, exp4_reward_regret, kept_constraint_regret
from typeover.theory.lower import least_constraint_regret, least_reward_regret
from typeover.theory.regimes import (
    active_constraint_regret,
    active_queries,
    active_reward_regret,
    biased_constraint_regret,
    biased_reward_regret,
    robust_constraint_regret,
    robust_reward_regret,
)
from typeover.theory.schedules import Schedule, block_length
from typeover.theory.similarity import SimilarityCurve, best_feasible, feasible, least_bound, similarity_curve
from typeover.theory.terms import Form

__all__ = [
    "ActiveRule",
    "CorralSettings",
    "Form",
    "Schedule",
    "SimilarityCurve",
    "active_constraint_regret",
    "active_queries",
    "active_reward_regret",
    "active_rule",
    "best_feasible",
    "biased_constraint_regret",
    "biased_radius",
    "biased_reward_regret",
    "blend_grid",
    "blended_deviation",
    "block_length",
    "converted_regret",
    "corral_rate",
    "corral_settings",
    "corralled_reward_regret",
    "doublings_needed",
    "efbo_constraint_regret",
    "efbo_reward_regret",
    "empirical_width",
    "exp4_blended_regret",
    "exp4_rate",
    "exp4_reward_regret",
    "feasible",
    "kept_constraint_regret",
    "least_bound",
    "least_constraint_regret",
    "least_reward_regret",
    "master_regret",
    "nested_radius",
    "nested_violation",
    "nested_width",
    "phi",
    "robust_audit_probability",
    "robust_constraint_regret",
    "robust_moments",
    "robust_radius",
    "robust_reward_regret",
    "robust_width",
    "similarity_curve",
    "stable_reward_regret",
]
