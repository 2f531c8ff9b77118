"""Search session (the paper's second example): the result to put first, users who click, leave, or refine the query.

Items lie in the unit square by what they are about; Delta is their distance over sqrt(2), a metric. A query is
ambiguous: J items share its words, wherever they lie, and the first K of them are its candidates. What the session is
for is one of the J, the likelier the nearer it lies to what the user has in mind, and perhaps no candidate. Clicks:

    P(click a | x, j wanted) = 1 if a = j, else 1 - (1 - lure_a)(1 - exp(-Delta(a, j) / reach)),

a headline's lure having nothing to do with what is behind it. A click pays 1 - conversion, and the item wanted 1. Who
does not click refines the query with probability `refinement`, which tells what they find then, and else leaves.
"""

from __future__ import annotations

import msgspec
import numpy as np

from typeover.core.arrays import Flags, Vector
from typeover.core.inputs import real, whole
from typeover.environments.habits import Hurried
from typeover.environments.tabular import TabularWorld
from typeover.environments.worlds import TOLERANCE, Setting
from typeover.errors import InvalidInputError
from typeover.policies import TablePolicies
from typeover.rng import stream

_SPREAD = 0.1
"""How far from what users have in mind lies what they look for."""


class Clicking(msgspec.Struct, frozen=True, eq=False):
    """Clicks what is wanted, what lies near it, and what lures."""

    lures: Vector
    """P(click | nothing else speaks for it), shape (X, K)."""
    reach: float = 0.05
    """At this distance from what is wanted, 1/e of the users click all the same."""

    def acceptance(self, losses: Vector, matches: Flags) -> Vector:
        """The click model; breaks Assumption 3, since a lure is clicked however far it is."""
        near = np.exp(-losses / self.reach)
        clicks = 1 - (1 - self.lures[:, :, None]) * (1 - near)
        return np.where(matches, 1.0, clicks)


def search_session(
    *,
    n_queries: int = 300,
    n_results: int = 6,
    n_items: int = 400,
    n_policies: int = 60,
    conversion: float = 0.2,
    refinement: float = 0.6,
    reach: float = 0.05,
    seed: int = 0,
) -> Setting:
    """Rankers that order by (1 - greed) (log P(wanted | x) + noise) + greed log(lure), from honest to clickbait.

    The first is honest and exact, the last the clickbait itself, those between are noisy; then they are shuffled.
    `conversion` is the dial: at 0 only clicks pay, at 1 only what is wanted does.
    """
    n_wanted = 2 * whole("n_results", n_results, low=2, meaning="candidates for each query")
    for name, value in (("n_queries", n_queries), ("n_policies", n_policies)):
        whole(name, value, meaning="the size of the world")
    if whole("n_items", n_items, meaning="items that can be found") < n_wanted:
        raise InvalidInputError(f"n_items is {n_items}; {n_results} results need at least {n_wanted} items")
    real("conversion", conversion, high=1.0, meaning="how much of the reward only the item wanted earns")
    real("refinement", refinement, high=1.0, meaning="how often a user who does not click refines the query")
    if real("reach", reach, meaning="how far from what is wanted users still click") == 0:
        raise InvalidInputError("reach is 0; give a distance above 0, such as 0.05")
    source, rows = stream(seed, "search session"), np.arange(n_queries)[:, None]
    items, lures = source.random((n_items, 2)), source.random(n_items) ** 2
    found = np.argsort(source.random((n_queries, n_items)), axis=1)[:, :n_wanted]  # the J that share its words
    likely = np.exp(-_apart(source.random((n_queries, 2)), items)[rows, found] / _SPREAD)
    likely /= likely.sum(axis=1, keepdims=True)
    results = found[:, :n_results]
    losses = _apart(items, items)[results[:, :, None], found[:, None, :]] / np.sqrt(2)
    matches = results[:, :, None] == found[:, None, :]
    world = TabularWorld(
        contexts=range(n_queries),
        actions=results.tolist(),
        answers=found.tolist(),
        answer_probabilities=likely,
        losses=losses,
        rewards=(1 - conversion) + conversion * matches,
        user=Hurried(Clicking(lures[results], reach), refinement),
        is_coin=False,
    )
    return Setting(
        world, _rankers(np.log(likely[:, :n_results]), np.log(lures[results]), n_policies, source), TOLERANCE
    )


def _rankers(relevance: Vector, lures: Vector, n_policies: int, source: np.random.Generator) -> TablePolicies:
    """A choice per query and ranker."""
    greed = np.arange(n_policies) / max(n_policies - 1, 1)
    noise = source.uniform(0.0, 1.0, n_policies)
    noise[[0, -1]] = 0.0
    guesses = noise[:, None, None] * source.standard_normal((n_policies, *relevance.shape))
    scores = (1 - greed)[:, None, None] * (relevance + guesses) + greed[:, None, None] * lures
    return TablePolicies(scores.argmax(axis=2).T[:, source.permutation(n_policies)])


def _apart(points: Vector, others: Vector) -> Vector:
    """Euclidean distances."""
    distances: Vector = np.linalg.norm(points[:, None] - others[None], axis=2)
    return distances
