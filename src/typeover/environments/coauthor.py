"""Suggestion rounds of real writers, from `coauthor_rounds/shared.jsonl.gz`: what the log says of each, by writer.

A log of accepts cannot show how far an accepted suggestion was from what the writer would have typed, but it shows how
much of it stood there later (`kept`): a bound on Assumption 3 from one side, no measure of nu.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator

import msgspec

from typeover.environments.tables import set_path
from typeover.errors import InvalidInputError


class WriterRound(msgspec.Struct, frozen=True, kw_only=True):
    """One request for suggestions, and what became of it."""

    genre: str
    session: int
    context: str
    """The last 500 characters before the cursor."""
    suggestions: list[str]
    """What was offered, one to five texts."""
    outcome: str
    """`accepted`, `rejected`, or `open`: the session ended, or another request came, first."""
    chosen: int
    """Which was accepted; -1: none."""
    decide_ms: int | None = None
    """How long it took to accept or reject."""
    result: str | None = None
    """What stood there at the next request."""
    clean: int | None = None
    """0: the writer also edited elsewhere meanwhile, so that `result` may hold other changes."""
    kept: float | None = None
    """How alike the accepted text and what stood there later are, from 0 to 1."""

    @property
    def accepted(self) -> str | None:
        """The text that was taken, if one was."""
        return self.suggestions[self.chosen] if self.outcome == "accepted" else None

    @property
    def typed(self) -> str | None:
        """What the writer wrote instead, where a rejection was followed by text of their own."""
        return self.result.strip() or None if self.outcome == "rejected" and self.result else None


class _Line(WriterRound, frozen=True, kw_only=True):
    writer: int


def writer_rounds(folder: str | os.PathLike[str]) -> Iterator[tuple[int, WriterRound]]:
    """(writer, round) in the order of the log: session by session, each in the order of time."""
    path = set_path(folder, "coauthor_rounds", "shared.jsonl.gz")
    decoder = msgspec.json.Decoder(_Line)
    try:
        with gzip.open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    found = decoder.decode(line)
                except msgspec.DecodeError as error:
                    raise InvalidInputError(f"{path}, line {number}: {error}; fetch the set again") from None
                yield found.writer, found
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInputError(f"{path} cannot be read as gzipped lines ({error}); fetch the set again") from None
