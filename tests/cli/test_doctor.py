"""Doctor names what is missing and the command that mends it."""

import importlib
import json
import os
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
    installed(["numpy>=2.0", "polars>=1.9; extra == 'logs'"], {"numpy": "2.0"})
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 0
    assert "lacks polars: pip install 'typeover[logs]'" in result.stdout


def test_in_a_checkout_the_command_installs_the_checkout(installed):
    origin = {"url": "file:///somewhere", "dir_info": {"editable": True}}
    installed(["numpy>=2.0", "polars>=1.9; extra == 'logs'"], {"numpy": "2.0"}, origin)
    assert module.examine()["extras"]["logs"]["mend"] == "pip install --editable '.[logs]'"


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
    folder = tmp_path / "kernels_0123"
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


def test_a_cache_that_cannot_be_written_is_told_with_a_way_out(monkeypatch, tmp_path):
    def refuse(**_):
        raise PermissionError

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "made" / "yet"))
    monkeypatch.setattr(module.tempfile, "TemporaryFile", refuse)
    cache = module.examine()["kernels"]
    assert not cache["writable"]
    assert "NUMBA_CACHE_DIR" in cache["mend"]


def test_on_a_terminal_it_draws_a_table_in_which_extras_keep_their_brackets(installed, capsys):
    installed(["polars>=1.9; extra == 'logs'"], {})
    module._draw(module.examine())
    assert "typeover[logs]" in capsys.readouterr().out
