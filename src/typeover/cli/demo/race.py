"""Three learners meet the same typists: what each has shown so far, in figures and in words."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from typeover.environments import Tolerant, next_word
from typeover.evaluation.trial import Glimpse, Trial
from typeover.learners import EFBO, CorrectionOnly, RewardOnly

FINEST = 24
"""Points of the finest curve; coarser ones join neighbours."""


class Point(NamedTuple):
    """Means over one stretch of rounds; shares are NaN if nothing was shown in it."""

    accepted: float
    fidelity: float
    regret: float
    """Reward regret per word against the best mixture that keeps the tolerance."""
    earned: float
    violation: float


class Lane:
    """One learner's trial and its curve."""

    def __init__(self, name: str, trial: Trial, *, rounds: int, explores: int, tolerance: float) -> None:
        self.name = name
        self.trial = trial
        self._rounds, self._tolerance = rounds, tolerance
        points = [round(rounds * i / FINEST) for i in range(1, FINEST + 1)]
        self._marks = np.union1d(points, [explores]).astype(np.int64)
        self._tallies = [{"rounds": 0.0}]

    def advance(self, rounds: int) -> None:
        """Go on to this round, keeping the tallies at the points of the curve."""
        passed = self._marks[(self._marks > self.trial.rounds) & (self._marks <= rounds)]
        if rounds > self.trial.rounds:
            self._tallies += self.trial.advance(np.union1d(passed, [rounds]))

    def between(self, start: int, stop: int) -> Point:
        """Means over the rounds after `start` up to `stop`, or up to the last one played."""
        first, last = (max((t for t in self._tallies if t["rounds"] <= end), key=_rounds) for end in (start, stop))
        gained = {name: total - first.get(name, 0.0) for name, total in last.items()}
        n, shown = max(gained["rounds"], 1.0), gained["shown"] or float("nan")
        return Point(
            accepted=gained["accepted"] / shown,
            fidelity=1 - gained["fidelity_loss"] / shown,
            regret=gained["reward_regret_mixture"] / n,
            earned=gained["reward"] / n,
            violation=gained["fidelity_regret"] / shown - self._tolerance,
        )

    def curve(self, n_points: int = FINEST) -> list[Point]:
        """The stretches so far, equally long, `n_points` over all rounds; the figures of now are the last one's."""
        n = max(1, int(n_points * self.trial.rounds / self._rounds))
        ends = [round(self._rounds * i / n_points) for i in range(n + 1)]
        return [self.between(start, stop) for start, stop in itertools.pairwise(ends)]

    def doing(self) -> str:
        """What the learner is at, in words."""
        figures = self.trial.learner.figures()
        plays = figures["plays"]
        if isinstance(plays, str):
            return "asks" if figures.get("stage") in {"losses", "gains"} else "tries everything"
        return "ranks by " + ", ".join(f"{name} ({share:.0%})" for name, share in plays.items())


class Race:
    """The world, the lanes, and what to say about them."""

    def __init__(self, *, rounds: int, tolerance: float, bias_bound: float, seed: int) -> None:
        self.rounds, self.tolerance, self.seed, self.done = rounds, tolerance, seed, 0
        world, policies, _ = next_word(user=Tolerant(bias_bound))
        self.benchmark = world.benchmark(policies, tolerance)
        efbo = EFBO(policies=policies, loss=world.loss, tolerance=tolerance, horizon=rounds, seed=seed)
        self.explores = efbo.explores
        learners = {
            "EFBO": efbo,
            "rewards only": RewardOnly(policies=policies, horizon=rounds, seed=seed),
            "corrections only": CorrectionOnly(policies=policies, loss=world.loss, seed=seed),
        }
        self.lanes = []
        for name, learner in learners.items():
            trial = Trial(world, learner, seed=seed, policies=policies, tolerance=tolerance)
            self.lanes.append(Lane(name, trial, rounds=rounds, explores=self.explores, tolerance=tolerance))
        self.advance(1)  # compiles what is not yet compiled, before the clock starts

    @property
    def wanted(self) -> float:
        """The least fidelity that keeps the tolerance."""
        return 1 - float(self.benchmark.losses.min()) - self.tolerance

    def advance(self, rounds: int) -> None:
        """All lanes up to this round."""
        for lane in self.lanes:
            lane.advance(rounds)
        self.done = max(self.done, rounds)

    def latest(self) -> str:
        """EFBO's last round as a bystander sees it."""
        glimpse = self.lanes[0].trial.last
        return "" if glimpse is None else told(glimpse)

    def line(self, seconds: float) -> str:
        """One line for those without a terminal."""
        cells = []
        for lane in self.lanes:
            point = lane.curve()[-1]
            shown = (
                "asks, shows nothing"
                if np.isnan(point.accepted)
                else f"{point.accepted:4.0%} accepted, fidelity {point.fidelity:.2f}"
            )
            cells.append(f"{lane.name}: {shown}, regret {point.regret:+.3f}")
        return f"{seconds:4.0f} s {self.done:>7,} words | " + " | ".join(cells)

    def settled(self) -> dict[str, Point]:
        """Each lane after EFBO's exploration, or over all if that has not ended."""
        start = self.explores if self.done > self.explores else 0
        return {lane.name: lane.between(start, self.rounds) for lane in self.lanes}

    def table(self) -> str:
        """The end result in columns."""
        rows = [f"{'':18}{'accepted':>10}{'fidelity':>10}{'earned/word':>13}{'regret/word':>13}"]
        rows += [
            f"{name:18}{point.accepted:>10.0%}{point.fidelity:>10.3f}{point.earned:>13.3f}{point.regret:>+13.3f}"
            for name, point in self.settled().items()
        ]
        return "\n".join(
            [f"after EFBO's exploration ({self.explores:,} words); fidelity wanted: {self.wanted:.3f}", *rows]
        )

    def verdict(self) -> str:
        """One sentence that says what was seen."""
        if self.done <= self.explores:
            return (
                f"EFBO was still exploring after {self.done:,} of its {self.explores:,} words, so there is nothing to "
                "compare yet."
            )
        settled = self.settled()
        own, reward, correction = (settled[lane.name] for lane in self.lanes)
        return (
            f"EFBO asked {self.explores // 2:,} times without a suggestion, then earned {own.earned:.3f} a word and "
            f"{kept(own)}; rewards only earned {reward.earned:.3f} and {kept(reward)}; corrections only earned "
            f"{correction.earned:.3f} and {kept(correction)}."
        )

    def document(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "format": "typeover.demo",
            "version": 1,
            "seed": self.seed,
            "rounds": self.done,
            "tolerance": self.tolerance,
            "explores": self.explores,
            "fidelity_wanted": self.wanted,
            "learners": {name: point._asdict() for name, point in self.settled().items()},
            "verdict": self.verdict(),
        }


def kept(point: Point) -> str:
    """Whether fidelity stayed within the tolerance, in words."""
    if point.violation <= 0:
        return "stayed as faithful as asked"
    return f"was {point.violation:.2f} less faithful than allowed"


def told(glimpse: Glimpse) -> str:
    """One round in words."""
    before, letter = glimpse.context
    if glimpse.shown is None:
        return f"{before} {letter}… asked without a suggestion, the typist wrote '{glimpse.entered}'"
    if glimpse.accepted:
        return f"{before} {letter}… suggested '{glimpse.shown}', accepted"
    return f"{before} {letter}… suggested '{glimpse.shown}', typed over with '{glimpse.entered}'"


def _rounds(tally: dict[str, float]) -> float:
    return tally["rounds"]
