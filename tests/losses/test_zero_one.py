from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from typeover.core.protocols import SurrogateLoss
from typeover.losses import ZeroOne, check_metric


def test_only_the_answer_itself_is_right():
    deltas = ZeroOne().deltas(["refund", "invoice", "thanks"], "invoice", None)
    assert deltas.dtype == np.float64
    assert deltas.tolist() == [1, 0, 1]


def test_a_new_answer_is_one_away_from_every_candidate():
    assert ZeroOne().deltas(["refund", "invoice"], "a complaint").tolist() == [1, 1]


def test_it_plays_the_part_of_a_surrogate_loss():
    assert isinstance(ZeroOne(), SurrogateLoss)


@given(st.lists(st.integers() | st.text(), unique=True, min_size=1, max_size=6))
def test_it_is_a_metric_on_any_names(items):
    check_metric(ZeroOne(), items)
