"""Typeover decides which suggestion to show and learns from every accept and every correction.

>>> from typeover import EFBO, Feedback, PolicySet
>>> from typeover.losses import ZeroOne
>>> from typeover.policies import Constant
>>> policies = PolicySet([Constant("refund"), Constant("invoice")])
>>> learner = EFBO(policies=policies, loss=ZeroOne(), tolerance=0.05, horizon=1000, seed=7)
>>> decision = learner.decide("where is my money?", ["refund", "invoice"])  # show decision.action; None: show nothing
>>> learner.learn(decision, Feedback(correction="refund"))  # typed over; Feedback(reward=1.0) if it was accepted
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from typeover import constraints, environments, learners, losses, oracles, policies, theory
    from typeover.core.decision import Decision, Round
    from typeover.core.feedback import Feedback
    from typeover.core.state import State
    from typeover.errors import TypeoverError
    from typeover.evaluation.run import Run
    from typeover.evaluation.simulate import simulate
    from typeover.learners import (
        EFBO,
        AnytimeEFBO,
        ConstrainedExp4,
        CorralledExp4,
        CorrectionOnly,
        Fixed,
        RewardOnly,
        SharedExp4,
        Uniform,
    )
    from typeover.policies import Mixture, PolicySet

_HOME = {
    "EFBO": "learners", "AnytimeEFBO": "learners", "ConstrainedExp4": "learners", "CorralledExp4": "learners",
    "CorrectionOnly": "learners", "Fixed": "learners", "RewardOnly": "learners", "SharedExp4": "learners",
    "Uniform": "learners",
    "Mixture": "policies", "PolicySet": "policies",
    "Decision": "core.decision", "Round": "core.decision", "Feedback": "core.feedback", "State": "core.state",
    "Run": "evaluation.run", "simulate": "evaluation.simulate", "TypeoverError": "errors",
    "constraints": "", "environments": "", "learners": "", "losses": "", "oracles": "", "policies": "", "theory": "",
}  # fmt: skip
"""Where each public name lives; it is imported when it is first asked for, so that `import typeover` stays light."""

__all__ = [
    "EFBO", "AnytimeEFBO", "ConstrainedExp4", "CorralledExp4", "CorrectionOnly", "Decision", "Feedback", "Fixed",
    "Mixture", "PolicySet", "RewardOnly", "Round", "Run", "SharedExp4", "State", "TypeoverError", "Uniform",
    "__version__", "constraints", "environments", "learners", "losses", "oracles", "policies", "simulate", "theory",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'typeover' has no attribute {name!r}")
    found = (
        getattr(importlib.import_module(f"typeover.{home}"), name)
        if home
        else importlib.import_module(f"typeover.{name}")
    )
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
