import importlib
import os
from pathlib import Path

import pytest

import naive
from typeover import kernels
from typeover.kernels.__main__ import compile_all, drop_stale

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


def test_what_was_compiled_before_any_kernel_changed_is_dropped(tmp_path):
    """A kernel holds those of other files that it calls: their change must reach it."""
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    paths = [tmp_path / "low.py", tmp_path / "top.py", cache / "top.g-1.nbi", cache / "low.f-1.nbc", cache / "top.pyc"]
    for seconds, path in zip((300, 100, 200, 400, 200), paths, strict=True):
        path.touch()
        os.utime(path, (seconds, seconds))
    drop_stale(tmp_path)
    assert sorted(path.name for path in cache.iterdir()) == ["low.f-1.nbc", "top.pyc"]
