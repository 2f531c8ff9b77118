"""Worlds small enough to enumerate, and users for them."""

import numpy as np

from typeover.core.decision import Decision, Round
from typeover.environments import Careless, Exact, Hurried, Moody, Slipping, Soft, TabularWorld, Tolerant
from typeover.policies import TablePolicies

NAMES = ["refund", "invoice", "thanks"]
"""Candidates in every context."""
ANSWERS = [*NAMES, "a complaint"]
"""What users may want; the last is no candidate."""


class Whimsical:
    """Accepts anything with a probability of its own."""

    def __init__(self, seed=0):
        self.seed = seed

    def acceptance(self, losses, matches):
        return np.random.default_rng(self.seed).random(losses.shape)


USERS = {
    "exact": Exact(),
    "tolerant": Tolerant(0.3),
    "soft": Soft(0.3),
    "hurried": Hurried(Tolerant(0.3), 0.6),
    "careless": Careless(Tolerant(0.3), 0.5),
    "moody": Moody(Tolerant(0.3), 0.8),
    "slipping": Slipping(Tolerant(0.3), 0.4),
    "stacked": Slipping(Hurried(Moody(Careless(Soft(0.3), 0.3), 0.5), 0.6), 0.4),
}
"""Every kind of user, with habits strong enough to be seen in a few rounds."""


def world(seed=0, *, contexts=3, user=None, is_coin=True, answers=ANSWERS, is_told=False):
    source = np.random.default_rng(seed)
    shape = (contexts, len(NAMES), len(answers))
    return TabularWorld(
        contexts=range(contexts),
        actions=NAMES,
        answers=answers,
        answer_probabilities=source.dirichlet(np.ones(len(answers)), size=contexts),
        weights=source.dirichlet(np.ones(contexts)),
        losses=source.random(shape),
        rewards=source.random(shape),
        user=Whimsical(seed) if user is None else user,
        is_coin=is_coin,
        is_told=is_told,
    )


def tables(seed=0, *, contexts=3, policies=5):
    return TablePolicies(np.random.default_rng(seed).integers(3, size=(contexts, policies)))


def randomised(seed=0, *, contexts=3, policies=5):
    return TablePolicies(np.random.default_rng(seed).dirichlet(np.ones(3), size=(contexts, policies)))


def decision(number, context, actions, suggestion, *, revealing=False, index=None):
    """As a learner would have made it, with the draw fixed."""
    index = (-1 if revealing else suggestion) if index is None else index
    return Decision(
        round=Round(number, context, actions),
        action=None if index < 0 else actions[index],
        index=index,
        suggestion=suggestion,
        propensities=np.full(len(actions), 1 / len(actions)),
        revealing=revealing,
        audit_probability=float(revealing),
    )


def outcomes(world, shown):
    """Every (context, answer, accepted, probability) when `shown[x]` is shown; None shows nothing."""
    tables = world.tables
    for x, weight in enumerate(world.weights):
        for j, chance in enumerate(world.answer_probabilities[x]):
            accepts = 0.0 if shown[x] is None else tables.acceptance[x, shown[x], j]
            yield x, j, True, weight * chance * accepts
            yield x, j, False, weight * chance * (1 - accepts)
