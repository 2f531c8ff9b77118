"""Promises of the repository itself: lock, lint exemptions, make targets, sizes, documents."""

import os
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import typeover

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PROJECT_TEXT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(PROJECT_TEXT)
LOCKS = sorted(ROOT.glob("*.lock"))
KINDS = ("added", "changed", "deprecated", "removed", "fixed", "security")


def section(header):
    """The lines of one table of pyproject.toml."""
    return PROJECT_TEXT.partition(f"\n[{header}]\n")[2].partition("\n[")[0].splitlines()


def names(requirements):
    return {re.match(r"[\w.-]+", r)[0].lower().replace("_", "-") for r in requirements}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_no_address_and_no_path(lock):
    text = lock.read_text(encoding="utf-8")
    assert not re.search(r"://|file:|\s@\s|^\s*-(?!-hash)|^\s*--(?!hash)|^\S*/", text, re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_line_of_a_lock_pins_a_version_with_hashes(lock):
    entries = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())
    assert entries
    for entry in entries:
        assert re.match(r"[\w.-]+==\S+ .*\\\n\s+--hash=sha256:[0-9a-f]{64}", entry, re.DOTALL), entry.splitlines()[0]


def test_the_lock_holds_everything_that_make_installs():
    pinned = names(
        re.findall(r"^[\w.-]+(?===)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    )
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["text"], *extras["plots"], *PROJECT["dependency-groups"]["dev"]]
    assert names(needed) - pinned == set()


def test_every_exemption_from_lint_carries_a_reason():
    lines = [line for line in section("tool.ruff.lint") if re.match(r'\s+"[A-Z]+\d', line)]
    lines += [line for line in section("tool.ruff.lint.per-file-ignores") if re.search(r'"[A-Z]+\d*"', line)]
    assert len(lines) > 20
    assert [line for line in lines if not re.search(r'#\s*["\w]', line)] == []


def test_every_optional_dependency_names_the_place_that_needs_it():
    lines = [line for line in section("project.optional-dependencies") if '"' in line and "typeover[" not in line]
    assert len(lines) > 20
    assert [line for line in lines if not re.search(r'["\]]?,?\s+# \w', line)] == []


def test_make_has_every_target_of_the_contributing_guide_and_lists_it():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {"run", "test", "check", "fix", "slow", "docs", "bench"}
    assert targets - set(re.findall(r"^([a-z]+):.*## \w", makefile, re.MULTILINE)) == set()
    assert targets - set(re.findall(r"make ([a-z]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))) == set()


def test_the_build_server_runs_what_a_contributor_runs():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text(encoding="utf-8")


def test_the_version_is_semantic_and_the_installed_one():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|(a|b|rc)\d+)?", typeover.__version__)
    assert metadata.version("typeover") == typeover.__version__


def test_no_source_file_is_longer_than_400_lines():
    sizes = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: size for name, size in sizes.items() if size > 400} == {}


def test_the_architecture_page_names_every_folder_and_every_extra():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "typeover"
    folders = {f"`{path.parent.relative_to(package).parts[0]}/`" for path in package.glob("*/__init__.py")}
    extras = {f"| `{name}` |" for name in PROJECT["project"]["optional-dependencies"]}
    assert {name for name in folders | extras if name not in page} == set()


def test_every_changelog_fragment_has_a_kind_and_a_text():
    for path in (ROOT / "changelog.d").iterdir():
        if path.name != "README.md":
            assert re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(KINDS)})\.md", path.name)
            assert path.read_text(encoding="utf-8").strip()


def test_the_license_is_the_whole_of_apache_2():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
