from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny
from typeover import SharedExp4
from typeover.environments import replay
from typeover.environments.replay import least, odds
from typeover.errors import InvalidInputError
from typeover.learners import Fixed, Uniform
from typeover.logs import Entry, Writer, read

NAMES = tiny.NAMES
CHANCE = 1e-6


def entry(number=1, context=0, index=0, p=(0.5, 0.25, 0.25), gamma=0.0, suggestion=None, **ended):
    suggestion = index if suggestion is None else suggestion
    return Entry(
        decision_id=f"d-{number}", loop="l", sequence=number, time=number, context=context, actions=tuple(NAMES),
        index=index, suggestion=suggestion, action=None if index < 0 else NAMES[index], probability=p[suggestion],
        propensities=p, revealing=index < 0, audit_probability=gamma, **(ended or {"dismissed": True}),
    )  # fmt: skip


def keep(decision, feedback, number):
    return Entry.from_decision(decision, feedback, decision_id=f"d-{number}", loop="l", sequence=number, time=number)


def options(p, gamma):
    """Every decision, as (index shown, its probability); -1 is an audit."""
    return [*((a, (1 - gamma) * share) for a, share in enumerate(p)), (-1, gamma)]


def decided(index, p, gamma):
    return msgspec.structs.replace(
        tiny.decision(1, 0, NAMES, max(index, 0), revealing=index < 0),
        propensities=np.array(p), audit_probability=gamma,
    )  # fmt: skip


distributions = st.lists(st.integers(1, 9), min_size=3, max_size=3).map(lambda w: tuple(x / sum(w) for x in w))


@given(distributions, distributions, st.floats(0.05, 0.9), st.floats(0, 0.9), st.floats(0.01, 0.5))
def test_the_weighted_sum_over_everything_the_log_may_hold_is_the_learners_value(p, own, gamma, asks, floor):
    """Sum over logged options o and the learner's d: q(o) pi(d) chance(o, d) weight(o, d) r(o) = c sum pi(d) r(d)."""
    paid = [0.3, 0.9, 0.5, 0.0]
    total = 0.0
    for o, logged in options(p, gamma):
        line = entry(index=o, p=p, gamma=gamma, suggestion=max(o, 0))
        for d, share in options(own, asks):
            it = odds(line, decided(d, own, asks), floor)
            total += logged * share * it.chance * it.weight * paid[o]
    assert total == pytest.approx(floor * sum(share * paid[d] for d, share in options(own, asks)))


@given(distributions, st.floats(0.05, 0.9))
def test_at_the_least_floor_every_decision_counts_with_the_same_probability_and_weight_one(p, gamma):
    line = entry(p=p, gamma=gamma)
    floor = least([line])
    for d, logged in options(p, gamma):
        counted = 0.0
        for o, q in options(p, gamma):
            it = odds(entry(index=o, p=p, gamma=gamma, suggestion=max(o, 0)), decided(d, p, gamma), floor)
            counted += q * it.chance
            assert it.weight == 1.0
            assert it.logged == pytest.approx(logged)
            assert (it.chance > 0) is (o == d)
        assert counted == pytest.approx(floor)


def test_with_uniform_logging_a_round_counts_exactly_if_it_matches():
    thirds = (1 / 3, 1 / 3, 1 / 3)
    log = [entry(number, index=number % 3, p=thirds, accepted=True, reward=0.5) for number in range(1, 31)]
    found = replay(log, Fixed(policies=tiny.tables(), policy=0, seed=1), seed=1)
    choice = int(tiny.tables().vote(0, NAMES)[0])
    assert found.places.tolist() == [t for t in range(30) if (t + 1) % 3 == choice]
    assert (found.reward, found.reward_of_counted) == (pytest.approx(0.5), 0.5)
    assert (found.rounds, found.skipped, found.below, found.impossible) == (30, 0, 0, 0)


def logged_run(world, policies, rounds, seed=1):
    """A log of a learner that audits, kept as entries."""
    learner = SharedExp4(policies=policies, loss=world.loss, tolerance=0.1, audits="fixed", seed=seed)
    session = world.session(seed=seed, policies=policies, tolerance=0.1)
    for number in range(1, rounds + 1):
        decision = learner.decide(*session.ask())
        feedback = session.answer(decision)
        if number % 2:  # so that it does not become too sure of anything
            learner.learn(decision, feedback)
        yield keep(decision, feedback, number)


