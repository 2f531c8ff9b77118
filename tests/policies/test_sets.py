import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.policies import Constant, Lookup, PolicySet, TablePolicies, by_context

ACTIONS = ["refund", "invoice", "other"]


def by_length(contexts, actions):
    return [len(context) % len(actions) for context in contexts]


def by_letters(contexts, actions):
    """Probabilities: by how many letters a context shares with each candidate."""
    shared = np.array([[1 + len(set(context) & set(action)) for action in actions] for context in contexts], float)
    return shared / shared.sum(axis=1, keepdims=True)


def certain():
    return PolicySet([by_length, Constant("invoice"), Lookup({"hello": "other"}, default="refund")])


def randomised():
    return PolicySet([by_length, by_letters, Constant("other")])


def tables(seed, n_contexts=4, n_policies=5, n_actions=3):
    rng = np.random.default_rng(seed)
    return (
        TablePolicies(rng.integers(n_actions, size=(n_contexts, n_policies))),
        TablePolicies(rng.dirichlet(np.ones(n_actions), size=(n_contexts, n_policies))),
    )


CONTEXTS = st.lists(st.sampled_from(["hello", "good", "day", "refund me"]), min_size=1, max_size=6)


@given(CONTEXTS)
@pytest.mark.parametrize("policies", [certain(), randomised()])
def test_many_contexts_are_voted_on_as_one_by_one(policies, contexts):
    together = policies.votes(contexts, ACTIONS)
    assert together.tolist() == [policies.vote(context, ACTIONS).tolist() for context in contexts]
    assert together.shape[:2] == (len(contexts), len(policies))


def test_choices_are_int32_indices_and_one_randomised_member_makes_all_of_them_probabilities():
    votes = certain().votes(["hello", "day"], ACTIONS)
    assert votes.dtype == np.int32
    assert votes.tolist() == [[2, 1, 2], [0, 1, 0]]
    spread = randomised().votes(["hello", "day"], ACTIONS)
    assert (spread.dtype, spread.shape) == (np.float64, (2, 3, 3))
    assert spread[:, 0].tolist() == [[0, 0, 1], [1, 0, 0]]
    assert spread[:, 2].tolist() == [[0, 0, 1], [0, 0, 1]]
    assert spread.sum(axis=2) == pytest.approx(np.ones((2, 3)))


def test_whole_shares_count_as_probabilities():
    def one_hot(contexts, actions):
        return [[0, 1, 0] for _ in contexts]

    assert PolicySet([one_hot]).vote("x", ACTIONS).tolist() == [[0, 1, 0]]


@given(order=st.permutations(range(3)))
def test_policies_that_choose_by_name_follow_the_candidates_wherever_they_stand(order):
    policies = PolicySet([Constant("invoice"), Lookup({"hello": "other"}, default="refund"), by_letters])
    shuffled = [ACTIONS[place] for place in order]
    plain, moved = policies.vote("hello", ACTIONS), policies.vote("hello", shuffled)
    for i in range(3):
        by_name = dict(zip(shuffled, moved[i], strict=True))
        assert [by_name[action] for action in ACTIONS] == pytest.approx(plain[i].tolist(), abs=1e-15)


@pytest.mark.parametrize("make", [certain, randomised])
@pytest.mark.parametrize("places", [[2], [2, 0], [0, 1, 2], [1, 2, 0]])
def test_a_subset_keeps_votes_and_names_in_the_order_asked_for(make, places):
    policies = make()
    chosen = policies.subset(places)
    assert list(chosen.names) == [policies.names[i] for i in places]
    whole, part = policies.vote("hello", ACTIONS), chosen.vote("hello", ACTIONS)
    if part.ndim == 1 < whole.ndim:
        part = np.eye(3)[part]
    assert part.tolist() == whole[places].tolist()


def test_policies_are_called_by_their_own_names_numbered_where_they_repeat():
    def plain(contexts, actions):
        return [0] * len(contexts)

    class Judge:
        __call__ = staticmethod(plain)

    members = [plain, Judge(), Constant("a"), lambda c, a: [0], {"x": "a"}, plain, lambda c, a: [1]]
    names = PolicySet(members).names
    assert list(names) == ["plain-0", "Judge", "always a", "lambda-3", "lookup", "plain-5", "lambda-6"]
    assert len(PolicySet(members)) == 7


def test_given_names_are_used():
    assert list(PolicySet([by_length, by_length], names=["first", "second"]).names) == ["first", "second"]


@pytest.mark.parametrize("policies", tables(0))
def test_a_table_gives_the_row_of_each_context(policies):
    together = policies.votes([2, 0, 2], ACTIONS)
    assert together.tolist() == [policies.vote(context, ACTIONS).tolist() for context in (2, 0, 2)]
    assert together[0].tolist() == policies._table[2].tolist()
    assert policies.vote(np.int32(3), ACTIONS).tolist() == policies._table[3].tolist()
    assert policies.votes([], ACTIONS).shape == (0, *policies._table.shape[1:])
    assert list(policies.names) == [f"policy-{i}" for i in range(5)]


@pytest.mark.parametrize("policies", tables(1))
@pytest.mark.parametrize("places", [[0, 1, 2, 3, 4], [3], [4, 1]])
def test_a_subset_of_a_table_keeps_votes_and_names(policies, places):
    chosen = policies.subset(places)
    assert chosen.vote(1, ACTIONS).tolist() == policies.vote(1, ACTIONS)[places].tolist()
    assert list(chosen.names) == [policies.names[i] for i in places]
    again = chosen.subset([0])
    assert list(again.names) == [policies.names[places[0]]]


