from __future__ import annotations

import numpy as np
import pytest

import tiny
from typeover.core.decision import Decision, Round
from typeover.core.feedback import Feedback
from typeover.core.protocols import TALLY, CompiledLearner, Learner
from typeover.core.state import State
from typeover.environments import w1
from typeover.errors import InvalidInputError
from typeover.evaluation import Run, simulate
from typeover.evaluation.trial import CHUNK
from typeover.learners import EFBO, CorrectionOnly, RewardOnly, Uniform

SETTING = w1(n_policies=20)
WORLD, POLICIES = SETTING.world, SETTING.policies


class Third:
    """Somebody else's learner, by the structural protocol alone."""

    def __init__(self, *, audits=False):
        self.n, self.heard, self.audits = 0, [], audits

    def decide(self, context, actions):
        self.n += 1
        p = np.eye(len(actions))[self.n % len(actions)]
        index = self.n % len(actions)
        return Decision(round=Round(self.n, context, actions), action=actions[index], index=index, suggestion=index,
                        propensities=p)  # fmt: skip

    def learn(self, decision, feedback):
        self.heard.append((decision, feedback))

    def figures(self):
        return {"rounds": self.n}

    def state(self):
        return State(json={"n": self.n})


class QueueSession:
    def __init__(self, seed):
        self.rng, self.totals, self.rounds = np.random.default_rng(seed), dict.fromkeys(TALLY, 0.0), 0

    def ask(self):
        self.pair = [1, 2, 3] if self.rounds % 2 else self.rng.permutation(100)[:2].tolist()
        return self.rounds, self.pair

    def answer(self, decision):
        self.rounds += 1
        accepted = decision.action == max(self.pair)
        self.totals["shown"] += 1
        self.totals["accepted" if accepted else "corrections"] += 1
        return Feedback(reward=1.0) if accepted else Feedback(correction=max(self.pair))

    def tally(self):
        return {"rounds": float(self.rounds)} | self.totals


class Queue:
    """An environment that is no table: contexts never return, candidates change, users want the largest number."""

    def session(self, *, seed, policies, tolerance):
        return QueueSession(seed)


def learners():
    return {
        "efbo": lambda: EFBO(policies=POLICIES, loss=WORLD.loss, tolerance=0.05, horizon=400, seed=2),
        "reward-only": lambda: RewardOnly(policies=POLICIES, horizon=400, seed=2),
        "correction-only": lambda: CorrectionOnly(policies=POLICIES, loss=WORLD.loss, seed=2),
        "uniform": lambda: Uniform(policies=POLICIES, seed=2),
    }


@pytest.mark.parametrize("name", learners())
def test_the_compiled_and_the_step_path_agree(name):
    runs = [
        simulate(WORLD, learners()[name](), rounds=400, seed=5, tolerance=0.05, compiled=compiled, at=[1, 7, 123])
        for compiled in (True, False)
    ]
    assert [run.compiled for run in runs] == [True, False]
    for field in (*TALLY, "rounds"):
        assert getattr(runs[0], field) == pytest.approx(getattr(runs[1], field), abs=1e-9)


def test_marks_within_several_chunks_are_all_recorded():
    marks = [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK]
    world = tiny.world()
    run = simulate(
        world, Uniform(policies=tiny.tables(), seed=1), rounds=2 * CHUNK + 5, seed=3, tolerance=0.05, at=marks
    )
    assert run.rounds.tolist() == [*marks, 2 * CHUNK + 5]
    assert (run.shown + run.audits).tolist() == run.rounds.tolist()
    assert (run.accepted + run.corrections).tolist() == run.rounds.tolist()
    short = simulate(
        world, Uniform(policies=tiny.tables(), seed=1), rounds=CHUNK + 1, seed=3, tolerance=0.05, at=marks[:3]
    )
    for field in TALLY:
        assert getattr(short, field) == pytest.approx(getattr(run, field)[:4], abs=1e-6)


def test_left_out_about_200_marks_are_spaced_evenly_in_the_logarithm_and_the_last_round_is_one():
    run = simulate(WORLD, Uniform(policies=POLICIES, seed=1), rounds=100_000, seed=3, tolerance=0.05)
    assert 100 <= len(run.rounds) <= 201
    assert (run.rounds[0], run.rounds[-1]) == (1, 100_000)
    assert (np.diff(run.rounds) > 0).all()
    assert (run.rounds[1:] / run.rounds[:-1])[run.rounds[:-1] > 1000].max() < 1.1
    assert simulate(WORLD, Uniform(policies=POLICIES, seed=1), rounds=1, seed=3, tolerance=0.05).rounds.tolist() == [1]


def test_marks_may_come_in_any_order_and_twice():
    run = simulate(WORLD, Uniform(policies=POLICIES, seed=1), rounds=10, seed=3, tolerance=0.05, at=[7, 3, 7])
    assert run.rounds.tolist() == [3, 7, 10]


