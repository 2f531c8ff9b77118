"""One task, its result, and what doing it takes; the same in this process and in a worker."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

THREADS = (
    "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS", "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
"""What numeric libraries read when they are imported."""


class Task(NamedTuple):
    """A call to make; `function` must be importable by name, and the arguments picklable."""

    name: str
    """What errors call it."""
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Done:
    """What a task gave."""

    index: int
    """Its place among the tasks."""
    value: Any
    seconds: float
    """From its call to its return."""
    peak_bytes: int | None
    """The most memory that its process had held by then, earlier tasks included; None where nobody counts it."""


def perform(index: int, task: Task) -> Done:
    """Do it here; what it prints goes to stderr, since stdout is the caller's."""
    began = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        value = task.function(*task.arguments)
    return Done(index, value, time.perf_counter() - began, _peak_bytes())


@contextlib.contextmanager
def single_threaded() -> Iterator[None]:
    """Numeric libraries that are imported in here, or in a process that is started in here, use one thread."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _peak_bytes() -> int | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
