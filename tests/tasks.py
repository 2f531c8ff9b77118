"""Tasks for tests; worker processes import them by name."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from typeover.rng import stream


def double(number: int) -> int:
    print("doubling", number)  # noqa: T201 - what tasks print must not reach stdout
    return 2 * number


def noisy(seed: int) -> list[float]:
    """Matrix products, which several threads might sum in another order."""
    source = stream(seed, "noisy")
    a = source.random((200, 200))
    return [float((a @ a).sum()), float(np.linalg.norm(a @ a.T))]


def whoami() -> dict[str, Any]:
    return {"pid": os.getpid(), "threads": os.environ.get("OMP_NUM_THREADS"), "numba": "numba" in sys.modules}


def fail(word: str) -> None:
    raise ZeroDivisionError(f"no {word} today")


def leave(code: int) -> None:
    sys.exit(code)


def end(code: int) -> None:
    """A negative code is a signal."""
    if code < 0:
        os.kill(os.getpid(), -code)
        time.sleep(60)
    os._exit(code)


def unsendable() -> Any:
    return lambda: None


def busy(folder: str, seconds: float = 60.0) -> None:
    """Tell who is at work, then hold the processor."""
    Path(folder, str(os.getpid())).touch()
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        sum(range(10_000))


def work() -> int:
    """About a second of a processor."""
    return sum(number * number % 7 for number in range(12_000_000))


def work_often(times: int) -> None:
    for _ in range(times):
        work()


def interrupted() -> None:
    signal.raise_signal(signal.SIGINT)
