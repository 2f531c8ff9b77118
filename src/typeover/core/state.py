"""State as arrays and JSON in one .npz file: no pickle, so that reading a file can never run code."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.errors import InvalidInputError, StateError

_JSON = "json"
_KEPT = frozenset({_JSON, "file", "allow_pickle"})
"""Names that np.savez and this format keep for themselves."""
_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR)
_NO_ENTRY = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG)


class State(msgspec.Struct, frozen=True, eq=False):
    """Everything that a stored thing needs to go on: plain values in `json`, numbers by the thousand in `arrays`.

    >>> import numpy as np
    >>> State(json={"format": "typeover.example", "version": 1}, arrays={"sums": np.zeros((2, 3))})
    State(format='typeover.example', version=1, arrays: sums (2, 3))
    """

    json: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = {}

    def __repr__(self) -> str:
        words = [f"{name}={self.json[name]!r:.60}" for name in ("format", "version") if name in self.json]
        shapes = ", ".join(f"{name} {np.shape(array)}" for name, array in self.arrays.items())
        return f"State({', '.join([*words, f'arrays: {shapes or None}'])})"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one .npz file, whole or not at all; of several writers at once, the last one stays."""
        self._check_arrays()
        target = _path(path)
        plain = np.frombuffer(json.dumps(self.json).encode(), dtype=np.uint8)
        partial = target.parent / f".{uuid.uuid4().hex}.partial"  # no two writers share it
        try:
            if target.is_dir():
                raise InvalidInputError(
                    f"path is {target}, which is a folder; name a file in it: {target / 'state.npz'}"
                )
            with partial.open("xb") as file:  # unlike tempfile's, with the rights that new files have here
                np.savez(file, allow_pickle=False, **{_JSON: plain}, **self.arrays)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
        except OSError as error:
            if error.errno in _NO_FOLDER:
                raise InvalidInputError(
                    f"path is {target}, but there is no folder {target.parent}; make that folder first"
                ) from None
            if error.errno in _NO_ENTRY:
                raise InvalidInputError(
                    f"path is {target}, which cannot be written ({error.strerror}); name another file or folder"
                ) from None
            raise
        finally:
            _remove(partial)
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> State:
        """Read what `save` wrote."""
        source = _path(path)
        try:
            raw = source.open("rb")
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidInputError(f"no file at {source}; give the path that State.save returned") from None
        except IsADirectoryError:
            raise InvalidInputError(
                f"path is {source}, which is a folder; give the file that State.save wrote"
            ) from None
        except OSError as error:
            raise InvalidInputError(
                f"path is {source}, which cannot be read ({error.strerror}); give a file that you may read"
            ) from None
        with raw:
            try:
                return cls(*_parts(raw))
            except Exception as error:  # noqa: BLE001  damage reaches every reader below: zip, npy header, array, JSON
                raise StateError(
                    f"{source} is no saved Typeover state ({_reason(error)}); give a file that State.save wrote"
                ) from None  # numpy's own words advise readers to allow pickle

    def _check_arrays(self) -> None:
        for name, array in self.arrays.items():
            if name in _KEPT:
                raise InvalidInputError(f"an array is named {name!r}, which the file keeps for itself; rename it")
            if not isinstance(name, str) or name.endswith(".npy"):
                raise InvalidInputError(f"an array is named {name!r}; use a string that does not end in .npy")
            if np.asarray(array).dtype.hasobject:
                raise InvalidInputError(
                    f"array {name!r} holds Python objects, which cannot be read back safely; make it numbers or text"
                )


def _path(path: str | os.PathLike[str]) -> Path:
    try:
        found = Path(path)
    except TypeError:
        found = None
    if found is None or "\0" in str(found):
        raise InvalidInputError(f"path is {path!r:.80}; it must be the name of a file, such as 'state.npz'")
    return found


def _remove(partial: Path) -> None:
    """Take away what is left, if anything; the reason why it was left matters more than failing here."""
    with contextlib.suppress(OSError):
        partial.unlink()


def _parts(raw: IO[bytes]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if not zipfile.is_zipfile(raw):
        raise TypeError("it is no .npz archive, or only a part of one")
    raw.seek(0)
    loaded = np.load(raw, allow_pickle=False)
    with loaded as file:
        arrays = {name: file[name] for name in file.files}
    arrays.pop("allow_pickle", None)  # numpy 2.0 takes the setting for an array
    if _JSON not in arrays:
        raise TypeError(f"it has no part named {_JSON}")
    plain = json.loads(arrays.pop(_JSON).tobytes())
    if not isinstance(plain, dict):
        raise TypeError(f"its {_JSON} is a {type(plain).__name__}")
    return plain, arrays


def _reason(error: Exception) -> str:
    text = str(error)
    if "pickle" in text:
        return "it holds Python objects"
    return text.splitlines()[0][:120] if text else type(error).__name__


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
