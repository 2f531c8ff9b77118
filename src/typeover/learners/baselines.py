"""What a team would try first: rewards alone, corrections alone, nothing learnt, one policy for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from typeover.core.protocols import Policies, SurrogateLoss
from typeover.errors import InvalidInputError, nearest
from typeover.learners.checks import check_loss, check_policies
from typeover.learners.rounds import Heard
from typeover.learners.settings import FixedSettings, LeaderSettings, NoSettings, RewardOnlySettings
from typeover.learners.stagewise import FOR_GOOD, Stage, Stagewise
from typeover.policies import Mixture
from typeover.policies.mixture import identity


class RewardOnly(Stagewise):
    """Explore first on rewards alone: T0 uniform rounds, then the best policy by mean reward; deaf to corrections."""

    thing = "reward-only"
    settings: RewardOnlySettings

    def __init__(
        self, *, policies: Policies, horizon: int, block: int | str = "minimax", n_actions: int | None = None,
        seed: int | None = None, rng: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        settings = RewardOnlySettings(horizon=horizon, block=block, n_actions=n_actions)
        self.block = settings.rounds_per_block(len(policies))
        super().__init__(policies=policies, loss=None, settings=settings, seed=seed, rng=rng)
        self._sums["rewards"] = np.zeros(len(policies))

    def _next_stage(self, number: int) -> Stage:
        if number <= self.block:
            return Stage(self.block, None)
        return Stage(FOR_GOOD, Mixture(self.policies, support=[int(self._sums["rewards"].argmax())], weights=[1.0]))

    def _is_learning(self, number: int) -> bool:
        return number <= self.block

    def _absorb(self, heard: Heard) -> None:
        from typeover.kernels.sums import add_matching

        values = heard.n_actions * heard.rewards  # Eq. 2: K r_t 1(a_t = pi(x_t))
        add_matching(self._sums["rewards"], heard.votes, heard.contexts, heard.suggestions, values)
        self._answered["rewards"] += len(values)

    def _own_figures(self) -> dict[str, Any]:
        return {"stage": "exploring" if self._ledger.rounds < self.block else "committed", "plays": played(self._stage)}


class CorrectionOnly(Stagewise):
    """Supervised on what users volunteer: follows the policy nearest to the corrections so far; hears no reward.

    Users choose when to correct, so this is biased by what is shown: what an accept log and its corrections invite.
    """

    thing = "correction-only"
    settings: LeaderSettings

    def __init__(
        self, *, policies: Policies, loss: SurrogateLoss, first: int = 10, growth: float = 1.1,
        seed: int | None = None, rng: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        settings = LeaderSettings(first=first, growth=growth)
        super().__init__(policies=policies, loss=check_loss(loss), settings=settings, seed=seed, rng=rng)
        self._sums["losses"] = np.zeros(len(policies))

    def _next_stage(self, number: int) -> Stage:
        if number <= self.settings.first:
            return Stage(self.settings.first, None)
        leader = Mixture(self.policies, support=[int(self._sums["losses"].argmin())], weights=[1.0])
        return Stage(max(number, int(number * self.settings.growth)), leader)

    def _is_learning(self, number: int) -> bool:  # noqa: ARG002 - every round may bring a correction
        return True

    def _absorb(self, heard: Heard) -> None:
        from typeover.kernels.sums import add_chosen

        kept = heard.revealed
        add_chosen(self._sums["losses"], heard.votes, heard.contexts[kept], heard.deltas[kept])
        self._answered["losses"] += int(kept.sum())

    def _own_figures(self) -> dict[str, Any]:
        return {"learnt_from": self._answered["losses"], "plays": played(self._stage)}


class Uniform(Stagewise):
    """Any candidate, each as likely as the others; learns nothing. `policies` say what it is compared with."""

    thing = "uniform"

    def __init__(self, *, policies: Policies, seed: int | None = None, rng: np.random.Generator | None = None) -> None:
        super().__init__(policies=policies, loss=None, settings=NoSettings(), seed=seed, rng=rng)

    def _next_stage(self, number: int) -> Stage:  # noqa: ARG002 - one stage for good
        return Stage(FOR_GOOD, None)

    def _is_learning(self, number: int) -> bool:  # noqa: ARG002 - never
        return False

    def _absorb(self, heard: Heard) -> None:
        """Nothing to learn."""

    def _own_figures(self) -> dict[str, Any]:
        return {"plays": played(self._stage)}


class Fixed(Stagewise):
    """One policy, or one mixture, for good; learns nothing.

    `policy` is a place in the set or a name; `mixture` a saved `Mixture` of the same set, or pairs (place, weight).

    >>> from typeover.policies import Constant, PolicySet
    >>> learner = Fixed(policies=PolicySet([Constant("yes"), Constant("no")]), policy=1, seed=7)
    >>> learner.decide(None, ["yes", "no"]).action
    'no'
    """

    thing = "fixed"
    settings: FixedSettings

    def __init__(
        self, *, policies: Policies, policy: int | str | None = None,
        mixture: Mixture | Sequence[tuple[int, float]] | None = None,
        seed: int | None = None, rng: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        check_policies(policies)
        if (policy is None) == (mixture is None):
            raise InvalidInputError("give either policy (a place or a name) or mixture, not both and not neither")
        pairs = _pairs(mixture, policies) if mixture is not None else ((_place(policy, policies), 1.0),)
        self.mixture = Mixture(policies, support=[i for i, _ in pairs], weights=[weight for _, weight in pairs])
        super().__init__(policies=policies, loss=None, settings=FixedSettings(mixture=pairs), seed=seed, rng=rng)

    def _next_stage(self, number: int) -> Stage:  # noqa: ARG002 - one stage for good
        return Stage(FOR_GOOD, self.mixture)

    def _is_learning(self, number: int) -> bool:  # noqa: ARG002 - never
        return False

    def _absorb(self, heard: Heard) -> None:
        """Nothing to learn."""

    def _own_figures(self) -> dict[str, Any]:
        return {"plays": played(self._stage)}


def _place(policy: int | str | None, policies: Policies) -> int:
    """Where a policy stands in the set."""
    names = list(policies.names)
    if isinstance(policy, str):
        if names.count(policy) != 1:
            known = f"{names.count(policy)} policies have that name; give its place" if policy in names else ""
            raise InvalidInputError(f"policy is {policy!r}; {known or nearest(policy, names)}")
        return names.index(policy)
    if isinstance(policy, bool) or not isinstance(policy, int | np.integer) or not 0 <= policy < len(policies):
        raise InvalidInputError(f"policy is {policy!r}; it must be a name or a place from 0 to {len(policies) - 1}")
    return int(policy)


def _pairs(mixture: Mixture | Sequence[tuple[int, float]], policies: Policies) -> tuple[tuple[int, float], ...]:
    """Places and weights in plain numbers."""
    if isinstance(mixture, Mixture):
        if mixture.state().json["set"] != identity(policies):
            raise InvalidInputError(f"mixture is {mixture!r}, over other policies; give the set that it was made with")
        return tuple(zip(mixture.support.tolist(), mixture.weights.tolist(), strict=True))
    try:
        return tuple((_place(place, policies), float(weight)) for place, weight in mixture)
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(
            f"mixture is {mixture!r:.80}; give a Mixture, or pairs of place and weight such as [(0, 0.75), (2, 0.25)]"
        ) from None


def played(stage: Stage) -> dict[str, float] | str:
    """What is played, in names."""
    if stage.mixture is None:
        return "uniform over the candidates"
    return dict(zip(stage.mixture.policies.names, stage.mixture.weights.tolist(), strict=True))
