"""Who may play which part; structural, so that nobody has to inherit from us.

Everything with a `state()` gives arrays and JSON, its generator inside, and a class method `from_state` that goes on
exactly there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions, Vector, Votes
from typeover.core.decision import Decision
from typeover.core.feedback import Feedback
from typeover.core.state import State
from typeover.core.tape import Plays, Tape


@runtime_checkable
class SurrogateLoss(Protocol):
    """Delta(a, answer; x) in [0, 1]: how far each candidate is from what the user entered.

    One that is the same in every context may say so by an attribute `ignores_context = True`; simulations with many
    candidates are then faster and smaller.
    """

    def deltas(self, actions: Actions, answer: Any, context: Any) -> Vector:
        """One number per candidate; the answer may be no candidate."""
        ...


@runtime_checkable
class Policies(Protocol):
    """A finite set of ways to choose."""

    def __len__(self) -> int: ...

    def vote(self, context: Any, actions: Actions) -> Votes:
        """What each policy recommends: indices (n_policies,), or probabilities (n_policies, K) if any is randomised."""
        ...

    def votes(self, contexts: Any, actions: Actions) -> Votes:
        """The same for n contexts that share their candidates: (n, n_policies) or (n, n_policies, K)."""
        ...

    def subset(self, indices: Sequence[int]) -> Policies:
        """Only these, in this order; what is played need not ask the others."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """What each is called, for explanations and to recognise the set that a state was saved with."""
        ...


@runtime_checkable
class Learner(Protocol):
    """Decides, and learns from what comes back, in any order or never."""

    def decide(self, context: Any, actions: Actions) -> Decision:
        """What to show in this context."""
        ...

    def learn(self, decision: Decision, feedback: Feedback) -> None:
        """What the user did with it; a correction after an accept takes the accept's place."""
        ...

    def figures(self) -> dict[str, Any]:
        """What a dashboard shows."""
        ...

    def state(self) -> State:
        """Everything needed to go on from here."""
        ...


@runtime_checkable
class CompiledLearner(Learner, Protocol):
    """A learner that can also play a stretch of a tabular world at compiled speed, with the very same decisions."""

    def play(self, tape: Tape) -> Plays:
        """Decide and learn on every round of the tape, as `decide` and `learn` would."""
        ...


@runtime_checkable
class ConstraintEstimator(Protocol):
    """Deltabar_t: an estimate of Delta(., answer; x_t) in every round, though the answer is seen in few (section 4)."""

    def audit_probability(self, context: Any, actions: Actions) -> float:
        """gamma_t, fixed by the past and x_t before anything is drawn."""
        ...

    def estimate(self, decision: Decision, deltas: Vector | None) -> Vector | None:
        """Deltabar_t over the candidates; `deltas` is None unless the answer was seen.

        None: the round leaves sum and count, as a dismissed round does for the biased estimator.
        """
        ...

    def state(self) -> State:
        """Everything needed to go on from here."""
        ...


TALLY = (
    "reward_regret", "reward_regret_mixture", "fidelity_regret", "fidelity_loss",
    "constraint_regret", "constraint_regret_mixture", "shown", "audits", "accepted", "corrections", "reward",
)  # fmt: skip
"""What a session counts, as sums. `fidelity_*` over rounds in which something was shown, the rest over all.

`corrections` are those that users volunteered; answers to audits are not among them. What is left of the rounds after
`audits`, `accepted` and `corrections` was dismissed.
"""


class Session(Protocol):
    """One seeded pass through an environment; the truth stays inside, and so does the counting of regret."""

    def ask(self) -> tuple[Any, Actions]:
        """The next context and its candidates."""
        ...

    def answer(self, decision: Decision) -> Feedback:
        """What the user does with the decision on the round that `ask` gave last."""
        ...

    def tally(self) -> dict[str, float]:
        """Cumulative figures up to here: every name in `TALLY`."""
        ...


class TabularSession(Session, Protocol):
    """A session that can also fix a stretch of rounds in advance, for learners with a compiled path."""

    def tape(self, n_rounds: int) -> Tape:
        """The next rounds: so many, or fewer (at least one) if the world changes on the way; then ask again."""
        ...

    def settle(self, tape: Tape, plays: Plays, marks: NDArray[np.int64]) -> list[dict[str, float]]:
        """Count what was played on the tape; the tally after each of these numbers of its rounds, in rising order."""
        ...


class Environment(Protocol):
    """Where rounds come from. The same seed gives the same users to every learner."""

    def session(self, *, seed: int, policies: Policies, tolerance: float) -> Session:
        """A fresh pass; regret is counted against the best of these policies that is feasible at this tolerance."""
        ...
