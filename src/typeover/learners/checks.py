"""What reaches a learner from outside, checked once: policies, losses, votes, answers, parts of a saved state."""

from __future__ import annotations

from typing import Any

from typeover.core.arrays import Actions, Votes
from typeover.core.decision import Decision
from typeover.core.feedback import Feedback, Outcome
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.errors import InvalidInputError, StateError
from typeover.policies import checked_votes


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


def votes_of(policies: Policies, context: Any, actions: Actions) -> Votes:
    """What each policy recommends in this round, in the form that compiled sums trust."""
    votes: Votes = checked_votes([policies.vote(context, actions)], 1, len(policies), len(actions), "policies")[0]
    return votes


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
