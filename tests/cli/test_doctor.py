"""Doctor names what is missing and the command that mends it."""

import importlib
import json
import os
import subprocess
import sys
import time
from importlib import metadata

import pytest
from click.testing import CliRunner

from typeover import __version__, kernels
from typeover.cli import main

module = importlib.import_module("typeover.cli.doctor")  # the name in the package may also be the command


class Installed:
    """A distribution as pip leaves it."""

    def __init__(self, requires, origin=None):
        self.requires = requires
        self._origin = origin

    def read_text(self, _name):
        return None if self._origin is None else json.dumps(self._origin)


@pytest.fixture
def installed(monkeypatch):
    """Pretend: these requirements, of which these versions are there."""

    def pretend(requires, versions, origin=None):
        def version(name):
            if name not in versions:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        monkeypatch.setattr(module.metadata, "distribution", lambda _: Installed(requires, origin))
        monkeypatch.setattr(module.metadata, "version", version)

    return pretend


def test_json_is_one_document_and_this_install_is_whole():
    result = CliRunner().invoke(main, ["doctor", "--json"])
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (document["format"], document["version"], document["typeover"]) == ("typeover.doctor", 1, __version__)
    assert {row["name"] for row in document["core"]["packages"]} == {"numpy", "numba", "msgspec", "click", "rich"}
    assert document["extras"]["text"]["whole"]
    assert document["extras"]["plots"]["whole"]
    assert document["cpus"] >= 1


def test_a_missing_core_package_exits_with_1_and_names_the_command(installed):
    installed(["numpy>=2.0", "numba>=0.61"], {"numpy": "2.1.0"})
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 1
    assert "lacks numba: pip install typeover\n" in result.stdout


def test_a_core_package_that_is_too_old_counts_as_missing(installed):
    installed(["numpy>=2.0"], {"numpy": "1.26.4"})
    result = CliRunner().invoke(main, ["doctor", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["core"]["missing"]) == (1, ["numpy"])


def test_a_missing_extra_is_no_fault_and_is_named_with_its_command(installed):
    installed(["numpy>=2.0", "rapidfuzz>=3.9; extra == 'text'"], {"numpy": "2.0"})
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 0
    assert "lacks rapidfuzz: pip install 'typeover[text]'" in result.stdout


def test_extras_without_a_folder_share_one_line_and_no_command(installed, monkeypatch, tmp_path):
    installed(["numpy>=2.0", "polars; extra == 'logs'", "ray; extra == 'ray'"], {"numpy": "2.0"})
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    rows = module._rows(module.examine())
    assert rows[0] == ("extras", "reserved", "logs, ray: nothing in this version needs them")
    assert [part for part, _, _ in rows] == ["extras", "core", "kernels"], "what matters stands nearest to the prompt"
    assert all(group["mend"] is None for group in module.examine()["extras"].values())
    (tmp_path / "jobs").mkdir()
    assert module.examine()["extras"]["ray"]["mend"] == "pip install 'typeover[ray]'"


BENCH = ["scipy>=1.13; extra == 'bench'", "scikit-learn; extra == 'bench'", "mabwiser>=2.7; extra == 'bench'"]


def test_of_the_extra_bench_only_what_todays_code_needs_matters(installed):
    installed(BENCH, {"scipy": "1.17.1", "scikit-learn": "1.9"})
    group = module.examine()["extras"]["bench"]
    assert (group["whole"], group["usable"], group["mend"]) == (False, True, None)
    assert module._state("bench", group) == ("enough", "scipy 1.17.1, scikit-learn 1.9; for later: mabwiser")
    installed(BENCH, {"scikit-learn": "1.9"})
    state, text = module._state("bench", module.examine()["extras"]["bench"])
    assert (state, text) == ("absent", "lacks scipy (the judge in `typeover bench saddle`): pip install scipy")


def test_in_a_checkout_the_command_installs_the_checkout(installed):
    origin = {"url": "file:///somewhere", "dir_info": {"editable": True}}
    installed(["numpy>=2.0", "rapidfuzz>=3.9; extra == 'text'"], {"numpy": "2.0"}, origin)
    assert module.examine()["extras"]["text"]["mend"] == "pip install --editable '.[text]'"


def test_a_checkout_that_was_never_installed_is_not_whole(monkeypatch):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(module.metadata, "distribution", absent)
    core = module.examine()["core"]
    assert (core["whole"], core["mend"]) == (False, "pip install --editable .")


@pytest.mark.parametrize(
    ("version", "floor", "fits"),
    [("2.0", "2", True), ("2", "2.0.0", True), ("2.13.0rc1", "2.13", True), ("2.9", "2.13", False)],
)
def test_versions_are_compared_as_numbers(installed, version, floor, fits):
    installed([f"numpy>={floor}"], {"numpy": version})
    assert module.examine()["core"]["whole"] is fits


def test_requirements_of_another_system_are_left_out(monkeypatch):
    lines = ["uvloop>=0.20; sys_platform != 'win32' and extra == 'serve'"]
    monkeypatch.setattr(sys, "platform", "win32")
    assert module.requirements(lines) == {"": []}
    monkeypatch.setattr(sys, "platform", "linux")
    assert module.requirements(lines) == {"": [], "serve": [("uvloop", "0.20")]}


def test_kernels_count_as_cached_only_while_newer_than_their_source(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert module.examine()["kernels"]["missing"] == list(kernels.MODULES)
    folder = next(iter(module._places()))
    assert folder.parent == tmp_path
    folder.mkdir()
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    for name in kernels.MODULES:
        (folder / f"{name}.function-1.{tag}.nbi").touch()
    cache = module.examine()["kernels"]
    assert (cache["cached"], cache["writable"], cache["mend"]) == (True, True, None)
    first = kernels.MODULES[0]
    long_ago = time.time() - 1e9
    os.utime(folder / f"{first}.function-1.{tag}.nbi", (long_ago, long_ago))
    cache = module.examine()["kernels"]
    assert (cache["missing"], cache["mend"]) == ([first], "python -m typeover.kernels")


def test_where_no_cache_can_be_written_the_way_out_is_named_and_it_exits_with_1(monkeypatch, tmp_path):
    def refuse(**_):
        raise PermissionError

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "made" / "yet"))
    monkeypatch.setattr(module.tempfile, "TemporaryFile", refuse)
    cache = module.examine()["kernels"]
    assert (cache["cached"], cache["writable"]) == (False, False)
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 1
    assert "no place" in result.stdout.splitlines()[-1]
    assert "NUMBA_CACHE_DIR=" in result.stdout.splitlines()[-1]


