import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.core.state import State
from typeover.errors import InvalidInputError, StateError
from typeover.oracles import exact
from typeover.policies import Constant, Mixture, PolicySet, TablePolicies
from typeover.policies.mixture import spread

ACTIONS = ["yes", "no", "later"]
POLICIES = PolicySet([Constant("yes"), Constant("no"), Constant("later"), lambda c, a: [[0.5, 0.25, 0.25]] * len(c)])


def drawn(seed, *, is_random):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    table = rng.dirichlet(np.ones(3), size=(4, n)) if is_random else rng.integers(3, size=(4, n))
    support = rng.permutation(n)[: rng.integers(1, n + 1)]
    return TablePolicies(table), support, rng.dirichlet(np.ones(support.size))


@given(st.integers(0, 2**32), st.booleans())
def test_propensities_are_the_weighted_votes(seed, is_random):
    policies, support, weights = drawn(seed, is_random=is_random)
    mixture = Mixture(policies, support=support, weights=weights)
    for x in range(4):
        votes = policies.vote(x, ACTIONS)
        rows = votes if is_random else np.eye(3)[votes]
        assert mixture.propensities(x, ACTIONS) == pytest.approx(weights @ rows[support], abs=1e-15)
    together = spread(mixture.policies.votes(np.arange(4), ACTIONS), weights, 3)
    assert together.tolist() == [mixture.propensities(x, ACTIONS).tolist() for x in range(4)]


def test_two_policies_of_one_mind_add_up():
    policies = TablePolicies([[1, 1, 0]])
    assert Mixture(policies, support=[0, 1, 2], weights=[0.25, 0.25, 0.5]).propensities(0, ["a", "b"]).tolist() == (
        [0.5, 0.5]
    )


@given(st.permutations(ACTIONS))
def test_permuting_the_candidates_permutes_the_propensities_by_name(order):
    policies = PolicySet([Constant(action) for action in ACTIONS])
    mixture = Mixture(policies, support=[0, 2], weights=[0.75, 0.25])
    by_name = dict(zip(order, mixture.propensities(None, order).tolist(), strict=True))
    assert by_name == {"yes": 0.75, "no": 0.0, "later": 0.25}


@given(st.permutations(range(3)))
def test_the_order_in_which_policies_are_named_does_not_matter(order):
    weights = np.array([0.5, 0.125, 0.375])
    plain = Mixture(POLICIES, support=[3, 0, 1], weights=weights)
    moved = Mixture(POLICIES, support=np.array([3, 0, 1])[list(order)], weights=weights[list(order)])
    assert moved.propensities("x", ACTIONS) == pytest.approx(plain.propensities("x", ACTIONS), abs=1e-15)


def test_samples_have_the_frequencies_of_the_propensities():
    # 20,000 draws: by Hoeffding one of three shares strays by more than 0.02 with probability below 6 exp(-16) = 7e-7.
    mixture, rng = Mixture(POLICIES, support=[0, 3], weights=[0.5, 0.5]), np.random.default_rng(11)
    places = [mixture.sample("x", ACTIONS, rng=rng) for _ in range(20_000)]
    assert np.bincount(places) / 20_000 == pytest.approx(mixture.propensities("x", ACTIONS), abs=0.02)


def test_what_has_no_weight_is_never_sampled():
    mixture, rng = Mixture(POLICIES, support=[1, 2], weights=[1.0, 0.0]), np.random.default_rng(0)
    assert {mixture.sample("x", ACTIONS, rng=rng) for _ in range(500)} == {1}


def test_it_explains_itself_heaviest_first():
    mixture = Mixture(POLICIES, support=[0, 2, 1], weights=[0.125, 0.75, 0.125])
    assert mixture.explain().split("\n") == [" 75.0 %  always later", " 12.5 %  always yes", " 12.5 %  always no"]


def test_a_mixture_saved_to_a_file_comes_back_whole(tmp_path):
    mixture = Mixture(POLICIES, support=[3, 1], weights=[0.1, 0.9])
    loaded = Mixture.from_state(State.load(mixture.state().save(tmp_path / "mixture.npz")), policies=POLICIES)
    assert loaded.support.tolist() == [3, 1]
    assert loaded.weights.tolist() == mixture.weights.tolist()
    assert loaded.explain() == mixture.explain()
    assert loaded.propensities("x", ACTIONS).tolist() == mixture.propensities("x", ACTIONS).tolist()
    ours, theirs = np.random.default_rng(1), np.random.default_rng(1)
    assert [loaded.sample("x", ACTIONS, rng=ours) for _ in range(30)] == [
        mixture.sample("x", ACTIONS, rng=theirs) for _ in range(30)
    ]
    again = loaded.state()
    assert again.json == mixture.state().json


@pytest.mark.parametrize(
    "others",
    [
        PolicySet([Constant("yes"), Constant("no")]),
        PolicySet([Constant("no"), Constant("yes"), Constant("later"), Constant("never")]),
        TablePolicies([[0, 1, 2, 0]]),
    ],
)
def test_other_policies_than_it_was_saved_with_are_refused(others):
    state = Mixture(POLICIES, support=[0, 1], weights=[0.5, 0.5]).state()
    with pytest.raises(
        StateError, match=r"state was saved with 4 policies .* pass the same policies in the same order"
    ):
        Mixture.from_state(state, policies=others)


