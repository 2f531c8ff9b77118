"""What study `alignment` shows: regret along the dial and with the candidates, blends chosen, similarity curves."""

from __future__ import annotations

from typing import Any

from typeover.studies.alignment import ALPHAS, BLENDS, CORRECTIONS, REWARDS, USERS, USUAL
from typeover.studies.endings import Endings
from typeover.studies.findings import Picture

N_POLICIES = 200
"""Of W1."""
SHOWN = 0.4
"""The alphas of the picture end here: further on every line rises."""
COMPARED = (BLENDS, REWARDS, CORRECTIONS)


def pictures(ends: Endings, rounds: int) -> tuple[Picture, ...]:
    """With intervals over seeds; a theorem's promise is dashed."""
    from typeover import charts

    dial = _rows(ends, "reward_regret", COMPARED, at=lambda key: key[3] == USUAL)
    counts = _rows(ends, "reward_regret", COMPARED, at=lambda key: key[1] == 1)
    blends = _rows(ends, "blend", (BLENDS, "Algorithm 2", "EFBO"), at=lambda key: key[3] == USUAL)
    shape: dict[str, Any] = {"by": "learner", "low": "low", "high": "high", "facet": "users"}
    return (
        Picture(
            name="dial",
            title="One learner, three diets",
            caption="Reward regret per round with six candidates, audits at full price. To the right rewards agree "
            "with fidelity, to the left they have nothing to do with it. Bands are 95 % intervals over seeds.",
            chart=charts.curves(dial, x="alignment", y="mean", x_title="Dial", y_title="Regret per round", **shape),
        ),
        Picture(
            name="candidates",
            title="The more candidates, the more a correction is worth",
            caption="Reward regret per round where rewards and corrections agree (dial at 1). Dashed: what Theorem 6 "
            "promises to Exp4 at the best of its blends, and on rewards alone: there as the root of the number.",
            chart=charts.curves(
                counts, x="n_actions", y="mean", x_title="Candidates", y_title="Regret per round", log_x=True,
                log_y=True, reference=promised(ends, rounds), **shape,
            ),
        ),
        Picture(
            name="blends",
            title="Which blend is chosen",
            caption="At the end of a run with six candidates; 1 trusts rewards only, 0 corrections only. SharedExp4 "
            "and Algorithm 2 keep several, here is their mean. EFBO takes the first of equals, which is 0.",
            chart=charts.curves(blends, x="alignment", y="mean", x_title="Dial", y_title="Blend chosen", **shape),
        ),
        Picture(
            name="similarity",
            title="How well corrections stand in for rewards",
            caption="Definition 1's d(alpha): how much corrections hold against the best policy that is faithful "
            "enough, if each unit of reward counts alpha of theirs. A line along 0 says that corrections lead to it; "
            "one that starts above 0, that they lead elsewhere. One line for each place of the dial, six candidates.",
            chart=charts.curves(
                _similarity(ends), x="alpha", y="mean", x_title="alpha", y_title="d(alpha)", by="dial", low="low",
                high="high", facet="users",
            ),
        ),
    )  # fmt: skip


def _rows(ends: Endings, figure: str, names: tuple[str, ...], at: Any) -> list[dict[str, Any]]:
    return [
        {"learner": key[0], "alignment": key[1], "users": USERS[key[2]], "n_actions": key[3]}
        | ends.interval(figure, *key)._asdict()
        for name in names
        for key in ends
        if key[0] == name and at(key)
    ]


def _similarity(ends: Endings) -> list[dict[str, Any]]:
    """d(alpha) at each place of the dial; what a learner does plays no part in it."""
    from typeover.evaluation.intervals import mean_interval

    return [
        {"alpha": alpha, "dial": f"dial {key[1]:g}", "users": USERS[key[2]]} | mean_interval(values)._asdict()
        for key in ends
        if key[0] == BLENDS and key[3] == USUAL
        for alpha, *values in zip(ALPHAS, *ends.column("similarity", *key), strict=True)
        if alpha <= SHOWN
    ]


def promised(ends: Endings, rounds: int) -> list[dict[str, Any]]:
    """Theorem 6 per round with the constants that its proof gives: the best over blends and points of the curve."""
    from typeover.learners.settings import BASES
    from typeover.theory import exp4_reward_regret

    rows = []
    for key in ends:
        if key[:2] != (BLENDS, 1):
            continue
        curves = ends.column("similarity", *key)
        slacks = [sum(column) / len(column) for column in zip(*curves, strict=True)]
        for name, blends in ((BLENDS, BASES), (REWARDS, (1.0,))):
            least = min(
                exp4_reward_regret(
                    horizon=rounds, blend=blend, n_actions=int(key[3]), n_policies=N_POLICIES, alignment=alpha,
                    slack=slack, form="provable",
                )
                for blend in blends
                for alpha, slack in zip(ALPHAS, slacks, strict=True)
            )  # fmt: skip
            rows.append({"learner": name, "users": USERS[key[2]], "n_actions": key[3], "mean": least})
    return rows
