import inspect

import pytest

from typeover import errors
from typeover.errors import InvalidInputError, MissingPackageError, NotMetricError, StateError, TypeoverError

LEAVES = [thing for _, thing in inspect.getmembers(errors, inspect.isclass) if thing.__module__ == errors.__name__]


@pytest.mark.parametrize("error", LEAVES)
def test_every_error_can_be_caught_by_the_root(error):
    assert issubclass(error, TypeoverError)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [(InvalidInputError, ValueError), (NotMetricError, InvalidInputError), (StateError, ValueError),
     (MissingPackageError, ImportError)],
)  # fmt: skip
def test_every_leaf_is_also_the_error_that_python_would_raise(error, builtin):
    assert issubclass(error, builtin)


def test_a_damaged_state_is_not_taken_for_bad_input():
    assert not issubclass(StateError, InvalidInputError)


def test_a_missing_package_carries_the_command_that_installs_it():
    error = errors.missing("polars", extra="logs", purpose="reading a log")
    assert isinstance(error, ImportError)
    assert str(error) == "reading a log needs polars, which is not installed; run: pip install 'typeover[logs]'"


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("refnd", ["refund", "invoice"], "did you mean 'refund'?"),
        ("x", ["refund", "invoice"], "known: 'refund', 'invoice'"),
        ("x", [], "nothing is known yet"),
        ("x", map(str, range(10, 20)), "known: '10', '11', '12', '13', '14', '15', '16', '17', ..."),
        (71, [7, 711], "did you mean '711'?"),
    ],
)
def test_the_nearest_name_is_offered(name, known, words):
    assert errors.nearest(name, known) == words
