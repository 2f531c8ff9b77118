"""Experiments that anyone can repeat with one command: each has a question, axes, and claims that a machine checks."""

from __future__ import annotations

import importlib
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING

from typeover.errors import InvalidInputError, nearest

if TYPE_CHECKING:
    from typeover.studies.study import Study

STUDIES = {
    "rates": "typeover.studies.rates",
    "bounds": "typeover.studies.bounds",
    "lower-bound": "typeover.studies.lower_bound",
    "alignment": "typeover.studies.alignment",
    "nu": "typeover.studies.nu",
    "active": "typeover.studies.active",
    "rubber-stamp": "typeover.studies.rubber_stamp",
    "users": "typeover.studies.users",
    "constants": "typeover.studies.constants",
    "real": "typeover.studies.real",
}
"""Where each study lives: a package with `STUDY` and a README.md, imported when it is asked for."""


def find(name: str) -> Study:
    """The study of that name, imported now."""
    study: Study = importlib.import_module(_home(name)).STUDY
    return study


def readme(name: str) -> str:
    """What the study says about itself, without importing it; the title is its question."""
    spec = util.find_spec(_home(name))
    assert spec is not None  # noqa: S101 - the table names what exists
    assert spec.origin is not None  # noqa: S101 - a package has a file
    return Path(spec.origin).with_name("README.md").read_text(encoding="utf-8")


def _home(name: str) -> str:
    if name not in STUDIES:
        raise InvalidInputError(f"no study is named {name!r}; {nearest(name, STUDIES)}; see: typeover study list")
    return STUDIES[name]
