"""What reaches a learner from outside, checked once: policies, losses, votes, answers, parts of a saved state."""

from __future__ import annotations

from typing import Any

import numpy as np

from typeover.core.arrays import Votes
from typeover.core.decision import Decision
from typeover.core.feedback import Feedback, Outcome
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.errors import InvalidInputError, StateError


def check_policies(policies: Any) -> Policies:
    """A set of at least one policy."""
    if not isinstance(policies, Policies) or len(policies) == 0:
        raise InvalidInputError(
            f"policies is {policies!r:.80}; it must be a set of at least one policy: typeover.PolicySet([...])"
        )
    return policies


def check_loss(loss: Any) -> SurrogateLoss:
    """Something that says how far each candidate is from an answer."""
    if isinstance(loss, type) or not isinstance(loss, SurrogateLoss):
        raise InvalidInputError(
            f"loss is {loss!r:.80}; it must be a surrogate loss such as typeover.losses.ZeroOne(), or "
            "typeover.losses.Function(f) for a function f(action, answer, context)"
        )
    return loss


def checked_votes(votes: Any, n_policies: int, n_actions: int) -> Votes:
    """Votes of one round in the form that compiled sums trust: int32 indices (n,), or float64 probabilities (n, K)."""
    array = np.asarray(votes)
    if array.shape == (n_policies,) and array.dtype.kind in "iu" and 0 <= array.min() <= array.max() < n_actions:
        return np.ascontiguousarray(array, dtype=np.int32)
    if array.shape == (n_policies, n_actions) and array.dtype.kind == "f" and (array >= 0).all():
        return np.ascontiguousarray(array, dtype=np.float64)
    raise InvalidInputError(
        f"policies voted {array!r:.80}; a vote must hold {n_policies} indices from 0 to {n_actions - 1}, or "
        f"probabilities of shape ({n_policies}, {n_actions})"
    )


def check_answer(decision: Any, feedback: Any) -> None:
    """A decision and a feedback that fit together."""
    if not isinstance(decision, Decision):
        raise InvalidInputError(f"decision is {decision!r:.80}; pass what decide returned")
    if not isinstance(feedback, Feedback):
        raise InvalidInputError(
            f"feedback is {feedback!r:.80}; it must be typeover.Feedback(reward=...), Feedback(correction=...) or "
            "Feedback() for a dismissal"
        )


def check_audit(decision: Decision, feedback: Feedback) -> None:
    """Where nothing was shown nothing was accepted."""
    if decision.index < 0 and feedback.outcome is Outcome.ACCEPTED:
        raise InvalidInputError(
            f"round {decision.round.number} was an audit that showed nothing, so nothing can have been accepted; pass "
            "Feedback(correction=...) with what was entered, or Feedback() if nothing was"
        )


def check_parts(saved: set[str], given: set[str]) -> None:
    """The parts that a state cannot hold must be those that it was saved with."""
    if lost := saved - given:
        raise StateError(
            f"state was saved by a learner with {', '.join(sorted(lost))}, which it cannot hold; pass the same "
            f"again: from_state(state, policies=..., {', '.join(f'{name}=...' for name in sorted(lost))})"
        )
    if added := given - saved:
        raise StateError(
            f"state was saved by a learner without {', '.join(sorted(added))}; leave it out, for a restored learner is "
            "the one that was saved"
        )
