"""The log as JSONL: a format line, then one entry per line; the name ends in .gz if it is compressed.

    {"format":"typeover.log","version":1}

Lines are written whole, a stretch at a time, and nothing that stands in the file is ever touched; a log has one writer.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from typeover.core.state import header
from typeover.errors import InvalidInputError, nearest
from typeover.logs.schema import VERSION, Entry, from_json, to_json

_KEPT = 1 << 20
"""Bytes kept back until they are written."""
_PLACE = re.compile(r"(?P<what>.*) - at `\$\.?(?P<field>.*)`", re.DOTALL)
_NAMED = re.compile(r"(?P<what>Object (contains unknown|missing required) field `(?P<field>[^`]*)`)")
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)


def read(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """The entries of a log, one at a time, however long it is; gzip is recognised by content."""
    source, number = Path(path), 0
    decoder = msgspec.json.Decoder(Entry, dec_hook=from_json)
    try:
        with source.open("rb") as raw:
            is_packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with gzip.open(raw, "rb") if is_packed else raw as file:
                for number, line in enumerate(file, start=1):
                    if number == 1:
                        _check_format(source, line)
                    else:
                        yield _entry(decoder, source, number, line)
    except _DAMAGED as error:
        raise InvalidInputError(
            f"{source} is damaged after line {number} ({error}); what stands before can be read"
        ) from None
    except OSError as error:
        raise _unreadable(source, error) from None
    if number == 0:
        raise InvalidInputError(f"{source} is empty; a log begins with the line {_format_line().decode().strip()}")


class Writer:
    """Appends entries to a log, which it begins if there is none; a context manager.

    >>> import tempfile
    >>> from typeover.logs import Micros
    >>> path = Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> round_1 = {"decision_id": "d-1", "loop": "demo", "sequence": 1, "time": Micros(0)}
    >>> with Writer(path) as log:
    ...     log.write(Entry(**round_1, context="", actions=("yes", "no"), index=0, action="yes", reward=1.0))
    >>> [entry.action for entry in read(path)]
    ['yes']
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._encoder = msgspec.json.Encoder(enc_hook=to_json)
        self._lines = bytearray()
        try:
            is_new = not self._path.exists() or self._path.stat().st_size == 0
            if not is_new:
                self._check_end()
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            raise _unreadable(self._path, error) from None
        if is_new:
            self._lines += _format_line()

    def write(self, entry: Entry) -> None:
        """One more line; on disk after the next `flush` at the latest."""
        self._lines += self._encoder.encode(entry) + b"\n"
        if len(self._lines) >= _KEPT:
            self.flush()

    def flush(self) -> None:
        """Write what was kept back; if that fails, as on a full disk, the file is as before and nothing is lost."""
        if not self._lines:
            return
        packed = gzip.compress(self._lines) if self._path.suffix == ".gz" else bytes(self._lines)
        before, left = os.fstat(self._file.fileno()).st_size, memoryview(packed)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._file.truncate(before)
            raise
        self._lines.clear()

    def close(self) -> None:
        """Write the rest and wait until the disk has it."""
        if self._file.closed:
            return
        try:
            self.flush()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_end(self) -> None:
        """Only a whole log of this version is continued."""
        with self._path.open("rb") as raw:
            is_packed = raw.read(2) == b"\x1f\x8b"
            if is_packed != (self._path.suffix == ".gz"):
                raise InvalidInputError(
                    f"{self._path} is {'' if is_packed else 'not '}compressed, unlike its name; rename it"
                )
            raw.seek(-1, os.SEEK_END)
            if not is_packed and raw.read(1) != b"\n":
                raise InvalidInputError(
                    f"{self._path} ends within a line, whose writer was stopped; remove that line or write another file"
                )
        next(read(self._path), None)


def _format_line() -> bytes:
    return msgspec.json.encode(header("log", VERSION)) + b"\n"


def _check_format(path: Path, line: bytes) -> None:
    try:
        found = msgspec.json.decode(line)
        thing, version = found["format"], found["version"]
    except (msgspec.DecodeError, TypeError, KeyError):
        thing, version = None, None
    if thing != "typeover.log" or not isinstance(version, int) or version < 1:
        raise InvalidInputError(
            f"{path}, line 1: {line[:60]!r} is not the format line of a log; a log begins with "
            f"{_format_line().decode().strip()}"
        )
    if version > VERSION:
        raise InvalidInputError(
            f"{path} is a log of version {version}, this program reads up to {VERSION}; install a newer typeover"
        )


def _entry(decoder: msgspec.json.Decoder[Entry], path: Path, number: int, line: bytes) -> Entry:
    try:
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        told = str(error)
        match = _PLACE.fullmatch(told) or _NAMED.match(told)
        if match is None:
            raise InvalidInputError(f"{path}, line {number}: {told}") from None
        advice = f"; {nearest(match['field'], Entry.__struct_fields__)}" if "unknown field" in told else ""
        field = f", field {match['field']}" if match["field"] else ""
        raise InvalidInputError(f"{path}, line {number}{field}: {match['what']}{advice}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        cut = "" if line.endswith(b"\n") else "; the line has no end, as if its writer had been stopped: remove it"
        raise InvalidInputError(f"{path}, line {number}: {error}{cut}") from None


def _unreadable(path: Path, error: OSError) -> InvalidInputError:
    return InvalidInputError(f"{path} cannot be opened ({error.strerror or error}); name a file that you may use")
