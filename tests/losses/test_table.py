from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError, NotMetricError
from typeover.losses import Table, matrix

LINE = [[0, 1, 4], [1, 0, 3], [4, 3, 0]]
NAMES = ["refund", "return", "thanks"]
ONE_WAY = {("a", "b"): 0.2, ("b", "a"): 0.8}

points = st.lists(st.floats(-50, 50), min_size=2, max_size=6)


def test_costs_above_one_are_divided_by_the_largest():
    loss = Table(LINE, items=NAMES)
    assert loss.scale == 4
    assert loss.deltas(["thanks", "return"], "refund", None).tolist() == [1, 0.25]


def test_costs_up_to_one_are_taken_as_they_are():
    loss = Table([[0, 0.5], [0.5, 0]])
    assert loss.scale == 1
    assert loss.deltas([0, 1], 1).tolist() == [0.5, 0]


def test_rows_are_what_was_shown_and_columns_what_was_wanted():
    loss = Table([[0, 0.2], [0.8, 0]], items=["a", "b"], metric=False)
    assert loss.deltas(["a"], "b").tolist() == [0.2]
    assert loss.deltas(["b"], "a").tolist() == [0.8]


@pytest.mark.parametrize("costs", [ONE_WAY, {"a": {"b": 0.2}, "b": {"a": 0.8}}])
def test_both_mappings_say_the_same_as_the_square_table(costs):
    assert matrix(Table(costs, metric=False), ["a", "b"]).tolist() == [[0, 0.2], [0.8, 0]]


def test_one_direction_is_enough_for_a_metric():
    loss = Table({("a", "b"): 1, ("c", "b"): 2, ("a", "c"): 3}, items="cba")
    assert loss.items == ("c", "b", "a")
    assert matrix(loss, "abc").tolist() == pytest.approx(np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]]) / 3)


def test_a_new_answer_is_unknown_away_from_every_candidate():
    assert Table(LINE, items=NAMES).deltas(NAMES, "a complaint").tolist() == [1, 1, 1]
    assert Table(LINE, items=NAMES, unknown=0.5).deltas(NAMES[:2], ["typed", "a list"]).tolist() == [0.5, 0.5]


def test_a_new_answer_must_not_be_a_shortcut_in_a_metric():
    with pytest.raises(NotMetricError, match=r"unknown is 0\.4, less than half the largest .* \(0\.5\).* metric=False"):
        Table(LINE, unknown=0.4)
    assert Table(LINE, unknown=0.4, metric=False).deltas([0], "new").tolist() == [0.4]


def test_an_unknown_candidate_is_refused_with_the_nearest_name():
    with pytest.raises(InvalidInputError, match=r"candidate 'refnd' is none of the 3 items .* did you mean 'refund'\?"):
        Table(LINE, items=NAMES).deltas(["return", "refnd"], "thanks", None)
    with pytest.raises(InvalidInputError, match=r"candidate \('refund', \[\]\) is none"):
        Table(LINE, items=NAMES).deltas(["return", ("refund", [])], "thanks", None)


def test_what_comes_back_belongs_to_the_caller():
    costs = np.array(LINE, dtype=float)
    loss = Table(costs)
    costs[:] = 7
    loss.deltas([0, 1, 2], 0)[:] = 9
    assert loss.deltas([0, 1, 2], 0).tolist() == [0, 0.25, 1]


def test_a_promised_metric_is_checked_and_the_items_are_named():
    costs = [[0, 1, 0.2], [1, 0, 0.3], [0.2, 0.3, 0]]
    with pytest.raises(
        NotMetricError, match=r"Delta\('refund', 'return'\) is 1, more than .*'thanks'.* = 0\.2 \+ 0\.3;"
    ):
        Table(costs, items=NAMES)
    loss = Table(costs, items=NAMES, metric=False)
    assert loss.deltas(["refund"], "return").tolist() == [1]
    assert (loss.is_metric, Table(LINE).is_metric) == (False, True)


@given(points, st.randoms(use_true_random=False))
def test_relabelling_the_items_relabels_the_deltas(places, random):
    distances = np.abs(np.subtract.outer(places, places))
    order = random.sample(range(len(places)), len(places))
    plain, relabelled = Table(distances), Table(distances[np.ix_(order, order)], items=order)
    assert np.array_equal(matrix(plain, range(len(places))), matrix(relabelled, range(len(places))))


@given(points)
def test_deltas_lie_between_zero_and_one_whatever_the_scale(places):
    distances = np.abs(np.subtract.outer(places, places))
    table = matrix(Table(distances), range(len(places)))
    assert table.min() == 0
    assert table.max() == pytest.approx(min(distances.max(), 1), abs=1e-15)


BAD = [
    ({"costs": [[0, 1]]}, r"costs has shape \(1, 2\); it must be a square table"),
    ({"costs": 3}, r"costs has shape \(\); it must be a square table"),
    ({"costs": [[0, 1], [1]]}, r"costs cannot be read as numbers \(\[\[0, 1\], \[1\]\]\)"),
    ({"costs": [[0, "much"], [1, 0]]}, "costs cannot be read as numbers"),
    ({"costs": [[0, -1], [1, 0]], "items": "ab"}, "the cost of 'a' when 'b' is wanted is -1; .* 0 or more"),
    ({"costs": [[0, 1], [np.nan, 0]]}, "the cost of 1 when 0 is wanted is nan; .* finite"),
    ({"costs": [[0, np.inf], [1, 0]]}, "the cost of 0 when 1 is wanted is inf; .* finite"),
    ({"costs": [[0, 1], [1, 0]], "items": ["a"]}, "costs is 2 by 2, but items names 1"),
    ({"costs": [[0, 1], [1, 0]], "items": ["a", "a"]}, "item 'a' stands twice"),
    ({"costs": [[0, 1], [1, 0]], "items": ["a", []]}, r"item \[\] cannot be a name"),
    ({"costs": {}}, "items is empty"),
    ({"costs": {"a": 1}}, r"costs has the key 'a'; it must be .* \{shown: \{wanted: cost\}\}"),
    ({"costs": {("a", "b"): 1, "a": {"b": 1}}}, "costs has the key 'a'.* of one kind throughout"),
    ({"costs": {("a", "b"): "much"}}, r"the cost of \('a', 'b'\) cannot be read as numbers \('much'\)"),
    ({"costs": {("a", "b"): [1, 2]}}, r"the cost of \('a', 'b'\) has shape \(2,\); it must be one number"),
    ({"costs": {("a", "b"): 1, ("b", "c"): 1}}, r"no cost for \('a', 'c'\)"),
    ({"costs": {("a", "b"): 1}, "metric": False}, r"no cost for \('b', 'a'\).* in both directions"),
    ({"costs": {("refund", "thanks"): 1}, "items": ["refnd", "thanks"]}, "'refund', which is none .* mean 'refnd'"),
    ({"costs": [[0, 1], [1, 0]], "unknown": 1.5}, r"unknown is 1\.5; it must lie in \[0, 1\]"),
    ({"costs": [[0, 1], [1, 0]], "unknown": np.nan}, "unknown is nan"),
    ({"costs": [[0, 1], [1, 0]], "unknown": None}, "unknown is None"),
    ({"costs": [[0.5, 1], [1, 0]]}, r"Delta\(0, 0\) is 0\.5; an item must be 0 from itself"),
    ({"costs": ONE_WAY}, r"Delta\('a', 'b'\) is 0\.2, but Delta\('b', 'a'\) is 0\.8; a metric is symmetric"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_tables_are_refused_by_name(settings, message):
    with pytest.raises(InvalidInputError, match=message):
        Table(**settings)
