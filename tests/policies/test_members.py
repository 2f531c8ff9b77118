import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from typeover.errors import InvalidInputError
from typeover.policies import Classifier, Constant, Lookup, PolicySet, by_context

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(90, 2))
LABELS = np.array(["a", "b", "c"])[(ROWS @ [[1.0, -1.0, 0.2], [0.3, 0.4, -1.0]]).argmax(axis=1)]
TEXTS = ["refund my money", "send the invoice", "money back", "invoice is missing"]
TOPICS = ["refund", "invoice", "refund", "invoice"]


class Only:
    """A classifier that can do nothing but predict."""

    def __init__(self, labels, answers):
        self.classes_ = np.array(labels)
        self.answers = answers

    def predict(self, contexts):
        return np.array(self.answers)[: len(contexts)]


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), DecisionTreeClassifier(), KNeighborsClassifier(), Perceptron(), LinearSVC()]
)
def test_among_all_classes_a_classifier_plays_what_it_predicts(estimator):
    estimator.fit(ROWS, LABELS)
    chosen = PolicySet([estimator]).votes(ROWS, ["a", "b", "c"])[:, 0]
    assert [["a", "b", "c"][i] for i in chosen] == estimator.predict(ROWS).tolist()
    one_by_one = [PolicySet([estimator]).vote(row, ["a", "b", "c"])[0] for row in ROWS[:9]]
    assert chosen[:9].tolist() == one_by_one


@pytest.mark.parametrize("estimator", [Perceptron(), LinearSVC(), LogisticRegression()])
def test_two_classes_are_told_apart_without_probabilities(estimator):
    labels = np.where(ROWS[:, 0] > 0, "yes", "no")
    estimator.fit(ROWS, labels)
    chosen = PolicySet([estimator]).votes(ROWS, ["yes", "no"])[:, 0]
    assert [["yes", "no"][i] for i in chosen] == estimator.predict(ROWS).tolist()


@given(st.permutations(["a", "b", "c", "unknown"]))
def test_permuting_the_candidates_permutes_choice_and_probabilities_by_name(order):
    fitted = LogisticRegression().fit(ROWS, LABELS)
    choice, shares = Classifier(fitted), Classifier(fitted, randomised=True)
    assert [order[i] for i in choice(ROWS, order)] == fitted.predict(ROWS).tolist()
    by_name = shares(ROWS, order)[:, [order.index(label) for label in fitted.classes_]]
    assert by_name == pytest.approx(fitted.predict_proba(ROWS))
    assert (shares(ROWS, order)[:, order.index("unknown")] == 0).all()


def test_among_fewer_candidates_it_plays_the_likeliest_of_them():
    fitted = LogisticRegression().fit(ROWS, LABELS)
    likelihood = fitted.predict_proba(ROWS)
    assert Classifier(fitted)(ROWS, ["c", "a"]).tolist() == (likelihood[:, 0] > likelihood[:, 2]).astype(int).tolist()
    shares = Classifier(fitted, randomised=True)(ROWS, ["c", "a"])
    assert shares == pytest.approx(likelihood[:, [2, 0]] / likelihood[:, [0, 2]].sum(axis=1, keepdims=True))


def test_probabilities_by_context_are_those_of_single_rounds_bit_for_bit():
    rows = np.random.default_rng(3).normal(size=(300, 40))
    labels = np.array(["a", "b", "c"])[rows[:, :3].argmax(axis=1)]
    fitted, actions = LogisticRegression().fit(rows, labels), ["c", "a", "b"]
    policies = PolicySet([Classifier(fitted, randomised=True)])
    single = np.array([policies.vote(row, actions) for row in rows])
    assert by_context(policies, rows, [actions] * 300).tolist() == single.tolist()


def test_when_the_likelihood_lies_on_no_candidate_the_known_ones_share_it():
    tree = DecisionTreeClassifier().fit([[0], [1], [2]], ["a", "b", "c"])
    assert Classifier(tree, randomised=True)([[0], [1]], ["new", "b", "c"]).tolist() == [[0, 0.5, 0.5], [0, 1, 0]]


