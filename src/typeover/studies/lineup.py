"""The learners that studies and benchmarks compare, by the names that reports call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from typeover.constraints import Biased
from typeover.core.protocols import Learner, Policies, SurrogateLoss
from typeover.learners import (
    EFBO,
    AnytimeEFBO,
    ConstrainedExp4,
    CorralledExp4,
    CorrectionOnly,
    RewardOnly,
    SharedExp4,
    Uniform,
)


class Entry(NamedTuple):
    """A learner and its settings."""

    kind: Callable[..., Learner]
    settings: Mapping[str, Any] = {}
    needs: tuple[str, ...] = ("loss", "tolerance", "horizon")
    """What it is told of the world."""


ANYTIME = "loss", "tolerance"
LINEUP = {
    "SharedExp4": Entry(SharedExp4, needs=ANYTIME),
    "SharedExp4, no audits": Entry(SharedExp4, {"audits": 0}, ANYTIME),
    "SharedExp4, rewards alone": Entry(SharedExp4, {"blends": (1.0,)}, ANYTIME),
    "SharedExp4, corrections alone": Entry(SharedExp4, {"blends": (0.0,)}, ANYTIME),
    "Algorithm 2": Entry(CorralledExp4),
    "Algorithm 2, biased": Entry(CorralledExp4, {"constraint": Biased(bias_bound=0.02)}),
    "Exp4, rewards only": Entry(ConstrainedExp4, {"constraint": None, "blend": 1.0}),
    "AnytimeEFBO": Entry(AnytimeEFBO, needs=ANYTIME),
    "EFBO": Entry(EFBO),
    "EFBO, rewards alone": Entry(EFBO, {"blends": (1.0,)}),
    "RewardOnly": Entry(RewardOnly, needs=("horizon",)),
    "CorrectionOnly": Entry(CorrectionOnly, needs=("loss",)),
    "Uniform": Entry(Uniform, needs=()),
}


def build(
    name: str, *, policies: Policies, loss: SurrogateLoss, tolerance: float, horizon: int, seed: int, **settings: Any
) -> Learner:
    """The learner of that name, told what it needs; `settings` go before its own."""
    kind, own, needs = LINEUP[name]
    known = {"loss": loss, "tolerance": tolerance, "horizon": horizon}
    told = {what: known[what] for what in needs}
    return kind(policies=policies, seed=seed, **told, **{**own, **settings})
