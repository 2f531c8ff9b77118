"""AnytimeEFBO: Algorithm 1 without its horizon, which explores a little in every round and commits again and again.

p_t = (1 - f) Q(x_t) + f/K, f = 0.3 t^(-1/3) · Z_t ~ Ber(gamma_t), gamma_t = 0.5 t^(-1/3), drawn apart from a_t
h = Delta(., what the anchor chooses), the anchor being the policy of least D when the stage began
R(pi)  = mean over shown rounds of r 1(a = pi(x))/p(a)              H(pi)  = mean over all of Deltahat(pi(x))
D(pi)  = sum gamma h(pi(x)) / sum gamma + mean over answered audits of Delta(pi(x)) - h(pi(x))
At rounds that grow geometrically the saddle point of mu R + (1 - mu)(1 - H) under D (Eq. 4) is solved again from all
rounds so far. The blend is the one whose optimum on either half of the rounds earns most on the other (Eq. 5).
D is doubly robust (notes section 5, form iii) with weight gamma_t for round t, which makes every audit count once: no
term exceeds 1, and h needs no answer. What is guaranteed: docs/decisions/0019.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from typeover.core.arrays import Flags, Vector
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.learners.baselines import played
from typeover.learners.checks import check_loss
from typeover.learners.rounds import Heard, Revealing
from typeover.learners.settings import BASES, AnytimeSettings
from typeover.learners.stagewise import Stage, Stagewise
from typeover.oracles import Solution, exact
from typeover.policies import Mixture

FIRST = 10
"""Uniform rounds before the first look."""
UNIFORM, AUDITED = 0.3, 0.5
"""Times t^(-1/3): the share of uniform rounds, and apart from it that of audits."""
SUMS = ("rewards", "losses", "audits", "control")
"""What is summed per policy, in each half of the rounds."""
FOLDS = (0, 1)
"""Even and odd rounds."""


class Means(NamedTuple):
    """What some of the rounds say of each policy."""

    rewards: Vector
    """R."""
    losses: Vector
    """H: accepts and corrections taken at their word."""
    constraint: Vector
    """D, or H as long as no audit was answered."""


class AnytimeEFBO(Stagewise):
    """Needs no horizon; with `audits=0` fidelity rests on what users volunteer."""

    thing = "anytime-efbo"
    is_trusting = True
    settings: AnytimeSettings

    def __init__(
        self,
        *,
        policies: Policies,
        loss: SurrogateLoss,
        tolerance: float,
        blends: Sequence[float] = BASES,
        growth: float = 1.1,
        audits: str | int = "falling",
        revealing: Revealing = None,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """`audits`: "falling" (0.5 t^(-1/3) of the rounds) or 0; `revealing` is a0."""
        listed = tuple(blends) if isinstance(blends, Iterable) and not isinstance(blends, str) else blends
        settings = AnytimeSettings(tolerance=tolerance, blends=listed, growth=growth, audits=audits)
        super().__init__(
            policies=policies, loss=check_loss(loss), settings=settings, revealing=revealing, seed=seed, rng=rng
        )
        self._sums |= {f"{name}.{fold}": np.zeros(len(policies)) for name in SUMS for fold in FOLDS}
        self._sums["weights"] = np.zeros(len(FOLDS))

    @property
    def tolerance(self) -> float:
        """Epsilon."""
        return float(self.settings.tolerance)

    @property
    def mixture(self) -> Mixture | None:
        """What is played, but for the uniform share; None before the first look."""
        return self._stage.mixture

    @property
    def blend(self) -> float | None:
        """The blend of what is played; None before the first look."""
        return self._stage.found.get("blend")

    def _next_stage(self, number: int) -> Stage:
        falling = float(number) ** (-1 / 3)
        gamma = AUDITED * falling if self.settings.audits == "falling" else 0.0
        if number <= FIRST:
            return Stage(FIRST, None, audit_probability=gamma, anchor=0 if gamma > 0 else -1)
        means = self._means(FOLDS)
        blend = self._selected()
        chosen = self._saddle(means, blend)
        found = {"blend": blend, "gap": chosen.gap, "loss": chosen.loss, "n_audits": self._count("audits", FOLDS)}
        return Stage(
            max(number, int(number * self.settings.growth)),
            Mixture(self.policies, support=chosen.support, weights=chosen.weights),
            found=found,
            uniform_share=UNIFORM * falling,
            audit_probability=gamma,
            anchor=int(means.constraint.argmin()) if gamma > 0 else -1,
        )

    def _is_learning(self, number: int) -> bool:  # noqa: ARG002 - every round teaches
        return True

    def _absorb(self, heard: Heard) -> None:
        """Add answers to the sums of their half, weighted by the probabilities of their own decisions."""
        numbers = heard.first + np.arange(len(heard.contexts))
        for fold in FOLDS:
            if (among := numbers % 2 == fold).any():
                self._absorb_fold(heard, fold, among)

    def _absorb_fold(self, heard: Heard, fold: int, among: Flags) -> None:
        from typeover.kernels.sums import add_chosen, add_matching

        votes, contexts = heard.votes, heard.contexts
        shown = among & ~heard.revealing
        values = heard.rewards[shown] / heard.probabilities[shown]  # r 1(a = pi(x))/p(a)
        add_matching(self._sums[f"rewards.{fold}"], votes, contexts[shown], heard.suggestions[shown], values)
        known = among & (heard.revealed | heard.accepted)
        add_chosen(self._sums[f"losses.{fold}"], votes, contexts[known], heard.deltas[known])  # Deltahat
        self._answered.update({f"rewards.{fold}": int(shown.sum()), f"losses.{fold}": int(known.sum())})
        if heard.control is None:
            return
        gammas = heard.audit_probabilities[among]
        add_chosen(
            self._sums[f"control.{fold}"], votes, contexts[among], gammas[:, None] * heard.control[among]
        )  # gamma h
        weights = self._sums["weights"]
        weights[fold] = np.cumsum(np.append(weights[fold], gammas))[-1]  # in the order of the rounds
        asked = among & heard.revealing & heard.revealed
        add_chosen(
            self._sums[f"audits.{fold}"], votes, contexts[asked], heard.deltas[asked] - heard.control[asked]
        )  # Z (Delta - h)
        self._answered[f"audits.{fold}"] += int(asked.sum())

    def _count(self, name: str, folds: Sequence[int]) -> int:
        return sum(self._answered[f"{name}.{fold}"] for fold in folds)

    def _total(self, name: str, folds: Sequence[int]) -> Vector:
        total: Vector = np.sum([self._sums[f"{name}.{fold}"] for fold in folds], axis=0)
        return total

    def _means(self, folds: Sequence[int]) -> Means:
        """R, H and D by these halves of the rounds."""
        rewards = self._total("rewards", folds) / max(1, self._count("rewards", folds))
        losses = self._total("losses", folds) / max(1, self._count("losses", folds))
        if (n_audits := self._count("audits", folds)) == 0:
            return Means(rewards, losses, losses)
        weight = float(self._sums["weights"][list(folds)].sum())
        constraint = self._total("control", folds) / weight + self._total("audits", folds) / n_audits
        return Means(rewards, losses, constraint)

    def _saddle(self, means: Means, blend: float) -> Solution:
        return exact(blend * means.rewards + (1 - blend) * (1 - means.losses), means.constraint, self.tolerance)

    def _selected(self) -> float:
        """The blend whose mixtures from one half earn most on the other, both ways; the first of equals."""
        halves = [self._means([fold]) for fold in FOLDS]

        def earned(blend: float) -> float:  # Eq. 5, with each half in turn in the place of block D
            total = 0.0
            for one, other in (halves, halves[::-1]):
                solution = self._saddle(one, blend)
                total += float(solution.weights @ other.rewards[solution.support])
            return round(total, 12)

        blends: Sequence[float] = self.settings.blends
        return float(max(blends, key=earned))

    def _own_figures(self) -> dict[str, Any]:
        found, n_audits = self._stage.found, self._stage.found.get("n_audits", 0)
        is_known = self._count("losses", FOLDS) > 0 and bool(found)
        return {
            "blend": self.blend,
            "tolerance": self.tolerance,
            "plays": played(self._stage),
            "uniform_share": self._stage.uniform_share if found else 1.0,
            "audit_probability": self._stage.asks,
            "fidelity": min(1.0, max(0.0, 1.0 - found["loss"])) if is_known else None,
            "fidelity_interval": self._interval(found["loss"], n_audits) if n_audits else None,
            "fidelity_rests_on": "audits" if n_audits else "corrections and accepts, taken at their word",
            "gap": found.get("gap"),
        }

    def _interval(self, loss: float, n_audits: int) -> list[float]:
        """95 % at this look by Bernstein, for all policies, and so for all mixtures, at once."""
        log = math.log(2 * len(self.policies) / 0.05)  # terms gamma h + Z (Delta - h): variance <= 1.5 gamma, range 2
        radius = math.sqrt(3 * log / n_audits) + 2 * log / (3 * n_audits)
        return [min(1.0, max(0.0, 1 - loss - radius)), max(0.0, min(1.0, 1 - loss + radius))]
