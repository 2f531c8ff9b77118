"""`typeover study`: list, run, report."""

from __future__ import annotations

import json
import subprocess
import sys

import msgspec
import pytest
from click.testing import CliRunner

import tiny_study
from typeover import studies
from typeover.cli import main
from typeover.cli import progress as progress_of
from typeover.studies.findings import Findings


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, tmp_path):
    monkeypatch.setitem(studies.STUDIES, "tiny", "tiny_study")
    monkeypatch.chdir(tmp_path)


def call(*arguments):
    return CliRunner().invoke(main, ["study", *arguments])


def test_the_list_names_every_study_and_what_it_asks():
    result = call("list")
    assert result.exit_code == 0
    assert "tiny          Is a drawn number ever above one?" in result.stdout.splitlines()
    assert json.loads(call("list", "--json").stdout)["studies"].keys() == studies.STUDIES.keys()


def test_the_list_imports_no_study():
    code = (
        "import sys\nfrom typeover.cli import main\nmain(['study', 'list'], standalone_mode=False)\n"
        "sys.exit(str([name for name in sys.modules if name.startswith('typeover.studies.') or name == 'numpy']) "
        "if 'numpy' in sys.modules or 'typeover.studies.study' in sys.modules else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)


def test_a_run_prints_tables_words_and_claims_and_says_where_the_results_are(tmp_path):
    result = call("run", "tiny", "--workers", "1")
    assert result.exit_code == 0, result.output
    assert "1 of 1 claims hold" in result.stdout
    assert "Numbers are below one." in result.stdout
    assert "To draw it: typeover study report tiny\n" in result.stdout
    assert "12 of 12 tasks were run now; all are in studies/tiny/results.jsonl" in result.stderr
    assert (tmp_path / "studies" / "tiny" / "results.jsonl").exists()
    assert "0 of 12 tasks were run now" in call("run", "tiny").stderr


def test_a_quick_run_has_a_file_of_its_own(tmp_path):
    result = call("run", "tiny", "--quick", "--out", str(tmp_path / "here"), "--workers", "1")
    assert "4 of 4 tasks were run now" in result.stderr
    assert f"typeover study report tiny --quick --out {tmp_path / 'here'}" in result.stdout
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["quick.jsonl"]


def test_the_document_carries_the_claims_and_stdout_nothing_else(monkeypatch):
    monkeypatch.setenv("TINY_BAR", "0")
    result = call("run", "tiny", "--seeds", "2", "--seed", "7", "--workers", "2", "--json")
    document = json.loads(result.stdout)
    assert list(document)[:3] == ["format", "version", "study"]
    assert (document["format"], document["seeds"], document["tasks"], document["ran"]) == (
        "typeover.study-run",
        [7, 8],
        8,
        8,
    )
    (claim,) = document["claims"]
    assert set(claim) == {"claim", "bar", "figure", "holds"}
    assert not claim["holds"]
    assert result.exit_code == 1, "it ran, and the answer is no"


def test_a_part_of_the_points_is_run_without_a_verdict():
    result = call("run", "tiny", "--only", "learner=a", "--workers", "1", "--json")
    assert (result.exit_code, json.loads(result.stdout)["claims"]) == (0, [])
    assert "run it without --only" in result.stderr
    whole = call("run", "tiny", "--workers", "1")
    assert "6 of 12 tasks were run now" in whole.stderr


def test_what_needs_a_folder_is_left_out_without_one_and_said_so(monkeypatch, tmp_path):
    import tiny_study

    axes = tiny_study.STUDY.axes | {"learner": ("a", "letter")}
    monkeypatch.setattr(tiny_study, "STUDY", msgspec.structs.replace(tiny_study.STUDY, axes=axes, extras=("letter",)))
    result = call("run", "tiny", "--workers", "1")
    assert "6 of 6 tasks were run now" in result.stderr
    assert "left out without --data: what rests on letter" in result.stderr
    (tmp_path / "letter").mkdir()
    assert "6 of 12 tasks were run now" in call("run", "tiny", "--workers", "1", "--data", str(tmp_path)).stderr


def test_results_of_no_task_of_this_run_are_counted():
    call("run", "tiny", "--workers", "1")
    assert "8 other results in it are kept and left out" in call("run", "tiny", "--seeds", "1").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "tinny"], "no study is named 'tinny'; did you mean 'tiny'?"),
        (["report", "tinny"], "no study is named 'tinny'; did you mean 'tiny'?"),
        (["run", "tiny", "--only", "siez=1"], "study 'tiny' has no axis 'siez'; did you mean 'size'?"),
        (["run", "tiny", "--only", "learner=c"], "axis 'learner' has no value 'c'; known: 'a', 'b'"),
        (["report", "tiny"], "there is no studies/tiny/results.jsonl yet; run: typeover study run tiny"),
        (["run", "tiny", "--workers", "0"], "0 is not in the range"),
        (["run", "tiny", "--seed", "-1"], "-1 is not in the range"),
        (["runn"], "no command is named 'runn'; did you mean 'run'?"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, message):
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr.splitlines()[-1]