def test_the_same_policies_in_another_order_are_refused():
    state = Mixture(POLICIES, support=[0], weights=[1.0]).state()
    with pytest.raises(StateError, match="in the same order"):
        Mixture.from_state(state, policies=POLICIES.subset([1, 0, 2, 3]))


def test_the_state_of_something_else_or_of_a_newer_program_is_refused():
    state = Mixture(POLICIES, support=[0], weights=[1.0]).state()
    with pytest.raises(StateError, match=r"format is 'typeover\.run'; expected 'typeover\.mixture'"):
        Mixture.from_state(State(state.json | {"format": "typeover.run"}, state.arrays), policies=POLICIES)
    with pytest.raises(StateError, match="at version 2, this program reads up to 1"):
        Mixture.from_state(State(state.json | {"version": 2}, state.arrays), policies=POLICIES)


def test_the_best_mixture_under_a_constraint_can_be_played():
    solution = exact([0.2, 0.9, 0.5], [0.0, 0.4, 0.1], tolerance=0.25)
    mixture = Mixture(POLICIES.subset([0, 1, 2]), support=solution.support, weights=solution.weights)
    assert mixture.propensities("x", ACTIONS) == pytest.approx([0, 0.5, 0.5])


BAD = [
    ([], [], r"support has shape \(0,\) and weights \(0,\)"),
    ([0, 1], [1.0], r"support has shape \(2,\) and weights \(1,\); give one weight per policy"),
    ([[0, 1]], [[0.5, 0.5]], r"support has shape \(1, 2\)"),
    (0, 1.0, r"support has shape \(\)"),
    ([4], [1.0], r"support is \[4\]; policies are numbered 0 to 3"),
    ([-1], [1.0], r"support is \[-1\]"),
    ([0.9], [1.0], r"support is \[0.9\]; policies are numbered"),
    (["yes"], [1.0], r"support is \['yes'\]; policies are numbered"),
    ([0, 0], [0.5, 0.5], r"support is \[0, 0\]; each policy may stand once"),
    ([0, 1], [0.5, 0.6], r"mixture gave probabilities \[0.5, 0.6\] with sum 1.1"),
    ([0, 1], [-0.5, 1.5], "each must lie in"),
    ([0, 1], [np.nan, 1.0], "with sum nan"),
    ([0, 1], ["much", "little"], r"support is \[0, 1\] and weights \['much', 'little'\]; give two lists of numbers"),
    ([0], [10**400], "give two lists of numbers of one length"),
    ([0, [1]], [0.5, 0.5], "give two lists of numbers of one length"),
]


@pytest.mark.parametrize(("support", "weights", "message"), BAD)
def test_bad_mixtures_are_refused_by_name(support, weights, message):
    with pytest.raises(InvalidInputError, match=message):
        Mixture(POLICIES, support=support, weights=weights)


def test_a_mixture_of_no_set_is_refused():
    with pytest.raises(InvalidInputError, match=r"policies is \[<.*\]; it must be a set of them, such as PolicySet"):
        Mixture([len], support=[0], weights=[1.0])


def test_weights_are_copied_so_that_later_changes_do_not_reach_them():
    weights = np.array([0.5, 0.5])
    mixture = Mixture(POLICIES, support=[0, 1], weights=weights)
    weights[:] = 9
    assert mixture.weights.tolist() == [0.5, 0.5]


def test_a_mixture_is_shown_in_a_line_heaviest_first():
    mixture = Mixture(POLICIES, support=[0, 2], weights=[0.125, 0.875])
    assert repr(mixture) == "Mixture(87.5 % 'always later', 12.5 % 'always yes')"
    many = Mixture(TablePolicies(np.zeros((1, 100), dtype=int)), support=range(100), weights=np.full(100, 0.01))
    assert repr(many).endswith("1.0 % 'policy-4', ...)")


def test_a_damaged_state_is_refused_in_a_sentence():
    state = Mixture(POLICIES, support=[0], weights=[1.0]).state()
    for damaged, message in [
        (State({k: v for k, v in state.json.items() if k != "set"}, state.arrays), "set is None, which names no pol"),
        (State(state.json | {"set": {"names": "x"}}, state.arrays), "which names no policies; the state is damaged"),
        (
            State(state.json, {"support": state.arrays["support"]}),
            "mixture has no array 'weights'; the state is damaged",
        ),
    ]:
        with pytest.raises(StateError, match=message):
            Mixture.from_state(damaged, policies=POLICIES)


def test_votes_beyond_the_candidates_do_not_wrap_around():
    class Wrapping(TablePolicies):
        def vote(self, context, actions):
            return np.array([-1])

    with pytest.raises(InvalidInputError, match="Wrapping gave index -1 for policy 0"):
        Mixture(
            type("Whole", (TablePolicies,), {"subset": lambda self, _: Wrapping([[0]])})([[0]]),
            support=[0],
            weights=[1.0],
        ).propensities(0, ACTIONS)
