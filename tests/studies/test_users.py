"""Study users: fair to every learner, and its claims can fail."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.environments import w2
from typeover.studies.records import Record
from typeover.studies.users import KEEPING, LEARNERS, STAMPING, STAYS, STUDY, TRUSTING, USERS, user

GOOD = {(STAYS, STAMPING): -0.01}


def made_up(violations, asked=0.005):
    """Results with these violations by learner and user; else faithful, but to those who let all pass."""
    return [
        Record(
            point=point, seed=seed, seconds=1, peak_bytes=None, version="1",
            rows=[
                {
                    "late_violation": violations.get(
                        (point["learner"], point["user"]), 0.2 if point["user"] == STAMPING else -0.02
                    ) + 0.001 * seed,
                    "reward_regret": 0.0, "audits": asked, "late_accepted_share": 1.0,
                }
            ],
        )
        for point in STUDY.points(quick=True) for seed in (0, 1, 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("results", "asked", "missed"),
    [
        ({}, 0.005, []),
        ({(STAYS, "U2 soft"): 0.01}, 0.005, ["violation, largest of all users"]),
        ({}, 0.03, ["share of audits"]),
        ({(TRUSTING[0], KEEPING[1]): 0.01}, 0.005, ["Assumption 3 holds"]),
        ({(TRUSTING[1], STAMPING): 0.05}, 0.005, ["Nothing is checked"]),
    ],
)
def test_each_claim_can_fail_alone(results, asked, missed):
    claims = STUDY.analyse(made_up(GOOD | results, asked)).claims
    assert len(claims) == 4
    failed = [claim.claim for claim in claims if not claim.holds]
    assert len(failed) == len(missed)
    assert all(what in claim for what, claim in zip(missed, failed, strict=True))


def test_the_words_say_who_survived_whom():
    words = STUDY.analyse(made_up(GOOD | {(TRUSTING[0], "U2 soft"): 0.03, ("EFBO", STAMPING): -0.02})).words
    assert f"{STAYS}: every user; " in words[0]
    assert "EFBO: every user; " in words[0]
    assert f"{TRUSTING[0]}: all but U2 soft, {STAMPING};" in words[0]
    assert f"all the same to: U3 hurried, U4 careless, U5 moody, U6 slipping; not to: U2 soft, {STAMPING}." in words[1]


def test_only_the_first_two_kinds_keep_the_papers_assumption():
    world = w2(n_contexts=40, n_policies=5, seed=3).world
    for kind in USERS:
        tables = world.with_user(user(kind, seed=3)).tables
        near = world.losses <= 0.02
        keeps = np.isin(tables.acceptance, (0, 1)).all() and not (tables.acceptance[~near] > 0).any()
        keeps = keeps and tables.correction is None and tables.entering is None
        assert keeps == (kind in KEEPING), kind


def test_all_learners_meet_the_same_users_and_all_users_live_in_the_same_world(monkeypatch):
    met, seen = [], []

    def met_by(world, learner, *, rounds, seed, tolerance):
        met.append((world.losses.tobytes(), world.tables.acceptance.tobytes()))
        seen.append(seed)
        return []

    monkeypatch.setattr("typeover.studies.figures.curve", met_by)
    for name in LEARNERS:
        for kind in USERS:
            STUDY.run({"learner": name, "user": kind, "rounds": 1_000}, 4, None)
    assert len({losses for losses, _ in met}) == len(set(seen)) == 1
    assert all(met[i][1] == met[i % len(USERS)][1] for i in range(len(met)))


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "users", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 4)
