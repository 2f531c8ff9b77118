"""Labelled tables as streams: users who know the right label, suggestions that would have been it or near it.

A fifth of the rows, chosen by their hash, is the warm-up: features, candidates, distances and policies come from it
alone (`warm_up.py`). The others are the stream, each a context with its own right answer y, so that E[r] and E[Delta]
are exact means over rows:

    R(x, a) = alignment (1 - Delta(a, y)) + (1 - alignment) value(a)    where accepted, 0 otherwise,

unless the table knows what every candidate pays. `value` is drawn once per label: an interest of the owner that has
nothing to do with what is right.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from typeover.core.arrays import Vector
from typeover.core.inputs import real, whole
from typeover.core.protocols import SurrogateLoss
from typeover.environments.passage import Passage
from typeover.environments.tables import LabelledRows
from typeover.environments.tabular import TabularWorld
from typeover.environments.users import Tolerant, User
from typeover.environments.warm_up import WarmUp, default_loss, features, is_warm_up, policies
from typeover.environments.worlds import TOLERANCE
from typeover.errors import InvalidInputError, nearest
from typeover.losses import matrix
from typeover.policies import TablePolicies
from typeover.rng import stream

_LOW = 0.05
"""The quantile of Delta between different labels up to which the default user is tolerant."""
_ORDERS = ("drawn", "shuffled", "natural")


class Stream(NamedTuple):
    """A table as a world, and the policies that the warm-up gave."""

    world: TabularWorld | Passage
    policies: TablePolicies
    tolerance: float
    features: Vector
    """Of the rows of the stream: row x belongs to context x."""
    labels: list[str]
    """What is wanted in each."""
    n_warm_up: int

    @property
    def table(self) -> TabularWorld:
        """The world with its exact means, whatever the order of rounds."""
        return self.world.world if isinstance(self.world, Passage) else self.world

    def figures(self) -> dict[str, Any]:
        """What to look at before a study: if every policy is feasible, the constraint tests nothing."""
        benchmark = self.table.benchmark(self.policies, self.tolerance)
        actions = self.table.tables.actions[0]
        right = np.array([actions.index(label) if label in actions else -1 for label in self.labels])
        accuracy = (self.policies.votes(range(len(right)), actions) == right[:, None]).mean(axis=0)
        return {
            "warm_up": self.n_warm_up,
            "rows": len(right),
            "actions": len(actions),
            "policies": len(self.policies),
            "feasible": benchmark.n_feasible,
            "least_loss": float(benchmark.losses.min()),
            "best_accuracy": float(accuracy.max()),
            "best_reward": float(benchmark.rewards.max()),
            "best_feasible_reward": float(benchmark.rewards[benchmark.policy]),
        }


def labelled(
    rows: LabelledRows,
    *,
    user: User | None = None,
    loss: SurrogateLoss | None = None,
    alignment: float = 0.5,
    tolerance: float = TOLERANCE,
    n_models: int = 12,
    n_candidates: int | None = None,
    n_rows: int | None = None,
    order: str = "drawn",
    seed: int = 0,
) -> Stream:
    """Five policies from each of `n_models` models of the warm-up, from likeliest to best paying, and two more.

    They stand in random order, since learners break ties by the first: that should not be the best one.
    `order`: rows drawn with replacement, or one pass, `shuffled` by the session's seed or in the `natural` order of the
    table (which is no stream of questions where a table is sorted by label). `n_rows` keeps that many rows of the
    stream, `n_candidates` the commonest labels of the warm-up; the others remain answers. Left out, the user tolerates
    the nearest twentieth of wrong labels, and Delta is the taxonomy's, or the distance of class means in the warm-up.
    """
    real("alignment", alignment, high=1.0, meaning="1: rewards agree with fidelity, 0: they have nothing to do with it")
    whole("n_models", n_models, meaning="how many models are fitted to parts of the warm-up")
    if order not in _ORDERS:
        raise InvalidInputError(f"order is {order!r}; it must be one of {_ORDERS}; {nearest(order, _ORDERS)}")
    labels = np.array(rows.labels, dtype=np.str_)
    warm = _enough(is_warm_up(rows.inputs if rows.groups is None else rows.groups), labels, rows.name)
    used = _used(warm, n_rows, stream(seed, "labelled", rows.name, "rows"))
    rows, labels, warm = rows.at(used), labels[used], warm[used]
    candidates = _candidates(rows, labels[warm], n_candidates, loss)
    made, is_known = features(rows.inputs, warm, seed), warm & np.isin(labels, candidates)
    known = WarmUp(made[is_known], labels[is_known], candidates)
    distance = default_loss(rows, warm, known) if loss is None else loss
    drawn = stream(seed, "labelled", rows.name, "values").random(len(candidates))
    values = drawn if rows.rewards is None else rows.rewards[warm].mean(axis=0)
    paid = None if rows.rewards is None else rows.rewards[~warm]
    world = _world(labels[~warm], candidates, distance, values, alignment, user, paid)
    votes = policies(known, made[~warm], values, n_models, stream(seed, "labelled", rows.name, "models"))
    mixed = votes.subset(stream(seed, "labelled", rows.name, "order").permutation(len(votes)).tolist())
    ordered = world if order == "drawn" else Passage(world, is_shuffled=order == "shuffled")
    return Stream(ordered, mixed, float(tolerance), made[~warm], labels[~warm].tolist(), int(warm.sum()))


def _world(
    labels: Any, candidates: list[str], loss: SurrogateLoss, values: Vector, alignment: float, user: User | None,
    rewards: Vector | None,
) -> TabularWorld:  # fmt: skip
    """One context per row. Wanted is its label; the label nearest to it stands beside it, for users who slip."""
    names = sorted({*candidates, *labels.tolist()})
    columns = {name: loss.deltas(candidates, name, None) for name in names}
    beside = {name: _nearest(name, candidates, column) for name, column in columns.items()}
    losses = np.array([[columns[label], columns[beside[label]]] for label in labels.tolist()]).swapaxes(1, 2)
    paid = alignment * (1 - losses) + (1 - alignment) * values[:, None] if rewards is None else rewards[:, :, None]
    if user is None:
        between = matrix(loss, candidates)
        user = Tolerant(float(np.quantile(between[~np.eye(len(candidates), dtype=bool)], _LOW)))
    return TabularWorld(
        contexts=range(len(labels)),
        actions=candidates,
        answers=[[label, beside[label]] for label in labels.tolist()],
        answer_probabilities=np.tile([1.0, 0.0], (len(labels), 1)),
        losses=losses,
        rewards=paid,
        user=user,
        is_coin=False,
        loss=loss,
    )


def _nearest(name: str, candidates: list[str], column: Vector) -> str:
    """The candidate nearest to an answer, other than itself."""
    others = [place for place, candidate in enumerate(candidates) if candidate != name]
    return candidates[min(others, key=lambda place: float(column[place]))]


def _candidates(rows: LabelledRows, labels: Any, n_candidates: int | None, loss: SurrogateLoss | None) -> list[str]:
    """The labels wanted in the warm-up, or the commonest of them; only those that the loss can compare."""
    if rows.candidates is not None:
        return list(rows.candidates)
    names, counts = np.unique(labels, return_counts=True)
    comparable = set(getattr(loss, "items", names.tolist()))
    ranked = [name for name in names[np.argsort(-counts, kind="stable")].tolist() if name in comparable]
    n = len(ranked) if n_candidates is None else whole("n_candidates", n_candidates, low=2, meaning="labels to suggest")
    if len(ranked) < 2:
        raise InvalidInputError(f"the loss knows {len(ranked)} of the labels of the warm-up; it must know at least two")
    return sorted(ranked[:n])


def _used(warm: Any, n_rows: int | None, source: np.random.Generator) -> Any:
    """The warm-up and the stream, or some of its rows, in the order of the table."""
    kept = np.flatnonzero(~warm)
    if n_rows is not None:
        kept = source.permutation(kept)[: whole("n_rows", n_rows, meaning="rows of the stream to keep")]
    return np.sort(np.concatenate([np.flatnonzero(warm), kept]))


def _enough(warm: Any, labels: Any, name: str) -> Any:
    """The same flags, refused where the warm-up could not teach anything."""
    n_labels = len(np.unique(labels[warm]))
    if warm.sum() < 20 or n_labels < 2 or warm.all():
        raise InvalidInputError(
            f"the warm-up of {name!r} has {int(warm.sum())} of {len(warm)} rows and {n_labels} labels; give a table "
            "with at least 20 rows and two labels in its warm-up, a fifth of all"
        )
    return warm
