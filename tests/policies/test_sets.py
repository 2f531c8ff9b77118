import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError
from typeover.policies import Constant, Lookup, PolicySet, TablePolicies, by_context, checked_votes
from typeover.policies.mixture import identity

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
    (["elsewhere"], r"shape \(1,\) and type <U9"),
    (
        ["refund"],
        r"array of action names, such as 'refund'; it .*: return its place, list\(actions\)\.index\('refund",
    ),
    ("invoice", "returned an array of action names, such as 'invoice'"),
    (np.array(["other", None], dtype=object), "returned an array of action names, such as 'other'"),
    (
        [[0, 1], [0]],
        r"policy 'odd' returned lists of different lengths; it must return 1 whole-number indices, or prob",
    ),
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
    (lambda: PolicySet([by_length], names=["a", "b"]), "names has 2 entries; give one per policy: 1"),
    (lambda: TablePolicies([[0, 1]], names=["a"]), "names has 1 entries; give one per policy: 2"),
    (
        lambda: TablePolicies([[0, 1]], names=["a", "a"]),
        r"names has 2 entries, 1 of them different \('a' stands twice\)",
    ),
    (
        lambda: PolicySet([by_length], names=[3]),
        "3 cannot be the name of a policy; use a string of ordinary characters",
    ),
    (lambda: PolicySet([by_length], names=["\ud800"]), r"'\\ud800' cannot be the name of a policy"),
    (lambda: PolicySet([by_length], names={"a"}), r"names is \{'a'\}; give a list of strings in the order of the"),
    (lambda: PolicySet([by_length], names=7), "names is 7; give a list of strings"),
    (lambda: TablePolicies([[0]], names=[None]), "None cannot be the name of a policy"),
    (lambda: Lookup({}, name=b"memory"), "b'memory' cannot be the name of a policy"),
    (lambda: PolicySet(by_length), r"policies is <function by_length .*>; give a list of policies in a fixed order"),
    (lambda: PolicySet(policy for policy in [by_length]), "policies is <generator .*>; give a list of policies"),
    (lambda: PolicySet({"x": "refund"}), r"policies is \{'x': 'refund'\}; give a list of policies"),
    (lambda: PolicySet({by_length}), "give a list of policies in a fixed order"),
    (lambda: PolicySet("refund"), "policies is 'refund'; give a list of policies"),
    (lambda: PolicySet(None), "policies is None; give a list of policies"),
    (lambda: PolicySet(certain()), r"policies is PolicySet\(3 policies: .*\); give a list of policies"),
    (lambda: PolicySet([Lookup]), r"policy Lookup is a class; give an object of it, such as Lookup\(\)"),
    (lambda: TablePolicies([[0, 1], [0]]), "table has rows of different lengths; give one row per context"),
    (lambda: TablePolicies([[0, 2**31]]), "table holds index 2147483648; an index may be at most 2147483647"),
    (lambda: TablePolicies(np.array([[2**63]], dtype=np.uint64)), "table holds index 9223372036854775808"),
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


def test_a_table_is_copied_so_that_later_changes_do_not_reach_it():
    for table in (np.zeros((2, 2), dtype=np.int32), np.full((2, 2, 1), 1.0)):
        policies = TablePolicies(table)
        before = policies.vote(0, ["a"]).tolist()
        table[:] = 7
        assert policies.vote(0, ["a"]).tolist() == before


def test_the_largest_index_fits():
    assert TablePolicies([[2**31 - 1]]).vote(0, range(2**31)).tolist() == [2**31 - 1]


def test_an_index_that_is_the_name_of_a_candidate_is_told_so():
    policies = PolicySet([lambda contexts, actions: [20]], names=["named"])
    with pytest.raises(
        InvalidInputError, match=r"chose index 20; .*: 0 to 1; 20 is the name of a candidate: return its"
    ):
        policies.vote("x", [10, 20])


def broken(contexts, actions):
    return {}["missing"]


class Unreadable:
    __name__ = 3

    def __call__(self, contexts, actions):
        raise RuntimeError("first line\nsecond line " + "x" * 900)


FAILING = [
    (
        broken,
        "policy 'broken' failed with KeyError: 'missing'; mend the policy, which was called with 1 contexts and 3",
    ),
    (Unreadable(), "policy 'Unreadable' failed with RuntimeError: first line second line x"),
    (lambda context: 0, r"policy 'lambda-0' cannot be called with two arguments; a policy takes \(contexts, actions\)"),
    (lambda: 0, r"a policy takes \(contexts, actions\)"),
    (len, r"policy 'len' cannot be called with two arguments; a policy takes \(contexts, actions\)"),
    (lambda contexts, actions: len(3), "policy 'lambda-0' failed with TypeError: object of type 'int' has no len"),
]


@pytest.mark.parametrize(("policy", "message"), FAILING)
def test_a_policy_that_fails_is_named_and_its_error_is_kept(policy, message):
    with pytest.raises(InvalidInputError, match=message) as refusal:
        PolicySet([policy]).vote("x", ACTIONS)
    assert refusal.value.__cause__ is not None
    assert not isinstance(refusal.value.__cause__, InvalidInputError)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


def test_a_refusal_from_inside_a_policy_stays_as_it_is():
    with pytest.raises(InvalidInputError, match=r"^policy 'always c' names 'c'") as refusal:
        PolicySet([Constant("c")]).vote("x", ACTIONS)
    assert refusal.value.__cause__ is None


