from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError, NotMetricError
from typeover.losses import ZeroOne, check_metric, matrix


class Given:
    """Deltas as they stand in an array, unchecked."""

    def __init__(self, table):
        self._table = np.array(table, dtype=float)

    def deltas(self, actions, answer, context):
        return self._table[list(actions), answer]


def naive_is_metric(table):
    n = range(len(table))
    return (
        all(table[i][i] == 0 for i in n)
        and all(table[i][j] == table[j][i] for i, j in itertools.product(n, n))
        and all(table[i][j] <= table[i][m] + table[m][j] for i, j, m in itertools.product(n, n, n))
    )


@st.composite
def tables(draw):
    """Eighths, so that sums are exact; often symmetric, often with a zero diagonal."""
    n = draw(st.integers(1, 4))
    table = np.array(draw(st.lists(st.integers(1, 8), min_size=n * n, max_size=n * n))).reshape(n, n) / 8
    if draw(st.booleans()) or n == 1:
        np.fill_diagonal(table, 0)
        if draw(st.integers(0, 3)):
            table = np.triu(table) + np.triu(table).T
    return table


@given(tables())
def test_it_agrees_with_every_triple_tried_by_hand(table):
    if naive_is_metric(table):
        check_metric(Given(table), range(len(table)))
    else:
        with pytest.raises(NotMetricError):
            check_metric(Given(table), range(len(table)))


def test_the_matrix_has_candidates_as_rows_and_answers_as_columns():
    assert matrix(Given([[0, 0.2], [0.8, 0]]), [0, 1]).tolist() == [[0, 0.2], [0.8, 0]]
    assert matrix(Given([[0, 0.2], [0.8, 0]]), [1, 0]).tolist() == [[0, 0.8], [0.2, 0]]


def test_the_context_reaches_the_loss():
    class InContext:
        def deltas(self, actions, answer, context):
            return ZeroOne().deltas(actions, answer) * context

    assert matrix(InContext(), ["a", "b"], 0.5).tolist() == [[0, 0.5], [0.5, 0]]
    with pytest.raises(NotMetricError, match=r"Delta\('b', 'a'\) is 2|Delta\('a', 'b'\) is 2"):
        check_metric(InContext(), ["a", "b"], 2)


def test_different_items_may_be_zero_apart():
    check_metric(Given(np.zeros((3, 3))), range(3))


def test_a_violation_within_the_tolerance_passes():
    table = [[0, 0.5, 0.2], [0.5, 0, 0.2], [0.2, 0.2, 0]]
    check_metric(Given(table), range(3), tolerance=0.1001)
    with pytest.raises(
        NotMetricError, match=r"Delta\(0, 1\) is 0\.5, more than Delta\(0, 2\) \+ Delta\(2, 1\) = 0\.2 \+ 0\.2"
    ):
        check_metric(Given(table), range(3), tolerance=0.0999)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0, 1.5], [1.5, 0]], r"Delta\(0, 1\) is 1\.5; it must lie in \[0, 1\]"),
        ([[0, -0.5], [-0.5, 0]], r"Delta\(0, 1\) is -0\.5; it must lie in \[0, 1\]"),
        ([[0, np.nan], [0, 0]], r"Delta\(0, 1\) is nan; it must lie in \[0, 1\]"),
        ([[0, 1], [1, 0.25]], r"Delta\(1, 1\) is 0\.25; an item must be 0 from itself"),
        ([[0, 1], [0.5, 0]], r"Delta\(0, 1\) is 1, but Delta\(1, 0\) is 0\.5; a metric is symmetric"),
    ],
)
def test_each_violation_is_named_with_its_numbers(table, message):
    with pytest.raises(NotMetricError, match=message):
        check_metric(Given(table), range(len(table)))


def test_a_loss_that_gives_too_few_numbers_is_refused():
    class Short:
        def deltas(self, actions, answer, context):
            return np.zeros(1)

    with pytest.raises(InvalidInputError, match=r"deltas gave shape \(1,\) for 2 candidates; it must be \(2,\)"):
        matrix(Short(), ["a", "b"])


@pytest.mark.parametrize("tolerance", [-1e-9, float("nan")])
def test_a_negative_tolerance_is_refused(tolerance):
    with pytest.raises(InvalidInputError, match=r"tolerance is .*; it must be 0 or more"):
        check_metric(ZeroOne(), ["a"], tolerance=tolerance)
