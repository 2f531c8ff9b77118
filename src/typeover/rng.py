"""Generators by name: names, not the order of calls, choose the stream.

Adding a learner to a study therefore shifts nobody's randomness, and every learner meets the same users.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from typeover.errors import InvalidInputError, StateError


def stream(seed: int, *names: str) -> np.random.Generator:
    """The generator that belongs to these names under this seed.

    >>> stream(7, "user", "rep-3").random() == stream(7, "user", "rep-3").random()
    True
    >>> stream(7, "user").random() == stream(7, "learner").random()
    False
    """
    digest = hashlib.sha256("\x1f".join(names).encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([_checked(seed), *words]))


def seed_for(seed: int, *names: str) -> int:
    """The seed that belongs to these names under this seed, for what takes one.

    >>> seed_for(7, "world") == seed_for(7, "world"), seed_for(7, "world") == seed_for(7, "learner", "EFBO")
    (True, False)
    """
    return int(stream(seed, *names).integers(2**63))


def generator(seed: int | None, rng: np.random.Generator | None, *names: str) -> np.random.Generator:
    """The generator for a public constructor, which takes `seed` or `rng`, never both, never neither."""
    if seed is None and rng is None:
        raise InvalidInputError(
            "seed and rng are both missing; pass seed=7 (a whole number from 0), or rng=a Generator"
        )
    if seed is not None and rng is not None:
        raise InvalidInputError(f"seed={seed} and rng were both given; pass one of them")
    if rng is not None:
        if not isinstance(rng, np.random.Generator):
            raise InvalidInputError(f"rng is {type(rng).__name__}; it must be a numpy.random.Generator")
        return rng
    return stream(seed, *names) if seed is not None else np.random.default_rng()


def freeze(rng: np.random.Generator) -> dict[str, Any]:
    """The generator's whole state as JSON; the 128-bit words become strings, which every JSON reader keeps."""
    frozen: dict[str, Any] = _map(
        rng.bit_generator.state, lambda value: str(value) if isinstance(value, int) else value
    )
    return frozen


def thaw(frozen: dict[str, Any]) -> np.random.Generator:
    """A generator that goes on exactly where `freeze` saw it."""
    name = frozen.get("bit_generator")
    kind = getattr(np.random, str(name), None)
    if not (isinstance(kind, type) and issubclass(kind, np.random.BitGenerator)):
        raise StateError(f"generator state names bit_generator {name!r}; it must be one of numpy's, such as 'PCG64'")
    try:
        bits = kind()
        bits.state = _map(frozen, lambda value: int(value) if isinstance(value, str) and value.isdigit() else value)
    except (LookupError, TypeError, ValueError, OverflowError, NotImplementedError) as error:
        raise StateError(f"generator state of {name} is damaged ({error!r}); give what freeze returned") from error
    return np.random.Generator(bits)


def _map(value: Any, leaf: Any) -> Any:
    if isinstance(value, dict):
        return {key: _map(inner, leaf) for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        return [leaf(int(word)) for word in value]
    if isinstance(value, list):
        return np.array([leaf(word) for word in value], dtype=np.uint64)
    return leaf(value)


def _checked(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInputError(f"seed is {seed!r}; it must be a whole number from 0")
    return int(seed)
