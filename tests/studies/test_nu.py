"""Study nu: the estimates that it names, the same users for all, and claims that can fail."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.constraints import ActiveQueries, Biased, DoublyRobust
from typeover.environments import w1
from typeover.errors import InvalidInputError
from typeover.studies.nu import (
    ACTIVE,
    ANCHORED,
    BIASED,
    ESTIMATORS,
    LET_PASS,
    NU,
    QUICK_HORIZONS,
    QUICK_ROUNDS,
    STUDY,
    allowed,
    constraint,
)
from typeover.studies.records import Record

POINTS = STUDY.points(quick=True)


def made_up(change):
    """The quick study with results as they should be, but for a change to those that it is true of."""

    def row(point):
        is_drifting = point["careless"] == LET_PASS and point["estimator"] != ANCHORED
        asks = 0.95 if (point["estimator"], point["cap"]) == (ACTIVE, "none") else 0.001
        figures = {"late_violation": 0.2 if is_drifting else -0.01, "audits": asks}
        return {"rounds": point["rounds"]} | figures | change(point)

    return [
        Record(point=dict(point), seed=seed, rows=[row(point)], seconds=1, peak_bytes=None, version="1")
        for point in POINTS for seed in (0, 1)
    ]  # fmt: skip


def only(estimator, careless, **figures):
    """A change to one estimate at one degree of carelessness."""
    return lambda point: figures if (point["estimator"], point["careless"]) == (estimator, careless) else {}


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (lambda _: {}, []),
        (only(BIASED, 0.0, late_violation=0.01), [0]),
        (only(BIASED, LET_PASS, late_violation=0.09), [1]),
        (only(ANCHORED, 0.0, late_violation=0.06), [2]),
        (lambda point: {"audits": 0.1} if point["cap"] == "1" else {}, [3]),
        (lambda point: {"audits": 0.5} if point["cap"] == "none" else {}, [4]),
    ],
)
def test_the_claims_hold_together_and_each_can_fail_alone(change, failing):
    claims = STUDY.analyse(made_up(change)).claims
    assert [i for i, claim in enumerate(claims) if not claim.holds] == failing


def test_the_words_say_where_each_estimate_stops_working():
    first, second, _ = STUDY.analyse(made_up(only(BIASED, 0.0, late_violation=0.01))).words
    assert f"{BIASED} from 0.02;" in first
    assert f"{ANCHORED} at none;" in first
    assert ANCHORED not in second


def test_names_stand_for_the_estimates_that_they_name():
    built = {name: constraint(name, bias_bound=0.3, cap="none") for name in ESTIMATORS}
    assert built[BIASED] == Biased(bias_bound=0.3)
    assert built[ACTIVE] == ActiveQueries(cap=None)
    assert built[ANCHORED] == DoublyRobust(bias_bound=0.3, cap=None, radius="empirical")
    assert built["DR counterfactual"] == DoublyRobust(
        control="counterfactual", rate="printed", bias_bound=0.3, cap=None
    )
    assert len({repr(one) for one in built.values()}) == len(ESTIMATORS)
    with pytest.raises(InvalidInputError):
        constraint("DR anchord", bias_bound=0.3, cap="1")


def test_audits_are_counted_by_cap_among_users_of_one_kind_and_violations_at_one_cap():
    swept = {(point["rounds"], point["cap"]) for point in POINTS if point["estimator"] == ACTIVE}
    assert swept == {(rounds, cap) for rounds in QUICK_HORIZONS for cap in STUDY.quick["cap"]}
    for point in POINTS:
        assert (point["rounds"], point["cap"]) == (QUICK_ROUNDS, "1") or (
            (point["nu"], point["careless"]) == (NU, LET_PASS)
        )


def test_every_estimate_meets_the_same_world_and_users(monkeypatch):
    met, seen = [], []
    monkeypatch.setattr("typeover.environments.w1", lambda **which: met.append(which) or w1(**which))
    monkeypatch.setattr("typeover.studies.figures.curve", lambda *_, seed, **__: seen.append(seed) or [])
    for name in ESTIMATORS:
        STUDY.run({"estimator": name, "nu": 0.1, "careless": 0.5, "cap": "1", "rounds": 1_000}, 4, None)
    assert all(which == met[0] for which in met)
    assert len(set(seen)) == 1


def test_the_theorems_are_drawn_without_the_tolerance_that_a_violation_is_counted_above():
    assert allowed(BIASED, 0.1, 100_000) == pytest.approx(0.4 + 8 * (2 * 16.811 / 1e5) ** 0.5, rel=1e-3)
    assert 0.05 < allowed("DR counterfactual", 0.02, 100_000) < 0.1


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "nu", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 5)
