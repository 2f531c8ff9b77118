"""Study constants: fair to every setting, and its claims can fail."""

from __future__ import annotations

import json

import msgspec
import pytest
from click.testing import CliRunner

from made_tables import numbers, write
from typeover.cli import main
from typeover.learners.settings import SharedSettings
from typeover.studies.constants import DEFAULT, GIVEN, QUICK, SETTINGS, STUDY, TRIED, best
from typeover.studies.constants.worlds import HALVES, SLACK, TABLES, place
from typeover.studies.endings import Endings
from typeover.studies.records import Record

BOLD = "base_rate 8"


def made_up(regret, violation):
    """Results of a quick run with these figures by setting and world."""
    return [
        Record(
            point=point, seed=seed, seconds=1, peak_bytes=None, version="1",
            rows=[
                {
                    "reward_regret": regret(point["setting"], point["world"]) + 0.001 * seed, "audits": 0.004,
                    "late_violation": violation(point["setting"], point["world"]),
                }
            ],
        )
        for point in STUDY.points(quick=True) for seed in (0, 1, 2)
    ]  # fmt: skip


def faithful(setting, world):
    return -0.01


def failed(regret, violation):
    claims = STUDY.analyse(made_up(regret, violation)).claims
    assert len(claims) == 3
    return [number for number, claim in enumerate(claims) if not claim.holds]


def test_the_claims_hold_if_no_setting_is_much_better_and_each_can_fail_alone():
    assert failed(lambda setting, world: 0.01 if setting == DEFAULT else 0.02, faithful) == []
    assert failed(lambda setting, world: 0.01 if setting == BOLD else 0.015, faithful) == []
    assert failed(lambda setting, world: 0.01 if setting == DEFAULT else 0.02, lambda _, world: 0.001) == [2]
    for own, other, claim in ((*HALVES, 0), (*HALVES[::-1], 1)):
        # best where it chooses, and much better where it does not choose; the other half prefers a third setting
        def regret(setting, world, own=own, other=other):
            if setting == BOLD:
                return 0.01 if world in own else 0.02
            return 0.015 if setting == "no reserve" and world in other else 0.017 if world in own else 0.05

        assert failed(regret, faithful) == [claim]


def test_a_setting_that_drifts_is_not_chosen_for_the_reward_that_it_buys():
    records = made_up(
        lambda setting, world: -0.3 if setting == "no reserve" else 0.02 if setting == DEFAULT else 0.03,
        lambda setting, world: 0.2 if (setting, world) == ("no reserve", "U2") else -0.01,
    )
    ends = Endings(records, "setting", "world")
    assert best(ends, ["U2", "U3"]) == DEFAULT
    assert best(ends, ["U3"]) == "no reserve"


def test_every_constant_of_the_learner_is_tried_and_its_default_once():
    fields = {field.name: field.default for field in msgspec.structs.fields(SharedSettings)}
    assert set(TRIED) == set(fields) - GIVEN
    for setting, changes in SETTINGS.items():
        assert len(changes) == (setting != DEFAULT)
        assert all(value != fields[name] for name, value in changes.items())
        SharedSettings(tolerance=0.05, **changes)
    assert set(QUICK) <= SETTINGS.keys()


@pytest.mark.parametrize("name", [name for half in HALVES for name in half if name not in TABLES])
def test_each_world_is_what_all_settings_meet(name):
    one, again = (place(name, rounds=1_000, seed=4, data=None) for _ in range(2))
    assert one.policies.names == again.policies.names
    assert one.tolerance == again.tolerance
    assert ("blends" in one.told) == name.startswith("starving")
    assert (one.tolerance == 1) == name.startswith("starving")


def test_the_halves_share_no_world_and_only_known_worlds_have_slack():
    first, second = HALVES
    assert len({*first, *second}) == len(first) + len(second)
    assert SLACK.keys() <= {*first, *second}


def test_a_table_is_read_from_the_folder_and_left_out_without_one(tmp_path):
    made = numbers(n=400)
    lines = [",".join([*(f"{x:.3f}" for x in row), label]) for row, label in zip(made.inputs, made.labels, strict=True)]
    write(tmp_path, "letter", "table.csv.gz", "\n".join(["a,b,c,label", *lines]))
    rows = STUDY.run({"setting": DEFAULT, "world": "letter", "rounds": 300}, 0, tmp_path)
    assert rows[-1]["rounds"] == 300
    assert {name for point in STUDY.points(quick=False) for name in STUDY.reads(point)} == set(TABLES)
    assert not any(STUDY.reads(point) for point in STUDY.points(quick=True))


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_plays(setting):
    assert STUDY.run({"setting": setting, "world": "W1 dial 1", "rounds": 300}, 0, None)[-1]["rounds"] == 300


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "constants", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 3)
