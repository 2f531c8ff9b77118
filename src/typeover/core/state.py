"""State as arrays and JSON in one .npz file: no pickle, so that reading a file can never run code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.errors import InvalidInputError, StateError

_JSON = "json"


class State(msgspec.Struct, frozen=True, eq=False):
    """Everything that a stored thing needs to go on: plain values in `json`, numbers by the thousand in `arrays`."""

    json: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = {}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one .npz file, whole or not at all."""
        if taken := {_JSON, "file"} & self.arrays.keys():
            raise InvalidInputError(f"an array is named {min(taken)!r}, which the file keeps for itself; rename it")
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        header = np.frombuffer(json.dumps(self.json).encode(), dtype=np.uint8)
        with partial.open("wb") as file:
            np.savez(file, allow_pickle=False, **{_JSON: header}, **self.arrays)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> State:
        """Read what `save` wrote."""
        source = Path(path)
        try:
            raw = source.open("rb")
        except FileNotFoundError:
            raise InvalidInputError(f"no file at {source}; give the path that State.save returned") from None
        with raw:
            try:
                return cls(*_parts(raw))
            except Exception as error:  # damage reaches every reader below: zip, npy header, array, JSON
                raise StateError(
                    f"{source} is no saved Typeover state ({error}); give a file that State.save wrote"
                ) from error


def _parts(raw: IO[bytes]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    loaded = np.load(raw, allow_pickle=False)
    if not isinstance(loaded, np.lib.npyio.NpzFile):
        raise TypeError("one array, not an archive of them")
    with loaded as file:
        arrays = {name: file[name] for name in file.files}
    plain = json.loads(arrays.pop(_JSON).tobytes())
    if not isinstance(plain, dict):
        raise TypeError(f"its {_JSON} is a {type(plain).__name__}")
    return plain, arrays


def header(thing: str, version: int) -> dict[str, Any]:
    """The first words of everything stored."""
    return {"format": f"typeover.{thing}", "version": version}


def check_header(json_part: Mapping[str, Any], thing: str, version: int) -> None:
    """Refuse another thing or a newer version; older versions are the reader's to upgrade."""
    found, number = json_part.get("format"), json_part.get("version")
    if found != f"typeover.{thing}":
        raise StateError(f"format is {found!r}; expected 'typeover.{thing}': this state belongs to something else")
    if not isinstance(number, int) or number < 1:
        raise StateError(f"version is {number!r}; it must be a whole number from 1: the state is damaged")
    if number > version:
        raise StateError(
            f"{found} is at version {number}, this program reads up to {version}; install a newer typeover"
        )
