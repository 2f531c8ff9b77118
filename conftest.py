"""Runs every Python snippet of README.md and docs/**/*.md, so that what a reader copies works."""

from __future__ import annotations

import contextlib
import doctest
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

_BLOCK = re.compile(r"^```(?:python|pycon)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take each Markdown file that is named or lies in a test path."""
    return Document.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None


class Document(pytest.File):
    """A Markdown file; its snippets share their names and run from top to bottom, as a reader types them."""

    def collect(self) -> Iterable[pytest.Item]:
        """One test for the whole file, if it has a snippet."""
        if _BLOCK.search(self.path.read_text(encoding="utf-8")):
            yield Snippets.from_parent(self, name="snippets")


class Snippets(pytest.Item):
    """Blocks with `>>>` are compared with the output that they show; the others only have to run."""

    def runtest(self) -> None:
        """Run them in a folder of their own."""
        names: dict[str, Any] = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for line, code in self._blocks():
                if re.search(r"^>>> ", code, re.MULTILINE):
                    self._compare(code, line, names)
                else:
                    exec(compile("\n" * line + code, str(self.path), "exec"), names)  # noqa: S102 (our own documents)

    def _blocks(self) -> Iterator[tuple[int, str]]:
        text = self.path.read_text(encoding="utf-8")
        for block in _BLOCK.finditer(text):
            yield text.count("\n", 0, block.start("code")), block["code"]

    def _compare(self, code: str, line: int, names: dict[str, Any]) -> None:
        test = doctest.DocTestParser().get_doctest(code, {}, self.path.name, str(self.path), line)
        test.globs = names
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        report: list[str] = []
        if doctest.DocTestRunner(optionflags=flags).run(test, out=report.append, clear_globs=False).failed:
            pytest.fail("".join(report), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the document in reports."""
        return self.path, 0, f"{self.path.name}: every snippet runs"
