"""Study real: every learner meets the same rows and users, and its claims can fail."""

from __future__ import annotations

import json

import numpy as np
import pytest

from made_tables import KINDS, numbers, write
from typeover.environments import Careless, Exact
from typeover.errors import InvalidInputError
from typeover.studies import real
from typeover.studies.real import AS_LOGGED, LOG, QUICK_ROWS, STUDY
from typeover.studies.real.streams import CASES, HONEST, LEARNERS, REWARDS, SHARED, STAMPING, TOLD, USERS
from typeover.studies.real.writers import HALF, LEAST, SIZES, by_writer
from typeover.studies.records import Record
from typeover.studies.runner import run_study, wanted

LOGGED = {"set": LOG, "user": AS_LOGGED, "alignment": AS_LOGGED, "rows": QUICK_ROWS, "learner": AS_LOGGED}
ROUND = {"genre": "creative", "session": 3, "context": "Once", "suggestions": [" upon", " more"], "chosen": -1}


def writer(number, *, gone=0.3, typed=15):
    beyond = [gone] * len(SIZES)
    return {"writer": number, "rounds": 60, "accepted": 30, "rejected": 20, "typed": typed, "judged": 30,
            "beyond": beyond, "mean_gone": gone / 2}  # fmt: skip


def made_up(changed=(), *, writers=None, n_seeds=3):
    """Results in which every claim holds, with other figures for some (case, learner)."""
    good = {
        (HONEST, SHARED): {"accepted_share": 0.9, "reward": 0.8},
        (HONEST, REWARDS): {"accepted_share": 0.7, "reward": 0.6},
        (HONEST, TOLD): {"accepted_share": 0.91, "reward": 0.82},
        (STAMPING, REWARDS): {"late_violation": 0.4},
    }
    base = {"accepted_share": 0.5, "reward": 0.5, "reward_regret": 0.1, "late_violation": -0.02, "audits": 0.01,
            "feasible": 5, "policies": 9, "best_reward": 0.9, "best_feasible_reward": 0.9, "rounds": 100}  # fmt: skip
    changed = dict(changed)
    records = [
        Record(
            point={"set": table, "user": user, "alignment": alignment, "rows": QUICK_ROWS, "learner": name}, seed=seed,
            rows=[base | good.get(((user, alignment), name), {}) | changed.get(((user, alignment), name), {})],
            seconds=1, peak_bytes=None, version="1",
        )
        for table in ("satimage", "letter") for user, alignment in CASES for name in LEARNERS
        for seed in range(n_seeds)
    ]  # fmt: skip
    rows = [writer(number) for number in range(5)] if writers is None else writers
    return [*records, Record(point=LOGGED, seed=0, rows=rows, seconds=1, peak_bytes=None, version="1")]


@pytest.mark.parametrize("n_seeds", [3, 10])
def test_each_claim_can_fail_alone(n_seeds):
    assert all(claim.holds for claim in STUDY.analyse(made_up(n_seeds=n_seeds)).claims)
    failures = [
        {((HONEST), REWARDS): {"accepted_share": 0.95, "reward": 0.6}},
        {((HONEST), TOLD): {"accepted_share": 0.93}},
        {((HONEST), REWARDS): {"accepted_share": 0.7, "reward": 0.85}},
        {((STAMPING), SHARED): {"late_violation": 0.01}},
        {((STAMPING), REWARDS): {"late_violation": 0.05}},
    ]
    for place, changed in enumerate(failures):
        claims = STUDY.analyse(made_up(changed, n_seeds=n_seeds)).claims
        assert [i for i, claim in enumerate(claims) if not claim.holds] == [place]
    for place, rows in ((5, {"gone": 0.0}), (6, {"typed": 20})):
        claims = STUDY.analyse(made_up(writers=[writer(number, **rows) for number in range(5)])).claims
        assert [i for i, claim in enumerate(claims) if not claim.holds] == [place]


def test_few_seeds_are_judged_by_their_mean_and_many_by_the_end_of_their_interval():
    def spread(n_seeds):
        records = made_up(n_seeds=n_seeds)
        return [
            record
            if (record.point["learner"], record.point["user"]) != (SHARED, STAMPING[0])
            else Record(
                point=record.point, seed=record.seed, seconds=1, peak_bytes=None, version="1",
                rows=[record.rows[0] | {"late_violation": 0.2 if record.seed == 0 else -0.15}],
            )
            for record in records
        ]  # fmt: skip

    few, many = (STUDY.analyse(spread(n)).claims[3] for n in (3, 5))
    assert (few.holds, few.figure) == (True, pytest.approx(-0.1 / 3))
    assert "mean of 3 seeds" in few.claim
    assert (many.holds, many.figure > 0) == (False, True)
    assert "high end" in many.claim


