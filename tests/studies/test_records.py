"""The result file: what is in it stays, what is torn runs again, what is foreign is refused."""

from __future__ import annotations

import json
import signal

import pytest

from typeover.errors import InvalidInputError, StateError
from typeover.studies.records import Record, ResultFile, read

AXES = ("learner", "size")


def record(seed, **point):
    return Record(
        point={"learner": "a", "size": 1} | point, seed=seed, rows=[{"rounds": 10, "x": 0.5, "y": float("nan")}],
        seconds=0.25, peak_bytes=None, version="1",
    )  # fmt: skip


@pytest.fixture
def path(tmp_path):
    """A file with two results."""
    file = tmp_path / "deep" / "results.jsonl"
    with ResultFile(file, "tiny", AXES) as results:
        results.add(record(0))
        results.add(record(1))
    return file


def test_what_was_added_is_read_back_as_it_stands_in_the_file(path):
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert head == {"format": "typeover.study", "version": 1, "study": "tiny"}
    assert lines[1] == {
        "point": {"learner": "a", "size": 1}, "seed": 1, "rows": [{"rounds": 10, "x": 0.5, "y": None}],
        "seconds": 0.25, "peak_bytes": None, "version": "1",
    }  # fmt: skip
    with ResultFile(path, "tiny", AXES) as results:
        results.add(record(2))
        assert results.records == read(path, "tiny", AXES)
    assert [one.seed for one in read(path, "tiny", AXES)] == [0, 1, 2]


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_line_that_was_being_written_is_dropped_and_written_again(path, cut):
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    assert [one.seed for one in read(path, "tiny", AXES)] == [0]
    with ResultFile(path, "tiny", AXES) as results:
        assert [one.seed for one in results.records] == [0]
        results.add(record(1))
    assert path.read_bytes() == content


def test_a_file_that_is_empty_is_begun(tmp_path):
    path = tmp_path / "results.jsonl"
    path.touch()
    with ResultFile(path, "tiny", AXES) as results:
        assert results.records == []
    assert read(path, "tiny", AXES) == []


HEAD = b'{"format":"typeover.study","version":1,"study":"tiny"}\n'
LINE = b'{"point":{"learner":"a","size":1},"seed":0,"rows":[],"seconds":1,"peak_bytes":1,"version":"1"}\n'
FOREIGN = {
    "a newer version": (HEAD.replace(b"1", b"2"), StateError, "at version 2, this program reads up to 1; install"),
    "another study": (HEAD.replace(b"tiny", b"huge"), StateError, "holds results of study 'huge', not of 'tiny'"),
    "another thing": (HEAD.replace(b".study", b".bench"), StateError, "format is 'typeover.bench'; expected"),
    "no results": (b"Dear diary\n", StateError, "holds no results of a study; move it away"),
    "no whole line": (b"Dear diary", StateError, "holds no results of a study; move it away"),
    "an axis of another name": (HEAD + LINE.replace(b"size", b"siez"), StateError, "axis 'siez'; did you mean 'size'"),
    "an axis too few": (HEAD + LINE.replace(b',"size":1', b""), StateError, "line 2 has no axis 'size'"),
    "a damaged line": (HEAD + LINE[9:] + LINE, StateError, "line 2 is damaged .*; remove it, and its task runs again"),
}  # fmt: skip


@pytest.mark.parametrize("what", FOREIGN)
def test_a_file_with_something_else_is_refused_by_one_sentence_and_left_alone(tmp_path, what):
    content, kind, message = FOREIGN[what]
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    for use in (ResultFile, read):
        with pytest.raises(kind, match=message) as refusal:
            use(path, "tiny", AXES)
        assert str(path) in str(refusal.value)
        assert "\n" not in str(refusal.value)
    assert path.read_bytes() == content


def test_of_two_runs_on_one_file_the_second_is_refused_until_the_first_has_ended(path):
    with ResultFile(path, "tiny", AXES) as results:
        with pytest.raises(InvalidInputError, match=r"results\.jsonl is in use by another run; wait"):
            ResultFile(path, "tiny", AXES)
        results.add(record(2))
        assert len(read(path, "tiny", AXES)) == 3, "reading needs no turn"
    with ResultFile(path, "tiny", AXES) as results:
        assert len(results.records) == 3


def test_a_full_disk_is_one_sentence_and_loses_nothing_that_was_written(path):
    resource = pytest.importorskip("resource")
    if signal.getsignal(signal.SIGXFSZ) is not signal.SIG_IGN:
        pytest.skip("the limit would kill instead of refusing")
    content = path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ResultFile(path, "tiny", AXES) as results:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) + 30, before[1]))
            with pytest.raises(
                InvalidInputError, match=r"cannot be written \(.*\); the 2 results in it are kept: make room"
            ):
                results.add(record(2))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert path.read_bytes() == content, "nor is half a line left"
        results.add(record(2))
    assert [one.seed for one in read(path, "tiny", AXES)] == [0, 1, 2]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInputError, match=r"cannot be written .*; name another folder with --out"):
        ResultFile(tmp_path / "file" / "results.jsonl", "tiny", AXES)


def test_results_that_are_not_there_are_one_sentence_with_the_command_that_makes_them(tmp_path):
    with pytest.raises(InvalidInputError, match=r"there is no .*nowhere yet; run: typeover study run tiny"):
        read(tmp_path / "nowhere", "tiny", AXES)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read(tmp_path, "tiny", AXES)
