"""`python -m typeover.kernels`: compile everything once, with a word about it."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from pathlib import Path

from typeover.kernels import MODULES, NO_CACHE, WAY_OUT


def compile_all() -> None:
    """Import each kernel module and make its first call; the first time this compiles it and fills numba's cache."""
    drop_stale(Path(__file__).parent)
    for name in MODULES:
        began = time.perf_counter()
        try:
            module = importlib.import_module(f"typeover.kernels.{name}")
            getattr(module, "_warm", _nothing)()  # kernels without fixed types are compiled by a first call
        except RuntimeError as error:
            if NO_CACHE not in str(error):
                raise
            sys.exit(f"Error: {WAY_OUT}")
        if sys.stdout is not None:  # None: closed by the caller
            sys.stdout.write(f"compiled kernel {name} ready after {time.perf_counter() - began:.1f} s\n")
            sys.stdout.flush()


def drop_stale(folder: Path) -> None:
    """Remove what is cached beside the source and older than any of it.

    numba looks at the file that holds a function, not at those whose functions were compiled into it.
    """
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for cached in folder.glob("__pycache__/*.nb[ci]"):
        with contextlib.suppress(OSError):  # gone already, or not ours to remove
            if cached.stat().st_mtime < newest:
                cached.unlink()


def _nothing() -> None:
    """Compiled by importing it."""


if __name__ == "__main__":
    try:
        compile_all()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is unwritten is dropped
        sys.exit(f"Error: {error.strerror}")
