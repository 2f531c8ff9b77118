from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError, MissingPackageError, NotMetricError
from typeover.losses import EditDistance, check_metric, matrix

words = st.lists(st.text(alphabet="ab", max_size=5), min_size=1, max_size=6, unique=True)


def naive_edits(a, b):
    """Insertions, deletions and substitutions, by the recursion that defines them."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        previous, row = row, [i]
        for j, y in enumerate(b, start=1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (x != y)))
    return row[-1]


def test_hand_worked_distances():
    # kitten -> sitting takes 3 edits: 2 * 3 / (6 + 7 + 3)
    assert EditDistance().deltas(["kitten", "sitting", ""], "sitting", None).tolist() == [6 / 16, 0, 1]
    assert EditDistance(normalised="longest").deltas(["kitten", ""], "sitting", None).tolist() == [3 / 7, 1]


def test_two_empty_texts_are_the_same():
    assert EditDistance().deltas(["", "a"], "").tolist() == [0, 1]
    assert EditDistance(normalised="longest").deltas(["", "a"], "").tolist() == [0, 1]


def test_a_new_answer_is_measured_like_any_other():
    assert EditDistance().deltas(["refund", "thanks"], "refunds").tolist() == [2 / 14, 10 / 18]


def test_numbers_are_compared_as_they_are_written():
    assert EditDistance().deltas([12, "12", 1], 12).tolist() == [0, 0, 2 / 4]


def test_dividing_by_the_longest_is_no_metric():
    assert not EditDistance(normalised="longest").is_metric
    with pytest.raises(NotMetricError, match=r"Delta\('ab', 'ba'\) is 1, more than .*'aba'.* = 0\.333333 \+ 0\.333333"):
        check_metric(EditDistance(normalised="longest"), ["ab", "aba", "ba"])


def test_the_metric_meets_the_triangle_exactly_where_the_other_fails():
    table = matrix(EditDistance(), ["ab", "aba", "ba"])
    assert table[0, 2] == pytest.approx(table[0, 1] + table[1, 2])
    assert table[0, 2] == pytest.approx(2 / 3)


@given(words)
def test_the_default_is_a_metric_on_any_words(items):
    assert EditDistance().is_metric
    check_metric(EditDistance(), items)


@given(words)
def test_both_follow_their_formula(items):
    edits = np.array([[naive_edits(a, b) for b in items] for a in items])
    lengths = np.array([len(a) for a in items])
    summed, longest = np.add.outer(lengths, lengths), np.maximum.outer(lengths, lengths)
    assert np.allclose(matrix(EditDistance(), items), 2 * edits / np.maximum(summed + edits, 1))
    assert np.allclose(matrix(EditDistance(normalised="longest"), items), edits / np.maximum(longest, 1))


def test_it_travels_to_another_process():
    there = pickle.loads(pickle.dumps(EditDistance(normalised="longest")))
    assert there.deltas(["ba"], "ab").tolist() == [1]


def test_an_unknown_normalisation_is_refused_with_the_nearest():
    with pytest.raises(InvalidInputError, match=r"normalised is 'longst'; .* did you mean 'longest'\?"):
        EditDistance(normalised="longst")


def test_without_rapidfuzz_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(MissingPackageError, match=r"EditDistance needs rapidfuzz.*pip install 'typeover\[text\]'"):
        EditDistance()


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float64("nan")])
def test_a_missing_value_is_no_text(nothing):
    for loss in (EditDistance(), EditDistance(normalised="longest")):
        with pytest.raises(
            InvalidInputError, match=r"the answer .*(None|nan).* is no text but a missing value; leave it"
        ):
            loss.deltas(["nan", "None"], nothing)
        with pytest.raises(InvalidInputError, match=r"candidate .* is no text but a missing value"):
            loss.deltas(["nan", nothing], "word")
        assert loss.deltas(["nan", "None"], "nan")[0] == 0
