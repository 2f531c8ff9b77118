from __future__ import annotations

import sys

import numpy as np
import pytest

from made_tables import KINDS, numbers, rewarded, texts
from typeover import SharedExp4, simulate
from typeover.environments import Careless, Hurried, Moody, Slipping, Soft, Tolerant, labelled
from typeover.environments.labelled import Stream
from typeover.environments.warm_up import SHARE, WarmUp, default_loss, is_warm_up
from typeover.errors import InvalidInputError, MissingPackageError
from typeover.losses import Vectors, ZeroOne, check_metric, matrix

SMALL = {"n_models": 3}


def test_the_split_is_by_what_a_row_holds_and_takes_a_fifth():
    """5,000 rows; the share is off by .04 with probability below 2 exp(-2 * 5000 * .04^2) = 3e-7."""
    rows = numbers(5000)
    warm = is_warm_up(rows.inputs)
    assert abs(warm.mean() - SHARE) <= 0.04
    order = np.random.default_rng(1).permutation(5000)
    assert is_warm_up(rows.inputs[order]).tolist() == warm[order].tolist()
    assert is_warm_up(["a", "b", "a"]).tolist()[::2] in ([True, True], [False, False])


def test_nothing_of_the_streams_answers_enters_features_distances_or_policies():
    """Exchange every label of the stream: what was made from the warm-up stays as it was."""
    rows = numbers()
    warm = is_warm_up(rows.inputs)
    turned = [
        label if is_warm else KINDS[3 - KINDS.index(label)] for label, is_warm in zip(rows.labels, warm, strict=True)
    ]
    one, other = labelled(rows, **SMALL), labelled(rows._replace(labels=turned), **SMALL)
    assert one.features.tolist() == other.features.tolist()
    assert matrix(one.world.loss, KINDS).tolist() == matrix(other.world.loss, KINDS).tolist()
    contexts = range(len(one.labels))
    assert one.policies.votes(contexts, KINDS).tolist() == other.policies.votes(contexts, KINDS).tolist()
    assert one.labels != other.labels


def test_nothing_of_the_streams_rows_enters_scales_distances_or_policies():
    """Move every row of the stream that stays in it: the warm-up's scale stays."""
    rows = numbers()
    warm = is_warm_up(rows.inputs)
    moved = rows.inputs.copy()
    moved[~warm] *= 2
    still = is_warm_up(moved) == warm
    one = labelled(rows, **SMALL)
    kept = rows._replace(inputs=moved[still], labels=np.array(rows.labels)[still].tolist())
    other = labelled(kept, **SMALL)
    assert matrix(one.world.loss, KINDS) == pytest.approx(matrix(other.world.loss, KINDS), abs=1e-12)
    assert one.n_warm_up == other.n_warm_up


def test_delta_is_the_distance_of_class_means_by_hand():
    features = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 3.0], [1.0, 8.0]])
    known = WarmUp(features, np.array(["a", "a", "b", "c"]), ["a", "b", "c"])
    rows = numbers()._replace(taxonomy=None)
    table = matrix(default_loss(rows, np.ones(4, dtype=bool), known), known.candidates)
    apart = np.array([[0, np.hypot(3, 3), 8], [0, 0, np.hypot(3, 5)], [0, 0, 0]])
    assert table == pytest.approx((apart + apart.T) / 8)


@pytest.mark.parametrize("rows", [numbers(), texts(), rewarded()], ids=["means", "tree", "correlation"])
def test_delta_is_a_metric_on_the_candidates(rows):
    stream = labelled(rows, **SMALL)
    check_metric(stream.world.loss, stream.world.tables.actions[0])
    assert matrix(stream.world.loss, stream.world.tables.actions[0]).max() <= 1


def test_values_are_exact_means_over_the_rows_of_the_stream():
    stream = labelled(numbers(), alignment=0.3, **SMALL)
    world, n = stream.world, len(stream.labels)
    votes = stream.policies.votes(range(n), KINDS)
    rewards, losses = np.zeros(votes.shape[1]), np.zeros(votes.shape[1])
    table = matrix(world.loss, KINDS)
    value = {a: (world.tables.rewards[0, a, 0] - 0.3 * (1 - world.losses[0, a, 0])) / 0.7 for a in range(4)}
    for x, label in enumerate(stream.labels):
        delta = table[votes[x], KINDS.index(label)]
        paid = 0.3 * (1 - delta) + 0.7 * np.array([value[a] for a in votes[x].tolist()])
        rewards += paid * (delta <= world.user.bias_bound) / n
        losses += delta / n
    found = world.values(stream.policies)
    assert found[0] == pytest.approx(rewards)
    assert found[1] == pytest.approx(losses)


def test_known_rewards_are_paid_as_they_are():
    rows = rewarded()
    stream = labelled(rows, **SMALL)
    kept = ~is_warm_up(rows.inputs)
    assert stream.world.tables.rewards[:, :, 0].tolist() == rows.rewards[kept].tolist()
    assert stream.world.tables.actions[0] == tuple(rows.candidates)


def test_the_likeliest_answer_is_near_and_the_best_paying_one_is_not():
    stream = labelled(numbers(), user=Careless(Tolerant(0.0), 1.0), alignment=0.0, **SMALL)
    rewards, losses = stream.world.values(stream.policies)
    names = list(stream.policies.names)
    assert losses[names.index("linear 0, greed 0")] < 0.1 < losses[names.index("always what pays most")]
    assert rewards.max() == pytest.approx(rewards[names.index("always what pays most")])
    figures = stream.figures()
    assert figures["policies"] == len(stream.policies) == 17
    assert 0 < figures["feasible"] < 17
    assert figures["best_feasible_reward"] < figures["best_reward"]
    assert figures["least_loss"] == losses.min()
    assert figures["rows"] + figures["warm_up"] == 600
    assert figures["best_accuracy"] > 0.8


