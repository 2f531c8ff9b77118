"""Each theorem's learner, in a world that keeps its assumptions, and what it promises there, as printed.

Theorem 3    biased estimate, nu = 0.001       Theorem 4    doubly robust at gamma = nu / T^(1/4), nu = 0.1
Theorem 5    active queries, low noise         Theorem 6    one blend; its sets are those of the biased estimate
A bound that holds for every alpha with its slack d(alpha) is taken at its least (Definition 1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from typeover import theory
from typeover.constraints import ActiveQueries, Biased, Constraint, DoublyRobust
from typeover.core.protocols import Learner
from typeover.environments import Exact, Setting, TabularWorld, w1, w2
from typeover.environments.worlds import hitting
from typeover.evaluation import simulate
from typeover.evaluation.committed import promise
from typeover.learners import ConstrainedExp4, CorralledExp4
from typeover.rng import stream
from typeover.studies.bounds import ALIGNMENTS, BLENDS, EXPLORED, LOW_NOISE, UNCHECKED
from typeover.theory import SimilarityCurve, least_bound
from typeover.theory.terms import log_union

SMALL, LARGE = 0.001, 0.1
"""nu, known to the learner: small enough for sqrt(T) up to 1e6 rounds; large enough that Theorem 4 has to ask."""
BY_THEOREM = {"Theorem 4": LARGE}
MARGIN = 0.5
"""tau: where noise is low every other candidate is further from what is wanted than epsilon + tau, and every policy but
one loses more than 3 epsilon + tau."""
FAILURE = 0.05
"""With which probability a feasible policy may be lost; the learners' own."""


class Case(NamedTuple):
    """What a bound depends on."""

    setting: Setting
    curve: SimilarityCurve
    horizon: int

    @property
    def sizes(self) -> dict[str, Any]:
        """T and |Pi|."""
        return {"horizon": self.horizon, "n_policies": len(self.setting.policies)}

    def reward(self, bound: Callable[..., float], **others: Any) -> float:
        """The least over alpha."""
        n_actions = self.setting.world.expected_rewards.shape[1]
        return least_bound(
            self.curve,
            lambda alpha, slack: bound(alignment=alpha, slack=slack, n_actions=n_actions, **self.sizes, **others),
        )

    @property
    def blends(self) -> dict[str, Any]:
        """The grid of Algorithm 2."""
        return {"blends": theory.blend_grid(self.setting.world.expected_rewards.shape[1], self.horizon)}


def setting_of(theorem: str, world: str, seed: int) -> Setting:
    """A world in which the theorem's assumptions hold."""
    if world == UNCHECKED:
        return w2(careless=1.0, seed=seed)
    if theorem == LOW_NOISE:
        return low_noise(ALIGNMENTS[world], seed)
    return w1(alignment=ALIGNMENTS[world], bias_bound=BY_THEOREM.get(theorem, SMALL), seed=seed)


def low_noise(
    alignment: float, seed: int, *, n_contexts: int = 300, n_actions: int = 6, n_policies: int = 200
) -> Setting:
    """W1 with zero-one loss and one policy that always hits; the others aim well in at most 10 % of the contexts."""
    source, rows = stream(seed, "low noise"), np.arange(n_contexts)
    wanted = source.integers(n_actions, size=n_contexts).astype(np.int32)
    losses = 1 - np.eye(n_actions)
    pays = alignment * (1 - losses) + (1 - alignment) * source.random((n_contexts, n_actions))[:, :, None]
    world = TabularWorld(
        contexts=range(n_contexts), actions=range(n_actions), answers=range(n_actions), losses=losses[None],
        rewards=pays, answer_probabilities=np.eye(n_actions)[wanted], user=Exact(),
    )  # fmt: skip
    paying = pays[rows, :, wanted].argmax(axis=1)
    quality = 0.1 * source.random(n_policies)
    quality[0] = 1.0
    aims = np.where(np.arange(n_policies) < n_policies // 2, wanted[:, None], paying[:, None])
    return Setting(world, hitting(aims, quality, n_actions, source))


def kept(theorem: str, setting: Setting, horizon: int, users: int, own: int) -> dict[str, float]:
    """Both regrets against the best feasible policy and both bounds, per round."""
    if theorem == EXPLORED:
        found = promise(setting, horizon, seed=users)
        return {
            "reward": found.measured.reward, "reward_bound": found.promised.reward,
            "constraint": found.measured.constraint, "constraint_bound": found.promised.constraint,
            "uniform": found.uniform,
        }  # fmt: skip
    world, policies, tolerance = setting
    run = simulate(world, learner_of(theorem, setting, horizon, own), rounds=horizon, seed=users, at=[horizon])
    rewards, losses = world.values(policies)
    case = Case(setting, theory.similarity_curve(rewards, losses, tolerance), horizon)
    reward, constraint = bounds_of(theorem, case)
    return {
        "reward": float(run.reward_regret[0]) / horizon, "reward_bound": reward,
        "constraint": float(run.constraint_regret[0]) / horizon, "constraint_bound": constraint,
        "uniform": float(rewards[case.curve.best] - world.weights @ world.expected_rewards.mean(axis=1)),
    }  # fmt: skip


def learner_of(theorem: str, setting: Setting, horizon: int, seed: int) -> Learner:
    """As the theorem has it: it knows T and nu, and nothing caps its audits."""
    world, policies, tolerance = setting
    known: dict[str, Any] = {
        "policies": policies, "loss": world.loss, "tolerance": tolerance, "horizon": horizon, "seed": seed,
    }  # fmt: skip
    if theorem in BLENDS:
        return ConstrainedExp4(**known, blend=BLENDS[theorem], constraint=Biased(bias_bound=SMALL, failure=FAILURE))
    constraints: dict[str, Constraint] = {
        "Theorem 3": Biased(bias_bound=SMALL, failure=FAILURE),
        "Theorem 4": DoublyRobust(
            control="counterfactual", rate="printed", bias_bound=LARGE, cap=None, failure=FAILURE
        ),
        LOW_NOISE: ActiveQueries(cap=None, failure=FAILURE),
    }
    return CorralledExp4(**known, constraint=constraints[theorem])


def bounds_of(theorem: str, case: Case) -> tuple[float, float]:
    """On the reward regret and on the constraint regret, both per round; what is printed cumulative is divided by T."""
    T, tolerance = case.horizon, case.setting.tolerance
    if theorem == "Theorem 3":
        return (
            case.reward(theory.biased_reward_regret, **case.blends, bias_bound=SMALL) / T,
            theory.biased_constraint_regret(**case.sizes, tolerance=tolerance, bias_bound=SMALL),
        )
    if theorem == "Theorem 4":
        return (
            case.reward(theory.robust_reward_regret, **case.blends, bias_bound=LARGE) / T,
            theory.robust_constraint_regret(**case.sizes, tolerance=tolerance, bias_bound=LARGE),
        )
    if theorem == LOW_NOISE:
        return (
            case.reward(theory.active_reward_regret, **case.blends, tolerance=tolerance, margin=MARGIN),
            theory.active_constraint_regret(**case.sizes, tolerance=tolerance, margin=MARGIN),
        )
    L = log_union(T, len(case.setting.policies), FAILURE)
    excesses = 4 * SMALL + 8 * np.sqrt(2 * L / np.arange(1, T + 1))  # eps_t: twice the radius of Eq. 7, but for eps
    return (
        case.reward(theory.exp4_reward_regret, blend=BLENDS[theorem]),
        theory.kept_constraint_regret(tolerance=tolerance, violations=excesses),
    )
