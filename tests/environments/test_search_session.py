from __future__ import annotations

import numpy as np
import pytest

from typeover import SharedExp4, simulate
from typeover.environments import Clicking, search_session
from typeover.errors import InvalidInputError
from typeover.losses import matrix

SMALL = {"n_queries": 40, "n_policies": 11}


def test_the_click_model_worked_by_hand():
    user = Clicking(np.array([[0.5, 0.0]]), reach=0.1)
    losses = np.array([[[0.0, 0.2], [0.2, 0.0]]])
    found = user.acceptance(losses, losses == 0)
    near = np.exp(-2.0)
    assert found[0] == pytest.approx(np.array([[1.0, 1 - 0.5 * (1 - near)], [near, 1.0]]))


def test_a_click_pays_its_share_and_the_item_wanted_everything():
    world = search_session(**SMALL, conversion=0.3).world
    matches = np.array(
        [[[a == j for j in wanted] for a in shown] for shown, wanted in zip(*world.tables[1:3], strict=True)]
    )
    assert world.tables.rewards == pytest.approx(np.where(matches, 1.0, 0.7))
    assert world.tables.acceptance[matches].tolist() == [1.0] * matches.sum()


def test_the_refinement_brings_what_is_wanted_and_everybody_else_leaves():
    world = search_session(**SMALL, refinement=0.35).world
    assert np.unique(world.tables.correction).tolist() == [0.35]
    assert world.tables.entering is None


def test_what_is_wanted_may_be_no_candidate_and_delta_is_a_metric_on_the_items():
    world = search_session(**SMALL).world
    for x, (shown, wanted) in enumerate(zip(world.tables.actions, world.tables.answers, strict=True)):
        assert wanted[: len(shown)] == shown
        assert len(set(wanted)) == 2 * len(shown)
        table = matrix(world.loss, shown, x)
        assert table == pytest.approx(table.T)
        assert not table.diagonal().any()
        for i, j, m in np.ndindex(6, 6, 6):
            assert table[i, j] <= table[i, m] + table[m, j] + 1e-12


def test_clickbait_pays_most_where_clicks_pay_and_is_far_from_what_is_sought():
    for conversion, has_bait in ((0.0, True), (1.0, False)):
        world, policies, tolerance = search_session(conversion=conversion)
        benchmark = world.benchmark(policies, tolerance)
        best = benchmark.rewards.argmax()
        assert bool(benchmark.losses[best] > benchmark.losses.min() + tolerance) == has_bait
        assert 0 < benchmark.n_feasible < len(policies)


def test_learners_play_it_compiled_as_round_by_round():
    world, policies, tolerance = search_session(**SMALL)

    def play(compiled):
        learner = SharedExp4(policies=policies, loss=world.loss, tolerance=tolerance, seed=1)
        return simulate(world, learner, rounds=600, seed=2, compiled=compiled)

    assert play(compiled=True).reward_regret == pytest.approx(play(compiled=False).reward_regret, abs=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_results": 1}, "n_results is 1; it must be a whole number from 2"),
        ({"n_items": 5}, "n_items is 5; 6 results need at least 12 items"),
        ({"n_queries": 0}, "n_queries is 0"),
        ({"conversion": 1.5}, r"conversion is 1\.5"),
        ({"refinement": -1}, "refinement is -1"),
        ({"reach": 0}, "reach is 0; give a distance above 0"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, message):
    with pytest.raises(InvalidInputError, match=message):
        search_session(**settings)
