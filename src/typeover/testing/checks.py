"""What several contracts ask: equal states, and refusals that say what was wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from typeover.core.state import State


@contextmanager
def refused(*words: str) -> Iterator[None]:
    """A ValueError whose message holds these words."""
    message = None
    try:
        yield
    except ValueError as error:
        message = str(error)
    assert message is not None, f"bad input was taken; it must be refused with a ValueError that says {words}"
    assert [word for word in words if word not in message] == [], f"lacking in the refusal {message!r}"


def assert_same_state(one: State, other: State) -> None:
    """Bit for bit, generator included."""
    assert one.json == other.json, difference(one.json, other.json)
    assert one.arrays.keys() == other.arrays.keys()
    for name, values in one.arrays.items():
        twin = other.arrays[name]
        assert values.dtype == twin.dtype, f"array {name}: {values.dtype} and {twin.dtype}"
        assert np.array_equal(values, twin, equal_nan=values.dtype.kind == "f"), f"array {name} differs"


def assert_close_state(one: State, other: State, tolerance: float = 1e-9) -> None:
    """Sums to the tolerance, plain numbers likewise, the rest exactly."""
    assert one.arrays.keys() == other.arrays.keys()
    for name, values in one.arrays.items():
        assert np.allclose(values, other.arrays[name], rtol=tolerance, atol=tolerance), f"array {name} differs"
    assert_close(one.json, other.json, tolerance)


def assert_close(one: Any, other: Any, tolerance: float = 1e-9, place: str = "state") -> None:
    """Plain values that agree, floats to the tolerance."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys(), f"{place} has {sorted(one)} and {sorted(other)}"
        for key in one:
            assert_close(one[key], other[key], tolerance, f"{place}.{key}")
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        assert len(one) == len(other), f"{place} has {len(one)} and {len(other)} entries"
        for i, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            assert_close(mine, theirs, tolerance, f"{place}[{i}]")
    elif isinstance(one, float) and isinstance(other, float):
        assert abs(one - other) <= tolerance * max(1.0, abs(one)), f"{place} is {one} and {other}"
    else:
        assert one == other, f"{place} is {one!r} and {other!r}"


def difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """The entries that differ."""
    return "; ".join(
        f"{key}: {one.get(key)!r} and {other.get(key)!r}"
        for key in sorted({*one, *other})
        if one.get(key) != other.get(key)
    )
