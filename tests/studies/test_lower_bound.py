"""Study lower-bound: the proof's curve beside the points, and claims that can fail."""

from __future__ import annotations

import json
import math

import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.studies.lower_bound import GAP, HARD, HORIZON, STUDY, TWO, first_block, least, places, spread_of
from typeover.studies.records import Record


def made_up(times, exponents=(0.4, 0.6), way=TWO, tolerance=0.001):
    """Points that lie so many times above the curve, by exponent."""
    return [
        Record(
            point={"way": way, "exponent": a, "strictness": 2.0, "horizon": HORIZON, "repeats": 1}, seed=seed,
            rows=[
                {"tilt": 0.0, "tolerance": tolerance, "reward_regret": 200.0 + seed, "constraint_regret": 0.0},
                {"tilt": 0.1, "tolerance": tolerance, "reward_regret": 0.0, "constraint_regret": 1.0},
                {"tilt": 0.2, "tolerance": tolerance, "reward_regret": 0.0,
                 "constraint_regret": times[a] * least(200.5)},
            ], seconds=1, peak_bytes=None, version="1",
        )
        for a in exponents for seed in (0, 1)
    ]  # fmt: skip


def test_the_curve_is_the_last_line_of_the_proof():
    by_hand = 0.5 * math.sqrt(GAP / 150) * (HORIZON / 2 - 150 / GAP)
    assert least(150) == pytest.approx(by_hand)
    assert least(math.inf) == 0  # a single seed bounds nothing


def test_a_point_below_the_curve_and_one_too_far_above_it_each_fail_their_own_claim():
    assert all(claim.holds for claim in STUDY.analyse(made_up({0.4: 9.9, 0.6: 1.1})).claims)
    low, first, second = STUDY.analyse(made_up({0.4: 0.9, 0.6: 1.1})).claims
    assert (low.holds, first.holds, second.holds) == (False, True, True)
    low, first, second = STUDY.analyse(made_up({0.4: 5.0, 0.6: 10.1})).claims
    assert (low.holds, first.holds, second.holds) == (True, True, False)


def test_the_words_say_which_blocks_are_too_short():
    assert "blocks of 100 rounds" in STUDY.analyse(made_up({0.4: 10.1, 0.6: 5.0})).words[-1]
    assert "no setting" not in " ".join(STUDY.analyse(made_up({0.4: 5.0, 0.6: 5.0})).words)


def test_a_point_is_the_worst_of_its_tilts_and_knows_whether_the_theorem_is_about_it():
    (point,) = places(made_up({0.4: 3.0}, exponents=(0.4,))).values()
    assert point.ratio == pytest.approx(3)
    assert point.applies
    (far,) = places(made_up({0.4: 3.0}, exponents=(0.4,), tolerance=0.1)).values()
    assert not far.applies  # eps above 1/2 sqrt(c / reg_r) = 0.025


def test_a_strict_learner_loses_in_the_first_world_what_its_exploration_costs():
    point = {"way": HARD, "exponent": 0.4, "strictness": 8.0, "horizon": HORIZON, "repeats": 20}
    first, *tilted = STUDY.run(point, 0, None)
    block = first_block(HORIZON, 0.4)  # a uniform block plays pi2 in half of the rounds, a revealing one in all
    assert first["reward_regret"] == pytest.approx(1.5 * GAP * block, rel=0.1)
    assert tilted[0]["constraint_regret"] == pytest.approx(0.5 * spread_of(block) * HORIZON, rel=0.1)  # pi1 is kept


def test_every_point_has_a_second_world_in_which_the_first_policy_is_unfaithful():
    points = STUDY.points(quick=False)
    for point in points:
        deviation = spread_of(first_block(int(point["horizon"]), float(point["exponent"])))
        assert point["way"] == HARD or float(point["strictness"]) * deviation < 0.5
    n_all = math.prod(len(values) for values in STUDY.axes.values())
    assert len(points) == n_all - 2  # 31 rounds at four deviations, of both ways whose eps that is


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "lower-bound", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 3)
