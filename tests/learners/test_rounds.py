"""What never changes in a world is worked out once, and once for all contexts where it cannot differ between them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import tiny
from typeover import AnytimeEFBO, CorralledExp4, SharedExp4, simulate
from typeover.environments import TabularWorld
from typeover.learners.rounds import between
from typeover.losses import Table

COSTS = [[0.0, 0.2, 0.7], [0.2, 0.0, 0.6], [0.7, 0.6, 0.0]]
LOSS = Table(COSTS, items=tiny.NAMES)


class Counting:
    """The same distances; counts how often it is asked, and may hide that they ignore the context."""

    def __init__(self, *, ignores_context):
        self.ignores_context, self.calls = ignores_context, 0

    def deltas(self, actions, answer, context):
        self.calls += 1
        return LOSS.deltas(actions, answer, context)


def world(actions=tiny.NAMES, contexts=40):
    source = np.random.default_rng(2)
    wanted = source.integers(3, size=contexts)
    return TabularWorld(
        contexts=range(contexts), actions=actions, answers=tiny.NAMES, user=tiny.USERS["stacked"],
        answer_probabilities=np.eye(3)[wanted], rewards=source.random((contexts, 3)),
        losses=np.broadcast_to(np.array(COSTS), (contexts, 3, 3)), loss=LOSS,
    )  # fmt: skip


def test_a_loss_that_ignores_the_context_is_asked_once_per_candidate():
    asked = Counting(ignores_context=True)
    near = between(world().tables, asked)
    assert (asked.calls, near.shape) == (3, (1, 3, 3))
    assert near[0].tolist() == COSTS


def test_a_loss_that_says_nothing_is_asked_in_every_context():
    asked = Counting(ignores_context=False)
    assert between(world().tables, asked).tolist() == [COSTS] * 40
    del asked.ignores_context
    assert len(between(world().tables, asked)) == 40


def test_contexts_with_other_candidates_have_tables_of_their_own():
    turned = [tiny.NAMES, tiny.NAMES[::-1]] * 20
    near = between(world(turned).tables, LOSS)
    assert len(near) == 40
    assert all(np.array_equal(one, other[::-1, ::-1]) for one, other in pairwise(near))


@pytest.mark.parametrize("kind", [SharedExp4, CorralledExp4, AnytimeEFBO])
def test_one_table_for_all_contexts_changes_no_decision(kind):
    horizon = {"horizon": 2000} if kind is CorralledExp4 else {}
    runs = []
    for ignores_context in (True, False):
        learner = kind(
            policies=tiny.tables(contexts=40), loss=Counting(ignores_context=ignores_context), tolerance=0.05, seed=3,
            **horizon,
        )  # fmt: skip
        runs.append(simulate(world(), learner, rounds=2000, seed=4))
    assert runs[0].fidelity_loss.tolist() == runs[1].fidelity_loss.tolist()
    assert runs[0].reward.tolist() == runs[1].reward.tolist()
