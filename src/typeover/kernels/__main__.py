"""`python -m typeover.kernels`: compile everything once, with a word about it."""

from __future__ import annotations

import importlib
import sys
import time

from typeover.kernels import MODULES


def compile_all() -> None:
    """Import each kernel module; the first time this compiles it and fills numba's cache."""
    for name in MODULES:
        began = time.perf_counter()
        importlib.import_module(f"typeover.kernels.{name}")
        sys.stdout.write(f"compiled kernel {name} ready after {time.perf_counter() - began:.1f} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    compile_all()
