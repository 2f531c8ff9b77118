from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from typeover.errors import InvalidInputError, NotMetricError
from typeover.losses import Function


def gap(action, answer, context):
    return abs(action - answer) / (10 if context is None else context)


def test_it_is_asked_for_every_candidate_with_the_context():
    asked = []
    loss = Function(lambda *arguments: asked.append(arguments) or 0.5)
    assert loss.deltas(["a", "b"], "new", {"x": 1}).tolist() == [0.5, 0.5]
    assert asked == [("a", "new", {"x": 1}), ("b", "new", {"x": 1})]


def test_the_context_may_change_the_measure():
    assert Function(gap).deltas([1, 3], 2, 4).tolist() == [0.25, 0.25]
    assert Function(gap).deltas([1, 3], 2, 2).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("one", [1, 1.0, True, np.float32(1), np.int64(1), np.True_])
def test_every_plain_number_will_do(one):
    deltas = Function(lambda *_: one).deltas(["a"], "b")
    assert deltas.dtype == np.float64
    assert deltas.tolist() == [1]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "nan"),
        (-0.1, r"-0\.1"),
        (1.0001, r"1\.0001"),
        (float("inf"), "inf"),
        (None, "None"),
        ("0.5", r"'0\.5'"),
        (Decimal("0.5"), r"Decimal\('0\.5'\)"),
        (np.array([0.5]), r"array\(\[0\.5\]\)"),
    ],
)
def test_a_value_outside_the_range_is_refused_with_its_arguments(value, shown):
    with pytest.raises(InvalidInputError, match=rf"f\('a', 'b', context\) is {shown}; .* number in \[0, 1\]"):
        Function(lambda *_: value).deltas(["a"], "b")


def test_an_error_inside_the_callable_is_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        Function(gap).deltas([1], 2, 0)


def test_a_promised_metric_is_checked_on_the_items_in_the_context():
    assert Function(gap, metric=True, items=range(5)).is_metric
    assert Function(gap, metric=True, items=range(5), context=4).is_metric
    with pytest.raises(InvalidInputError, match=r"f\(3, 0, context\) is 1\.5"):
        Function(gap, metric=True, items=range(5), context=2)


def test_a_broken_promise_names_the_items():
    with pytest.raises(NotMetricError, match=r"Delta\(0, 2\) is 0\.4, more than .*1.* = 0\.1 \+ 0\.1; .*metric=False"):
        Function(lambda a, b, _: (a - b) ** 2 / 10, metric=True, items=[0, 1, 2])
    assert not Function(lambda a, b, _: (a - b) ** 2 / 10).is_metric


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"f": 0.5}, r"f is 0\.5; it must be a callable"),
        ({"f": gap, "metric": True}, "metric=True came without items"),
        ({"f": gap, "metric": True, "items": []}, "metric=True came without items"),
        ({"f": gap, "items": [1, 2]}, "items came without metric=True"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, message):
    with pytest.raises(InvalidInputError, match=message):
        Function(**settings)
