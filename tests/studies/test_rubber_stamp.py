"""Study rubber-stamp: fair to every learner, and its claims can fail."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.environments import w2
from typeover.studies.records import Record
from typeover.studies.rubber_stamp import LEARNERS, QUICK_ROUNDS, STAYS, STUDY, UNASKING


def made_up(violations):
    """Results with these violations where nobody checks, and none elsewhere."""
    return [
        Record(
            point={"learner": name, "careless": degree, "rounds": QUICK_ROUNDS}, seed=seed, seconds=1, peak_bytes=None,
            rows=[
                {"late_violation": violations.get(name, 0.2) if degree else -0.01, "reward_regret": 0.0,
                 "audits": 0.005, "late_accepted_share": 1.0}
            ], version="1",
        )
        for name in LEARNERS for degree in (0.0, 1.0) for seed in (0, 1)
    ]  # fmt: skip


def test_the_claims_hold_if_the_default_stays_and_the_others_drift_and_each_can_fail_alone():
    good = {STAYS: -0.01}
    assert all(claim.holds for claim in STUDY.analyse(made_up(good)).claims)
    for name, violation in ((STAYS, 0.01), *((name, 0.05) for name in UNASKING)):
        claims = STUDY.analyse(made_up(good | {name: violation})).claims
        assert [claim.claim.split(":")[0] for claim in claims if not claim.holds] == [name]


def test_the_words_name_who_stayed_and_who_drifted():
    first, second, *_ = STUDY.analyse(made_up({STAYS: -0.01})).words
    assert first.endswith(f": {STAYS}.")
    assert all(name in second for name in UNASKING)


def test_every_learner_meets_the_same_world_and_users(monkeypatch):
    met = []
    monkeypatch.setattr("typeover.environments.w2", lambda **which: met.append(which) or w2(n_policies=5, **which))
    seen = []
    monkeypatch.setattr("typeover.studies.figures.curve", lambda *_, seed, **__: seen.append(seed) or [])
    for name in LEARNERS:
        STUDY.run({"learner": name, "careless": 0.5, "rounds": 1_000}, 4, None)
    assert all(which == met[0] for which in met)
    assert len(set(seen)) == 1


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "rubber-stamp", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 5)
