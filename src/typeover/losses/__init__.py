"""Surrogate losses Delta(a, answer; x) in [0, 1]: how far a suggestion was from what the user entered.

Estimators that compare with the accepted suggestion need a metric (Assumption 2): symmetric, with the triangle
inequality. `check_metric` says whether a loss is one, and names the items where it is not.
"""

from __future__ import annotations

from typeover.losses.edit import EditDistance
from typeover.losses.function import Function
from typeover.losses.metric import check_metric, matrix
from typeover.losses.table import Table
from typeover.losses.tree import Tree
from typeover.losses.vectors import Vectors
from typeover.losses.zero_one import ZeroOne

__all__ = ["EditDistance", "Function", "Table", "Tree", "Vectors", "ZeroOne", "check_metric", "matrix"]
