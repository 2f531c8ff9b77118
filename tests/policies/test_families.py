import builtins

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from typeover.errors import InvalidInputError, MissingPackageError
from typeover.policies import bootstrapped, random_linear, random_tables

ACTIONS = ["a", "b", "c"]
ROWS = np.random.default_rng(1).normal(size=(60, 2)) * [1.0, 50.0] + [3.0, -7.0]
LABELS = np.where(ROWS[:, 0] > 3, "a", "b")
LABELS[:1] = "c"


def tables(**seed):
    return random_tables(n_contexts=20, n_actions=3, n_policies=30, **seed), np.arange(20)


def linear(**seed):
    return random_linear(ROWS, ACTIONS, n_policies=12, **seed), ROWS


def trees(**seed):
    return bootstrapped(DecisionTreeClassifier(max_depth=3, random_state=0), ROWS, LABELS, n_policies=6, **seed), ROWS


FAMILIES = [tables, linear, trees]


def votes(family, **seed):
    policies, contexts = family(**seed)
    return policies.votes(contexts, ACTIONS).tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_makes_the_family_again_and_another_seed_makes_another(family):
    assert votes(family, seed=5) == votes(family, seed=5)
    assert votes(family, seed=5) != votes(family, seed=6)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_generator_is_used_up(family):
    rng = np.random.default_rng(5)
    first = votes(family, rng=rng)
    assert first == votes(family, rng=np.random.default_rng(5))
    assert first != votes(family, rng=rng)


@pytest.mark.parametrize("family", FAMILIES)
def test_members_differ_and_have_names_of_their_own(family):
    policies, contexts = family(seed=5)
    columns = {tuple(column) for column in policies.votes(contexts, ACTIONS).T.tolist()}
    assert len(columns) > len(policies) / 2
    assert len(set(policies.names)) == len(policies)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_missing_seed_is_refused(family):
    with pytest.raises(InvalidInputError, match="seed and rng are both missing"):
        family()


def test_random_tables_choose_uniformly():
    # 60,000 cells: by Hoeffding one share strays by more than 0.012 with probability below 2 exp(-17).
    table = random_tables(n_contexts=60, n_actions=3, n_policies=1000, seed=1).votes(np.arange(60), ACTIONS)
    assert np.bincount(table.ravel()) / table.size == pytest.approx(np.full(3, 1 / 3), abs=0.012)


@pytest.mark.parametrize("order", [["b", "c", "a"], ["c", "b"], ["b"]])
def test_linear_policies_score_candidates_by_name(order):
    policies = random_linear(ROWS, ACTIONS, n_policies=9, seed=2)
    everywhere = policies.votes(ROWS, ACTIONS)
    moved = policies.votes(ROWS, order)
    agree = [(row, i) for row, i in np.ndindex(everywhere.shape) if ACTIONS[everywhere[row, i]] in order]
    assert len(agree) > 50
    assert all(order[moved[row, i]] == ACTIONS[everywhere[row, i]] for row, i in agree)


def test_linear_policies_do_not_depend_on_the_units_of_features():
    units, constant = [1000.0, 0.5], np.full((60, 1), 4.0)
    plain = random_linear(ROWS, ACTIONS, n_policies=9, seed=2).votes(ROWS, ACTIONS)
    assert random_linear(ROWS * units, ACTIONS, n_policies=9, seed=2).votes(ROWS * units, ACTIONS).tolist() == (
        plain.tolist()
    )
    wide = np.hstack([ROWS, constant])  # a feature that never varies is no division by zero
    assert random_linear(wide, ACTIONS, n_policies=9, seed=2).votes(wide, ACTIONS).shape == (60, 9)


def test_every_resample_keeps_a_row_of_every_class():
    policies, contexts = trees(seed=3)
    assert all(set(member.estimator.classes_) == set(ACTIONS) for member in policies._members)
    assert policies.vote(contexts[0], ["c"]).tolist() == [0] * 6


def test_the_estimator_that_was_given_stays_unfitted():
    estimator = LogisticRegression()
    policies = bootstrapped(estimator, ROWS.tolist(), LABELS.tolist(), n_policies=2, seed=0)
    assert not hasattr(estimator, "classes_")
    assert len(policies) == 2


def test_without_scikit_learn_the_command_that_installs_it_is_named(monkeypatch):
    def no_sklearn(name, *rest):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return imported(name, *rest)

    imported = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", no_sklearn)
    with pytest.raises(MissingPackageError, match=r"needs scikit-learn.*pip install 'typeover\[bench\]'"):
        bootstrapped(object(), [1], [1], n_policies=1, seed=0)


SIZES = {"n_contexts": 2, "n_actions": 2, "n_policies": 2, "seed": 0}
BAD = [
    (lambda: random_tables(**SIZES | {"n_contexts": 0}), "n_contexts is 0; it must be a whole number from 1"),
    (lambda: random_tables(**SIZES | {"n_actions": 2.0}), "n_actions is 2.0"),
    (lambda: random_tables(**SIZES | {"n_policies": -1}), "n_policies is -1"),
    (
        lambda: random_linear([[1.0, np.nan]], ACTIONS, n_policies=2, seed=0),
        r"contexts has shape \(1, 2\); it must hold",
    ),
    (lambda: random_linear([1.0, 2.0], ACTIONS, n_policies=2, seed=0), r"contexts has shape \(2,\)"),
    (lambda: random_linear(np.zeros((0, 2)), ACTIONS, n_policies=2, seed=0), r"contexts has shape \(0, 2\)"),
    (lambda: random_linear(ROWS, ACTIONS, n_policies=0, seed=0), "n_policies is 0"),
    (lambda: random_linear(ROWS, [], n_policies=2, seed=0), "actions is empty"),
    (lambda: random_linear(ROWS, ["a", "a"], n_policies=2, seed=0), "'a' stands twice in actions"),
    (lambda: linear(seed=0)[0].vote(ROWS[0], ["a", "d"]), "candidate 'd' is unknown to this linear policy"),
    (lambda: linear(seed=0)[0].votes(ROWS[:, :1], ACTIONS), r"contexts has shape \(60, 1\); .* of 2 features"),
    (lambda: linear(seed=0)[0].vote([1.0, 2.0, 3.0], ACTIONS), r"contexts has shape \(1, 3\); .* of 2 features"),
    (lambda: linear(seed=0)[0].vote([1.0, np.nan], ACTIONS), "finite"),
    (lambda: bootstrapped(LogisticRegression(), ROWS, LABELS[:-1], n_policies=2, seed=0), "60 contexts came with 59"),
    (lambda: bootstrapped(LogisticRegression(), [], [], n_policies=2, seed=0), "0 contexts came with 0 labels"),
    (lambda: bootstrapped(LogisticRegression(), ROWS, LABELS, n_policies=0, seed=0), "n_policies is 0"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_families_are_refused_by_name(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
