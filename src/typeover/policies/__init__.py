"""Finite sets of ways to choose, and mixtures of them."""

from __future__ import annotations

from typeover.policies.families import bootstrapped, random_linear, random_tables
from typeover.policies.members import Classifier, Constant, Lookup
from typeover.policies.mixture import Mixture
from typeover.policies.sets import PolicySet, TablePolicies, by_context
from typeover.policies.votes import checked_votes

__all__ = [
    "Classifier", "Constant", "Lookup", "Mixture", "PolicySet", "TablePolicies", "bootstrapped", "by_context",
    "checked_votes", "random_linear", "random_tables",
]  # fmt: skip
