"""What is missing is run, what is there is not; a killed run loses only what it was at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import msgspec
import pytest

from tiny_study import STUDY
from typeover.errors import InvalidInputError, TaskFailedError
from typeover.studies.runner import complete, run_study, task_name, wanted

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.fixture
def marks(tmp_path, monkeypatch):
    """A file for every task that ran."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv("TINY_MARKS", str(folder))
    return folder


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def ran(marks):
    return sorted(mark.name.rpartition(" ")[0] for mark in marks.iterdir())


def test_only_what_is_missing_is_run(marks, path):
    first = run_study(STUDY, path, wanted(STUDY, n_seeds=2), workers=1)
    assert (first.n_ran, len(first.records), len(ran(marks))) == (8, 8, 8)
    again = run_study(STUDY, path, wanted(STUDY, n_seeds=2), workers=1)
    assert (again.n_ran, again.records) == (0, first.records)
    more = run_study(STUDY, path, wanted(STUDY), workers=1)
    assert (more.n_ran, more.records[:8], len(ran(marks))) == (4, first.records, 12)


def test_several_workers_find_what_one_finds(tmp_path):
    found = [run_study(STUDY, tmp_path / str(n), wanted(STUDY), workers=n).records for n in (1, 3)]
    assert [(one.key, one.rows) for one in found[0]] == [(one.key, one.rows) for one in found[1]]
    assert all(one.seconds >= 0 and one.version for one in found[1])


def test_results_of_tasks_that_are_gone_are_kept_and_left_out(path):
    run_study(STUDY, path, wanted(STUDY), workers=1)
    content = path.read_bytes()
    smaller = msgspec.structs.replace(STUDY, axes={"learner": ("b",), "size": (1, 2.5)})
    outcome = run_study(smaller, path, wanted(smaller), workers=1)
    assert (outcome.n_ran, len(outcome.records), outcome.n_others) == (0, 6, 6)
    assert path.read_bytes() == content


def test_progress_counts_what_is_missing(path):
    told = []
    run_study(STUDY, path, wanted(STUDY, n_seeds=1), workers=1, tell=lambda *so_far: told.append(so_far))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    told.clear()
    run_study(STUDY, path, wanted(STUDY, n_seeds=1), workers=1, tell=lambda *so_far: told.append(so_far))
    assert told == []


def test_a_task_that_fails_ends_the_run_and_what_was_done_before_is_kept(path, monkeypatch):
    monkeypatch.setenv("TINY_FAILS", "b")
    with pytest.raises(TaskFailedError, match=r"task tiny learner=b size=1 seed=0 failed(.|\n)*as it was told to"):
        run_study(STUDY, path, wanted(STUDY), workers=1)
    monkeypatch.delenv("TINY_FAILS")
    assert run_study(STUDY, path, wanted(STUDY), workers=1).n_ran == 10


def test_a_part_of_an_axis_is_named_by_its_values(path):
    part = wanted(STUDY, only=["size=2.5", "learner=b"], n_seeds=1, first_seed=5)
    assert part.tasks == [({"learner": "b", "size": 2.5}, 5)]
    assert len(wanted(STUDY, only=["learner=a", "learner=b"]).tasks) == 12
    assert wanted(STUDY, only=["size=1.0"]).tasks == wanted(STUDY, only=["size=1"]).tasks
    assert run_study(STUDY, path, part, workers=1).n_ran == 1


def test_values_that_meet_in_no_point_are_refused():
    some = msgspec.structs.replace(STUDY, where=lambda point: (point["learner"], point["size"]) != ("b", 1))
    with pytest.raises(InvalidInputError, match="no point with all of size=1, learner=b; name fewer"):
        wanted(some, only=["size=1", "learner=b"])


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("size=3", "axis 'size' has no value '3'; known: '1', '2.5'"),
        ("learner=A", "axis 'learner' has no value 'A'; known: 'a', 'b'"),
        ("siez=1", "study 'tiny' has no axis 'siez'; did you mean 'size'"),
        ("size", "axis 'size' has no value ''"),
    ],
)
def test_an_unknown_axis_or_value_is_answered_with_what_is_known(only, message):
    with pytest.raises(InvalidInputError, match=message):
        wanted(STUDY, only=[only])


