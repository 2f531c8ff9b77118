import numpy as np
import pytest

from typeover.core.draw import cumulative
from typeover.core.tape import Tables, Tape

# Two contexts, two candidates, three answers.
ACCEPTANCE = np.array([[[1.0, 0.5, 0.0], [0.0, 0.25, 1.0]], [[0.5, 0.5, 0.5], [0.0, 1.0, 0.75]]])
REWARDS = np.array([[[0.2, 0.4, 0.6], [0.1, 0.3, 0.5]], [[0.7, 0.8, 0.9], [1.0, 0.0, 0.5]]])


def tape(*, contexts, answers, accept, pay=None, is_coin=False, correct=None, slip=None, **habits):
    tables = Tables(
        ["x", "y"], [["a", "b"]] * 2, [["a", "b", "c"]] * 2, acceptance=ACCEPTANCE, rewards=REWARDS, is_coin=is_coin,
        **habits,
    )  # fmt: skip
    whole = [np.array(column, dtype=np.int32) for column in (contexts, answers)]
    more = [None if column is None else np.array(column) for column in (correct, slip)]
    return Tape(tables, *whole, np.array(accept), np.array(accept if pay is None else pay), *more)


def respond(rounds, shown, revealing=None):
    flags = np.zeros(len(shown), dtype=bool) if revealing is None else np.array(revealing)
    return rounds.respond(np.array(shown, dtype=np.int32), flags)


def test_four_rounds_by_hand():
    rounds = tape(contexts=[0, 0, 1, 1], answers=[1, 2, 0, 2], accept=[0.4, 0.999, 0.3, 0.8])
    # accepted with 0.5 > 0.4, 1.0 > 0.999, 0.0, 0.75 < 0.8
    responses = respond(rounds, [0, 1, 1, 1])
    assert responses.accepted.tolist() == [True, True, False, False]
    assert responses.rewards.tolist() == [0.4, 0.5, 0.0, 0.0]


def test_a_uniform_equal_to_the_probability_is_no_accept():
    rounds = tape(contexts=[0, 0], answers=[1, 1], accept=[0.5, np.nextafter(0.5, 0)])
    assert respond(rounds, [0, 0]).accepted.tolist() == [False, True]


def test_what_is_certain_happens_and_what_is_impossible_does_not():
    rounds = tape(contexts=[0, 0], answers=[0, 2], accept=[np.nextafter(1.0, 0), 0.0])
    assert respond(rounds, [0, 0]).accepted.tolist() == [True, False]


def test_nothing_shown_and_revealing_rounds_earn_nothing():
    rounds = tape(contexts=[0, 0, 1], answers=[0, 0, 1], accept=[0.0, 0.0, 0.0])
    responses = respond(rounds, [-1, 0, 1], [False, True, True])
    assert responses.accepted.tolist() == [False, False, False]
    assert responses.rewards.tolist() == [0, 0, 0]
    assert respond(rounds, [0, 0, 1]).accepted.tolist() == [True, True, True]  # shown plainly they would be accepted


def test_coins_pay_one_or_nothing_and_only_when_accepted():
    rounds = tape(
        contexts=[0, 0, 1, 1], answers=[1, 1, 0, 1], accept=[0.0, 0.0, 0.9, 0.0], pay=[0.3, 0.4, 0.0, 0.0], is_coin=True
    )
    # means 0.4, 0.4, 0.7 (not accepted), 0.0
    assert respond(rounds, [0, 0, 0, 1]).rewards.tolist() == [1, 0, 0, 0]


def test_what_one_shows_changes_nothing_in_other_rounds():
    rng = np.random.default_rng(0)
    n = 60
    rounds = tape(
        contexts=rng.integers(2, size=n), answers=rng.integers(3, size=n), accept=rng.random(n), pay=rng.random(n)
    )
    shown = rng.integers(-1, 2, size=n)
    before = respond(rounds, shown)
    other = shown.copy()
    other[::2] = 1 - other[::2].clip(0)
    after = respond(rounds, other)
    assert after.accepted[1::2].tolist() == before.accepted[1::2].tolist()
    assert after.rewards[1::2].tolist() == before.rewards[1::2].tolist()


