"""`typeover doctor`: is this install whole, and which command mends what is missing?

It reads what is installed and imports none of it, so that it still answers when a package is missing or broken.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path
from typing import Any

import click

from typeover import __version__, kernels
from typeover.cli.output import NO, YES, emit, json_option

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[^\]]*\])?\s*(?:>=\s*(?P<floor>[\d.]+))?[^;]*(?:;(?P<marker>.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*['"](?P<extra>[\w-]+)['"]""")
KERNELS = Path(os.path.abspath(kernels.__file__)).parent  # noqa: PTH100 - as numba spells it, links left alone
PACKAGE = KERNELS.parent
COMPILE = "python -m typeover.kernels"
ELSEWHERE = f"NUMBA_CACHE_DIR=FOLDER {COMPILE}"
RESERVED = {
    "logs": ["logs"],
    "plots": ["charts"],
    "postgres": ["service/store"],
    "ray": ["jobs"],
    "sentences": ["features"],
    "serve": ["service"],
}
"""Extras and the folders that need them; an extra is reserved until one of them is there."""
USED = {
    "bench": {
        "scipy": "the judge in `typeover bench saddle`",
        "scikit-learn": "fitted classifiers as policies",
    },
}
"""Packages of an extra that code of today needs, and what for; the others wait for theirs. Not named here: all."""


@click.command()
@json_option
@click.pass_context
def doctor(context: click.Context, *, as_json: bool) -> None:
    """Look at the install and name the command that mends it.

    Exits 0 if the core is whole and the compiled kernels have a place to be kept, else 1; the extras are a choice.
    """
    document = examine()
    if as_json:
        emit(document)
    elif sys.stdout.isatty() and util.find_spec("rich"):
        _draw(document)
    else:
        click.echo("\n".join(_lines(document)))
    context.exit(YES if document["core"]["whole"] and document["kernels"]["writable"] else NO)


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
    used = USED.get(extra, {name: "" for name, _ in packages})
    lacking = [name for name in missing if name in used]
    reserved = extra in RESERVED and not any((PACKAGE / folder).is_dir() for folder in RESERVED[extra])
    mend = None if not missing or reserved else re.sub(r"(typeover|\.)$", rf"'\1[{extra}]'", spell)
    if mend and extra in USED:
        mend = f"pip install {' '.join(lacking)}" if lacking else None
    return {
        "whole": not missing,
        "usable": not lacking,
        "reserved": reserved,
        "packages": rows,
        "missing": missing,
        "mend": mend,
    }


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
    """Whether each compiled kernel lies where numba looks for it, newer than its source."""
    place = next((folder for folder in _places() if _is_writable(folder)), None)
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    missing = []
    for name in kernels.MODULES:
        index = [] if place is None else list(place.glob(f"{name}.*.{tag}*.nbi"))
        changed = (KERNELS / f"{name}.py").stat().st_mtime
        if not index or max(path.stat().st_mtime for path in index) < changed:
            missing.append(name)
    mend = COMPILE if place else f"{ELSEWHERE} (a folder that can be written, and keep the variable set)"
    return {
        "cached": not missing,
        "missing": missing,
        "cache": str(place or KERNELS / "__pycache__"),
        "writable": place is not None,
        "mend": mend if missing else None,
    }


def _places() -> Iterator[Path]:
    """Where numba keeps compiled functions of the kernels: it takes the first that can be written."""
    own = f"{KERNELS.name}_{hashlib.sha1(str(KERNELS).encode(), usedforsecurity=False).hexdigest()}"
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"], own)
    yield KERNELS / "__pycache__"
    yield _user_cache() / own


def _user_cache() -> Path:
    """The user's cache folder of numba."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local", "numba", "Cache")
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "numba"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache", "numba")


def _is_writable(folder: Path) -> bool:
    """Try it, as numba does; permission bits do not tell of read-only disks."""
    try:
        while not folder.exists():
            folder = folder.parent
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _rows(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(part, state, what it is or what mends it), for both ways to show it; what matters most stands last."""
    core, cache, extras = document["core"], document["kernels"], sorted(document["extras"].items())
    rows = []
    reserved = [extra for extra, group in extras if group["reserved"]]
    if reserved:
        rows.append(("extras", "reserved", f"{', '.join(reserved)}: nothing in this version needs them"))
    rows += [(f"extra {extra}", *_state(extra, group)) for extra, group in extras if not group["reserved"]]
    rows.append(("core", "whole", _have(core)) if core["whole"] else ("core", "broken", _remedy(core)))
    if cache["writable"]:
        rows.append(("kernels", "cached" if cache["cached"] else "not compiled", cache["mend"] or cache["cache"]))
    else:
        rows.append(("kernels", "no place", f"no cache folder can be written: {cache['mend']}"))
    return rows


def _state(extra: str, group: dict[str, Any]) -> tuple[str, str]:
    """Of an extra that today's code can use."""
    if group["whole"]:
        return "whole", _have(group)
    used = USED.get(extra)
    if group["usable"]:
        return "enough", f"{_have(group)}; for later: {', '.join(group['missing'])}"
    if used is None:
        return "absent", _remedy(group)
    lacking = [f"{name} ({purpose})" for name, purpose in used.items() if name in group["missing"]]
    return "absent", f"lacks {', '.join(lacking)}: {group['mend']}"


def _have(group: dict[str, Any]) -> str:
    return ", ".join(f"{row['name']} {row['installed']}" for row in group["packages"] if row["fits"])


def _remedy(group: dict[str, Any]) -> str:
    lacks = f"lacks {', '.join(group['missing'])}: " if group["missing"] else ""
    return f"{lacks}{group['mend']}"


def _head(document: dict[str, Any]) -> str:
    return (
        f"typeover {document['typeover']}, Python {document['python']}, {document['cpus']} CPUs, {document['platform']}"
    )


def _lines(document: dict[str, Any]) -> list[str]:
    """Plain text, one line per part, for pipes and logs."""
    return [_head(document), *(f"{part:<13} {state:<12} {text}" for part, state, text in _rows(document))]


def _draw(document: dict[str, Any]) -> None:
    """The same as a table, for a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    click.echo(textwrap.fill(_head(document), shutil.get_terminal_size().columns))
    table = Table(box=None, pad_edge=False)
    for name in ("part", "state", "what it is, or what mends it"):
        table.add_column(name, overflow="fold")
    colours = {"broken": "red", "no place": "red", "not compiled": "yellow", "absent": "dim", "reserved": "dim"}
    for part, state, text in _rows(document):
        table.add_row(part, Text(state, style=colours.get(state, "green")), Text(text))  # Text: [extra] is no markup
    Console().print(table)
