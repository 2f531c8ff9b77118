"""The result file of a study, which is its checkpoint: JSON lines, appended, each on the disk before the next.

The first line says what the file is. A line that was being written when its run was killed is dropped. Nothing that
stands in the file is ever changed, and only one run at a time may append to it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import msgspec

from typeover.core.document import encode
from typeover.core.state import check_header, header
from typeover.errors import InvalidInputError, StateError, nearest

FORMAT, VERSION = "study", 1
Value: TypeAlias = str | int | float
Key: TypeAlias = tuple[frozenset[tuple[str, Value]], int]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A task that is done."""

    point: dict[str, Value]
    seed: int
    rows: list[dict[str, Any]]
    """Figures; what is not a number is None."""
    seconds: float
    peak_bytes: int | None
    """The most memory that its process had held by then, earlier tasks included."""
    version: str
    """Of Typeover."""

    @property
    def key(self) -> Key:
        """Which task it is."""
        return frozenset(self.point.items()), self.seed


_DECODER = msgspec.json.Decoder(Record)


def read(path: Path, study: str, axes: Iterable[str]) -> list[Record]:
    """What has been done so far, whether or not a run is adding to it."""
    try:
        return _parsed(path, path.read_bytes(), study, set(axes))[0]
    except FileNotFoundError:
        raise InvalidInputError(f"there is no {path} yet; run: typeover study run {study}") from None
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read ({error.strerror}); name another folder with --out") from None


def facts(records: Sequence[Record]) -> dict[str, str]:
    """How these results came about, in words."""
    seeds = sorted({record.seed for record in records})
    peak = max((record.peak_bytes or 0 for record in records), default=0)
    return {
        "Seeds": f"{seeds[0]} to {seeds[-1]}" if seeds == list(range(seeds[0], seeds[-1] + 1)) else str(seeds)[1:-1],
        "Tasks": f"{len(records):,}",
        "Time of all tasks": f"{sum(record.seconds for record in records):,.0f} s",
        "Most memory of a worker": f"{peak / 2**20:,.0f} MB" if peak else "not counted on this system",
        "Typeover": ", ".join(sorted({record.version for record in records})),
    }


class ResultFile:
    """A result file that this run alone may append to, from `with` to its end."""

    def __init__(self, path: Path, study: str, axes: Iterable[str]) -> None:
        self.path, self._study = path, study
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise InvalidInputError(
                f"{path} cannot be written ({error.strerror}); name another folder with --out"
            ) from None
        try:
            _lock(self._file, path)
            self.records, self._end = _parsed(path, path.read_bytes(), study, set(axes))
            if self._end == 0:
                self._append(encode(header(FORMAT, VERSION) | {"study": study}))
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)  # and with it the lock

    def add(self, record: Record) -> None:
        """Keep it, on the disk when this returns; `records` holds what the file says."""
        line = encode(record)
        self._append(line)
        self.records.append(_DECODER.decode(line))

    def _append(self, line: bytes) -> None:
        try:
            os.ftruncate(self._file, self._end)  # what a killed run was writing
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise InvalidInputError(
                f"{self.path} cannot be written ({error.strerror}); the {len(self.records)} results in it are kept: "
                "make room, then run the same command again"
            ) from None
        self._end += len(line) + 1


def _parsed(path: Path, content: bytes, study: str, axes: set[str]) -> tuple[list[Record], int]:
    """The records, and where the last whole line ends."""
    end = content.rfind(b"\n") + 1
    first, *lines = content[:end].split(b"\n")[:-1] or [content]
    if not first:
        return [], 0
    try:
        head = msgspec.json.decode(first, type=dict[str, Any])
        check_header(head, FORMAT, VERSION)
    except msgspec.DecodeError:
        raise StateError(f"{path} holds no results of a study; move it away, or name another folder") from None
    except StateError as error:
        raise StateError(f"{path}: {error}") from None
    if head.get("study") != study:
        raise StateError(f"{path} holds results of study {head.get('study')!r}, not of {study!r}; name another folder")
    records = []
    for number, line in enumerate(lines, start=2):
        try:
            record = _DECODER.decode(line)
        except msgspec.DecodeError as error:
            raise StateError(
                f"{path}, line {number} is damaged ({error}); remove it, and its task runs again"
            ) from None
        if strays := axes ^ record.point.keys():
            stray = min(strays)
            what = f"names an axis {stray!r}; {nearest(stray, axes)}" if stray not in axes else f"has no axis {stray!r}"
            raise StateError(f"{path}, line {number} {what} The study has changed; name another folder with --out")
        records.append(record)
    return records, end


def _lock(file: int, path: Path) -> None:
    """Taken by the system from whoever ends, however that is."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, 2**30, os.SEEK_SET)  # a byte that nobody reads
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InvalidInputError(
            f"{path} is in use by another run; wait until that one ends, or name another folder with --out"
        ) from None
