"""What can go wrong, as a small tree; every message says name, value received, what is allowed, next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TypeoverError(Exception):
    """Root of every error that Typeover raises on purpose."""


class InvalidInputError(TypeoverError, ValueError):
    """A value from outside does not fit; nothing was changed."""


class NotMetricError(InvalidInputError):
    """A surrogate loss was promised to be a metric and is none; the message names the offending items."""


class StateError(TypeoverError, ValueError):
    """A saved state cannot be read: another thing, a newer format, or other policies than it was saved with."""


class MissingPackageError(TypeoverError, ImportError):
    """An optional package is needed for this call; the message carries the command that installs it."""


class TaskFailedError(TypeoverError, RuntimeError):
    """One of many tasks raised, or the process that ran it died; the message names the task and shows why."""


def missing(package: str, *, extra: str, purpose: str) -> MissingPackageError:
    """The error for an optional package that is not installed."""
    return MissingPackageError(
        f"{purpose} needs {package}, which is not installed; run: pip install 'typeover[{extra}]'"
    )


def nearest(name: object, known: Iterable[object]) -> str:
    """A half sentence that offers the nearest known name, or lists a few."""
    names = [str(k) for k in known]
    close = difflib.get_close_matches(str(name), names, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(repr(n) for n in names[:8])
    return f"known: {shown}{', ...' if len(names) > 8 else ''}" if names else "nothing is known yet"
