"""Explore First, Blend Optimally (Algorithm 1): four blocks of exploration, one constrained optimum, then play it.

Blocks of T0 rounds: A uniform -> R(pi) (Eq. 2) · B revealing -> D_c(pi) (Eq. 2) · C revealing -> D_b(pi) (Eq. 3) ·
D uniform -> selection (Eq. 5). For each blend mu the saddle point of R_mu = mu R + (1 - mu) mean g(Delta) under D_c
(Eq. 4), the best of them by block D, played for the rest as a mixture. With `blends="none"` two blocks and one saddle
point (Section 3.1).
Departs from the paper: the tolerance of Eq. 1 enters Eq. 4 (decision 0002), the indicator of Eq. 5 is 1(a = a_t)
(decision 0004), and a block is averaged over the answers that came. Guarantee: Theorem 2, in `theory.bounds`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from typeover.core.arrays import Vector
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.errors import InvalidInputError
from typeover.learners.baselines import played
from typeover.learners.checks import check_loss
from typeover.learners.rounds import Heard, Revealing
from typeover.learners.settings import EFBOSettings
from typeover.learners.stagewise import FOR_GOOD, Stage, Stagewise
from typeover.oracles import Solution, exact, mwu
from typeover.policies import Mixture
from typeover.theory import blend_grid

BLOCKS = ("rewards", "losses", "gains", "selection")
"""What blocks A to D estimate."""


class EFBO(Stagewise):
    """Algorithm 1. Needs the horizon; sees corrections only in the audits of blocks B and C."""

    thing = "efbo"
    settings: EFBOSettings

    def __init__(
        self,
        *,
        policies: Policies,
        loss: SurrogateLoss,
        tolerance: float,
        horizon: int,
        block: int | str = "minimax",
        blends: str | Sequence[float] = "grid",
        saddle: str = "exact",
        step: str = "tuned",
        iterations: int | None = None,
        cap: float | None = None,
        n_actions: int | None = None,
        transform: Callable[[Vector], Vector] | None = None,
        revealing: Revealing = None,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """`transform` is g, any bounded function of Delta (left out: 1 - Delta); `revealing` is a0."""
        settings = EFBOSettings(
            tolerance=tolerance, horizon=horizon, block=block, saddle=saddle, step=step, iterations=iterations, cap=cap,
            blends=blends if isinstance(blends, str) or not isinstance(blends, Iterable) else tuple(blends),
            n_actions=n_actions,
        )  # fmt: skip
        self.block = settings.rounds_per_block(len(policies))
        self._transform = transform
        self._blocks = BLOCKS[:2] if settings.blends == "none" else BLOCKS
        super().__init__(
            policies=policies, loss=check_loss(loss), settings=settings, revealing=revealing, seed=seed, rng=rng
        )
        if transform is not None:
            self._parts.append("transform")
        self._sums |= {name: np.zeros(len(policies)) for name in self._blocks}

    @property
    def tolerance(self) -> float:
        """Epsilon."""
        return float(self.settings.tolerance)

    @property
    def explores(self) -> int:
        """How many rounds the blocks take: 4 T0, or 2 T0 without blends."""
        return len(self._blocks) * self.block

    @property
    def mixture(self) -> Mixture | None:
        """What is played after exploration; None before."""
        return self._stage.mixture

    @property
    def blend(self) -> float | None:
        """The blend of what is played; None before the commitment."""
        return self._stage.found.get("blend")

    @property
    def solutions(self) -> dict[float, Solution]:
        """The certified saddle point of each blend by the answers so far; empty before the commitment."""
        return {} if self.mixture is None else self._saddles()

    def _next_stage(self, number: int) -> Stage:
        if number <= self.explores:
            name = self._block_of(number)
            return Stage((self._blocks.index(name) + 1) * self.block, None, revealing=name in {"losses", "gains"})
        return self._committed()

    def _is_learning(self, number: int) -> bool:
        return number <= self.explores

    def _block_of(self, number: int) -> str:
        return self._blocks[(number - 1) // self.block]

    def _absorb(self, heard: Heard) -> None:
        """Add answers to the sums of their block; an audit that was not answered leaves the block."""
        from typeover.kernels.sums import add_chosen, add_matching

        name = self._block_of(heard.first)
        self._answered["n_actions"] = max(self._answered["n_actions"], heard.n_actions)
        if name in {"rewards", "selection"}:
            values = heard.n_actions * heard.rewards  # Eq. 2 and Eq. 5: K r_t 1(a_t = pi(x_t))
            add_matching(self._sums[name], heard.votes, heard.contexts, heard.suggestions, values)
            self._answered[name] += len(values)
            return
        kept = heard.revealed
        deltas = heard.deltas[kept]  # Eq. 2: Delta_t(pi(x_t))
        values = deltas if name == "losses" else self._gain(deltas)  # Eq. 3: g(Delta_t(pi(x_t)))
        add_chosen(self._sums[name], heard.votes, heard.contexts[kept], values)
        self._answered[name] += int(kept.sum())

    def _gain(self, deltas: Vector) -> Vector:
        """g: what fidelity is worth in units of reward."""
        if self._transform is None:
            return 1.0 - deltas
        gains = np.asarray(self._transform(deltas), dtype=np.float64)
        if gains.shape != deltas.shape or not np.isfinite(gains).all():
            raise InvalidInputError(
                f"transform gave {gains.tolist()!r:.120}; it must turn losses in [0, 1] into as many finite numbers"
            )
        return gains

    def _mean(self, name: str) -> Vector:
        return self._sums[name] / max(1, self._answered[name])

    def _committed(self) -> Stage:
        """Lines 5-11: a saddle point per blend, then the best on block D, for good."""
        solutions = self._saddles()
        blend = self._selected(solutions)
        chosen = solutions[blend]
        found = {"blend": blend, "gap": chosen.gap, "loss": chosen.loss, "n_losses": self._answered["losses"]}
        return Stage(FOR_GOOD, Mixture(self.policies, support=chosen.support, weights=chosen.weights), found=found)

    def _saddles(self) -> dict[float, Solution]:
        rewards, losses = self._mean("rewards"), self._mean("losses")  # Eq. 2
        if self.settings.blends == "none":
            return {1.0: self._saddle(rewards, losses)}
        gains = self._mean("gains")
        return {mu: self._saddle(mu * rewards + (1 - mu) * gains, losses) for mu in self._grid()}  # Eq. 3, Eq. 4

    def _selected(self, solutions: dict[float, Solution]) -> float:
        """The blend whose mixture earns most on block D; the first of equals, but for rounding."""
        if len(solutions) == 1:
            return next(iter(solutions))
        selection = self._mean("selection")

        def earned(blend: float) -> float:  # Eq. 5: <Q_mu, sum rhat>/T0
            return round(float(solutions[blend].weights @ selection[solutions[blend].support]), 12)

        return max(solutions, key=earned)

    def _grid(self) -> tuple[float, ...]:
        if not isinstance(self.settings.blends, str):
            return tuple(float(blend) for blend in self.settings.blends)
        n_actions = self.settings.n_actions or max(2, self._answered["n_actions"])
        return tuple(blend_grid(n_actions, self.settings.horizon).tolist())

    def _saddle(self, rewards: Vector, losses: Vector) -> Solution:
        settings = self.settings
        if settings.saddle == "exact":
            return exact(rewards, losses, settings.tolerance, cap=settings.cap)
        cap = settings.horizon / self.block if settings.cap is None else settings.cap  # B = T/T0
        iterations = math.ceil(cap * self.block) if settings.iterations is None else settings.iterations  # S = B T0
        return mwu(rewards, losses, settings.tolerance, cap=cap, iterations=iterations, step=settings.step)  # type: ignore[arg-type]

    def _own_figures(self) -> dict[str, Any]:
        is_exploring, found = self._ledger.rounds < self.explores, self._stage.found
        knows = found.get("n_losses", 0) > 0  # without one answered audit nothing is known of fidelity
        return {
            "stage": self._block_of(self._ledger.rounds + 1) if is_exploring else "committed",
            "block": self.block,
            "explores": self.explores,
            "blend": self.blend,
            "tolerance": self.tolerance,
            "plays": played(self._stage),
            "fidelity": 1.0 - found["loss"] if knows else None,
            "fidelity_interval": self._interval(found["loss"], found["n_losses"]) if knows else None,
            "gap": found.get("gap"),
        }

    def _interval(self, loss: float, n_answers: int) -> list[float]:
        """95 % by Hoeffding over block B, for all policies, and so for all mixtures, at once."""
        radius = math.sqrt(math.log(2 * len(self.policies) / 0.05) / (2 * n_answers))
        return [max(0.0, 1 - loss - radius), min(1.0, 1 - loss + radius)]
