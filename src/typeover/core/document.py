"""JSON documents from what commands and studies compute."""

from __future__ import annotations

from typing import Any

import msgspec


def encode(document: Any) -> bytes:
    """One line of JSON; arrays become lists, what is not finite becomes null."""
    return msgspec.json.encode(document, enc_hook=_plain)


def _plain(value: Any) -> Any:
    """Arrays and their scalars as lists and numbers, without importing numpy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise NotImplementedError(f"a {type(value).__name__} has no place in a JSON document")
