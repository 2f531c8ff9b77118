"""What a log of real writers says of Assumption 3: how much of what they accepted stood there later, writer by writer.

The assumption: an accepted suggestion is within nu of the right one. The log tells what became of it until the next
request; what the writer would have typed unaided it cannot tell, so it bounds nu from below and does not identify it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typeover.core.claims import Claim
from typeover.studies.findings import Findings, Picture, Table

SIZES = tuple(step / 20 for step in range(1, 20))
"""How much of a suggestion was gone: the values of nu that are looked at; 0 would count a space that was added."""
QUARTER, HALF = SIZES.index(0.25), SIZES.index(0.5)
LEAST = 20
"""Writers with fewer accepted suggestions to judge are left out: a share of theirs says little."""
LIMITS = (
    "What the log cannot show: what a writer would have typed unaided where a suggestion was accepted; whether what "
    "stayed was right or let pass; what was changed after the next request; and whether a change mended the suggestion "
    "or came from a new idea. Apart from new ideas, these shares bound from below what was let pass. nu is not "
    "identified: only rounds in which the writer answers unaided would do that."
)


def by_writer(data: Path) -> list[dict[str, Any]]:
    """A row per writer: counts, and the share of accepted suggestions of which more than each size was gone.

    Judged are rounds in which the writer edited nothing else meanwhile.
    """
    import numpy as np

    from typeover.environments import writer_rounds

    rounds = defaultdict(list)
    for writer, found in writer_rounds(data):
        rounds[writer].append(found)
    rows = []
    for writer, own in sorted(rounds.items()):
        accepted = [found for found in own if found.accepted is not None]
        rejected = [found for found in own if found.outcome == "rejected"]
        gone = np.array([1 - found.kept for found in accepted if found.kept is not None and found.clean])
        rows.append(
            {
                "writer": writer,
                "rounds": len(own),
                "accepted": len(accepted),
                "rejected": len(rejected),
                "typed": sum(found.typed is not None for found in rejected),
                "judged": len(gone),
                "beyond": [float((gone > size).mean()) if len(gone) else 0.0 for size in SIZES],
                "mean_gone": float(gone.mean()) if len(gone) else 0.0,
            }
        )
    return rows


def findings(rows: Sequence[Mapping[str, Any]]) -> Findings:
    """Means over writers, each counted once, with their intervals over writers."""
    from typeover.evaluation.intervals import mean_interval

    judged = [row for row in rows if row["judged"] >= LEAST]
    n_judged = sum(row["judged"] for row in judged)
    answering = [row for row in rows if row["rejected"] >= LEAST]

    def share(name: str, over: Sequence[Mapping[str, Any]], values: Sequence[float], counts: Sequence[int]) -> Any:
        ordered = sorted(values)
        tenth = [ordered[round(part * (len(ordered) - 1))] for part in (0.1, 0.9)]
        pooled = sum(value * n for value, n in zip(values, counts, strict=True)) / sum(counts)
        return (name, len(over), sum(counts), *mean_interval(values), *tenth, pooled)

    n_each = [row["judged"] for row in judged]
    gone = {place: [row["beyond"][place] for row in judged] for place in range(len(SIZES))}
    typed = [row["typed"] / row["rejected"] for row in answering]
    decided = [row for row in rows if row["accepted"] + row["rejected"] >= LEAST]
    taken = [row["accepted"] / (row["accepted"] + row["rejected"]) for row in decided]
    table = Table(
        title="What real writers did",
        columns=("share", "writers", "rounds", "mean", "low", "high", "10th", "90th", "all rounds"),
        rows=(
            share("accepted, of decided", decided, taken, [row["accepted"] + row["rejected"] for row in decided]),
            share("accepted, then over a quarter gone", judged, gone[QUARTER], n_each),
            share("accepted, then over half gone", judged, gone[HALF], n_each),
            share("how much was gone, of each accepted", judged, [row["mean_gone"] for row in judged], n_each),
            share("rejected, then own text", answering, typed, [row["rejected"] for row in answering]),
        ),
        note=(
            f"Writers with at least {LEAST} such rounds; mean over writers with its 95 % interval, the writers at the "
            "10th and 90th percentile, and all rounds together."
        ),
    )
    quarter, half, answered = (mean_interval(values) for values in (gone[QUARTER], gone[HALF], typed))
    claims = (
        Claim(
            "writers: share of accepted suggestions of which more than half was gone soon after, low end",
            bar="> 0", figure=half.low, holds=half.low > 0,
        ),
        Claim(
            "writers: share of rejections that were followed by own text, high end",
            bar="< 1", figure=answered.high, holds=answered.high < 1,
        ),
    )  # fmt: skip
    words = (
        (
            f"Of what {len(judged)} writers accepted ({n_judged} suggestions), more than a quarter was gone by the "
            f"next request in {quarter.mean:.0%} [{quarter.low:.0%}, {quarter.high:.0%}], more than half in "
            f"{half.mean:.0%} [{half.low:.0%}, {half.high:.0%}] (means over writers, 95 %); by writer from "
            f"{min(gone[QUARTER]):.0%} to {max(gone[QUARTER]):.0%}. If a change says that the suggestion was not what "
            "was wanted, Assumption 3 fails here even at nu = 0.5, and how far it fails is a matter of the person."
        ),
        (
            f"After a rejection {answered.mean:.0%} [{answered.low:.0%}, {answered.high:.0%}] were followed by text of "
            f"the writer's own ({len(answering)} writers): corrections do not always come."
        ),
        LIMITS,
    )
    return Findings(claims=claims, words=words, tables=(table,), pictures=lambda: _pictures(judged))


def _pictures(judged: Sequence[Mapping[str, Any]]) -> tuple[Picture, ...]:
    """How much was gone, over writers and by writer."""
    from typeover.charts import curves, points
    from typeover.evaluation.intervals import mean_interval

    lines = []
    for place, size in enumerate(SIZES):
        values = sorted(row["beyond"][place] for row in judged)
        last = len(values) - 1
        lines += [
            {"writer": "mean of writers", "size": size} | mean_interval(values)._asdict(),
            {"writer": "90th percentile", "size": size, "mean": values[round(0.9 * last)]},
            {"writer": "10th percentile", "size": size, "mean": values[round(0.1 * last)]},
        ]
    ordered = sorted(judged, key=lambda row: row["beyond"][QUARTER])
    people = [
        {"writer": f"writer {row['writer']} ({row['judged']})", "share": row["beyond"][QUARTER]} for row in ordered
    ]
    mean = sum(row["beyond"][QUARTER] for row in judged) / len(judged)
    return (
        Picture(
            name="gone",
            title="Accepted, and gone soon after",
            caption=(
                "How often more than so much of an accepted suggestion was gone by the next request. Were an accept as "
                "good as an answer up to nu (Assumption 3), the line would be at 0 from nu on. The band is the 95 % "
                "interval over writers; the other lines are the writers at the 10th and 90th percentile."
            ),
            chart=curves(
                lines, x="size", y="mean", by="writer", low="low", high="high",
                x_title="More than this share of the suggestion was gone",
                y_title="Share of accepted suggestions",
            ),
        ),
        Picture(
            name="writers",
            title="It depends on the person",
            caption=(
                "A point per writer: the share of accepted suggestions of which more than a quarter was gone by the "
                "next request. In brackets how many were judged; the dashed line is the mean of the writers."
            ),
            chart=points(
                people, x="share", y="writer", line=mean, x_title="Accepted, then more than a quarter gone",
            ),
        ),
    )  # fmt: skip
