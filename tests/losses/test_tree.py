from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.losses import Tree, check_metric, items, matrix

PATHS = {"robin": ["animal", "bird"], "owl": ["animal", "bird"], "cat": ["animal"], "oak": ["plant"]}
PARENTS = {"robin": "bird", "owl": "bird", "bird": "animal", "cat": "animal", "animal": None, "oak": "plant"}

paths = st.dictionaries(
    st.integers(0, 9), st.lists(st.sampled_from("xyz"), max_size=4).map(tuple), min_size=1, max_size=7
)


def naive_steps(a, b):
    """Up from `a` to the last node that both ways share, and down to `b`."""
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    return len(a) - shared + len(b) - shared


def test_steps_are_counted_through_the_lowest_common_group():
    loss = Tree(PATHS)
    assert loss.longest == 5  # robin, bird, animal, the unnamed top, plant, oak
    assert loss.deltas(["robin", "owl", "cat", "oak"], "robin", None).tolist() == [0, 0.4, 0.6, 1]


def test_paths_and_parents_spell_the_same_tree():
    names = list(PATHS)
    assert np.array_equal(matrix(Tree(PATHS), names), matrix(Tree(PARENTS), names))


def test_in_a_tree_of_parents_a_group_can_be_shown_too():
    loss = Tree(PARENTS)
    assert set(loss.items) == {"robin", "owl", "bird", "cat", "animal", "oak", "plant"}
    assert loss.deltas(["bird", "animal", "plant"], "robin").tolist() == [0.2, 0.4, 0.8]


def test_groups_of_one_name_below_different_groups_are_different():
    loss = Tree({"tax": ["billing", "other"], "login": ["account", "other"], "fee": ["billing", "other"]})
    assert loss.deltas(["tax", "login", "fee"], "tax").tolist() == [0, 1, 2 / 6]


def test_a_single_item_is_zero_from_itself():
    assert Tree({"only": []}).deltas(["only"], "only").tolist() == [0]


def test_a_new_answer_is_unknown_away_from_every_candidate():
    assert Tree(PATHS).deltas(["owl", "cat"], "bat").tolist() == [1, 1]
    assert Tree(PATHS, unknown=0.75).deltas(["owl", "cat"], "bat").tolist() == [0.75, 0.75]


def test_an_unknown_candidate_is_refused_with_the_nearest_name():
    with pytest.raises(InvalidInputError, match=r"candidate 'robbin' is none of the 4 items .* did you mean 'robin'\?"):
        Tree(PATHS).deltas(["robbin"], "owl", None)


@given(paths)
def test_it_equals_steps_counted_by_hand_and_is_a_metric(taxonomy):
    loss, names = Tree(taxonomy), list(taxonomy)
    ways = [(*path, leaf) for leaf, path in taxonomy.items()]
    steps = np.array([[naive_steps(a, b) for b in ways] for a in ways])
    assert loss.longest == steps.max()
    assert np.array_equal(matrix(loss, names), steps / max(steps.max(), 1))
    check_metric(loss, names)


@given(paths)
def test_many_items_give_the_same_deltas_as_few(taxonomy):
    names = list(taxonomy)
    few = matrix(Tree(taxonomy), names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(items, "KEPT", 0)
        many = Tree(taxonomy)
        assert np.array_equal(matrix(many, names), few)
        assert not many._columns


def test_a_very_deep_tree_is_climbed_without_recursion():
    chain = {n: n + 1 for n in range(1500)}
    assert Tree(chain).deltas([0, 750], 1500).tolist() == [1, 0.5]


BAD = [
    ({}, "items is empty"),
    ([("owl", "bird")], r"taxonomy is a list; it must be \{leaf: path\} or \{child: parent\}"),
    ({"owl": ["bird"], "cat": "animal"}, "gives 'cat' the parent 'animal' and others a path"),
    ({"owl": ["bird", "owl"]}, r"the path of 'owl' is \['bird', 'owl'\] and ends in 'owl' itself"),
    ({"a": "b", "b": "c", "c": "a"}, "goes in a circle: 'a' -> 'b' -> 'c' -> 'a'"),
    ({"a": "a"}, "goes in a circle: 'a' -> 'a'"),
    ({"animal": {"bird": "owl"}}, r"gives 'animal' the group \{'bird': 'owl'\}, which cannot be a name"),
    ({"owl": [["bird"]]}, r"gives 'owl' the group \['bird'\], which cannot be a name"),
]


@pytest.mark.parametrize(("taxonomy", "message"), BAD)
def test_bad_taxonomies_are_refused_by_name(taxonomy, message):
    with pytest.raises(InvalidInputError, match=message):
        Tree(taxonomy)


def test_an_unknown_outside_the_range_is_refused():
    with pytest.raises(InvalidInputError, match=r"unknown is -0\.1; it must lie in \[0, 1\]"):
        Tree(PATHS, unknown=-0.1)


@pytest.mark.parametrize(("unknown", "is_metric"), [(0.0, False), (0.49, False), (0.5, True), (1.0, True)])
def test_it_is_a_metric_only_if_a_new_answer_is_no_short_cut(unknown, is_metric):
    assert Tree(PATHS, unknown=unknown).is_metric is is_metric
    assert Tree({"alone": []}, unknown=unknown).is_metric
    with_new = np.full((len(PATHS) + 1,) * 2, unknown)
    with_new[:-1, :-1] = matrix(Tree(PATHS), list(PATHS))
    with_new[-1, -1] = 0
    excess = with_new[:, :, None] - with_new[:, None, :] - with_new.T[None, :, :]
    assert bool((excess <= 1e-12).all()) is is_metric


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_a_missing_answer_is_a_new_one(nothing):
    leaf = next(iter(PATHS))
    assert Tree(PATHS, unknown=0.75).deltas([leaf], nothing).tolist() == [0.75]


def test_a_missing_value_is_no_item():
    with pytest.raises(InvalidInputError, match="item nan cannot be a name"):
        Tree({"a": ["x"], float("nan"): ["x"]})
