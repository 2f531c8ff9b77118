"""Three learners meet the same typists: what each has shown so far, in figures and in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from typeover.core.arrays import Actions, Votes
from typeover.core.protocols import Policies
from typeover.core.tape import Tables
from typeover.environments import Tolerant, next_word
from typeover.evaluation.trial import Glimpse, Trial
from typeover.learners import EFBO, CorrectionOnly, RewardOnly
from typeover.policies import by_context

FINEST = 72
"""Points of the finest curve; coarser ones join neighbours."""
COARSE = 24
"""Points of the curve whose last one a line tells."""
NOISE = 0.01
"""What sampling leaves uncertain: nearer than this counts as the same."""
LEGEND = """
accepted: suggestions taken; fidelity: how near they are to the word meant
regret: letters saved (1 = eight a word) short of the best faithful mixture of rankings; less is better, below 0 = \
earned more than any faithful mixture can
'log count +0.22 per letter': a ranking by frequency, plus 0.22 for each letter
"""
"""What the figures mean."""


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


class Remembered:
    """The votes of a policy set in one world, asked for once: benchmarks, sessions and learners all want the same."""

    def __init__(self, policies: Policies, tables: Tables) -> None:
        self._policies = policies
        self._rows: dict[Any, Votes] = dict(
            zip(tables.contexts, by_context(policies, tables.contexts, tables.actions), strict=True)
        )

    def __len__(self) -> int:
        return len(self._policies)

    @property
    def names(self) -> Sequence[str]:
        """What each is called."""
        return self._policies.names

    def vote(self, context: Any, actions: Actions) -> Votes:  # noqa: ARG002 - the world has one list per context
        """What each recommends in this context of the world."""
        return self._rows[context]

    def votes(self, contexts: Any, actions: Actions) -> Votes:
        """The same for several contexts."""
        return np.stack([self.vote(context, actions) for context in contexts])

    def subset(self, indices: Sequence[int]) -> Policies:
        """Only these; they are asked anew."""
        return self._policies.subset(indices)


class Race:
    """The world, the lanes, and what to say about them."""

    def __init__(self, *, rounds: int, tolerance: float, bias_bound: float, seed: int) -> None:
        self.rounds, self.tolerance, self.seed, self.done = rounds, tolerance, seed, 0
        world, rankings, _ = next_word(user=Tolerant(bias_bound))
        policies = Remembered(rankings, world.tables)
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

    def heading(self) -> str:
        """What stands above the lines."""
        names = "".join(f" | {lane.name:<16}" for lane in self.lanes)
        return f"{'':20}{names}".rstrip() + f"\n{'second':>6}{'words':>14}" + " | acc. fid. regret" * len(self.lanes)

    def line(self, seconds: float) -> str:
        """One line for those without a terminal."""
        cells = []
        for lane in self.lanes:
            point = lane.curve(COARSE)[-1]
            shown = "asks     " if np.isnan(point.accepted) else f"{point.accepted:4.0%} {point.fidelity:.2f}"
            cells.append(f" | {shown} {signed(point.regret):>6}")
        return f"{seconds:6.0f}{self.done:>14,}" + "".join(cells)

    def settled(self) -> dict[str, Point]:
        """Each lane after EFBO's exploration, or over all if that has not ended."""
        start = self.explores if self.done > self.explores else 0
        return {lane.name: lane.between(start, self.rounds) for lane in self.lanes}

    def table(self) -> str:
        """The end result in columns."""
        rows = [f"{'':16}{'accepted':>10}{'fidelity':>10}{'earned/word':>13}{'regret/word':>13}"]
        rows += [
            f"{name:16}{point.accepted:>10.0%}{point.fidelity:>10.2f}{point.earned:>13.2f}{signed(point.regret):>13}"
            for name, point in self.settled().items()
        ]
        return "\n".join(
            [f"after EFBO's exploration ({self.explores:,} words); fidelity wanted: {self.wanted:.2f}", *rows]
        )

    def verdict(self) -> str:
        """One sentence that says what was seen."""
        if self.done <= self.explores:
            return (
                f"EFBO was still exploring after {self.done:,} of its {self.explores:,} words, so there is nothing to "
                "compare yet."
            )
        return f"EFBO asked {self.explores // 2:,} times without a suggestion, then {compared(self.settled())}."

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


def compared(points: dict[str, Point]) -> str:
    """What each earned and how faithful it was; the first is the one that the others are held against."""
    own = next(iter(points.values()))
    parts = []
    for name, point in points.items():
        if point is own:
            parts.append(f"earned {point.earned:.2f} a word and {kept(point)}")
        elif abs(point.earned - own.earned) < NOISE:
            parts.append(f"{name} earned about the same ({point.earned:.2f}) and {kept(point)}")
        else:
            parts.append(f"{name} earned {point.earned:.2f} and {kept(point)}")
    return "; ".join(parts)


def kept(point: Point) -> str:
    """Whether fidelity stayed within the tolerance, in words."""
    if np.isnan(point.violation):
        return "showed nothing"
    if point.violation <= 0:
        return "stayed as faithful as asked"
    if point.violation < NOISE:
        return "was about as faithful as asked"
    return f"was {point.violation:.2f} less faithful than allowed"


def signed(figure: float) -> str:
    """Two decimals with a sign, which nothing that rounds to zero has in front of it.

    >>> signed(0.038), signed(-0.002)
    ('+0.04', '0.00')
    """
    rounded = round(figure, 2)
    return f"{rounded:+.2f}" if rounded else "0.00"


def told(glimpse: Glimpse) -> str:
    """One round in words."""
    before, letter = glimpse.context
    if glimpse.shown is None:
        return f"{before} {letter}... asked without a suggestion, the typist wrote '{glimpse.entered}'"
    if glimpse.accepted:
        return f"{before} {letter}... suggested '{glimpse.shown}', accepted"
    return f"{before} {letter}... suggested '{glimpse.shown}', typed over with '{glimpse.entered}'"


def _rounds(tally: dict[str, float]) -> float:
    return tally["rounds"]
