"""What decides and learns: the paper's algorithms and the baselines beside them."""

from __future__ import annotations

from typeover.learners.anytime import AnytimeEFBO
from typeover.learners.baselines import CorrectionOnly, Fixed, RewardOnly, Uniform
from typeover.learners.efbo import EFBO
from typeover.learners.shared import SharedExp4

__all__ = ["EFBO", "AnytimeEFBO", "CorrectionOnly", "Fixed", "RewardOnly", "SharedExp4", "Uniform"]
