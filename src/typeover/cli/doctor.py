"""`typeover doctor`: is this install whole, and which command mends what is missing?

It reads what is installed and imports none of it, so that it still answers when a package is missing or broken.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import tempfile
from importlib import metadata, util
from pathlib import Path
from typing import Any

import click

from typeover import __version__, kernels
from typeover.cli.output import NO, YES, emit, json_option

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[^\]]*\])?\s*(?:>=\s*(?P<floor>[\d.]+))?[^;]*(?:;(?P<marker>.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*['"](?P<extra>[\w-]+)['"]""")
COMPILE = "python -m typeover.kernels"


@click.command()
@json_option
@click.pass_context
def doctor(context: click.Context, *, as_json: bool) -> None:
    """Look at the install and name the command that mends it.

    Exits 0 if the core is whole (the extras are a choice), else 1.
    """
    document = examine()
    if as_json:
        emit(document)
    elif sys.stdout.isatty() and util.find_spec("rich"):
        _draw(document)
    else:
        click.echo("\n".join(_lines(document)))
    context.exit(YES if document["core"]["whole"] else NO)


def examine() -> dict[str, Any]:
    """Everything that doctor knows, as one document."""
    needed: dict[str, list[tuple[str, str | None]]] = {"": []}
    try:
        installed = metadata.distribution("typeover")
    except metadata.PackageNotFoundError:  # run from a checkout that was never installed
        spell = "pip install --editable ."
    else:
        needed, spell = requirements(installed.requires or []), _install_command(installed)
    groups = {extra: _group(extra, packages, spell) for extra, packages in needed.items()}
    core = groups.pop("")
    core["whole"] = core["whole"] and bool(core["packages"])
    core["mend"] = None if core["whole"] else spell
    return {
        "format": "typeover.doctor",
        "version": 1,
        "typeover": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": _cpus(),
        "core": core,
        "extras": groups,
        "kernels": _kernel_cache(),
    }


def requirements(lines: list[str]) -> dict[str, list[tuple[str, str | None]]]:
    """(package, least version) by extra, from a distribution's own metadata; the core stands under "".

    >>> requirements(["numpy>=2.0", "psycopg[binary]>=3.2; extra == 'postgres'"])
    {'': [('numpy', '2.0')], 'postgres': [('psycopg', '3.2')]}
    """
    found: dict[str, list[tuple[str, str | None]]] = {"": []}
    for line in lines:
        match = _REQUIREMENT.match(line)
        if match is None:
            continue
        marker = match["marker"] or ""
        chosen = _EXTRA.search(marker)
        extra = chosen["extra"] if chosen else ""
        elsewhere = sys.platform == "win32" and re.search(r"sys_platform\s*!=\s*.win32", marker)
        if extra != "all" and not elsewhere:  # `all` only gathers the others
            found.setdefault(extra, []).append((match["name"], match["floor"]))
    return found


def _group(extra: str, packages: list[tuple[str, str | None]], spell: str) -> dict[str, Any]:
    """Which packages of one extra are there, and the command that brings the others."""
    rows = []
    for name, floor in packages:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            version = None
        fits = version is not None and (floor is None or _numbers(version) >= _numbers(floor))
        rows.append({"name": name, "needs": floor and f">={floor}", "installed": version, "fits": fits})
    missing = [row["name"] for row in rows if not row["fits"]]
    mend = None if not missing else re.sub(r"(typeover|\.)$", rf"'\1[{extra}]'", spell)
    return {"whole": not missing, "packages": rows, "missing": missing, "mend": mend}


def _install_command(installed: metadata.Distribution) -> str:
    """How this copy is installed again: from the index, or from the checkout that it stands in."""
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    return "pip install --editable ." if origin.get("dir_info", {}).get("editable") else "pip install typeover"


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, for comparison: 2.13.0rc1 -> (2, 13, 0); 2.0 and 2 compare equal."""
    numbers = [int(n) for n in re.findall(r"(?:^|\.)(\d+)", version)]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _kernel_cache() -> dict[str, Any]:
    """Whether each compiled kernel lies in numba's cache, newer than its source, and whether it could be written."""
    source = Path(kernels.__file__).parent
    chosen = os.environ.get("NUMBA_CACHE_DIR")  # numba then keeps one folder per package in it
    folders = sorted(Path(chosen).glob("kernels_*")) if chosen else [source / "__pycache__"]
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    missing = []
    for name in kernels.MODULES:
        index = [path for folder in folders for path in folder.glob(f"{name}.*.{tag}*.nbi")]
        changed = (source / f"{name}.py").stat().st_mtime
        if not index or max(path.stat().st_mtime for path in index) < changed:
            missing.append(name)
    place = Path(chosen) if chosen else source / "__pycache__"
    writable = _is_writable(place)
    mend = COMPILE if writable else f"NUMBA_CACHE_DIR=FOLDER {COMPILE} (and keep the variable set)"
    return {
        "cached": not missing,
        "missing": missing,
        "cache": str(place),
        "writable": writable,
        "mend": mend if missing else None,
    }


def _is_writable(folder: Path) -> bool:
    """Try it, as numba does; permission bits do not tell of read-only disks."""
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _rows(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(part, state, what it is or what mends it), for both ways to show it."""
    core, cache = document["core"], document["kernels"]
    have = ", ".join(f"{row['name']} {row['installed']}" for row in core["packages"] if row["fits"])
    rows = [
        ("core", "whole" if core["whole"] else "broken", have if core["whole"] else _remedy(core)),
        ("kernels", "cached" if cache["cached"] else "not compiled", cache["mend"] or cache["cache"]),
        ("cache", "writable" if cache["writable"] else "read-only", cache["cache"]),
    ]
    for extra, group in sorted(document["extras"].items()):
        have = ", ".join(f"{row['name']} {row['installed']}" for row in group["packages"])
        rows.append(
            (f"extra {extra}", "whole" if group["whole"] else "absent", _remedy(group) if group["mend"] else have)
        )
    return rows


def _remedy(group: dict[str, Any]) -> str:
    lacks = f"lacks {', '.join(group['missing'])}: " if group["missing"] else ""
    return f"{lacks}{group['mend']}"


def _head(document: dict[str, Any]) -> str:
    return (
        f"typeover {document['typeover']}, Python {document['python']}, {document['cpus']} CPUs, {document['platform']}"
    )


def _lines(document: dict[str, Any]) -> list[str]:
    """Plain text, one line per part, for pipes and logs."""
    return [_head(document), *(f"{part:<16} {state:<12} {text}" for part, state, text in _rows(document))]


def _draw(document: dict[str, Any]) -> None:
    """The same as a table, for a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=_head(document), title_justify="left", box=None, pad_edge=False)
    for name in ("part", "state", "what it is, or what mends it"):
        table.add_column(name)
    colours = {"broken": "red", "not compiled": "yellow", "read-only": "yellow", "absent": "dim"}
    for part, state, text in _rows(document):
        table.add_row(part, Text(state, style=colours.get(state, "green")), Text(text))  # Text: [extra] is no markup
    Console().print(table)
