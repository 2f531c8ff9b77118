import importlib
from pathlib import Path

import pytest

import naive
from typeover import kernels
from typeover.kernels.__main__ import compile_all

FOLDER = Path(kernels.__file__).parent


def public_functions(module):
    """Functions of the module's own, compiled or not."""
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and callable(thing)
        and not isinstance(thing, type)
        and getattr(thing, "__module__", None) == module.__name__
    ]


def test_every_module_of_the_folder_is_listed_once():
    found = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__"))
    assert sorted(kernels.MODULES) == found


@pytest.mark.parametrize("name", kernels.MODULES)
def test_every_kernel_has_a_twin_that_its_test_uses(name):
    functions = public_functions(importlib.import_module(f"typeover.kernels.{name}"))
    test = (Path(__file__).parent / f"test_{name}.py").read_text(encoding="utf-8")
    assert functions
    assert [function for function in functions if not hasattr(naive, function)] == []
    assert [function for function in functions if f"naive.{function}(" not in test] == []


def test_compiling_everything_names_every_module(capsys):
    compile_all()
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()] == list(kernels.MODULES)
