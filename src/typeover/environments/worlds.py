"""Worlds with a dial: how far what pays agrees with what users want."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from typeover.core.arrays import Indices, Vector
from typeover.core.inputs import real, whole
from typeover.environments.tabular import TabularWorld
from typeover.environments.users import Tolerant, User
from typeover.policies import TablePolicies
from typeover.rng import stream

TOLERANCE = 0.05


class Setting(NamedTuple):
    """A world, and the policies that are tried in it."""

    world: TabularWorld
    policies: TablePolicies
    tolerance: float = TOLERANCE


def aligned_world(
    *, alignment: float, n_contexts: int = 300, n_actions: int = 6, user: User | None = None, seed: int
) -> TabularWorld:
    """Candidates have places u(x, a) on a line, Delta is their distance, one of them is what the user wants.

    Mean reward R = alignment (1 - Delta(a, answer)) + (1 - alignment) U[0, 1]: at 1 rewards and fidelity say the same.
    """
    real("alignment", alignment, high=1.0, meaning="1: rewards agree with fidelity, 0: they have nothing to do with it")
    whole("n_contexts", n_contexts, meaning="the size of the world")
    whole("n_actions", n_actions, low=2, meaning="candidates in each context")
    source = stream(seed, "aligned world")
    losses, wanted = on_a_line(source, n_contexts, n_actions)
    noise = source.random((n_contexts, n_actions))
    return TabularWorld(
        contexts=range(n_contexts),
        actions=range(n_actions),
        answers=range(n_actions),
        answer_probabilities=np.eye(n_actions)[wanted],
        losses=losses,
        rewards=alignment * (1 - losses) + (1 - alignment) * noise[:, :, None],
        user=Tolerant(0.02) if user is None else user,
    )


def w1(
    *, alignment: float = 1.0, bias_bound: float = 0.02, n_policies: int = 200, n_actions: int = 6, seed: int = 0
) -> Setting:
    """World W1: the user types over exactly when Delta > bias_bound (the paper's Assumption 3).

    Policy i has quality q = sqrt(U): with probability q it plays what the user wants (first half) or what pays most
    (second half), else anything; then the policies are shuffled.
    """
    whole("n_policies", n_policies, meaning="the size of the class")
    world = aligned_world(alignment=alignment, n_actions=n_actions, user=Tolerant(bias_bound), seed=seed)
    wanted = world.answer_probabilities.argmax(axis=1)
    paying = world.tables.rewards[np.arange(len(wanted)), :, wanted].argmax(axis=1)
    source = stream(seed, "w1 policies")
    aims = np.where(np.arange(n_policies) < n_policies // 2, wanted[:, None], paying[:, None])
    return Setting(world, hitting(aims, np.sqrt(source.random(n_policies)), n_actions, source))


def on_a_line(source: np.random.Generator, n_contexts: int, n_actions: int) -> tuple[Vector, Indices]:
    """Delta as the distance of places u(x, a) drawn from [0, 1], shape (X, K, K), and what each context wants."""
    places = source.random((n_contexts, n_actions))
    losses: Vector = np.abs(places[:, :, None] - places[:, None, :])
    return losses, source.integers(n_actions, size=n_contexts).astype(np.int32)


def hitting(aims: Indices, quality: Vector, n_actions: int, source: np.random.Generator) -> TablePolicies:
    """Policies that hit their aim with probability `quality` and play anything otherwise, in shuffled order."""
    misses = source.integers(n_actions, size=aims.shape)
    table = np.where(source.random(aims.shape) < quality, aims, misses)
    return TablePolicies(table[:, source.permutation(aims.shape[1])])