def test_a_fixed_policy_is_worth_in_replay_what_it_is_worth_in_the_world(tmp_path):
    """8,000 rounds, through a file; Bernstein for rewards, Hoeffding for losses; fails with probability 1e-6."""
    world = tiny.world(3)
    policies = tiny.tables(3)
    learner = Uniform(policies=policies, seed=1)
    session = world.session(seed=1, policies=policies, tolerance=0.1)
    n, source, gamma = 8000, np.random.default_rng(5), 0.2
    with Writer(tmp_path / "log.jsonl.gz") as log:
        for number in range(1, n + 1):
            decision = learner.decide(*session.ask())
            audit = bool(source.random() < gamma)
            shown = {"action": None, "index": -1, "revealing": True} if audit else {}
            decision = msgspec.structs.replace(decision, audit_probability=gamma, **shown)
            feedback = session.answer(decision)
            log.write(
                Entry.from_decision(
                    decision, feedback, decision_id=f"d-{number}", loop="l", sequence=number, time=number
                )
            )
    rewards, losses = world.values(policies)
    for i in range(3):
        played = Fixed(policies=policies, policy=i, seed=2)
        found = replay(read(tmp_path / "log.jsonl.gz"), played, loss=world.loss, seed=3)
        c = found.floor
        assert c == pytest.approx(0.2)
        assert found.impossible == found.below == 0
        doubt, audits = math.log(12 / CHANCE), 0.9 * gamma * n
        assert abs(found.reward - rewards[i]) <= math.sqrt(2 * rewards[i] * doubt / (c * n)) + doubt / (3 * c * n)
        assert abs(found.fidelity_loss - losses[i]) <= math.sqrt(doubt / (2 * audits))
        assert found.audits == 0  # this learner never asks
        assert found.accepted + found.corrections == len(found.places)
        assert played.figures()["rounds"] == n
        assert played.figures()["accepted"] == found.accepted


def test_a_learner_learns_from_rounds_that_count_and_from_audits_where_both_ask():
    world, policies = tiny.world(3), tiny.tables(3)
    log = list(logged_run(world, policies, 600))
    learner = SharedExp4(policies=policies, loss=world.loss, tolerance=0.1, audits="fixed", seed=9)
    found = replay(log, learner, loss=world.loss, floor=0.2, seed=3)
    figures = learner.figures()
    assert figures["rounds"] == found.rounds == 600
    assert figures["accepted"] == found.accepted > 0
    assert figures["corrections"] == found.corrections > 0
    assert 0 < found.audits <= sum(one.revealing for one in log)
    assert figures["unanswered"] == 600 - len(found.places)
    assert found.audits == sum(log[t].revealing for t in found.places)


class Recorder:
    """Always shows the first candidate, and keeps what it hears."""

    def __init__(self):
        self.heard = []

    def decide(self, context, actions):
        return tiny.decision(1, context, actions, 0)

    def learn(self, decision, feedback):
        self.heard.append(feedback)


def test_an_amendment_is_heard_after_its_accept():
    sure = (1.0, 0.0, 0.0)
    log = [entry(1, p=sure, accepted=True, reward=0.5, correction="thanks", amended=True), entry(2, p=sure)]
    learner = Recorder()
    assert replay(log, learner, seed=1).rewards.tolist() == [0.5, 0.0]
    assert [(one.reward, one.correction) for one in learner.heard] == [(0.5, None), (0.0, "thanks"), (0.0, None)]


def test_replay_repeats_with_its_seed():
    world, policies = tiny.world(3), tiny.tables(3)
    log = list(logged_run(world, policies, 200))

    def once(seed):
        return replay(log, Fixed(policies=policies, policy=1, seed=2), floor=0.1, seed=seed).places.tolist()

    assert once(1) == once(1) != once(2)


def test_what_the_log_cannot_tell_is_counted():
    never = (0.0, 0.5, 0.5)
    log = [entry(n, context=x, index=1, p=never) for n, x in ((1, 0), (2, 1), (3, 2))]
    policy = next(i for i in range(5) if 0 in tiny.tables().votes(range(3), NAMES)[:, i])
    zeros = int((tiny.tables().votes(range(3), NAMES)[:, policy] == 0).sum())
    found = replay(log, Fixed(policies=tiny.tables(), policy=policy, seed=1), seed=1)
    assert found.impossible == zeros > 0
    rare = [entry(1, index=1, p=(0.9, 0.05, 0.05))]
    found = replay(rare, Fixed(policies=tiny.tables(), policy=0, seed=1), floor=0.1, seed=1)
    choice = int(tiny.tables().vote(0, NAMES)[0])
    assert (found.below, found.impossible) == (int(choice != 0), 0)
    assert math.isnan(found.fidelity_loss)


def test_rounds_without_propensities_or_answers_are_skipped_and_never_put_to_the_learner():
    unknown = msgspec.structs.replace(entry(1), propensities=None)
    open_one = msgspec.structs.replace(entry(2), dismissed=False)
    learner = Uniform(policies=tiny.tables(), seed=1)
    found = replay([unknown, open_one, entry(3)], learner, seed=1)
    assert (found.rounds, found.skipped) == (1, 2)
    assert learner.figures()["rounds"] == 1
    with pytest.raises(InvalidInputError, match="none of the 2 entries has propensities and an answer"):
        replay([unknown, open_one], learner, seed=1)


@pytest.mark.parametrize("floor", [0, 1.5, -0.1, math.nan])
def test_a_floor_that_is_no_probability_is_refused(floor):
    with pytest.raises(InvalidInputError, match=f"floor is {floor}"):
        replay([entry()], Uniform(policies=tiny.tables(), seed=1), floor=floor, seed=1)
