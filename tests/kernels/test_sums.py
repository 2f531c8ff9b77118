import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from typeover.kernels import sums


def instance(seed, n_rounds, n_policies, is_random):
    rng = np.random.default_rng(seed)
    n_contexts, n_actions = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    if is_random:
        table = rng.dirichlet(np.ones(n_actions), size=(n_contexts, n_policies))
        table[rng.random(table.shape[:2]) < 0.3] = np.eye(n_actions)[0]
    else:
        table = rng.integers(n_actions, size=(n_contexts, n_policies), dtype=np.int32)
    contexts = rng.integers(n_contexts, size=n_rounds, dtype=np.int32)
    actions = rng.integers(n_actions, size=n_rounds, dtype=np.int32)
    values = rng.normal(size=n_rounds) * (rng.random(n_rounds) < 0.7)
    return table, contexts, actions, values, rng.normal(size=(n_rounds, n_actions))


INSTANCES = st.builds(instance, st.integers(0, 2**32), st.integers(0, 20), st.integers(1, 7), st.booleans())


@given(INSTANCES)
def test_policies_are_credited_where_they_take_the_action_taken(drawn):
    table, contexts, actions, values, _ = drawn
    fast, slow = np.zeros(table.shape[1]), [0.0] * table.shape[1]
    sums.add_matching(fast, table, contexts, actions, values)
    naive.add_matching(slow, table, contexts, actions, values)
    assert fast == pytest.approx(slow, abs=1e-12)


@given(INSTANCES)
def test_policies_are_credited_with_the_value_of_their_own_action(drawn):
    table, contexts, _, _, values = drawn
    fast, slow = np.zeros(table.shape[1]), [0.0] * table.shape[1]
    sums.add_chosen(fast, table, contexts, values)
    naive.add_chosen(slow, table, contexts, values)
    assert fast == pytest.approx(slow, abs=1e-12)


@given(INSTANCES, st.integers(0, 20))
def test_a_stretch_cut_in_two_gives_the_same_bits(drawn, cut):
    table, contexts, actions, values, deltas = drawn
    whole, parts = np.ones(table.shape[1]) / 3, np.ones(table.shape[1]) / 3
    sums.add_matching(whole, table, contexts, actions, values)
    sums.add_matching(parts, table, contexts[:cut], actions[:cut], values[:cut])
    sums.add_matching(parts, table, contexts[cut:], actions[cut:], values[cut:])
    assert whole.tobytes() == parts.tobytes()
    sums.add_chosen(whole, table, contexts, deltas)
    for t in range(contexts.size):
        sums.add_chosen(parts, table, contexts[t : t + 1], deltas[t : t + 1])
    assert whole.tobytes() == parts.tobytes()


@given(INSTANCES)
def test_a_choice_and_all_probability_on_it_are_credited_alike(drawn):
    table, contexts, actions, values, deltas = drawn
    if table.ndim == 3:
        table = table.argmax(axis=2).astype(np.int32)
    one_hot = np.ascontiguousarray(np.eye(deltas.shape[1])[table])
    for kernel, arguments in ((sums.add_matching, (actions, values)), (sums.add_chosen, (deltas,))):
        certain, random = np.zeros(table.shape[1]), np.zeros(table.shape[1])
        kernel(certain, table, contexts, *arguments)
        kernel(random, one_hot, contexts, *arguments)
        assert random == pytest.approx(certain, abs=1e-12)


def test_values_may_be_a_slice_of_something_wider():
    values = np.arange(12.0).reshape(2, 6)[:, ::2]  # 0 2 4 / 6 8 10
    totals = np.zeros(2)
    sums.add_chosen(totals, np.array([[0, 2]], dtype=np.int32), np.zeros(2, dtype=np.int32), values)
    assert totals.tolist() == [0 + 6, 4 + 10]


def test_two_rounds_by_hand():
    table = np.array([[0, 1], [1, 1]], dtype=np.int32)  # policy 0 takes 0 then 1, policy 1 takes 1 always
    totals = np.array([10.0, 20.0])
    sums.add_matching(totals, table, np.array([0, 1], np.int32), np.array([1, 1], np.int32), np.array([0.5, 0.25]))
    assert totals.tolist() == [10.25, 20.75]
