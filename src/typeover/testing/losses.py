"""What every surrogate loss promises."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from typeover.core.arrays import Actions
from typeover.core.protocols import SurrogateLoss
from typeover.losses import check_metric


class LossContract:
    """Fixtures: `loss`, `actions` (candidates, at least two), `answers` (what users may enter), `context`."""

    def test_there_is_one_number_between_zero_and_one_per_candidate(
        self, loss: SurrogateLoss, actions: Actions, answers: Sequence[Any], context: Any
    ) -> None:
        for answer in answers:
            deltas = loss.deltas(actions, answer, context)
            assert deltas.shape == (len(actions),)
            assert deltas.dtype == np.float64
            assert ((deltas >= 0) & (deltas <= 1)).all()

    def test_a_candidate_costs_the_same_whoever_stands_beside_it(
        self, loss: SurrogateLoss, actions: Actions, answers: Sequence[Any], context: Any
    ) -> None:
        for answer in answers:
            alone = [float(loss.deltas([action], answer, context)[0]) for action in actions]
            assert loss.deltas(list(actions), answer, context).tolist() == alone
            assert loss.deltas(list(reversed(actions)), answer, context).tolist() == alone[::-1]

    def test_what_comes_back_belongs_to_the_caller(
        self, loss: SurrogateLoss, actions: Actions, answers: Sequence[Any], context: Any
    ) -> None:
        first = loss.deltas(actions, answers[0], context)
        kept = first.copy()
        first[:] = 7.0
        assert np.array_equal(loss.deltas(actions, answers[0], context), kept)

    def test_the_input_is_left_alone(
        self, loss: SurrogateLoss, actions: Actions, answers: Sequence[Any], context: Any
    ) -> None:
        before = copy.deepcopy((list(actions), list(answers), context))
        for answer in answers:
            loss.deltas(actions, answer, context)
        assert repr((list(actions), list(answers), context)) == repr(before)

    def test_a_loss_that_says_it_is_a_metric_is_one_on_these_candidates(
        self, loss: SurrogateLoss, actions: Actions, context: Any
    ) -> None:
        if getattr(loss, "is_metric", False):
            check_metric(loss, actions, context)

    def test_a_loss_that_says_it_ignores_the_context_gives_the_same_in_any(
        self, loss: SurrogateLoss, actions: Actions, answers: Sequence[Any], context: Any
    ) -> None:
        if getattr(loss, "ignores_context", False):
            for answer in answers:
                here, elsewhere = (loss.deltas(actions, answer, x).tolist() for x in (context, object()))
                assert here == elsewhere
