from __future__ import annotations

import errno
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logged import entries
from typeover.errors import InvalidInputError
from typeover.logs import Entry, Writer, jsonl, read

HEAD = '{"format":"typeover.log","version":1}\n'


def entry(number, context="x"):
    return Entry(
        decision_id=f"d-{number}", loop="tickets", sequence=number, time=number * 1_000_001, context=context,
        actions=("a", "b"), index=0, suggestion=0, action="a", probability=0.5, propensities=(0.5, 0.5),
    )  # fmt: skip


def line(**changes):
    given = json.loads(jsonl.msgspec.json.encode(entry(1), enc_hook=jsonl.to_json)) | changes
    return json.dumps({name: value for name, value in given.items() if value is not ...}) + "\n"


@given(st.lists(entries(), max_size=5), st.booleans(), st.integers(0, 5))
def test_a_log_comes_back_as_it_was_written_in_one_go_or_two(tmp_path_factory, cases, is_packed, cut):
    path = tmp_path_factory.mktemp("logs") / f"log.jsonl{'.gz' * is_packed}"
    written = [case[2] for case in cases]
    for part in (written[:cut], written[cut:]):
        with Writer(path) as log:
            for one in part:
                log.write(one)
    assert list(read(path)) == written


def test_a_line_is_what_the_page_says(tmp_path):
    with Writer(tmp_path / "log.jsonl") as log:
        log.write(entry(1))
    first, second = (tmp_path / "log.jsonl").read_text().splitlines()
    assert first + "\n" == HEAD
    assert json.loads(second) == {
        "decision_id": "d-1", "loop": "tickets", "sequence": 1, "time": "1970-01-01T00:00:01.000001Z", "context": "x",
        "actions": ["a", "b"], "index": 0, "suggestion": 0, "action": "a", "probability": 0.5,
        "propensities": [0.5, 0.5],
    }  # fmt: skip


def test_only_whole_lines_are_written_and_all_of_them_on_close(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "_KEPT", 1000)
    path = tmp_path / "log.jsonl"
    log = Writer(path)
    for number in range(1, 104):
        log.write(entry(number))
        assert not path.stat().st_size or path.read_bytes().endswith(b"}\n")
    assert 1 < len(path.read_bytes().splitlines()) < 104
    log.close()
    log.close()
    assert [one.sequence for one in read(path)] == list(range(1, 104))


def test_a_log_without_entries_is_a_log(tmp_path):
    Writer(tmp_path / "log.jsonl").close()
    assert list(read(tmp_path / "log.jsonl")) == []


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_a_full_disk_leaves_the_file_as_it_was_and_loses_nothing(tmp_path, monkeypatch, name):
    path = tmp_path / name
    with Writer(path) as log:
        log.write(entry(1))
    before = path.read_bytes()
    log = Writer(path)
    log.write(entry(2))

    class Full:
        def __init__(self, file):
            self._file, self.is_full = file, True

        def write(self, data):
            if not self.is_full:
                return self._file.write(data)
            if len(data) > 7:
                return self._file.write(data[:7])
            raise OSError(errno.ENOSPC, "No space left on device")

        def __getattr__(self, name):
            return getattr(self._file, name)

    full = log._file = Full(log._file)
    while full.is_full:
        with pytest.raises(OSError, match="No space left"):
            log.flush()
        assert path.read_bytes() == before
        full.is_full = False
    log.close()
    assert [one.sequence for one in read(path)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"log\.jsonl is empty; a log begins with the line \{\"format\""),
        ("hello\n", r"line 1: b'hello.n' is not the format line of a log"),
        (line(), "line 1: .* is not the format line of a log"),
        ('{"format":"typeover.log","version":"1"}\n', "line 1: .* is not the format line"),
        (
            '{"format":"typeover.log","version":2}\n',
            "a log of version 2, this program reads up to 1; install a newer",
        ),
        (HEAD + line() + "{oops\n", "line 3: JSON is malformed"),
        (HEAD + line() + line()[:50], "line 3: .*; the line has no end, as if its writer had been stopped: remove it"),
        (HEAD + line(sequence="one"), r"line 2, field sequence: Expected `int`, got `str`"),
        (
            HEAD + line(actions=["a", "b"], propensities=[0.5, "x"]),
            r"line 2, field propensities\[1\]: Expected",
        ),
        (HEAD + line(colour=1), "line 2, field colour: Object contains unknown field `colour`; known: "),
        (HEAD + line(propensity=1), "line 2, field propensity: .*; did you mean 'propensities'"),
        (HEAD + line(loop=...), "line 2, field loop: Object missing required field `loop`"),
        (HEAD + line(time="yesterday"), "line 2, field time: 'yesterday' is no time; write it like '2026-01-31T"),
        (HEAD + line(time="2026-01-31T12:00:00"), "line 2, field time: '2026-01-31T12:00:00' is no time"),
        (HEAD + line(time=5), "line 2, field time: 5 is no time"),
        (HEAD + line(index=7), r"line 2: index is 7; it must lie in -1 \(nothing\) to 1"),
    ],
)
def test_a_log_that_does_not_fit_is_refused_by_file_line_and_field(tmp_path, text, message):
    (tmp_path / "log.jsonl").write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        list(read(tmp_path / "log.jsonl"))


def test_what_stands_before_a_damaged_line_is_read(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(HEAD + line() + "oops\n")
    found = read(path)
    assert next(found).sequence == 1
    with pytest.raises(InvalidInputError, match="line 3"):
        next(found)


def test_a_last_line_without_its_end_is_read_if_it_is_whole(tmp_path):
    (tmp_path / "log.jsonl").write_text(HEAD + line().rstrip())
    assert len(list(read(tmp_path / "log.jsonl"))) == 1
    with pytest.raises(InvalidInputError, match="ends within a line"):
        Writer(tmp_path / "log.jsonl")


def test_a_compressed_log_is_known_by_its_content_and_its_damage_is_told(tmp_path):
    packed = gzip.compress((HEAD + line() * 200).encode())
    (tmp_path / "log").write_bytes(packed)
    assert len(list(read(tmp_path / "log"))) == 200
    (tmp_path / "log").write_bytes(packed[:-20])
    with pytest.raises(InvalidInputError, match=r"log is damaged after line \d+ .*; what stands before can be read"):
        list(read(tmp_path / "log"))


def test_a_writer_continues_nothing_but_a_log_and_leaves_the_rest_alone(tmp_path):
    other = tmp_path / "notes.jsonl"
    other.write_text("precious\n")
    with pytest.raises(InvalidInputError, match="is not the format line of a log"):
        Writer(other)
    assert other.read_text() == "precious\n"
    newer = tmp_path / "newer.jsonl"
    newer.write_text('{"format":"typeover.log","version":9}\n')
    with pytest.raises(InvalidInputError, match="a log of version 9"):
        Writer(newer)
    (tmp_path / "log.gz").write_text(HEAD)
    with pytest.raises(InvalidInputError, match=r"log\.gz is not compressed, unlike its name"):
        Writer(tmp_path / "log.gz")


def test_a_file_that_cannot_be_opened_is_one_sentence(tmp_path):
    with pytest.raises(InvalidInputError, match=r"nowhere cannot be opened \(No such file"):
        list(read(tmp_path / "nowhere"))
    with pytest.raises(InvalidInputError, match="cannot be opened"):
        Writer(tmp_path / "nowhere" / "log.jsonl")
    with pytest.raises(InvalidInputError, match="cannot be opened"):
        list(read(tmp_path))
