import importlib
import json
import subprocess
import sys

import pytest

import typeover

HEAVY = {"numba", "llvmlite", "click", "rich", "scipy", "sklearn", "polars", "altair", "vl_convert"}


def loaded_after(code):
    """The top-level modules in a fresh interpreter once this code has run."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_typeover_loads_nothing_heavy():
    assert loaded_after("import typeover") & HEAVY == set()


def test_using_every_public_name_compiles_nothing_and_draws_no_terminal():
    loaded = loaded_after("from typeover import *")
    assert "numpy" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("name", typeover.__all__)
def test_every_public_name_resolves(name):
    assert getattr(typeover, name) is not None
    assert name in dir(typeover)


@pytest.mark.parametrize("package", ["learners", "losses", "oracles", "policies", "theory", "environments"])
def test_every_public_name_of_a_package_resolves_and_stands_once(package):
    module = importlib.import_module(f"typeover.{package}")
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


def test_every_name_that_is_found_lazily_is_public():
    assert set(typeover._HOME) | {"__version__"} == set(typeover.__all__)


def test_only_public_names_are_offered():
    typeover.EFBO  # noqa: B018  what was asked for once is kept in the module, and brings others along
    assert dir(typeover) == sorted(typeover.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'typeover' has no attribute 'Learner'"):
        typeover.Learner  # noqa: B018
