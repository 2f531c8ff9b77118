"""Study `alignment`: what blending gains where rewards and corrections agree, and costs where not (README.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from typeover.core.claims import Claim
from typeover.rng import seed_for
from typeover.studies.endings import Endings
from typeover.studies.findings import Findings, Table
from typeover.studies.records import Record, Value
from typeover.studies.study import Point, Study

BLENDS, REWARDS, CORRECTIONS = "SharedExp4", "SharedExp4, rewards alone", "SharedExp4, corrections alone"
LEARNERS = (
    BLENDS, REWARDS, CORRECTIONS, "Algorithm 2", "EFBO", "EFBO, rewards alone", "RewardOnly", "CorrectionOnly",
)  # fmt: skip
USERS: dict[Value, str] = {0.0: "users check everything", 1.0: "users let everything pass"}
"""By the share of wrong suggestions that they let pass."""
DIAL, ACTIONS = (1.0, 0.75, 0.5, 0.25, 0.0), (3, 6, 12, 24)
USUAL = 6
"""How many candidates there are where the dial moves."""
ROUNDS, QUICK_ROUNDS = 100_000, 20_000
COST = {ROUNDS: 0.005, QUICK_ROUNDS: 0.02}
"""What blending may cost per round where signals disagree; few seeds leave wide intervals."""
ALPHAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""Where the similarity curve is written down."""


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """One learner at one place of the dial; the last row has the blends chosen and the world's similarity curve."""
    from typeover.environments import Careless, w1
    from typeover.studies.figures import curve
    from typeover.studies.lineup import build
    from typeover.theory import similarity_curve

    name, rounds = str(point["learner"]), int(point["rounds"])
    honest, policies, tolerance = w1(
        alignment=float(point["alignment"]), n_actions=int(point["n_actions"]), seed=seed_for(seed, "world")
    )
    world = honest.with_user(Careless(honest.user, float(point["careless"])))
    learner = build(
        name, policies=policies, loss=world.loss, tolerance=tolerance, horizon=rounds,
        seed=seed_for(seed, "learner", name),
    )  # fmt: skip
    rows = curve(world, learner, rounds=rounds, seed=seed_for(seed, "users"), tolerance=tolerance)
    similarity = similarity_curve(*world.values(policies), tolerance)
    rows[-1] |= {"blend": chosen(learner.figures()), "similarity": [similarity(alpha) for alpha in ALPHAS]}
    return rows


def chosen(figures: dict[str, Any]) -> float | None:
    """The blend that a learner has come to, on average where it keeps several; None where it has none."""
    if "blends" in figures:
        return float(sum(float(blend) * share for blend, share in figures["blends"].items()))
    blend: float | None = figures.get("blend")
    return blend


def analyse(records: Sequence[Record]) -> Findings:
    """Differences between learners are taken seed by seed."""
    from typeover.studies.alignment.pictures import pictures

    ends = Endings(records, "learner", "alignment", "careless", "n_actions")
    rounds = int(records[0].point["rounds"])
    settings = [key[1:] for key in ends if key[0] == BLENDS]
    saved = {setting: ends.difference("reward_regret", (REWARDS, *setting), (BLENDS, *setting)) for setting in settings}
    gain = min(saved[setting].low for setting in settings if setting[0] == 1)
    cost = -min(saved[setting].low for setting in settings if setting[:2] == (0, 1))
    violation = max(ends.interval("late_violation", BLENDS, *setting).high for setting in settings)
    claims = (
        Claim(
            "Rewards and corrections agree (dial at 1): regret that blending saves per round, least of all settings, "
            "lower end", bar="> 0", figure=gain, holds=gain > 0,
        ),
        Claim(
            "They do not (dial at 0, nothing is checked): regret that blending adds per round, most of all settings, "
            "upper end", bar=f"<= {COST[rounds]:g}", figure=cost, holds=cost <= COST[rounds],
        ),
        Claim(
            f"{BLENDS}: violation over the last tenth, largest of all settings, upper end",
            bar="<= 0", figure=violation, holds=violation <= 0,
        ),
    )  # fmt: skip
    return Findings(
        claims=claims, words=_words(ends, saved), tables=_tables(ends, saved), pictures=lambda: pictures(ends, rounds)
    )


