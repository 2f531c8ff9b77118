"""Study `users`: which learners stay faithful to which users, from exact ones to those who let all pass (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typeover.core.claims import Claim
from typeover.rng import seed_for
from typeover.studies.endings import Endings
from typeover.studies.findings import Findings, Picture, Table
from typeover.studies.records import Record, Value
from typeover.studies.study import Point, Study

if TYPE_CHECKING:
    from typeover.environments import User

STAYS = "SharedExp4"
TRUSTING = ("Algorithm 2, biased", "SharedExp4, no audits")
"""Never ask, and take accepts at their word: they rest on the paper's Assumption 3."""
LEARNERS = (
    STAYS, "SharedExp4, no audits", "Algorithm 2", "Algorithm 2, biased", "Exp4, rewards only", "AnytimeEFBO", "EFBO",
    "CorrectionOnly", "Uniform",
)  # fmt: skip
KEEPING = ("U0 exact", "U1 tolerant")
"""Users who type over exactly what is further than nu from what they want: Assumption 3."""
STAMPING = "U4 all pass"
USERS = (*KEEPING, "U2 soft", "U3 hurried", "U4 careless", STAMPING, "U5 moody", "U6 slipping")
ROUNDS, QUICK_ROUNDS = 100_000, 20_000
AUDITED = {ROUNDS: 0.01, QUICK_ROUNDS: 0.02}
"""The largest share of audits, by how many rounds there were."""
DRIFTS = 0.1
"""A violation above this is a drift."""


def user(name: str, seed: int) -> User:
    """U0 to U6; the habits of U3 to U6 are those of a user who tolerates what is within nu."""
    from typeover.environments import Careless, Exact, Hurried, Moody, Slipping, Soft, Tolerant
    from typeover.environments.baits import BIAS_BOUND

    tolerant = Tolerant(BIAS_BOUND)
    models: dict[str, User] = {
        "U0 exact": Exact(),
        "U1 tolerant": tolerant,
        "U2 soft": Soft(BIAS_BOUND, seed=seed_for(seed, "soft users")),
        "U3 hurried": Hurried(tolerant),
        "U4 careless": Careless(tolerant),
        STAMPING: Careless(tolerant, 1.0),
        "U5 moody": Moody(tolerant, seed=seed_for(seed, "moods")),
        "U6 slipping": Slipping(tolerant),
    }
    return models[name]


def run(point: Point, seed: int, data: Path | None) -> list[dict[str, Any]]:  # noqa: ARG001 - makes its own
    """One learner among users of one kind, in the same world as all others."""
    from typeover.environments import w2
    from typeover.studies.figures import curve
    from typeover.studies.lineup import build

    name, rounds = str(point["learner"]), int(point["rounds"])
    setting, policies, tolerance = w2(seed=seed_for(seed, "world"))
    world = setting.with_user(user(str(point["user"]), seed))
    learner = build(
        name, policies=policies, loss=world.loss, tolerance=tolerance, horizon=rounds,
        seed=seed_for(seed, "learner", name),
    )  # fmt: skip
    return curve(world, learner, rounds=rounds, seed=seed_for(seed, "users"), tolerance=tolerance)


