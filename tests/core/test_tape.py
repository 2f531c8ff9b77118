import numpy as np
import pytest

from typeover.core.tape import Tables, Tape

# Two contexts, two candidates, three answers.
ACCEPTANCE = np.array([[[1.0, 0.5, 0.0], [0.0, 0.25, 1.0]], [[0.5, 0.5, 0.5], [0.0, 1.0, 0.75]]])
REWARDS = np.array([[[0.2, 0.4, 0.6], [0.1, 0.3, 0.5]], [[0.7, 0.8, 0.9], [1.0, 0.0, 0.5]]])


def tape(*, contexts, answers, accept, pay=None, is_coin=False):
    tables = Tables(
        ["x", "y"], [["a", "b"]] * 2, [["a", "b", "c"]] * 2, acceptance=ACCEPTANCE, rewards=REWARDS, is_coin=is_coin
    )
    whole = [np.array(column, dtype=np.int32) for column in (contexts, answers)]
    return Tape(tables, *whole, np.array(accept), np.array(accept if pay is None else pay))


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