@pytest.mark.parametrize("cut", [0, 1, 3, 5])
def test_a_tape_in_two_pieces_responds_as_the_whole(cut):
    rounds = tape(contexts=[0, 1, 0, 1, 1], answers=[0, 1, 2, 2, 1], accept=[0.1, 0.9, 0.5, 0.4, 0.2])
    shown = [0, 1, 1, 1, -1]
    pieces = [respond(rounds.cut(0, cut), shown[:cut]), respond(rounds.cut(cut, 5), shown[cut:])]
    assert np.concatenate([p.rewards for p in pieces]).tolist() == respond(rounds, shown).rewards.tolist()
    assert rounds.cut(0, cut).tables is rounds.tables


def test_where_users_always_type_over_what_is_wanted_that_is_entered():
    rounds = tape(contexts=[0, 0, 1, 1], answers=[1, 2, 0, 2], accept=[0.4, 0.999, 0.3, 0.8])
    responses = respond(rounds, [0, 1, 1, -1])
    assert responses.revealed.tolist() == [False, False, True, True]
    assert responses.entered.tolist() == [-1, -1, 0, 2]


# Half of the rejections of `a` bring an answer, none of those of `b`; who wants c enters a as often as c.
CORRECTION = np.array([[[0.5] * 3, [0.0] * 3]] * 2)
ENTERING = cumulative(np.array([[[1, 0, 0], [0, 1, 0], [0.5, 0, 0.5]]] * 2))
HABITS = {"correction": CORRECTION, "entering": ENTERING}


def test_a_rejection_may_bring_nothing_and_an_audit_always_brings_an_answer():
    rounds = tape(
        contexts=[0] * 6, answers=[2, 2, 0, 0, 0, 0], accept=[0.9] * 6, correct=[0.49, 0.5, 0.0, 0.99, 0.99, 0.99],
        slip=[0.9] * 6, **HABITS,
    )  # fmt: skip
    responses = respond(rounds, [0, 0, 1, -1, 1, 0], [False, False, False, True, True, False])
    assert responses.accepted.tolist() == [False] * 5 + [True]
    assert responses.revealed.tolist() == [True, False, False, True, True, False]
    assert responses.entered.tolist() == [2, -1, -1, 0, 0, -1]


def test_another_answer_may_be_entered_and_is_the_same_whatever_was_shown():
    rounds = tape(
        contexts=[0] * 4, answers=[2, 2, 1, 2], accept=[0.99] * 4, correct=[0.0] * 4, slip=[0.49, 0.5, 0.49, 0.49],
        **HABITS,
    )  # fmt: skip
    assert respond(rounds, [0, 0, 0, -1]).entered.tolist() == [0, 2, 1, 0]
    assert respond(rounds, [-1, -1, -1, 0]).entered.tolist() == [0, 2, 1, 0]


def test_where_the_answer_is_told_it_is_known_in_every_round_and_changes_no_reward():
    columns = {"contexts": [0, 0, 1], "answers": [1, 2, 0], "accept": [0.4, 0.99, 0.9], "correct": [0.99] * 3}
    plain, told = (respond(tape(**columns, correction=CORRECTION, is_told=flag), [0, 0, -1]) for flag in (False, True))
    assert told.accepted.tolist() == plain.accepted.tolist() == [True, False, False]
    assert told.rewards.tolist() == plain.rewards.tolist()
    assert plain.entered.tolist() == [-1, -1, 0]
    assert told.revealed.tolist() == [True] * 3
    assert told.entered.tolist() == [1, 2, 0]


@pytest.mark.parametrize("cut", [0, 2, 4])
def test_habits_are_cut_with_the_tape(cut):
    rng = np.random.default_rng(0)
    rounds = tape(
        contexts=[0, 1, 0, 1], answers=[2, 2, 2, 1], accept=rng.random(4), correct=rng.random(4), slip=rng.random(4),
        **HABITS,
    )  # fmt: skip
    shown = [0, 1, 0, 0]
    pieces = [respond(rounds.cut(0, cut), shown[:cut]), respond(rounds.cut(cut, 4), shown[cut:])]
    for column in ("revealed", "entered"):
        whole = getattr(respond(rounds, shown), column).tolist()
        assert np.concatenate([getattr(piece, column) for piece in pieces]).tolist() == whole