@pytest.mark.parametrize("compiled", [True, False])
def test_progress_is_told_and_reaches_the_end(compiled):
    told = []
    rounds = CHUNK + 3 if compiled else 50
    learner = Uniform(policies=POLICIES, seed=1)
    simulate(WORLD, learner, rounds=rounds, seed=3, tolerance=0.0, compiled=compiled, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == rounds
    assert len(told) > 1


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    def run(seed):
        return simulate(WORLD, learners()["efbo"](), rounds=300, seed=seed)

    assert run(4).reward.tolist() == run(4).reward.tolist()
    assert run(4).reward.tolist() != run(5).reward.tolist()


def test_a_learner_of_ten_lines_that_inherits_nothing_takes_part():
    third = Third()
    assert isinstance(third, Learner)
    assert not isinstance(third, CompiledLearner)
    run = simulate(WORLD, third, rounds=60, seed=1, policies=POLICIES, tolerance=0.05)
    assert isinstance(run, Run)
    assert not run.compiled
    assert run.tolerance == 0.05
    assert run.shown[-1] == len(third.heard) == 60
    assert run.accepted[-1] == sum(feedback.accepted is True for _, feedback in third.heard)
    assert run.corrections[-1] == sum(feedback.revealed for _, feedback in third.heard)


def test_an_environment_that_is_no_table_can_be_simulated():
    run = simulate(Queue(), Third(), rounds=40, seed=1, policies=POLICIES, tolerance=0.05)
    assert run.accepted[-1] + run.corrections[-1] == 40
    assert run.rounds[-1] == 40
    again = simulate(Queue(), Third(), rounds=40, seed=1, policies=POLICIES, tolerance=0.05)
    assert again.accepted.tolist() == run.accepted.tolist()
    ours = simulate(Queue(), Uniform(policies=POLICIES, seed=1), rounds=40, seed=1, tolerance=0.05)
    assert not ours.compiled


def test_what_a_learner_carries_may_be_replaced():
    efbo = learners()["efbo"]()
    run = simulate(WORLD, efbo, rounds=10, seed=1, policies=POLICIES.subset([0]), tolerance=0.5)
    assert run.tolerance == 0.5
    assert simulate(WORLD, learners()["efbo"](), rounds=10, seed=1).tolerance == 0.05
    with pytest.raises(InvalidInputError, match="Uniform has no tolerance; pass tolerance="):
        simulate(WORLD, learners()["uniform"](), rounds=10, seed=1)


def test_means_between_two_marks_are_those_of_the_sums():
    run = simulate(WORLD, learners()["efbo"](), rounds=400, seed=1, at=[100, 200, 300])
    part = run.between(100, 300)
    i, j = 0, 2
    assert part["reward_regret"] == pytest.approx((run.reward_regret[j] - run.reward_regret[i]) / 200)
    assert part["constraint_regret"] == pytest.approx((run.constraint_regret[j] - run.constraint_regret[i]) / 200)
    assert part["audits"] == pytest.approx((run.audits[j] - run.audits[i]) / 200)
    shown = run.shown[j] - run.shown[i]
    gained = run.fidelity_regret[j] - run.fidelity_regret[i]
    assert part["violation"] == pytest.approx(gained / shown - 0.05)
    whole = run.between(0, 400)
    assert whole["reward_regret"] == pytest.approx(run.reward_regret[-1] / 400)
    assert whole["violation"] == pytest.approx(run.violation[-1])


def test_where_only_audits_were_made_nothing_can_be_said_of_fidelity():
    efbo = EFBO(policies=POLICIES, loss=WORLD.loss, tolerance=0.05, horizon=40, block=5, seed=2)
    run = simulate(WORLD, efbo, rounds=40, seed=1, at=[5, 15])
    assert np.isnan(run.between(5, 15)["violation"])
    assert run.between(5, 15)["audits"] == 1


def test_shares_are_of_what_was_shown():
    run = simulate(WORLD, learners()["efbo"](), rounds=400, seed=1)
    assert run.accepted_share[-1] == run.accepted[-1] / run.shown[-1]
    assert run.fidelity[-1] == 1 - run.fidelity_loss[-1] / run.shown[-1]
    summary = run.summary()
    assert summary["rounds"] == 400
    assert summary["audits"] == run.audits[-1]
    assert summary["violation"] == run.violation[-1]
    assert run.rounds_per_second > 0


BAD = [
    ({"rounds": 0}, r"rounds is 0; it must be a whole number from 1"),
    ({"rounds": 2.5}, r"rounds is 2\.5"),
    ({"at": [0]}, r"at is 0; it must be a whole number from 1"),
    ({"at": [2.5]}, r"at is 2\.5; it must be a whole number"),
    ({"at": [11]}, r"at names round 11; it must lie in 1 to 10"),
    ({"seed": -1}, r"seed is -1; it must be a whole number from 0"),
    ({"tolerance": -0.1}, r"tolerance is -0\.1; it must be a finite number from 0"),
    ({"learner": Third()}, r"Third has no policies; pass policies= to compare it with"),
    ({"learner": Third(), "policies": POLICIES, "compiled": True}, r"compiled is True, but Third has no compiled path"),
    ({"environment": Queue(), "compiled": True}, r"Uniform has no compiled path in Queue; leave compiled out"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_bad_input_is_refused_by_name(changes, message):
    given = {"environment": WORLD, "learner": Uniform(policies=POLICIES, seed=1), "rounds": 10, "seed": 1}
    given |= {"tolerance": 0.05} | changes
    with pytest.raises(InvalidInputError, match=message):
        simulate(given.pop("environment"), given.pop("learner"), **given)


@pytest.mark.parametrize(
    ("start", "stop", "message"),
    [
        (15, 100, r"start is 15, which was not recorded; pass it to simulate in at=\[\.\.\.\]"),
        (0, 99, "stop is 99, which was not recorded"),
        (0, 101, "stop is 101, which was not recorded"),
        (0, 0, "stop is 0, which was not recorded"),
        (100, 100, "start is 100 and stop 100; start must come before stop"),
        (100, 10, "start is 100 and stop 10"),
    ],
)
def test_means_over_rounds_that_were_not_recorded_are_refused(start, stop, message):
    run = simulate(WORLD, Uniform(policies=POLICIES, seed=1), rounds=100, seed=1, tolerance=0.05, at=[10])
    with pytest.raises(InvalidInputError, match=message):
        run.between(start, stop)
