import math

import numpy as np
import pytest

from typeover.core import inputs
from typeover.errors import InvalidInputError


@pytest.mark.parametrize("value", [1, 10**30, np.int32(3)])
def test_whole_numbers_pass_as_plain_ones(value):
    assert inputs.whole("n", value, meaning="how many") == value
    assert type(inputs.whole("n", value, meaning="how many")) is int


@pytest.mark.parametrize("value", [0, -1, 1.0, True, np.True_, "1", None, math.nan])
def test_what_is_no_whole_number_is_refused_with_its_meaning(value):
    with pytest.raises(InvalidInputError, match=r"n is .*; it must be a whole number from 1: how many"):
        inputs.whole("n", value, meaning="how many")


@pytest.mark.parametrize("value", [0, 0.5, 1, np.float32(0.25), np.int64(1)])
def test_numbers_pass_with_both_ends(value):
    assert inputs.real("x", value, meaning="a share", high=1) == value
    assert type(inputs.real("x", value, meaning="a share", high=1)) is float


@pytest.mark.parametrize(
    "value",
    [-1e-9, 1.0000001, math.nan, math.inf, True, np.True_, "0.5", None, [0.5], pytest.param(10**400, id="huge")],
)
def test_what_is_no_number_of_the_range_is_refused(value):
    with pytest.raises(InvalidInputError, match=r"x is .*; it must be a number from 0 to 1: a share"):
        inputs.real("x", value, meaning="a share", high=1)


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, -0.5, math.nan])
def test_a_chance_excludes_its_ends(value):
    with pytest.raises(InvalidInputError, match="p is "):
        inputs.chance("p", value, meaning="failure")
    assert inputs.chance("p", 0.05, meaning="failure") == 0.05


@pytest.mark.parametrize("values", [[0, 1], (0.5,), np.array([0.1, 0.2], dtype=np.float32), range(2)])
def test_lists_become_contiguous_doubles(values):
    array = inputs.vector("v", values, meaning="shares", low=0, high=1)
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert array.tolist() == [float(value) for value in values]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], r"v has shape \(0,\); it must be a list of at least one: shares"),
        (0.5, r"v has shape \(\)"),
        ([[0.5]], r"v has shape \(1, 1\)"),
        ([0.5, [0.5]], r"v is \[0.5, \[0.5\]\]; it must be a list of numbers"),
        (["high"], r"v is \['high'\]; it must be a list of numbers"),
        ([10**400], r"v is \[1000+; it must be a list of numbers"),
        ([0.5, 2.0], r"v\[1\] is 2.0; it must be a number from 0 to 1"),
        ([0.5, math.nan, 2.0], r"v\[1\] is nan"),
        ([None, 0.5], r"v\[0\] is nan"),
    ],
)
def test_bad_lists_are_refused_at_the_first_stray(values, message):
    with pytest.raises(InvalidInputError, match=message):
        inputs.vector("v", values, meaning="shares", low=0, high=1)
