"""A distribution over policies: what a constrained optimum is, since one policy alone may not reach it."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeover.core.arrays import Actions, Vector, Votes
from typeover.core.draw import cumulative, draw
from typeover.core.protocols import Policies
from typeover.core.state import State, check_header, header
from typeover.errors import InvalidInputError, StateError
from typeover.policies.votes import check_probabilities, checked_votes


class Mixture:
    """Play one of these policies, drawn anew in every round.

    `support` holds the places of the policies in the set, `weights` the probability of each; they sum to 1.

    >>> from typeover.policies import Constant, PolicySet
    >>> policies = PolicySet([Constant("yes"), Constant("no"), Constant("later")])
    >>> mixture = Mixture(policies, support=[0, 2], weights=[0.75, 0.25])
    >>> mixture
    Mixture(75.0 % 'always yes', 25.0 % 'always later')
    >>> mixture.propensities(None, ["yes", "no", "later"]).tolist()
    [0.75, 0.0, 0.25]
    >>> print(mixture.explain())
     75.0 %  always yes
     25.0 %  always later
    """

    def __init__(self, policies: Policies, *, support: ArrayLike, weights: ArrayLike) -> None:
        if not isinstance(policies, Policies):
            raise InvalidInputError(f"policies is {policies!r:.80}; it must be a set of them, such as PolicySet([...])")
        try:
            places = np.asarray(support)
            self.weights: Vector = np.array(weights, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInputError(
                f"support is {support!r:.80} and weights {weights!r:.80}; give two lists of numbers of one length"
            ) from None
        if places.ndim != 1 or places.shape != self.weights.shape or places.size == 0:
            raise InvalidInputError(
                f"support has shape {places.shape} and weights {self.weights.shape}; give one weight per policy"
            )
        if places.dtype.kind not in "iu" or places.min() < 0 or places.max() >= len(policies):
            raise InvalidInputError(f"support is {places.tolist()}; policies are numbered 0 to {len(policies) - 1}")
        self.support: NDArray[np.int64] = places.astype(np.int64)
        if np.unique(self.support).size < self.support.size:
            raise InvalidInputError(f"support is {self.support.tolist()}; each policy may stand once: add its weights")
        check_probabilities(self.weights, "mixture")
        self.policies = policies.subset(self.support.tolist())
        self._whole = policies

    def __repr__(self) -> str:
        order = np.argsort(-self.weights, kind="stable")
        shown = [f"{100 * self.weights[i]:.1f} % {self.policies.names[i]!r:.40}" for i in order[:5]]
        return f"Mixture({', '.join([*shown, '...'] if order.size > 5 else shown)})"

    def propensities(self, context: Any, actions: Actions) -> Vector:
        """The probability of each candidate in this context."""
        n_actions, owner = len(actions), type(self.policies).__name__
        votes = checked_votes([self.policies.vote(context, actions)], 1, self.weights.size, n_actions, owner)
        row: Vector = spread(votes, self.weights, n_actions)[0]
        return row

    def sample(self, context: Any, actions: Actions, *, rng: np.random.Generator) -> int:
        """One candidate's index, drawn from the propensities."""
        return int(draw(cumulative(self.propensities(context, actions)), rng.random()))

    def explain(self) -> str:
        """Which policies, with which weights, heaviest first."""
        order = np.argsort(-self.weights, kind="stable")
        return "\n".join(f"{100 * self.weights[i]:5.1f} %  {self.policies.names[i]}" for i in order)

    def state(self) -> State:
        """Places, weights and names; the policies themselves stay the caller's."""
        return State(
            json=header("mixture", 1) | {"set": identity(self._whole), "names": list(self.policies.names)},
            arrays={"support": self.support, "weights": self.weights},
        )

    @classmethod
    def from_state(cls, state: State, *, policies: Policies) -> Mixture:
        """The same mixture over the same policies; other policies are refused."""
        check_header(state.json, "mixture", 1)
        check_identity(state.json.get("set"), policies)
        try:
            support, weights = state.arrays["support"], state.arrays["weights"]
        except KeyError as error:
            raise StateError(
                f"mixture has no array {error}; the state is damaged: give what state() returned"
            ) from None
        return cls(policies, support=support, weights=weights)


def spread(votes: Votes, weights: Vector, n_actions: int) -> Vector:
    """Propensities (n, K) of a mixture from the votes of its policies, added in their order."""
    propensities = np.zeros((votes.shape[0], n_actions))
    rows = np.arange(votes.shape[0])
    for i, weight in enumerate(weights):
        if votes.ndim == 2:
            propensities[rows, votes[:, i]] += weight
        else:
            propensities += weight * votes[:, i]
    return propensities


def identity(policies: Policies) -> dict[str, Any]:
    """What a state remembers of its policies: how many, and a digest of their names."""
    joined = "\x1f".join(map(str, policies.names))
    digest = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[
        :16
    ]  # whatever a foreign set calls them
    return {"n_policies": len(policies), "names": digest}


def check_identity(saved: Any, policies: Policies) -> None:
    """Refuse policies other than those that a state was saved with."""
    if not isinstance(saved, dict) or not {"n_policies", "names"} <= saved.keys():
        raise StateError(
            f"set is {saved!r:.80}, which names no policies; the state is damaged: give what state() returned"
        )
    if (given := identity(policies)) != saved:
        raise StateError(
            f"state was saved with {saved['n_policies']} policies (names digest {saved['names']}), but "
            f"{given['n_policies']} were given ({given['names']}); pass the same policies in the same order"
        )
