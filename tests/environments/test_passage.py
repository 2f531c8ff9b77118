from __future__ import annotations

import numpy as np
import pytest

import tiny
from typeover import Uniform, simulate
from typeover.core.tape import Plays
from typeover.environments import Passage, TabularWorld
from typeover.errors import InvalidInputError
from typeover.policies import TablePolicies
from typeover.testing import EnvironmentContract


def even(n=3):
    """A world whose contexts are equally likely."""
    world = tiny.world(contexts=n)
    return TabularWorld(
        contexts=world.tables.contexts, actions=tiny.NAMES, answers=tiny.ANSWERS, user=world.user,
        answer_probabilities=world.answer_probabilities, losses=world.losses, rewards=world.tables.rewards,
    )  # fmt: skip


class TestPassage(EnvironmentContract):
    @pytest.fixture
    def environment(self):
        return Passage(even(1500))

    @pytest.fixture
    def policies(self):
        return TablePolicies(np.random.default_rng(0).integers(3, size=(1500, 4)))


def asked(passage, seed, n):
    session = passage.session(seed=seed, policies=tiny.tables(contexts=len(passage)), tolerance=0.1)
    found = []
    for number in range(1, n + 1):
        context, actions = session.ask()
        session.answer(tiny.decision(number, context, actions, 0))
        found.append(context)
    return found


@pytest.mark.parametrize("n", [1, 7, 2500])
def test_every_context_comes_once_and_then_no_more(n):
    natural, shuffled = Passage(even(n), is_shuffled=False), Passage(even(n))
    assert asked(natural, 1, n) == list(range(n))
    assert sorted(asked(shuffled, 1, n)) == list(range(n))
    with pytest.raises(InvalidInputError, match=f"this pass has {n} rounds and all were played; ask for no more"):
        asked(shuffled, 1, n + 1)


def test_a_shuffled_order_is_the_seeds_and_a_natural_one_is_not():
    passage = Passage(even(50))
    assert asked(passage, 1, 50) == asked(passage, 1, 50) != asked(passage, 2, 50)
    natural = Passage(even(50), is_shuffled=False)
    assert asked(natural, 1, 50) == asked(natural, 2, 50)


def test_answers_come_as_often_as_their_probabilities_say():
    """20,000 rounds of one kind; 4 means are off by .03 with probability below 8 exp(-2 * 20000 * .03^2) = 2e-15."""
    world = even(1)
    one = TabularWorld(
        contexts=range(20_000), actions=tiny.NAMES, answers=tiny.ANSWERS, user=world.user, losses=world.losses,
        answer_probabilities=np.tile(world.answer_probabilities, (20_000, 1)), rewards=np.ones((20_000, 3)),
    )  # fmt: skip
    tape = Passage(one).session(seed=1, policies=tiny.tables(contexts=20_000), tolerance=0.1).tape(20_000)
    seen = np.bincount(tape.answers, minlength=4) / 20_000
    assert np.abs(seen - world.answer_probabilities[0]).max() <= 0.03


def test_a_whole_pass_has_the_regret_of_the_means():
    world, policies = even(40), tiny.tables(contexts=40)
    session = Passage(world).session(seed=1, policies=policies, tolerance=0.1)
    tape = session.tape(1000)
    shown = policies.votes(tape.contexts, tiny.NAMES)[:, 2].astype(np.int32)
    audits = np.zeros(40, dtype=bool)
    (tally,) = session.settle(tape, Plays(shown, shown, audits, tape.respond(shown, audits)), np.array([40]))
    benchmark = world.benchmark(policies, 0.1)
    assert tally["reward_regret"] == pytest.approx(40 * (benchmark.rewards[benchmark.policy] - benchmark.rewards[2]))


def test_a_learner_plays_the_whole_pass_and_is_told_where_it_ends():
    passage, policies = Passage(even(30)), tiny.tables(contexts=30)
    for compiled in (True, False):
        run = simulate(passage, Uniform(policies=policies, seed=1), rounds=30, seed=1, compiled=compiled, tolerance=0.1)
        assert run.rounds[-1] == 30
        with pytest.raises(InvalidInputError, match="this pass has 30 rounds"):
            simulate(passage, Uniform(policies=policies, seed=1), rounds=31, seed=1, compiled=compiled, tolerance=0.1)


def test_a_world_whose_contexts_are_not_equally_likely_is_refused():
    with pytest.raises(InvalidInputError, match=r"the world's weights run from .* so they must be equal"):
        Passage(tiny.world())
