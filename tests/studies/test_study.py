"""A study's axes, and the randomness that depends on their names only."""

from __future__ import annotations

import msgspec
import pytest

from tiny_study import STUDY
from typeover.errors import InvalidInputError
from typeover.rng import seed_for
from typeover.studies import STUDIES, find, readme
from typeover.studies.runner import run_study, wanted


def test_the_points_are_all_combinations_that_there_are():
    assert [tuple(point.values()) for point in STUDY.points(quick=False)] == [
        ("a", 1),
        ("a", 2.5),
        ("b", 1),
        ("b", 2.5),
    ]
    assert [tuple(point.values()) for point in STUDY.points(quick=True)] == [("a", 1), ("b", 1)]
    some = msgspec.structs.replace(STUDY, where=lambda point: (point["learner"], point["size"]) != ("b", 1))
    assert len(some.points(quick=False)) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quick": {"siez": (1,)}}, "study 'tiny' has no axis 'siez'; did you mean 'size'"),
        ({"axes": {"size": (1, 1.0)}, "quick": {}}, r"axis 'size' of study 'tiny' is \(1, 1\.0\); .* each once"),
        ({"axes": {"size": ()}, "quick": {}}, r"axis 'size' of study 'tiny' is \(\)"),
        ({"axes": {"size": (float("nan"),)}, "quick": {}}, r"is \(nan,\); give words or finite numbers"),
        ({"axes": {"size": (True,)}, "quick": {}}, r"is \(True,\); give words or finite numbers"),
        ({"seeds": 0}, "seeds is 0; it must be a whole number from 1"),
    ],
)
def test_axes_that_do_not_fit_are_refused_by_name(changes, message):
    with pytest.raises(InvalidInputError, match=message):
        msgspec.structs.replace(STUDY, **changes)


def test_a_value_that_joins_an_axis_or_another_order_of_axes_changes_no_other_task(tmp_path):
    axes = {"size": (7, 2.5, 1), "learner": ("new", "b", "a")}
    wider = msgspec.structs.replace(STUDY, axes=axes)
    before, after = (
        {record.key: record.rows for record in run_study(study, tmp_path / name, wanted(study), workers=1).records}
        for name, study in (("before", STUDY), ("after", wider))
    )
    assert len(after) == 27
    assert {key: after[key] for key in before} == before
    assert len({rows[0]["number"] for rows in after.values()}) == 9, "learners and seeds differ"


def test_every_learner_meets_the_same_world_and_no_seed_repeats_it(tmp_path):
    records = run_study(STUDY, tmp_path / "file", wanted(STUDY), workers=1).records
    worlds = {(record.point["size"], record.seed): set() for record in records}
    for record in records:
        worlds[record.point["size"], record.seed].add(record.rows[0]["world"])
    assert all(len(found) == 1 for found in worlds.values())
    assert len(set.union(*worlds.values())) == len(worlds) == 6


def test_seeds_by_name_are_whole_numbers_that_any_constructor_takes():
    assert seed_for(3, "world") == seed_for(3, "world") != seed_for(4, "world")
    assert 0 <= seed_for(0) < 2**63


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_every_study_says_what_it_asks_and_how_to_repeat_it(name):
    study, page = find(name), readme(name)
    assert study.name == name
    assert page.splitlines()[0] == f"# {study.question}"
    assert f"typeover study run {name}" in page
    assert "What would count as yes" in page
    assert study.seeds >= 20


def test_an_unknown_study_is_answered_with_the_nearest():
    with pytest.raises(InvalidInputError, match="no study is named 'rubberstamp'; did you mean 'rubber-stamp'"):
        find("rubberstamp")