def test_a_cache_in_the_users_own_folder_counts_where_the_one_beside_the_source_cannot_be_written(
    monkeypatch, tmp_path
):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(module, "_user_cache", lambda: tmp_path)
    monkeypatch.setattr(module, "_is_writable", lambda folder: tmp_path in folder.parents)
    folder = [*module._places()][-1]
    assert module.examine()["kernels"]["cache"] == str(folder)
    folder.mkdir()
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    for name in kernels.MODULES:
        (folder / f"{name}.function-1.{tag}.nbi").touch()
    assert module.examine()["kernels"]["cached"]


@pytest.mark.parametrize("chosen", [True, False])
def test_it_looks_where_numba_would_keep_a_kernel(monkeypatch, tmp_path, chosen):
    from numba.core import caching, config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path) if chosen else "")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path) if chosen else "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    source = importlib.import_module("typeover.kernels.draws").draw_rows.py_func
    kinds = [caching.InTreeCacheLocator, caching.UserWideCacheLocator]
    if chosen:
        kinds.insert(0, caching.UserProvidedCacheLocator)
    theirs = [kind(source, source.__code__.co_filename).get_cache_path() for kind in kinds]
    assert [str(folder) for folder in module._places()] == theirs


NOWHERE = """
import sys
from numba.core import caching

for locator in caching.CacheImpl._locator_classes:
    locator.from_function = classmethod(lambda *_: None)
"""


@pytest.mark.parametrize(
    "run",
    [
        "import runpy; runpy.run_module('typeover.kernels', run_name='__main__')",
        "from typeover.cli import main; main(['demo', '--duration', '0'])",
    ],
)
def test_kernels_that_can_be_kept_nowhere_are_one_sentence(run):
    done = subprocess.run([sys.executable, "-c", NOWHERE + run], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "set NUMBA_CACHE_DIR=" in done.stderr.splitlines()[-1]


def test_on_a_terminal_it_draws_a_table_in_which_extras_keep_their_brackets(installed, capsys):
    installed(["rapidfuzz>=3.9; extra == 'text'"], {})
    module._draw(module.examine())
    assert "typeover[text]" in capsys.readouterr().out
