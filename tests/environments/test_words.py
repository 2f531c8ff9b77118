from __future__ import annotations

import sys

import numpy as np
import pytest

import tiny
from typeover.environments import Tolerant, next_word
from typeover.environments.words import letters_saved
from typeover.errors import InvalidInputError, MissingPackageError
from typeover.losses import ZeroOne

SMALL = {"n_contexts": 40, "n_policies": 7}


def test_one_context_worked_by_hand():
    """After "of the", typing t: reward = letters saved of 8 at most, Delta = 2 lev / (|a| + |b| + lev)."""
    world, _, tolerance = next_word(**SMALL)
    tables = world.tables
    x = list(tables.contexts).index(("of", "t"))
    assert tables.actions[x][0] == "the"
    assert tables.answers[x][: len(tables.actions[x])] == tables.actions[x]
    assert tables.rewards[x, 0].tolist() == [2 / 8] * 12  # h, e saved by one key
    this = tables.answers[x].index("this")
    assert world.losses[x, 0, this] == pytest.approx(2 * 2 / (3 + 4 + 2))  # e -> i, + s
    assert world.losses[x, 0, 0] == 0
    assert world.answer_probabilities[x].tolist() == sorted(world.answer_probabilities[x], reverse=True)
    assert tables.acceptance[x].tolist() == np.eye(6, 12).tolist()
    assert not tables.is_coin
    assert world.expected_rewards[x, 0] == pytest.approx(world.answer_probabilities[x, 0] * 2 / 8)
    assert tolerance == 0.05


def test_letters_saved_are_capped():
    assert [letters_saved(word) for word in ("of", "the", "something", "internationally")] == [1 / 8, 2 / 8, 1, 1]


def test_candidates_differ_by_context_and_answers_may_lie_outside_them():
    world, _, _ = next_word(**SMALL)
    tables = world.tables
    assert len({tuple(actions) for actions in tables.actions}) > 30
    outside = [set(answers) - set(actions) for actions, answers in zip(tables.actions, tables.answers, strict=True)]
    assert {len(words) for words in outside} == {6}
    for (_, letter), answers in zip(tables.contexts, tables.answers, strict=True):
        assert all(word.startswith(letter) and len(word) > 1 for word in answers)
    assert world.weights.sum() == pytest.approx(1)
    assert world.weights.tolist() == sorted(world.weights, reverse=True)


def test_an_answer_outside_the_candidates_is_typed_over_and_told():
    world, policies, tolerance = next_word(**SMALL)
    session = world.session(seed=1, policies=policies, tolerance=tolerance)
    heard = []
    for number in range(1, 300):
        context, actions = session.ask()
        feedback = session.answer(tiny.decision(number, context, actions, 0))
        heard.append((feedback.correction, actions, feedback.reward))
    new = [word for word, actions, _ in heard if word is not None and word not in actions]
    assert new
    assert all(reward > 0 for word, _, reward in heard if word is None)


def test_policies_run_from_a_dislike_of_long_words_to_a_craving_for_them():
    world, policies, _ = next_word(**SMALL)
    shown = [policies.vote(x, a) for x, a in zip(world.tables.contexts, world.tables.actions, strict=True)]
    lengths = np.array(
        [[len(actions[i]) for i in row] for row, actions in zip(shown, world.tables.actions, strict=True)]
    )
    means = lengths.mean(axis=0)
    assert (np.diff(means) >= 0).all()
    assert means[0] < means[-1]
    rewards, losses = world.values(policies)
    assert rewards.argmax() != losses.argmin()  # what saves most is not what is nearest to the word


def test_other_users_and_losses_can_be_put_on_it():
    world = next_word(**SMALL, user=Tolerant(0.5), loss=ZeroOne()).world
    assert set(np.unique(world.losses)) == {0.0, 1.0}
    assert np.array_equal(world.tables.acceptance == 1, world.losses <= 0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_contexts": 0}, r"n_contexts is 0; it must be a whole number from 1"),
        ({"n_candidates": 1}, r"n_candidates is 1; it must be a whole number from 2"),
        ({"n_answers": 2.5}, r"n_answers is 2\.5"),
        ({"n_policies": 0}, r"n_policies is 0"),
        ({"n_contexts": 10**6}, r"n_contexts is 1000000; only \d+ contexts have 12 continuations: ask for fewer"),
    ],
)
def test_bad_sizes_are_refused_by_name(settings, message):
    with pytest.raises(InvalidInputError, match=message):
        next_word(**settings)


def test_more_candidates_than_answers_may_be_asked_for():
    world = next_word(n_contexts=10, n_candidates=8, n_answers=3, n_policies=3).world
    assert world.losses.shape == (10, 8, 3)


def test_without_the_package_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "symspellpy", None)
    with pytest.raises(MissingPackageError, match=r"next-word world needs symspellpy.*typeover\[text\]"):
        next_word()