def test_writers_of_whom_little_is_known_are_left_out():
    known = [writer(number) for number in range(5)]
    rare = [writer(9, gone=1.0) | {"judged": LEAST - 1, "rejected": LEAST - 1, "accepted": 0}]
    one, other = (STUDY.analyse(made_up(writers=rows)) for rows in (known, known + rare))
    assert one.claims == other.claims
    assert one.tables[-1] == other.tables[-1]


def test_the_log_is_read_once_and_tables_have_users_and_learners():
    points = STUDY.points(quick=False)
    assert [point for point in points if point["set"] == LOG] == [LOGGED | {"rows": 20_000}]
    assert not any(AS_LOGGED in point.values() for point in points if point["set"] != LOG)
    assert len(points) == 4 * len(USERS) * 3 * len(LEARNERS) + 1


def test_a_row_per_writer_counts_what_was_gone_where_nothing_else_was_edited(tmp_path):
    accept = ROUND | {"writer": 5, "outcome": "accepted", "chosen": 1, "clean": 1, "result": " more"}
    lines = [
        *(accept | {"kept": kept} for kept in (1.0, 0.7, 0.4, 0.0)),
        accept | {"kept": 0.0, "clean": 0},
        ROUND | {"writer": 5, "outcome": "rejected", "result": " I saw. "},
        ROUND | {"writer": 2, "outcome": "rejected", "result": "\n"},
        ROUND | {"writer": 2, "outcome": "open"},
    ]
    write(tmp_path, LOG, "shared.jsonl.gz", "".join(json.dumps(line) + "\n" for line in lines))
    two, five = by_writer(tmp_path)
    assert [(row["writer"], row["rounds"], row["accepted"], row["rejected"], row["typed"]) for row in (two, five)] == [
        (2, 2, 0, 1, 0),
        (5, 6, 5, 1, 1),
    ]
    assert (two["judged"], five["judged"]) == (0, 4)
    assert five["beyond"][HALF] == 0.5
    assert five["beyond"][SIZES.index(0.25)] == 0.75
    assert five["mean_gone"] == pytest.approx((0.3 + 0.6 + 1.0) / 4)


@pytest.fixture
def data(tmp_path):
    rows = numbers(400)
    cells = [[*map(str, row), label] for row, label in zip(rows.inputs.tolist(), rows.labels, strict=True)]
    write(tmp_path, "letter", "table.csv.gz", "p,q,r,label\n" + "".join(",".join(row) + "\n" for row in cells))
    return tmp_path


def point(**changed):
    return {"set": "letter", "user": "U1", "alignment": 1.0, "rows": 200, "learner": SHARED} | changed


def test_every_learner_makes_one_pass_through_the_same_rows(data):
    ends = {name: STUDY.run(point(learner=name), 3, data)[-1] for name in LEARNERS}
    assert {end["rounds"] for end in ends.values()} == {200}
    for figure in ("feasible", "policies", "best_reward", "best_feasible_reward"):
        assert len({end[figure] for end in ends.values()}) == 1
    assert [name for name, end in ends.items() if end["audits"] > 0] == [SHARED, "Algorithm 2"]
    assert STUDY.run(point(), 3, data) == STUDY.run(point(), 3, data)
    assert STUDY.run(point(), 4, data) != STUDY.run(point(), 3, data)


def test_users_and_rewards_are_what_the_axes_say(data):
    where = data, "letter", 200, 1
    stream = real._stream(*where)
    values = stream.table.tables.rewards
    tolerant = stream.table.user
    assert real._world(*where, "U0", 0.0).user == Exact()
    assert real._world(*where, "U1", 0.0).user == tolerant
    assert real._world(*where, "U4, 70 %", 0.0).user == Careless(tolerant, 0.7)
    for alignment in (0.0, 0.5, 1.0):
        paid = real._world(*where, "U0", alignment).tables.rewards
        assert np.allclose(paid, alignment * (1 - stream.table.losses) + (1 - alignment) * values)
    assert stream.table.tables.actions[0] == tuple(KINDS)


def test_only_the_ceiling_is_told_what_was_accepted(data, monkeypatch):
    met = {}
    monkeypatch.setattr(
        "typeover.studies.figures.curve", lambda passage, learner, **_: met.setdefault(learner, passage) and [{}]
    )
    for name in LEARNERS:
        STUDY.run(point(learner=name), 3, data)
    assert [passage.world.tables.is_told for passage in met.values()] == [name == TOLD for name in LEARNERS]


def test_a_folder_without_the_sets_is_refused(data, tmp_path):
    with pytest.raises(InvalidInputError, match=r"data is .*, which has no 'satimage'; study 'real' reads it there"):
        run_study(STUDY, tmp_path / "out.jsonl", wanted(STUDY, quick=True), workers=1, data=data)
