"""What policies are called: in explanations, in refusals, and to recognise the set that a state was saved with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from typeover.errors import InvalidInputError


def checked_name(name: Any) -> str:
    """A string that can be written to a file."""
    if not isinstance(name, str) or not _can_be_written(name):
        raise InvalidInputError(
            f"{name!r:.80} cannot be the name of a policy; use a string of ordinary characters, such as 'shortest'"
        )
    return str(name)


def checked_names(names: Any, n_policies: int) -> tuple[str, ...]:
    """One name per policy, each once."""
    has_order = hasattr(names, "__iter__") and not isinstance(names, Mapping | AbstractSet)
    if not has_order:
        raise InvalidInputError(f"names is {names!r:.80}; give a list of strings in the order of the policies")
    given = tuple(checked_name(name) for name in names)
    if len(given) != n_policies:
        raise InvalidInputError(f"names has {len(given)} entries; give one per policy: {n_policies}")
    if (different := len(set(given))) < len(given):
        twice = Counter(given).most_common(1)[0][0]
        raise InvalidInputError(
            f"names has {len(given)} entries, {different} of them different ({twice!r} stands twice); give each policy "
            "a name of its own"
        )
    return given


def own_names(members: Sequence[Any]) -> list[str]:
    """Own names where there are any, numbered where they repeat."""
    plain = [_own_name(member) for member in members]
    repeated = {name for name, times in Counter(plain).items() if times > 1} | {"<lambda>"}
    return [f"{name.strip('<>')}-{i}" if name in repeated else name for i, name in enumerate(plain)]


def _own_name(member: Any) -> str:
    name = getattr(member, "__name__", None)
    name = name if isinstance(name, str) else type(member).__name__
    return name.encode("utf-8", "backslashreplace").decode()  # nobody chose it: spell what cannot be written


def _can_be_written(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return True
