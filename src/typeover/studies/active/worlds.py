"""Three small worlds with a margin tau, in which active queries stop, should stop, or never stop.

Four candidates: the one that is wanted, one a step above and one a step below it, and one far away, at 3 eps + tau. A
step is (2 eps + tau)/4, what the weaker low-noise condition allows; the two are two steps from each other. Users let
everything pass, and what is far pays most, so only queries tell what is wanted.
"""

from __future__ import annotations

import numpy as np

from typeover.environments import Careless, Setting, TabularWorld, Tolerant
from typeover.policies import TablePolicies
from typeover.rng import stream
from typeover.studies.active import N_POLICIES, ONE, TOLERANCE, WEAK

N_CONTEXTS = 100
WANTED, ABOVE, BELOW, FAR = range(4)
PAYS = (0.6, 0.6, 0.6, 0.9)
STEPS_ASIDE = 0.2
"""The share of contexts in which a near copy steps aside."""
N_NEAR = 4
"""Near copies, or other faithful policies."""


def margin_world(name: str, *, margin: float, seed: int) -> Setting:
    """One of the three, with its sixteen policies.

    `one faithful policy`: all others are far in every context, so it is alone within 3 eps + tau. `weak margin`: four
    are near it in every context (Assumption `constraint-massart-weak`), but not within eps of each other.
    `several faithful policies`: four are far in so few contexts that they keep the constraint; every candidate but the
    one wanted is far (the pointwise margin of Theorem 5).
    """
    step, far = (2 * TOLERANCE + margin) / 4, 3 * TOLERANCE + margin
    losses = np.full((4, 4), far)
    losses[np.ix_([WANTED, ABOVE, BELOW], [WANTED, ABOVE, BELOW])] = step
    losses[ABOVE, BELOW] = losses[BELOW, ABOVE] = 2 * step
    np.fill_diagonal(losses, 0.0)
    world = TabularWorld(
        contexts=range(N_CONTEXTS),
        actions=range(4),
        answers=range(4),
        answer_probabilities=np.broadcast_to(np.eye(4)[WANTED], (N_CONTEXTS, 4)),
        losses=losses[None],
        rewards=np.tile(PAYS, (N_CONTEXTS, 1)),
        user=Careless(Tolerant(0.02), 1.0),
    )
    table = np.full((N_CONTEXTS, N_POLICIES), FAR)
    table[:, 0] = WANTED
    if name != ONE:
        table[:, 1 : 1 + N_NEAR] = WANTED
        for i in range(N_NEAR):
            aside = _contexts(i, share=STEPS_ASIDE if name == WEAK else 0.8 * TOLERANCE / far)
            table[aside, 1 + i] = (ABOVE, BELOW)[i % 2] if name == WEAK else FAR
    order = stream(seed, "policies").permutation(N_POLICIES)
    return Setting(world, TablePolicies(table[:, order]), TOLERANCE)


def _contexts(i: int, *, share: float) -> slice:
    """Pairs of policies step aside in the same contexts, in opposite directions."""
    n = int(share * N_CONTEXTS + 1e-9)
    return slice(i // 2 * n, (i // 2 + 1) * n)
