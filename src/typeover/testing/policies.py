"""What every set of policies promises."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from typeover.core.arrays import Actions
from typeover.core.protocols import Policies


class PoliciesContract:
    """Fixtures: `policies` (at least two), `contexts` (at least two), `actions` (the candidates in all of them)."""

    def test_votes_are_candidates_or_distributions_over_them(
        self, policies: Policies, contexts: Sequence[Any], actions: Actions
    ) -> None:
        votes = policies.votes(contexts, actions)
        assert votes.shape[:2] == (len(contexts), len(policies))
        if votes.ndim == 2:
            assert votes.dtype == np.int32
            assert ((votes >= 0) & (votes < len(actions))).all()
        else:
            assert votes.shape[2] == len(actions)
            assert votes.dtype == np.float64
            assert (votes >= 0).all()
            assert np.allclose(votes.sum(axis=2), 1.0, atol=1e-6)

    def test_one_context_gets_the_same_votes_as_among_many(
        self, policies: Policies, contexts: Sequence[Any], actions: Actions
    ) -> None:
        votes = policies.votes(contexts, actions)
        for context, row in zip(contexts, votes, strict=True):
            assert np.array_equal(policies.vote(context, actions), row)

    def test_a_subset_votes_as_its_members_did_in_the_order_asked_for(
        self, policies: Policies, contexts: Sequence[Any], actions: Actions
    ) -> None:
        chosen = [len(policies) - 1, 0]
        few, votes = policies.subset(chosen), policies.votes(contexts, actions)
        assert len(few) == 2
        assert list(few.names) == [policies.names[i] for i in chosen]
        mine = few.votes(contexts, actions)
        if mine.ndim < votes.ndim:  # the randomised ones are not among them
            mine = np.eye(len(actions))[mine]
        assert np.array_equal(mine, votes[:, chosen])

    def test_each_policy_has_a_name_of_its_own(self, policies: Policies) -> None:
        assert len(set(policies.names)) == len(policies)
        assert all(isinstance(name, str) for name in policies.names)

    def test_the_input_is_left_alone(self, policies: Policies, contexts: Sequence[Any], actions: Actions) -> None:
        before = repr(copy.deepcopy((contexts, actions)))
        policies.votes(contexts, actions)
        policies.vote(contexts[0], actions)
        assert repr((contexts, actions)) == before
