"""What decides and learns: the paper's algorithms and the baselines beside them."""

from __future__ import annotations

from typeover.learners.baselines import CorrectionOnly, RewardOnly, Uniform
from typeover.learners.corralled import ConstrainedExp4, CorralledExp4
from typeover.learners.efbo import EFBO
from typeover.learners.shared import SharedExp4

__all__ = ["EFBO", "ConstrainedExp4", "CorralledExp4", "CorrectionOnly", "RewardOnly", "SharedExp4", "Uniform"]
