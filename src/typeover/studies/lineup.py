"""The learners that studies and benchmarks compare, by the names that reports call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from typeover.constraints import Biased
from typeover.core.protocols import Learner, Policies, SurrogateLoss
from typeover.learners import EFBO, AnytimeEFBO, ConstrainedExp4, CorralledExp4, SharedExp4


class Entry(NamedTuple):
    """A learner and its settings."""

    kind: Callable[..., Learner]
    settings: Mapping[str, Any] = {}
    has_horizon: bool = True


LINEUP = {
    "SharedExp4": Entry(SharedExp4, has_horizon=False),
    "SharedExp4, no audits": Entry(SharedExp4, {"audits": 0}, has_horizon=False),
    "Algorithm 2": Entry(CorralledExp4),
    "Algorithm 2, biased": Entry(CorralledExp4, {"constraint": Biased(bias_bound=0.02)}),
    "Exp4, rewards only": Entry(ConstrainedExp4, {"constraint": None, "blend": 1.0}),
    "AnytimeEFBO": Entry(AnytimeEFBO, has_horizon=False),
    "EFBO": Entry(EFBO),
}


def build(name: str, *, policies: Policies, loss: SurrogateLoss, tolerance: float, horizon: int, seed: int) -> Learner:
    """The learner of that name; those that need no horizon are not told it."""
    kind, settings, has_horizon = LINEUP[name]
    own = {"horizon": horizon} if has_horizon else {}
    return kind(policies=policies, loss=loss, tolerance=tolerance, seed=seed, **own, **settings)