def _tables(ends: Endings, saved: dict[Any, Any]) -> tuple[Table, ...]:
    columns = ("users", "dial", "candidates", *LEARNERS)

    def table(title: str, figure: str, note: str) -> Table:
        rows = tuple(
            (USERS[setting[1]], setting[0], setting[2], *(ends.mean(figure, name, *setting) for name in LEARNERS))
            for setting in saved
        )
        return Table(title=title, columns=columns, rows=rows, note=note)

    gains = Table(
        title="Regret per round that blending saves",
        columns=("users", "dial", "candidates", "against rewards alone", "from", "to", "against corrections alone"),
        rows=tuple(
            (
                USERS[setting[1]], setting[0], setting[2], *gain,
                ends.difference("reward_regret", (CORRECTIONS, *setting), (BLENDS, *setting)).mean,
            )
            for setting, gain in saved.items()
        ),
        note="SharedExp4 with all its blends beside itself with one of them, same users; below 0: blending costs.",
    )  # fmt: skip
    return (
        gains,
        table("Reward regret per round", "reward_regret", "Below 0: bought with fidelity, see the next table."),
        table("Violation over the last tenth", "late_violation", "At 0 or below: as faithful as asked."),
    )


def _words(ends: Endings, saved: dict[Any, Any]) -> tuple[str, ...]:
    few, many = (min(key[3] for key in ends), max(key[3] for key in ends))
    agreed = {setting: gain for setting, gain in saved.items() if setting[0] == 1}
    apart = {setting: gain for setting, gain in saved.items() if setting[:2] == (0, 1)}
    shares = [ends.mean("blend", BLENDS, dial, 1.0, USUAL) for dial in (1.0, 0.0)]
    at = ALPHAS.index(0.2)
    slack = {
        careless: _mean(curve[at] for curve in ends.column("similarity", BLENDS, 0.0, careless, USUAL))
        for careless in USERS
    }
    misled = max(saved, key=lambda setting: ends.mean("reward_regret", CORRECTIONS, *setting))
    worst = [ends.mean("reward_regret", name, *misled) for name in (CORRECTIONS, BLENDS, REWARDS)]
    return (
        (
            "Where rewards and corrections agree, blending saves "
            + " and ".join(f"{agreed[1.0, 0.0, n].mean:.4f} per round with {n:g} candidates" for n in (few, many))
            + " when users check everything: the more candidates, the less a reward says beside a correction."
        ),
        (
            f"With the dial at 0 and nothing checked it saves {min(gain.mean for gain in apart.values()):+.4f} to "
            f"{max(gain.mean for gain in apart.values()):+.4f} per round against rewards alone (below 0: costs)."
        ),
        (
            f"The blend that {BLENDS} comes to goes from {shares[0]:.2f} to {shares[1]:.2f} as the dial falls from 1 "
            "to 0 and nothing is checked (1 trusts rewards only)."
        ),
        (
            "The dial alone does not part the signals. Users who check everything pay only for what is right: with the "
            f"dial at 0 and alpha at 0.2 the similarity curve is {slack[0.0]:.3f}, where they let everything pass "
            f"{slack[1.0]:.3f}. In W1 as the paper assumes it, corrections are worth following at every dial."
        ),
        (
            f"Corrections mislead most at dial {misled[0]:g} with {misled[2]:g} candidates, {USERS[misled[1]]}: alone "
            f"they cost {worst[0]:.4f} per round, blended {worst[1]:.4f}, rewards alone {worst[2]:.4f}. What they miss "
            "is what pays more within the tolerance, so that this need not be where the dial is lowest."
        ),
    )


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return sum(every) / len(every)


def _exists(point: Point) -> bool:
    """The dial moves at the usual number of candidates; both its ends are seen with every number."""
    return point["n_actions"] == USUAL or point["alignment"] in {0.0, 1.0}


STUDY = Study(
    name="alignment",
    question="Does blending gain where rewards and corrections agree, and lose nothing where they do not?",
    axes={
        "learner": LEARNERS, "alignment": DIAL, "careless": tuple(USERS), "n_actions": ACTIONS, "rounds": (ROUNDS,),
    },
    quick={"alignment": (1.0, 0.0), "n_actions": (USUAL, 24), "rounds": (QUICK_ROUNDS,)},
    seeds=20,
    quick_seeds=4,
    where=_exists,
    run=run,
    analyse=analyse,
)  # fmt: skip
