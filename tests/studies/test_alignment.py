"""Study alignment: fair to every learner, and its claims can fail."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.environments import w1
from typeover.studies.alignment import ALPHAS, BLENDS, LEARNERS, QUICK_ROUNDS, REWARDS, STUDY, chosen
from typeover.studies.records import Record


def made_up(*, agreed=0.01, apart=0.01, violation=-0.04):
    """Results in which blending saves this much regret with the dial at 1 and at 0."""
    regrets = {(REWARDS, 1.0): 0.02 + agreed, (REWARDS, 0.0): 0.02 + apart}
    return [
        Record(
            point=point, seed=seed, seconds=1, peak_bytes=None, version="1",
            rows=[
                {
                    "reward_regret": regrets.get((point["learner"], point["alignment"]), 0.02) + 0.001 * seed,
                    "late_violation": violation, "blend": 0.5, "similarity": [0.1] * len(ALPHAS),
                }
            ],
        )
        for point in STUDY.points(quick=True) for seed in (0, 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("results", "missed"),
    [
        ({}, []),
        ({"agreed": -0.001}, ["Rewards and corrections agree"]),
        ({"apart": -0.021}, ["They do not"]),
        ({"violation": 0.001}, [BLENDS]),
    ],
)
def test_each_claim_can_fail_alone(results, missed):
    claims = STUDY.analyse(made_up(**results)).claims
    assert len(claims) == 3
    assert [claim.claim.split(" (")[0].split(":")[0] for claim in claims if not claim.holds] == missed


def test_every_learner_meets_the_same_world_and_users(monkeypatch):
    met, seen = [], []

    class Stop(Exception):  # noqa: N818 - no error
        pass

    def stop(*_, seed, **__):
        seen.append(seed)
        raise Stop

    monkeypatch.setattr("typeover.environments.w1", lambda **which: met.append(which) or w1(n_policies=5, **which))
    monkeypatch.setattr("typeover.studies.figures.curve", stop)
    for name in LEARNERS:
        with pytest.raises(Stop):
            STUDY.run({"learner": name, "alignment": 0.5, "careless": 1.0, "n_actions": 3, "rounds": 1_000}, 4, None)
    assert all(which == met[0] for which in met)
    assert len(met) == len(LEARNERS)
    assert len(set(seen)) == 1


@pytest.mark.parametrize("name", LEARNERS)
def test_the_last_row_has_the_blend_and_the_curve_of_the_world(name):
    point = {"learner": name, "alignment": 1.0, "careless": 1.0, "n_actions": 3, "rounds": 400}
    last = STUDY.run(point, 1, None)[-1]
    assert (last["blend"] is None) == (name in {"RewardOnly", "CorrectionOnly"})
    assert last["similarity"] == sorted(last["similarity"])
    assert last["similarity"][0] == pytest.approx(0, abs=1e-9), "with the dial at 1 what is right pays most"


def test_the_blend_of_several_is_their_mean_by_share():
    assert chosen({"blends": {"0.0": 0.5, "0.4": 0.25, "1.0": 0.25}}) == pytest.approx(0.35)
    assert chosen({"blend": 0.25}) == 0.25
    assert chosen({}) is None


def test_the_promises_in_the_picture_grow_faster_on_rewards_alone():
    from typeover.studies.alignment.pictures import promised
    from typeover.studies.endings import Endings

    ends = Endings(made_up(), "learner", "alignment", "careless", "n_actions")
    by_number = {(row["learner"], row["n_actions"]): row["mean"] for row in promised(ends, QUICK_ROUNDS)}
    blended, alone = (by_number[name, 24] / by_number[name, 6] for name in (BLENDS, REWARDS))
    assert blended < alone == pytest.approx(2, rel=0.05)


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "alignment", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 3)
