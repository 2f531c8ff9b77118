"""Users who change in the middle: the same rounds as in either world, cut at the turn and counted by phase."""

from __future__ import annotations

import numpy as np
import pytest

from typeover.core.protocols import TALLY
from typeover.environments import Exact, Hurried, TurningWorld, turn, w2
from typeover.errors import InvalidInputError
from typeover.evaluation import simulate
from typeover.evaluation.trial import CHUNK
from typeover.learners import EFBO, CorrectionOnly, Uniform

SIZES = {"n_contexts": 40, "n_policies": 20, "seed": 1}
HONEST, TIRED = w2(careless=0.0, **SIZES), w2(careless=1.0, **SIZES)
TURN = turn(HONEST, TIRED, 150)
POLICIES = TURN.policies


def make(kind):
    if kind is EFBO:
        return EFBO(policies=POLICIES, loss=TURN.world.loss, tolerance=0.05, horizon=400, block=70, seed=2)
    if kind is CorrectionOnly:
        return CorrectionOnly(policies=POLICIES, loss=TURN.world.loss, seed=2)
    return Uniform(policies=POLICIES, seed=2)


def test_rounds_are_those_of_before_and_then_those_of_after():
    sessions = [
        world.session(seed=9, policies=POLICIES, tolerance=0.05) for world in (TURN.world, HONEST.world, TIRED.world)
    ]
    tape, before, after = (session.tape(400) for session in sessions)
    assert len(tape.contexts) == 150
    assert tape.tables is HONEST.world.tables
    rest = sessions[0].tape(250)
    assert rest.tables is TIRED.world.tables
    for column in ("contexts", "answers", "accept_uniforms", "reward_uniforms"):
        whole = np.concatenate([getattr(tape, column), getattr(rest, column)])
        expected = np.concatenate([getattr(before, column)[:150], getattr(after, column)[150:]])
        assert np.array_equal(whole, expected)


@pytest.mark.parametrize("kind", [EFBO, CorrectionOnly, Uniform])
def test_both_paths_count_the_same_through_the_turn(kind):
    marks = [1, 149, 150, 151, 300]
    runs = [
        simulate(TURN.world, make(kind), rounds=400, seed=5, compiled=compiled, at=marks, tolerance=0.05)
        for compiled in (True, False)
    ]
    assert [run.compiled for run in runs] == [True, False]
    for name in (*TALLY, "rounds"):
        assert getattr(runs[0], name) == pytest.approx(getattr(runs[1], name), abs=1e-9)


def test_regret_is_counted_against_the_best_feasible_policy_of_the_phase():
    """Uniform play draws the same whatever users do, so each phase costs what it costs in its own world."""
    runs = [
        simulate(world, make(Uniform), rounds=400, seed=5, at=[150], tolerance=0.05)
        for world in (TURN.world, HONEST.world, TIRED.world)
    ]
    for name in TALLY:
        both, before, after = (getattr(run, name) for run in runs)
        assert both[0] == pytest.approx(before[0])
        assert both[1] - both[0] == pytest.approx(after[1] - after[0])
    honest, tired = (world.benchmark(POLICIES, 0.05) for world in (HONEST.world, TIRED.world))
    assert honest.rewards[honest.policy] != tired.rewards[tired.policy]


def test_marks_beyond_the_turn_and_beyond_a_chunk_are_all_recorded():
    world = TurningWorld(before=HONEST.world, after=TIRED.world, at=CHUNK + 7)
    marks = [CHUNK, CHUNK + 7, CHUNK + 8, 2 * CHUNK + 7]
    run = simulate(world, make(Uniform), rounds=2 * CHUNK + 20, seed=3, at=marks, tolerance=0.05)
    assert run.rounds.tolist() == [*marks, 2 * CHUNK + 20]
    assert run.shown.tolist() == run.rounds.tolist()


def test_kinds_of_users_may_change_and_no_stream_is_shifted():
    hurried = HONEST.world.with_user(Hurried(Exact(), 0.5))
    session = TurningWorld(before=HONEST.world, after=hurried, at=10).session(seed=9, policies=POLICIES, tolerance=0.05)
    session.tape(10)
    own = hurried.session(seed=9, policies=POLICIES, tolerance=0.05).tape(50)
    assert np.array_equal(session.tape(40).correction_uniforms, own.correction_uniforms[10:])


def test_a_session_that_was_asked_gives_no_tape():
    session = TURN.world.session(seed=9, policies=POLICIES, tolerance=0.05)
    session.ask()
    with pytest.raises(InvalidInputError, match="already asked round by round"):
        session.tape(5)


@pytest.mark.parametrize(
    ("make_turn", "message"),
    [
        (lambda: turn(HONEST, TIRED, 0), "at is 0; it must be a whole number from 1"),
        (lambda: turn(HONEST, w2(**SIZES | {"seed": 2}), 5), "before and after differ in answer_probabilities, losses"),
        (
            lambda: turn(HONEST, w2(**SIZES | {"n_contexts": 41}), 5),
            "before and after differ in contexts, actions, answers, weights",
        ),
        (lambda: turn(HONEST, w2(**SIZES | {"n_policies": 19}), 5), "before and after have other policies"),
        (lambda: turn(HONEST, TIRED._replace(tolerance=0.1), 5), "or another tolerance; only users and rewards"),
    ],
)
def test_what_is_more_than_a_change_of_users_is_refused(make_turn, message):
    with pytest.raises(InvalidInputError, match=message):
        make_turn()
