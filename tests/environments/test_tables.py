from __future__ import annotations

import json

import pytest

from made_tables import write
from typeover.environments import read_table, read_vectors, writer_rounds
from typeover.errors import InvalidInputError
from typeover.losses import Vectors


def test_texts_are_read_with_their_labels_and_groups_and_without_those_out_of_scope(tmp_path):
    write(tmp_path, "banking77", "text.csv.gz", 'split,text,label\ntrain,"my money, please",refund\ntest,where?,card\n')
    rows = read_table(tmp_path, "banking77")
    assert (rows.inputs, rows.labels, rows.taxonomy) == (["my money, please", "where?"], ["refund", "card"], None)
    write(tmp_path, "clinc150", "text.csv.gz", "split,text,label,domain\na,x,oos,oos\na,y,rain,weather\n")
    rows = read_table(tmp_path, "clinc150")
    assert (rows.inputs, rows.labels, rows.taxonomy) == (["y"], ["rain"], {"rain": ["weather"]})


@pytest.mark.parametrize("name", ["letter", "satimage"])
def test_numbers_are_read_with_the_last_column_as_label(name, tmp_path):
    write(tmp_path, name, "table.csv.gz", "p,q,label\n1,2.5,A\n3,4,grey soil\n")
    rows = read_table(tmp_path, name)
    assert rows.inputs.tolist() == [[1, 2.5], [3, 4]]
    assert rows.labels == ["A", "grey soil"]


def test_jokes_are_split_into_those_that_describe_and_those_that_are_told(tmp_path):
    """Joke i is rated by everybody from 10 on, and less the lower its number."""
    head = ",".join(f"j{i}" for i in range(1, 51))
    whole = [",".join("10" if j == favourite else "-10" for j in range(50)) for favourite in (30, 44)]
    part = [",".join("" if j < 4 else "0" for j in range(50))]
    write(tmp_path, "jester5k", "ratings.csv.gz", "\n".join([head, *whole, *part]) + "\n")
    rows = read_table(tmp_path, "jester5k")
    assert rows.inputs.shape == (2, 30)  # people who rated every joke
    assert rows.candidates == [f"joke {i}" for i in range(35, 50)]
    assert rows.rewards.shape == (2, 15)
    assert rows.labels == ["joke 35", "joke 45"]  # ties go to the first
    assert rows.rewards[1].tolist() == [0.0] * 10 + [1.0] + [0.0] * 4


def test_word_vectors_are_read_as_losses_take_them(tmp_path):
    write(tmp_path, "word_vectors", "vectors.csv.gz", "word,v0,v1\nking,2,0\nqueen,1,1\n")
    vectors = read_vectors(tmp_path)
    assert vectors == {"king": [2.0, 0.0], "queen": [1.0, 1.0]}
    assert Vectors(vectors).deltas(["queen"], "king").tolist() == pytest.approx([0.25])


def test_what_is_missing_is_told_with_what_is_there(tmp_path):
    with pytest.raises(
        InvalidInputError, match=r"no folder .*nowhere; name with --data the folder that holds letter/t"
    ):
        read_table(tmp_path / "nowhere", "letter")
    with pytest.raises(InvalidInputError, match=r"no letter/table\.csv\.gz in .*, which holds no folder"):
        read_table(tmp_path, "letter")
    write(tmp_path, "satimage", "table.csv.gz", "a,label\n")
    with pytest.raises(InvalidInputError, match=r"no letter/table\.csv\.gz in .*, which holds satimage; put the set"):
        read_table(tmp_path, "letter")
    with pytest.raises(InvalidInputError, match=r"no reader for the set 'leter'; did you mean 'letter'\?"):
        read_table(tmp_path, "leter")


def test_a_damaged_file_is_one_sentence(tmp_path):
    (tmp_path / "letter").mkdir()
    (tmp_path / "letter" / "table.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(InvalidInputError, match=r"table\.csv\.gz cannot be read as gzipped CSV .*; fetch it again"):
        read_table(tmp_path, "letter")
    write(tmp_path, "letter", "table.csv.gz", "p,q,label\n1,2,A\n1,B\n")
    with pytest.raises(InvalidInputError, match="row 3: 2 fields where the head names 3"):
        read_table(tmp_path, "letter")
    write(tmp_path, "letter", "table.csv.gz", "")
    with pytest.raises(InvalidInputError, match="cannot be read as gzipped CSV"):
        read_table(tmp_path, "letter")
    write(tmp_path, "letter", "table.csv.gz", "p,label\nx,A\n")
    with pytest.raises(InvalidInputError, match=r"letter/table\.csv\.gz holds what is no number .*'x'"):
        read_table(tmp_path, "letter")


ROUND = {"genre": "creative", "session": 3, "context": "Once", "suggestions": [" upon", " more"], "prob": [1, 2]}


def test_rounds_of_writers_come_with_what_was_taken_typed_and_kept(tmp_path):
    lines = [
        ROUND | {"writer": 5, "outcome": "accepted", "chosen": 1, "kept": 0.4, "result": " more", "decide_ms": 900},
        ROUND | {"writer": 5, "outcome": "rejected", "chosen": -1, "result": " I saw. "},
        ROUND | {"writer": 2, "outcome": "rejected", "chosen": -1, "result": "\n"},
        ROUND | {"writer": 2, "outcome": "open", "chosen": -1, "decide_ms": None},
    ]
    write(tmp_path, "coauthor_rounds", "shared.jsonl.gz", "".join(json.dumps(line) + "\n" for line in lines))
    found = list(writer_rounds(tmp_path))
    assert [writer for writer, _ in found] == [5, 5, 2, 2]
    assert [facts.accepted for _, facts in found] == [" more", None, None, None]
    assert [facts.typed for _, facts in found] == [None, "I saw.", None, None]
    assert found[0][1].kept == 0.4


def test_a_damaged_log_of_writers_names_the_line(tmp_path):
    with pytest.raises(InvalidInputError, match=r"no coauthor_rounds/shared\.jsonl\.gz in "):
        list(writer_rounds(tmp_path))
    (tmp_path / "coauthor_rounds").mkdir()
    (tmp_path / "coauthor_rounds" / "shared.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(InvalidInputError, match="cannot be read as gzipped lines"):
        list(writer_rounds(tmp_path))
    write(tmp_path, "coauthor_rounds", "shared.jsonl.gz", json.dumps(ROUND | {"writer": "x"}) + "\n")
    with pytest.raises(InvalidInputError, match=r"line 1: .*; fetch the set again"):
        list(writer_rounds(tmp_path))