def test_a_pipeline_reads_text():
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, TOPICS)
    policies = PolicySet([pipeline, Classifier(pipeline, randomised=True)])
    votes = policies.votes(TEXTS, ["invoice", "refund"])
    assert votes[:, 0].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert votes[:, 1] == pytest.approx(pipeline.predict_proba(TEXTS))
    assert policies.vote("money", ["invoice", "refund"])[0].tolist() == [0, 1]


def test_numbered_labels_are_found_among_numbered_candidates():
    fitted = DecisionTreeClassifier().fit([[0], [1], [2]], [10, 20, 30])
    assert PolicySet([fitted]).votes([[2], [0]], [30, 20, 10])[:, 0].tolist() == [0, 2]


def test_a_classifier_that_only_predicts_plays_its_prediction_or_the_first_candidate():
    only = Only(["a", "b", "c"], ["c", "a"])
    assert Classifier(only)([[0], [0]], ["b", "c"]).tolist() == [1, 0]


def test_a_constant_is_found_wherever_it_stands():
    assert Constant("b")([1, 2, 3], ["b", "a"]).tolist() == [0, 0, 0]
    assert Constant("b")([1], ["a", "b"]).tolist() == [1]
    assert Constant("b").__name__ == "always b"


def test_a_lookup_plays_its_entry_or_its_default():
    lookup = Lookup({"hello": "world", 3: "x"}, default="day", name="memory")
    assert lookup(["hello", 3, "new"], ["x", "day", "world"]).tolist() == [2, 0, 1]
    assert PolicySet([lookup]).names == ("memory",)


def test_a_lookup_is_copied_so_that_later_changes_do_not_reach_it():
    table = {"x": "a"}
    policies = PolicySet([table])
    table["x"] = "b"
    assert policies.vote("x", ["a", "b"]).tolist() == [0]


FITTED = LogisticRegression().fit(ROWS, LABELS)
BAD = [
    (lambda: Classifier(LogisticRegression()), "classifier LogisticRegression is not fitted .* call fit on warm-up"),
    (lambda: PolicySet([make_pipeline(CountVectorizer(), LogisticRegression())]), "classifier Pipeline is not fitted"),
    (lambda: PolicySet([LinearRegression().fit([[0], [1]], [0, 1])]), "classifier LinearRegression is not fitted"),
    (lambda: Classifier(LinearSVC().fit(ROWS, LABELS), randomised=True), "LinearSVC has no predict_proba; leave"),
    (lambda: Classifier(FITTED)(ROWS, ["A", "B"]), r"knows none of the candidates \['A', 'B'\]; its classes are \['a'"),
    (lambda: Constant("refnd")([1], ["refund", "x"]), "policy 'always refnd' names 'refnd', which is no candidate of"),
    (lambda: Constant("refnd")([1], ["refund", "x"]), "did you mean 'refund'?"),
    (lambda: Lookup({"hello": "world"})(["helo"], ["world"]), "policy 'lookup' has no entry for context 'helo'; did"),
    (lambda: Lookup({"hello": "word"})(["hello"], ["world"]), "policy 'lookup' names 'word', which is no candidate"),
    (
        lambda: Lookup({"hello": "a"}, default="a")([["hello"]], ["a"]),
        r"policy 'lookup' has no entry for context \['hello'\]",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_members_and_candidates_are_refused_by_name(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_margins_of_pairs_of_classes_are_refused():
    from sklearn.svm import SVC

    rows, labels = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "a"]
    pairs = SVC(decision_function_shape="ovo").fit(rows, labels)
    with pytest.raises(InvalidInputError, match=r"decision_function_shape='ovo'.*use 'ovr'"):
        Classifier(pairs)
    assert Classifier(SVC().fit(rows, labels))(rows, ["a", "b", "c"]).shape == (4,)