def analyse(records: Sequence[Record]) -> Findings:
    """Means over seeds of the last row of each task."""
    ends = Endings(records, "learner", "user")
    rounds = int(records[0].point["rounds"])
    names = [str(name) for name in ends.values(0)]
    kinds = ends.values(1)

    def violations(learners: Sequence[str], users: Sequence[Value]) -> list[float]:
        return [ends.mean("late_violation", name, kind) for name in learners for kind in users]

    worst, asked = max(violations([STAYS], kinds)), max(ends.mean("audits", STAYS, kind) for kind in kinds)
    trusted, let_down = max(violations(TRUSTING, KEEPING)), min(violations(TRUSTING, [STAMPING]))
    who = " and ".join(TRUSTING)
    claims = (
        Claim(f"{STAYS}: violation, largest of all users", bar="<= 0", figure=worst, holds=worst <= 0),
        Claim(
            f"{STAYS}: share of audits, largest of all users", bar=f"<= {AUDITED[rounds]:g}", figure=asked,
            holds=asked <= AUDITED[rounds],
        ),
        Claim(
            f"Assumption 3 holds (U0, U1): violation of {who}, largest", bar="<= 0", figure=trusted, holds=trusted <= 0
        ),
        Claim(
            f"Nothing is checked: violation of {who}, smallest", bar=f"> {DRIFTS:g}", figure=let_down,
            holds=let_down > DRIFTS,
        ),
    )  # fmt: skip
    return Findings(claims=claims, words=_words(ends, names), tables=(_table(ends),), pictures=lambda: _pictures(ends))


def survived(ends: Endings, name: str) -> list[Value]:
    """The users to whom a learner is faithful for all that the seeds can tell: the upper end is at most 0."""
    return [kind for kind in ends.values(1) if ends.interval("late_violation", name, kind).high <= 0]


def _words(ends: Endings, names: Sequence[str]) -> tuple[str, ...]:
    kinds = ends.values(1)

    def listed(name: str) -> str:
        lived = survived(ends, name)
        lost = [str(kind) for kind in kinds if kind not in lived]
        short = "every user" if not lost else "no user" if not lived else f"all but {', '.join(lost)}"
        return f"{name}: {short}"

    broken = [kind for kind in kinds if kind not in KEEPING]
    bent = [str(kind) for kind in broken if all(kind in survived(ends, name) for name in TRUSTING)]
    rest = [str(kind) for kind in broken if str(kind) not in bent]
    return (
        "Faithful by the upper end of the interval, to: " + "; ".join(map(listed, names)) + ".",
        (
            f"Only U0 and U1 keep Assumption 3. {' and '.join(TRUSTING)}, which rest on it, were faithful all the same "
            f"to: {', '.join(bent) or 'none of the others'}; not to: {', '.join(rest) or 'none'}."
        ),
        (
            f"{STAYS} asked in {ends.mean('audits', STAYS, KEEPING[1]):.2%} of the rounds of {KEEPING[1]}, in "
            f"{ends.mean('audits', STAYS, STAMPING):.2%} of {STAMPING}: where accepts say little, it asks."
        ),
    )


def _table(ends: Endings) -> Table:
    rows = tuple(
        (
            *key, ends.mean("reward_regret", *key), *ends.interval("late_violation", *key), ends.mean("audits", *key),
            ends.mean("late_accepted_share", *key),
        )
        for key in ends
    )  # fmt: skip
    return Table(
        title="Learners and users",
        columns=("learner", "user", "reward regret", "violation", "from", "to", "audits", "accepted"),
        rows=rows,
        note="Regret per round and audits over all rounds, violation (with its 95 % interval over seeds) and accepted "
        "share over the last tenth. Regret below 0 was bought with fidelity.",
    )


def _pictures(ends: Endings) -> tuple[Picture, ...]:
    from typeover.charts import heat

    rows = [{"learner": key[0], "user": key[1], "violation": ends.mean("late_violation", *key)} for key in ends]
    return (
        Picture(
            name="users",
            title="Who stays faithful to whom",
            caption="Fidelity given up beyond the tolerance over the last tenth of the rounds, means over seeds: blue "
            "cells are as faithful as asked, red ones drift. U0 and U1 are users as the paper assumes them.",
            chart=heat(rows, x="user", y="learner", value="violation", middle=0.0),
        ),
    )


STUDY = Study(
    name="users",
    question="Which learner stays faithful to which users?",
    axes={"learner": LEARNERS, "user": USERS, "rounds": (ROUNDS,)},
    quick={"rounds": (QUICK_ROUNDS,)},
    seeds=20,
    quick_seeds=3,
    run=run,
    analyse=analyse,
)
