"""Worlds in which what pays most is not what users want, and careless users let it pass.

Candidates have places on a line and Delta is their distance, as in `aligned_world`. In each context one candidate, the
bait, pays most and has nothing to do with what is wanted: rewards and accepts alone lead to it.
"""

from __future__ import annotations

import numpy as np

from typeover.core.arrays import Indices
from typeover.core.inputs import real, whole
from typeover.environments.habits import Careless
from typeover.environments.tabular import TabularWorld
from typeover.environments.users import Exact, Tolerant
from typeover.environments.worlds import Setting, hitting, on_a_line
from typeover.errors import InvalidInputError
from typeover.rng import stream

BIAS_BOUND = 0.02
"""A suggestion further from what is wanted is wrong."""
BAIT = 0.95
"""What the bait pays."""
STARVING_BLENDS = (1.0, 0.04, 0.03, 0.02, 0.01, 0.005, 0.002, 0.0)
"""The blends tried in `starving`: many to share the rounds among."""
STARVING_TOLERANCE = 1.0
"""The tolerance in `starving`: every policy is feasible."""
_IMITATORS = 100


def bait_world(
    *, careless: float, n_contexts: int = 300, n_actions: int = 6, redrawn: float = 0.0, seed: int
) -> TabularWorld:
    """Mean rewards 0.3 + 0.5 U[0, 1], then 0.95 for the highest, the bait; a wrong suggestion passes with `careless`.

    In a share `redrawn` of the rounds the answer wanted is drawn anew, each candidate as likely as the others.
    """
    whole("n_contexts", n_contexts, meaning="the size of the world")
    whole("n_actions", n_actions, low=2, meaning="candidates in each context")
    real("redrawn", redrawn, high=1.0, meaning="the share of rounds in which the answer wanted is drawn anew")
    source = stream(seed, "bait world")
    losses, wanted = on_a_line(source, n_contexts, n_actions)
    rewards = 0.3 + 0.5 * source.random((n_contexts, n_actions))
    rewards[np.arange(n_contexts), rewards.argmax(axis=1)] = BAIT
    return TabularWorld(
        contexts=range(n_contexts),
        actions=range(n_actions),
        answers=range(n_actions),
        answer_probabilities=(1 - redrawn) * np.eye(n_actions)[wanted] + redrawn / n_actions,
        losses=losses,
        rewards=rewards,
        user=Careless(Tolerant(BIAS_BOUND), careless),
    )


def w2(*, careless: float = 1.0, n_contexts: int = 300, n_policies: int = 200, seed: int = 0) -> Setting:
    """World W2, rubber-stamping: six candidates, policies of quality q ~ U[0.7, 1] between what is wanted and the bait.

    Policy i of n aims at the bait with probability i / (n - 1) in each context, else at what is wanted; it hits with
    probability q and plays anything otherwise. The first plays exactly what is wanted, the last exactly the bait; then
    the policies are shuffled.
    """
    world = bait_world(careless=careless, n_contexts=n_contexts, seed=seed)
    return _baited(world, n_policies, low=0.7, high=1.0, seed=seed, has_exact=True)


def h6(*, careless: float = 1.0, n_contexts: int = 300, n_policies: int = 200, seed: int = 0) -> Setting:
    """World H6: W2 with policies of quality q ~ U[0.55, 0.85], none of which is exact."""
    world = bait_world(careless=careless, n_contexts=n_contexts, seed=seed)
    return _baited(world, n_policies, low=0.55, high=0.85, seed=seed)


def h20(*, careless: float = 1.0, n_contexts: int = 300, n_policies: int = 200, seed: int = 0) -> Setting:
    """World H20: H6 with twenty candidates."""
    world = bait_world(careless=careless, n_contexts=n_contexts, n_actions=20, seed=seed)
    return _baited(world, n_policies, low=0.55, high=0.85, seed=seed)


def hr(
    *, careless: float = 1.0, redrawn: float = 0.3, n_contexts: int = 300, n_policies: int = 200, seed: int = 0
) -> Setting:
    """World Hr: H6 in which the answer wanted is drawn anew in 30 % of the rounds, so that no policy can know it."""
    world = bait_world(careless=careless, n_contexts=n_contexts, redrawn=redrawn, seed=seed)
    return _baited(world, n_policies, low=0.55, high=0.85, seed=seed)


def starving(*, good: int = 1, n_contexts: int = 300, n_policies: int = 200, seed: int = 0) -> Setting:
    """Thirty candidates, few policies that pay: learners that share their rounds among blends starve the right one.

    What is wanted pays 0.6, one other candidate 0.9, the rest 0.1, and users let everything pass. A hundred policies
    imitate what is wanted and `good` follow what pays most, with quality q = sqrt(U), one of each exactly; the others
    play anything. Every round tells the answer (`TabularWorld(is_told=True)`), so that audits play no part; meant to be
    played with `STARVING_BLENDS`.
    """
    whole("n_contexts", n_contexts, meaning="the size of the world")
    whole("n_policies", n_policies, low=_IMITATORS, meaning="a hundred imitators and the others")
    if whole("good", good, low=0, meaning="policies that follow what pays most") > n_policies - _IMITATORS:
        raise InvalidInputError(
            f"good is {good}; with {_IMITATORS} imitators among {n_policies} policies it may be at most "
            f"{n_policies - _IMITATORS}"
        )
    n_actions, source, rows = 30, stream(seed, "starving"), np.arange(n_contexts)
    losses, wanted = on_a_line(source, n_contexts, n_actions)
    paying = (wanted + source.integers(1, n_actions, size=n_contexts)) % n_actions
    rewards = np.full((n_contexts, n_actions), 0.1)
    rewards[rows, wanted], rewards[rows, paying] = 0.6, 0.9
    world = TabularWorld(
        contexts=range(n_contexts), actions=range(n_actions), answers=range(n_actions), losses=losses, rewards=rewards,
        answer_probabilities=np.eye(n_actions)[wanted], user=Careless(Exact(), 1.0), is_told=True,
    )  # fmt: skip
    number = np.arange(n_policies)
    quality = np.sqrt(source.random(n_policies))
    quality[_IMITATORS + good :] = 0.0
    quality[0] = 1.0
    quality[_IMITATORS : _IMITATORS + min(good, 1)] = 1.0
    aims = np.where(number < _IMITATORS, wanted[:, None], paying[:, None])
    return Setting(world, hitting(aims, quality, n_actions, source), STARVING_TOLERANCE)


def _baited(
    world: TabularWorld, n_policies: int, *, low: float, high: float, seed: int, has_exact: bool = False
) -> Setting:
    """Policies between what is wanted (before it is drawn anew) and the bait."""
    whole("n_policies", n_policies, meaning="the size of the class")
    wanted: Indices = world.answer_probabilities.argmax(axis=1)
    bait: Indices = world.tables.rewards[:, :, 0].argmax(axis=1)
    source = stream(seed, "bait policies")
    greed = np.arange(n_policies) / max(n_policies - 1, 1)
    aims = np.where(source.random((len(bait), n_policies)) < greed, bait[:, None], wanted[:, None])
    quality = source.uniform(low, high, n_policies)
    if has_exact:
        quality[[0, -1]] = 1.0
    return Setting(world, hitting(aims, quality, world.losses.shape[1], source))
