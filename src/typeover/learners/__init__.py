"""What decides and learns: the paper's algorithms and the baselines beside them."""

from __future__ import annotations

from typeover.learners.anytime import AnytimeEFBO
from typeover.learners.baselines import CorrectionOnly, Fixed, RewardOnly, Uniform
from typeover.learners.corralled import ConstrainedExp4, CorralledExp4
from typeover.learners.efbo import EFBO
from typeover.learners.shared import SharedExp4

__all__ = [
    "EFBO", "AnytimeEFBO", "ConstrainedExp4", "CorralledExp4", "CorrectionOnly", "Fixed", "RewardOnly", "SharedExp4",
    "Uniform",
]  # fmt: skip