def test_no_place_among_the_policies_says_how_good_one_is():
    """Eight orders of 17: all begin alike with probability 17^-7 < 3e-9."""
    firsts = {labelled(numbers(200), seed=seed, **SMALL).policies.names[0] for seed in range(8)}
    assert len(firsts) > 1


def test_a_text_table_may_have_any_seed():
    assert len(labelled(texts(), seed=2**62 + 1, **SMALL).policies) == 17


def test_rows_of_one_person_fall_on_one_side():
    rows = numbers(2000)
    owners = [f"person {i % 50}" for i in range(2000)]
    stream = labelled(rows._replace(groups=owners), **SMALL)
    warm = is_warm_up(owners)
    assert stream.labels == np.array(rows.labels)[~warm].tolist()
    assert not set(np.array(owners)[warm]) & set(np.array(owners)[~warm])


def test_only_the_commonest_labels_are_suggested_and_only_those_that_the_loss_knows():
    rows = numbers()
    counts = {kind: (np.array(rows.labels)[is_warm_up(rows.inputs)] == kind).sum() for kind in KINDS}
    stream = labelled(rows, n_candidates=2, **SMALL)
    assert sorted(counts, key=lambda kind: -counts[kind])[:2] == sorted(
        stream.world.tables.actions[0], key=lambda kind: -counts[kind]
    )
    assert set(stream.labels) == set(KINDS)
    other = np.array([label not in stream.world.tables.actions[0] for label in stream.labels])
    assert (stream.world.losses[other, :, 0] == 1).all()
    vectors = Vectors({"apple": [1, 0], "plum": [0, 1], "stone": [1, 1]})
    assert labelled(rows, loss=vectors, **SMALL).world.tables.actions[0] == ("apple", "plum", "stone")
    with pytest.raises(InvalidInputError, match="the loss knows 1 of the labels of the warm-up"):
        labelled(rows, loss=Vectors({"apple": [1, 0], "quince": [0, 1]}), **SMALL)


USERS = {
    "soft": Soft(0.1),
    "hurried": Hurried(Tolerant(0.1)),
    "careless": Careless(Tolerant(0.1)),
    "moody": Moody(Tolerant(0.1)),
    "slipping": Slipping(Tolerant(0.1), 0.5),
}


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("order", ["drawn", "shuffled", "natural"])
def test_learners_play_it_compiled_as_round_by_round_whoever_the_user_is(user, order):
    stream = labelled(numbers(), user=USERS[user], order=order, **SMALL)

    def play(compiled):
        learner = SharedExp4(policies=stream.policies, loss=stream.world.loss, tolerance=0.05, seed=1)
        return simulate(stream.world, learner, rounds=400, seed=2, compiled=compiled)

    assert play(compiled=True).reward_regret == pytest.approx(play(compiled=False).reward_regret, abs=1e-9)


def test_a_user_who_slips_enters_the_nearest_other_label():
    stream = labelled(numbers(), user=Slipping(Tolerant(0.0), 1.0), **SMALL)
    table = matrix(stream.world.loss, KINDS) + 9 * np.eye(4)
    tables = stream.world.tables
    for label, (wanted, beside), running in zip(stream.labels, tables.answers, tables.entering, strict=True):
        assert (wanted, beside) == (label, KINDS[table[:, KINDS.index(label)].argmin()])
        assert running[0].tolist() == [0.0, np.inf]  # the second, always


def test_a_label_that_the_warm_up_lacks_is_an_answer_and_no_candidate():
    rows = numbers()
    x = int(np.flatnonzero(~is_warm_up(rows.inputs))[0])
    labels = [*rows.labels[:x], "quince", *rows.labels[x + 1 :]]
    stream = labelled(rows._replace(labels=labels), **SMALL)
    assert stream.world.tables.actions[0] == tuple(KINDS)
    assert stream.labels[0] == "quince"
    assert stream.world.losses[0, :, 0].tolist() == [1.0] * 4


def test_some_rows_of_the_stream_can_be_kept_and_another_loss_used():
    stream = labelled(numbers(), n_rows=50, loss=ZeroOne(), **SMALL)
    assert isinstance(stream, Stream)
    assert len(stream.labels) == len(stream.features) == len(stream.world.weights) == 50
    assert set(np.unique(stream.world.losses)) == {0.0, 1.0}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alignment": 2}, "alignment is 2"),
        ({"order": "sorted"}, r"order is 'sorted'; it must be one of \('drawn', 'shuffled', 'natural'\)"),
        ({"n_models": 0}, "n_models is 0"),
        ({"n_rows": 0}, "n_rows is 0"),
        ({"n_candidates": 1}, "n_candidates is 1; it must be a whole number from 2"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, message):
    with pytest.raises(InvalidInputError, match=message):
        labelled(numbers(), **settings)


def test_a_table_too_small_to_learn_from_is_refused():
    with pytest.raises(InvalidInputError, match=r"the warm-up of 'clouds' has \d+ of 40 rows and \d labels; give"):
        labelled(numbers(40))


def test_without_scikit_learn_it_says_how_to_install_it(monkeypatch):
    for module in ("decomposition", "preprocessing", "feature_extraction.text"):
        monkeypatch.setitem(sys.modules, f"sklearn.{module}", None)
    with pytest.raises(
        MissingPackageError, match=r"a stream from a labelled table needs scikit-learn.*typeover\[bench\]"
    ):
        labelled(numbers(), **SMALL)