def test_a_task_that_fails_shows_its_traceback_and_exits_with_1(monkeypatch):
    monkeypatch.setenv("TINY_FAILS", "b")
    result = call("run", "tiny", "--workers", "2")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Error: task tiny learner=b size=" in result.stderr
    assert "ZeroDivisionError: as it was told to" in result.stderr


def test_ctrl_c_says_that_the_same_command_goes_on(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("typeover.studies.runner.run_study", interrupted)
    result = call("run", "tiny")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: stopped; what is done stands in studies/tiny/results.jsonl, and the same command goes on from there\n"
    )


def test_a_report_is_written_beside_the_results_from_whole_seeds(monkeypatch):
    call("run", "tiny", "--workers", "1")
    call("run", "tiny", "--seed", "9", "--only", "learner=a", "--workers", "1")
    given = {}
    monkeypatch.setattr(
        "typeover.studies.report.write", lambda **what: given.update(what) or what["folder"] / "report.html"
    )
    result = call("report", "tiny")
    assert result.exit_code == 0, result.output
    assert result.stdout == "studies/tiny/report.html\n"
    assert given["question"] == "Is a drawn number ever above one?"
    assert given["command"] == "typeover study run tiny\ntypeover study report tiny"
    assert (given["facts"]["Seeds"], given["facts"]["Tasks"]) == ("0 to 2", "12")
    assert given["findings"].claims[0].holds
    assert "left out, since not all of their tasks are done: seeds 9, 10, 11" in result.stderr


def test_a_report_of_other_seeds_says_which(monkeypatch):
    given = {}
    monkeypatch.setattr("typeover.studies.report.write", lambda **what: given.update(what) or what["folder"])
    call("run", "tiny", "--quick", "--seeds", "2", "--seed", "4", "--workers", "1")
    assert call("report", "tiny", "--quick").exit_code == 0
    assert given["command"].splitlines() == [
        "typeover study run tiny --quick --seeds 2 --seed 4", "typeover study report tiny --quick",
    ]  # fmt: skip
    assert given["facts"]["Seeds"] == "4 to 5"


@pytest.mark.parametrize(("what", "command"), [({"data": ("set",)}, True), ({"extras": ("b",)}, True), ({}, False)])
def test_a_report_says_that_data_was_read(monkeypatch, tmp_path, what, command):
    """Of the study's own, or of points that read something more; not where there is none."""
    for name in ("set", "b"):
        (tmp_path / name).mkdir()
    given = {}
    monkeypatch.setattr("typeover.studies.report.write", lambda **all_: given.update(all_) or all_["folder"])
    monkeypatch.setattr(tiny_study, "STUDY", msgspec.structs.replace(tiny_study.STUDY, **what))
    call("run", "tiny", "--workers", "1", "--data", str(tmp_path))
    assert call("report", "tiny").exit_code == 0
    assert ("typeover study run tiny --data DIR\n" in given["command"]) is command


def test_findings_draw_nothing_until_they_are_asked_for():
    assert Findings(claims=(), words=()).pictures() == ()


def test_lines_come_at_the_beginning_now_and_then_and_at_the_end(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 2.0, 13.0, 14.0, 15.0])
    monkeypatch.setattr(progress_of.time, "monotonic", lambda: next(clock))
    with progress_of.shown() as tell:
        for done in range(6):
            tell(done, 5)
    assert capsys.readouterr().err.splitlines() == [
        "5 tasks to run", "3 of 5 tasks, 13.8 tasks/min, 9 s left", "5 of 5 tasks, 20.0 tasks/min, 0 s left",
    ]  # fmt: skip


@pytest.mark.thorough
def test_in_a_terminal_a_bar_shows_how_far_the_run_is_and_ctrl_c_ends_it_without_a_traceback(tmp_path):
    from cli import terminal

    only = ["--only", "learner=EFBO", "--only", "careless=0"]
    arguments = ["study", "run", "rubber-stamp", "--quick", "--workers", "2", "--out", str(tmp_path), *only]
    written, code = terminal.run(*arguments, rows=30, columns=100)
    assert code == 0, written
    assert "3/3" in written
    assert "3 of 3 tasks were run now" in written
    written, code = terminal.run(*arguments, "--seeds", "500", rows=30, columns=100, until=b"/497")
    assert code == 1, written
    assert "the same command goes on from there" in written
    assert "Traceback" not in written