def test_sets_are_shown_in_a_line():
    assert repr(certain()) == "PolicySet(3 policies: 'by_length', 'always invoice', 'lookup')"
    assert repr(PolicySet([by_length] * 100)).endswith("'by_length-4', ...)")
    plain, spread = tables(0)
    assert repr(plain) == "TablePolicies(4 contexts, 5 policies, indices from 0 to 2)"
    assert repr(spread) == "TablePolicies(4 contexts, 5 policies, probabilities of 3 candidates)"


def test_names_that_nobody_chose_can_always_be_written():
    def odd(contexts, actions):
        return [0]

    odd.__name__ = "odd\ud800"
    policies = PolicySet([odd, Unreadable(), Constant("\udfff")])
    assert list(policies.names) == ["odd\\ud800", "Unreadable", "always \\udfff"]
    assert identity(policies)["n_policies"] == 3


class Foreign:
    """A set of policies of somebody else, which answers what it was given."""

    def __init__(self, answers, n_policies=2):
        self.answers, self.n_policies = answers, n_policies
        self.names = [7, "\ud800"][:n_policies]

    def __len__(self):
        return self.n_policies

    def vote(self, context, actions):
        return self.answers[context]

    def votes(self, contexts, actions):
        return [self.answers[context] for context in contexts]

    def subset(self, indices):
        return self


def test_the_identity_of_a_foreign_set_never_fails():
    assert identity(Foreign([]))["n_policies"] == 2


BAD_VOTES = [
    ([[0, 3], [0, 0]], "Foreign gave index 3 for policy 1; there are 3 candidates: 0 to 2"),
    ([[0, 0], [-1, 0]], "Foreign gave index -1 for policy 0"),
    ([[0, 2**32], [0, 0]], "Foreign gave index 4294967296 for policy 1"),
    ([[0, 0, 0], [0, 0, 0]], "votes of shape .*3.* and type int64; votes must be whole-number indices of shape"),
    ([[0.0, 1.0], [0.0, 1.0]], "and type float64; votes must be"),
    ([[True, False], [True, True]], "and type bool; votes must be"),
    ([["a", "b"], ["a", "b"]], "and type <U1; votes must be"),
    ([[0, 1], [0]], "(lists of different lengths|votes of shape .*); votes must be"),
    ([[[0.5, 0.5]] * 2] * 2, "and type float64; votes must be .* or probabilities of shape .* candidates"),
    ([[[0.5, 0.5, 0.5]] * 2] * 2, r"Foreign gave probabilities \[0.5, 0.5, 0.5\] with sum 1.5"),
    ([[[np.nan, 0.5, 0.5]] * 2] * 2, "with sum nan"),
]


@pytest.mark.parametrize(("answers", "message"), BAD_VOTES)
@pytest.mark.parametrize("actions", [[ACTIONS] * 2, [list(ACTIONS), list(ACTIONS)]])
def test_votes_of_a_foreign_set_are_checked_before_compiled_code_reads_them(answers, message, actions):
    with pytest.raises(InvalidInputError, match=message):
        by_context(Foreign(answers), [0, 1], actions)


def test_checked_votes_are_contiguous_and_of_one_type():
    wide = np.zeros((4, 6), dtype=np.uint8)[::2, ::3]
    votes = checked_votes(wide, 2, 2, 3, "mine")
    assert (votes.dtype, votes.flags.c_contiguous) == (np.int32, True)
    shares = checked_votes(np.asfortranarray(np.full((2, 2, 2), 0.5, dtype=np.float32)), 2, 2, 2, "mine")
    assert (shares.dtype, shares.flags.c_contiguous) == (np.float64, True)
    assert checked_votes(np.zeros((0, 2), dtype=int), 0, 2, 3, "mine").shape == (0, 2)


def test_a_foreign_set_that_is_randomised_in_some_contexts_only_is_read_as_probabilities():
    policies = Foreign([np.array([0, 1]), np.array([[0.5, 0.5], [1.0, 0.0]])])
    votes = by_context(policies, [0, 1], [["a", "b"], ["a", "b"]])
    assert votes.tolist() == [[[1, 0], [0, 1]], [[0.5, 0.5], [1, 0]]]


def in_a_crowd(contexts, actions):
    """Probabilities whose last bit depends on how many rows are asked at once, as in scikit-learn."""
    share = 0.1 if len(contexts) == 1 else np.nextafter(0.1, 1)
    return [[share, 1 - share] for _ in contexts]


def test_votes_by_context_are_those_of_single_rounds_bit_for_bit():
    policies, actions = PolicySet([in_a_crowd]), ["a", "b"]
    rows = [policies.vote(context, actions) for context in "xyz"]
    assert policies.votes("xyz", actions).tolist() != np.array(rows).tolist()
    assert by_context(policies, "xyz", [actions] * 3).tolist() == np.array(rows).tolist()


def test_a_table_of_probabilities_is_read_at_once(monkeypatch):
    policies = tables(0)[1]
    monkeypatch.setattr(TablePolicies, "vote", None)
    assert np.array_equal(by_context(policies, range(4), [ACTIONS] * 4), policies._table)


@pytest.mark.parametrize("policies", [certain(), *tables(0, n_policies=3)])
@pytest.mark.parametrize("indices", [[3], [-1], 0, [0.5], ["first"], None])
def test_a_subset_of_what_is_not_there_is_refused(policies, indices):
    with pytest.raises(InvalidInputError, match=r"indices is .*; give a list of places in the set: 0 to 2"):
        policies.subset(indices)