def test_a_report_rests_on_the_seeds_of_which_every_task_is_done(path):
    run_study(STUDY, path, wanted(STUDY, n_seeds=2), workers=1)
    run_study(STUDY, path, wanted(STUDY, only=["learner=a"], first_seed=7, n_seeds=1), workers=1)
    records, unfinished = complete(STUDY, path)
    assert {record.seed for record in records} == {0, 1}
    assert (len(records), unfinished) == (8, [7])
    bigger = msgspec.structs.replace(STUDY, axes=STUDY.axes | {"size": (1, 2.5, 4)})
    with pytest.raises(InvalidInputError, match=r"no seed whose 6 tasks are all done; run: typeover study run tiny$"):
        complete(bigger, path)


def test_data_is_asked_for_when_something_is_to_be_run_with_it(tmp_path, path):
    reading = msgspec.structs.replace(STUDY, data=("banking77",))
    with pytest.raises(InvalidInputError, match="study 'tiny' reads banking77; name their folder with --data DIR"):
        run_study(reading, path, wanted(reading), workers=1)
    with pytest.raises(InvalidInputError, match=r"data is .*, which has no 'banking77'; study 'tiny' reads it there"):
        run_study(reading, path, wanted(reading), workers=1, data=tmp_path)
    (tmp_path / "banking77").mkdir()
    assert run_study(reading, path, wanted(reading), workers=1, data=tmp_path).n_ran == 12
    assert run_study(reading, path, wanted(reading), workers=1).n_ran == 0


def test_points_that_read_something_more_are_left_out_where_no_folder_is_named(tmp_path, path):
    some = msgspec.structs.replace(STUDY, axes=STUDY.axes | {"learner": ("a", "letter")}, extras=("letter",))
    part = wanted(some, n_seeds=1, has_data=False)
    assert {point["learner"] for point, _ in part.tasks} == {"a"}
    run_study(some, path, part, workers=1)
    assert len(complete(some, path)[0]) == 2
    whole = wanted(some, n_seeds=1)
    with pytest.raises(InvalidInputError, match="study 'tiny' reads letter; name their folder with --data DIR"):
        run_study(some, path, whole, workers=1)
    with pytest.raises(InvalidInputError, match="study 'tiny' reads letter; name"):
        wanted(some, only=["learner=letter"], has_data=False)
    (tmp_path / "letter").mkdir()
    assert run_study(some, path, whole, workers=1, data=tmp_path).n_ran == 2
    assert len(complete(some, path)[0]) == 4


def test_a_task_is_called_by_its_study_its_values_and_its_seed():
    assert task_name(STUDY, {"learner": "a", "size": 1}, 3) == "tiny learner=a size=1 seed=3"


RUN = """
import sys
from pathlib import Path
from tiny_study import STUDY
from typeover.studies.runner import run_study, wanted
run_study(STUDY, Path(sys.argv[1]), wanted(STUDY, n_seeds=int(sys.argv[2])), workers=2)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is POSIX")
def test_a_killed_run_loses_at_most_the_tasks_that_it_was_at(marks, path, monkeypatch):
    command = [sys.executable, "-c", RUN, str(path), "30"]
    child = subprocess.Popen(command, env=ENVIRONMENT | {"TINY_MARKS": str(marks), "TINY_SECONDS": "0.1"})
    deadline = time.monotonic() + 60
    while len(ran(marks)) < 6:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.kill()
    child.wait()
    time.sleep(0.3)  # a worker may still be making its mark
    begun = len(ran(marks))
    assert 6 <= begun < 120, "killed in the middle"
    outcome = run_study(STUDY, path, wanted(STUDY, n_seeds=30), workers=1)
    assert len(outcome.records) == 120
    kept = 120 - outcome.n_ran
    assert kept >= begun - 4, "two workers: each was at a task, and may just have finished another one"
    assert len(set(ran(marks))) == 120


def test_a_finished_study_needs_neither_kernels_nor_worlds(path):
    run_study(STUDY, path, wanted(STUDY), workers=1)
    check = (
        "heavy = {'numba', 'rich', 'typeover.environments', 'typeover.learners'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", RUN + check, str(path), "3"], check=True, env=ENVIRONMENT)