def test_votes_by_context_are_the_same_for_shared_and_for_own_candidates():
    policies, contexts = PolicySet([by_letters, Constant("other"), by_length]), ["hello", "day"]
    shared = by_context(policies, contexts, [ACTIONS] * 2)
    own = by_context(policies, contexts, [list(ACTIONS), list(ACTIONS)])
    assert shared.tolist() == own.tolist() == policies.votes(contexts, ACTIONS).tolist()
    assert shared.flags.c_contiguous
    assert own.flags.c_contiguous
    rotated = by_context(certain(), contexts, [ACTIONS, ACTIONS[1:] + ACTIONS[:1]])
    assert rotated.tolist() == [[2, 1, 2], [0, 0, 2]]


def answering(choice):
    return PolicySet([lambda contexts, actions: choice], names=["odd"])


BAD_CHOICES = [
    ([3], "policy 'odd' chose index 3; there are 3 candidates: 0 to 2"),
    ([-1], "policy 'odd' chose index -1"),
    ([0, 1], r"policy 'odd' returned an array of shape \(2,\) and type int64; it must return 1 whole-number indices"),
    (0, r"returned an array of shape \(\)"),
    (None, r"returned an array of shape \(\) and type object"),
    ([0.0], r"shape \(1,\) and type float64"),
    ([True], r"shape \(1,\) and type bool"),
    (["refund"], r"shape \(1,\) and type <U6"),
    ([[0.5, 0.5]], r"shape \(1, 2\)"),
    ([[0.5, 0.5, 0.5]], r"policy 'odd' gave probabilities \[0.5, 0.5, 0.5\] with sum 1.5"),
    ([[1.5, -0.5, 0.0]], "each must lie in"),
    ([[np.nan, 0.5, 0.5]], "with sum nan"),
    ([[np.inf, 0.0, 0.0]], "with sum inf"),
    ([[0.5, 0.5 - 2e-6, 0.0]], "with sum 0.999998"),
]


@pytest.mark.parametrize(("choice", "message"), BAD_CHOICES)
def test_what_a_policy_may_not_return_is_refused_by_its_name(choice, message):
    with pytest.raises(InvalidInputError, match=message):
        answering(choice).vote("hello", ACTIONS)


def test_only_the_context_that_is_wrong_is_shown():
    with pytest.raises(InvalidInputError, match=r"gave probabilities \[0.5, 0.25\]"):
        answering([[0.5, 0.5], [0.5, 0.25]]).votes(["a", "b"], ["x", "y"])


BAD_SETS = [
    (lambda: PolicySet([]), "policies is empty"),
    (lambda: PolicySet([3]), "policy 3 cannot choose; give a function"),
    (lambda: PolicySet(["refund"]), "policy 'refund' cannot choose"),
    (lambda: PolicySet([by_length], names=[]), "names has 0 entries"),
    (lambda: PolicySet([by_length] * 2, names=["a", "a"]), "names has 2 entries, 1 of them different"),
    (lambda: PolicySet([by_length], names=["a", "b"]), r"give one name per policy \(1\), each once"),
    (lambda: TablePolicies([[0, 1]], names=["a"]), "names has 1 entries; give one per policy: 2"),
    (lambda: TablePolicies([[0, 1]], names=["a", "a"]), "'a' stands twice in names"),
    (lambda: TablePolicies([]), r"table has shape \(0,\)"),
    (lambda: TablePolicies([[]]), r"table has shape \(1, 0\)"),
    (lambda: TablePolicies([0, 1]), r"table has shape \(2,\)"),
    (lambda: TablePolicies([[0, -1]]), "it must hold indices from 0"),
    (lambda: TablePolicies([[0.0, 1.0]]), "and type float64"),
    (lambda: TablePolicies([["a"]]), "and type <U1"),
    (lambda: TablePolicies([[[0, 1]]]), "and type int64"),
    (lambda: TablePolicies([[[0.5, 0.4]]]), r"table gave probabilities \[0.5, 0.4\] with sum 0.9"),
    (lambda: TablePolicies([[[np.nan, 1.0]]]), "with sum nan"),
]


@pytest.mark.parametrize(("make", "message"), BAD_SETS)
def test_bad_sets_are_refused_by_name(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


@pytest.mark.parametrize("context", [4, -1, "hello", None, 1.5, [0], True, "1"])
@pytest.mark.parametrize("policies", tables(2))
def test_a_context_that_is_no_row_of_the_table_is_refused(policies, context):
    with pytest.raises(InvalidInputError, match="is no row of the table; contexts are whole numbers from 0 to 3"):
        policies.vote(context, ACTIONS)


def test_a_table_is_refused_for_candidates_that_it_does_not_speak_of():
    certain_table, random_table = TablePolicies([[0, 2]]), TablePolicies([[[0.5, 0.5]]])
    with pytest.raises(InvalidInputError, match="2 candidates were given, but the table speaks of 3"):
        certain_table.vote(0, ["a", "b"])
    assert certain_table.vote(0, ["a", "b", "c", "d"]).tolist() == [0, 2]
    with pytest.raises(InvalidInputError, match="3 candidates were given, but the table speaks of 2"):
        random_table.vote(0, ACTIONS)
