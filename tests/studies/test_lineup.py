"""Learners by name."""

from __future__ import annotations

import pytest

from typeover.environments import w1
from typeover.evaluation import simulate
from typeover.studies.lineup import LINEUP, build

NEVER_ASK = {
    "SharedExp4, no audits", "Algorithm 2, biased", "Exp4, rewards only", "RewardOnly", "CorrectionOnly", "Uniform",
}  # fmt: skip


@pytest.mark.parametrize("name", LINEUP)
def test_every_learner_of_the_lineup_can_be_built_and_plays(name):
    world, policies, tolerance = w1(n_policies=5, seed=1)
    learner = build(name, policies=policies, loss=world.loss, tolerance=tolerance, horizon=400, seed=2)
    run = simulate(world, learner, rounds=400, seed=3, tolerance=tolerance)
    assert run.rounds[-1] == 400
    never_asks = name in NEVER_ASK
    assert (run.audits[-1] == 0) == never_asks
