from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.losses import Vectors, check_metric, items, matrix

COMPASS = {"east": [3, 0], "north-east": [1, 1], "north": [0, 2], "west": [-1, 0]}

distances = st.sampled_from(["angle", "euclidean"])
clouds = st.lists(
    st.lists(st.integers(-9, 9), min_size=3, max_size=3).filter(any), min_size=1, max_size=6
).map(lambda rows: np.array(rows, dtype=float))  # fmt: skip


def test_the_angle_is_a_share_of_the_half_turn():
    assert Vectors(COMPASS).deltas(list(COMPASS), "east", None) == pytest.approx([0, 0.25, 0.5, 1], abs=1e-15)


def test_the_euclidean_distance_is_half_the_chord():
    deltas = Vectors(COMPASS, distance="euclidean").deltas(list(COMPASS), "east", None)
    assert deltas == pytest.approx([0, math.sqrt(2 - math.sqrt(2)) / 2, math.sqrt(0.5), 1], abs=1e-15)


def test_an_array_names_its_rows_by_items_or_by_number():
    rows = list(COMPASS.values())
    assert Vectors(rows, items=COMPASS).deltas(["west"], "east").tolist() == [1]
    assert Vectors(np.array(rows)).deltas([3, 0], 0).tolist() == [1, 0]


def test_small_angles_keep_their_digits():
    loss = Vectors({"a": [1, 0], "b": [1, 1e-9]})
    assert loss.deltas(["b"], "a") == pytest.approx([1e-9 / math.pi], rel=1e-9)


def test_lengths_do_not_matter_however_large_or_small():
    loss = Vectors({"tiny": [1e-300, 0], "huge": [1e300, 1e300]})
    assert loss.deltas(["huge"], "tiny") == pytest.approx([0.25])


@pytest.mark.parametrize("distance", ["angle", "euclidean"])
def test_opposite_directions_are_one_apart_and_never_more(distance):
    for k in range(1, 200):
        assert (
            1 - 1e-15 < Vectors({"to": [1, k, 3], "fro": [-1, -k, -3]}, distance=distance).deltas(["fro"], "to")[0] <= 1
        )


def test_a_new_answer_is_unknown_away_from_every_candidate():
    assert Vectors(COMPASS).deltas(["east", "west"], "south").tolist() == [1, 1]
    assert Vectors(COMPASS, unknown=0.5).deltas(["east", "west"], "south").tolist() == [0.5, 0.5]


def test_an_unknown_candidate_is_refused_with_the_nearest_name():
    with pytest.raises(InvalidInputError, match=r"candidate 'nort' is none of the 4 items .* did you mean 'north'\?"):
        Vectors(COMPASS).deltas(["nort"], "east", None)


@given(clouds, distances)
def test_every_cloud_of_vectors_is_a_metric_space(rows, distance):
    loss = Vectors(rows, distance=distance)
    names = range(len(rows))
    check_metric(loss, names)
    table = matrix(loss, names)
    assert np.array_equal(table, table.T)
    assert not table.diagonal().any()
    assert table.max() <= 1


@given(clouds)
def test_the_angle_equals_the_arc_cosine_of_the_cosine(rows):
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    expected = np.arccos(np.clip(units @ units.T, -1, 1)) / np.pi
    assert np.allclose(matrix(Vectors(rows), range(len(rows))), expected, atol=1e-7)


@given(clouds, distances)
def test_many_items_give_the_same_deltas_as_few(rows, distance):
    names = range(len(rows))
    few = matrix(Vectors(rows, distance=distance), names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(items, "KEPT", 0)
        many = Vectors(rows, distance=distance)
        assert np.allclose(matrix(many, names), few, rtol=0, atol=1e-15)
        assert not many._columns


@given(clouds, distances)
def test_relabelling_the_items_relabels_the_deltas(rows, distance):
    names = range(len(rows))
    turned = Vectors(rows[::-1], items=list(names)[::-1], distance=distance)
    assert np.allclose(matrix(turned, names), matrix(Vectors(rows, distance=distance), names), rtol=0, atol=1e-15)


BAD = [
    ({"vectors": {"a": [1, 0], "b": [0, 0]}}, "the vector of 'b' is zero or not finite"),
    ({"vectors": {"a": [1, np.nan]}}, "the vector of 'a' is zero or not finite"),
    ({"vectors": {"a": [1, np.inf]}}, "the vector of 'a' is zero or not finite"),
    ({"vectors": [[], []]}, "the vector of 0 is zero or not finite"),
    ({"vectors": {"a": [1, 0], "b": [1]}}, "vectors cannot be read as numbers .* all of one length"),
    ({"vectors": {"a": [10**400]}}, "vectors cannot be read as numbers"),
    ({"vectors": {"a": "east"}}, "vectors cannot be read as numbers"),
    ({"vectors": [1, 2]}, r"vectors has shape \(2,\); it must be \{item: vector\}"),
    ({"vectors": {}}, r"vectors has shape \(0,\)"),
    ({"vectors": np.empty((0, 3))}, "items is empty"),
    ({"vectors": [[1, 2]], "items": ["a", "b"]}, r"vectors has shape \(1, 2\) for 2 items"),
    ({"vectors": {"a": [1]}, "items": ["a"]}, "items came with a mapping"),
    ({"vectors": [[1.0], [2.0]], "items": ["a", "a"]}, "item 'a' stands twice"),
    ({"vectors": COMPASS, "distance": "euclid"}, "distance is 'euclid'; .* did you mean 'euclidean'"),
    ({"vectors": COMPASS, "unknown": 2}, r"unknown is 2; it must lie in \[0, 1\]"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_vectors_are_refused_by_name(settings, message):
    with pytest.raises(InvalidInputError, match=message):
        Vectors(**settings)


def test_it_is_a_metric_only_if_a_new_answer_is_no_short_cut():
    assert [Vectors(COMPASS, unknown=unknown).is_metric for unknown in (0, 0.49, 0.5, 1)] == [False, False, True, True]
    near = {"east": [1, 0], "north": [0, 1], "north-east": [1, 1]}  # the largest angle is a half of pi: Delta = 0.5
    assert [Vectors(near, unknown=unknown).is_metric for unknown in (0.2, 0.24, 0.25, 0.3)] == [
        False,
        False,
        True,
        True,
    ]
    half_chord = Vectors(near, distance="euclidean", unknown=0.35)  # sqrt(2)/2 and its half, 0.3535...
    assert not half_chord.is_metric
    assert Vectors(near, distance="euclidean", unknown=0.36).is_metric
    assert Vectors({"alone": [1]}, unknown=0).is_metric


def test_every_pair_is_looked_at_only_if_somebody_asks():
    loss = Vectors(COMPASS, unknown=0.1)
    calls = []
    loss._largest = lambda: calls.append(1) or 1.0
    loss.deltas(["east"], "north")
    assert calls == []
    assert not loss.is_metric
    assert not loss.is_metric
    assert calls == [1]
