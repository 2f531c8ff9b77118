"""From a chart to its specification and its files; nothing is ever loaded from elsewhere."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from typeover.charts.theme import CONFIG
from typeover.errors import InvalidInputError, nearest

VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_IDS = re.compile(r' id="([^"]+)"')
_USES = re.compile(r'( id="|url\(#)([^")]+)([")])')
_VIEWS = re.compile(r"\bview_\d+\b")


def spec(chart: Any, *, title: str | None = None) -> dict[str, Any]:
    """The chart's Vega-Lite specification in this package's theme, under its own title or another one.

    altair numbers views through the life of a process; here they are numbered from the start of each chart, so that the
    same rows give the same bytes.
    """
    text = chart.to_json(indent=None)
    views = {view: f"view_{i}" for i, view in enumerate(dict.fromkeys(_VIEWS.findall(text)))}
    document: dict[str, Any] = json.loads(_VIEWS.sub(lambda found: views[found[0]], text))
    own = document.pop("title", "")
    heading = own if title is None else title
    if heading:
        document["title"] = textwrap.wrap(heading, 72) or heading
    return document | {"config": CONFIG}


def save(chart: Any, path: str | Path, *, title: str | None = None) -> Path:
    """Write the chart as .png (two dots per unit), .svg or .json, by the end of the name."""
    path = Path(path)
    path.write_bytes(draw(spec(chart, title=title), path.suffix))
    return path


def draw(document: dict[str, Any], suffix: str) -> bytes:
    """The bytes of a .png, .svg or .json of this specification."""
    if suffix == ".png":
        return vl_convert.vegalite_to_png(document, vl_version=VERSION, scale=2, allowed_base_urls=[])
    if suffix == ".svg":
        return svg(document).encode()
    if suffix == ".json":
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
    kinds = (".png", ".svg", ".json")
    raise InvalidInputError(f"a chart cannot be saved as {suffix!r}; {nearest(suffix, kinds)}")


def svg(document: dict[str, Any], *, prefix: str = "") -> str:
    """The drawing as SVG; `prefix` keeps the ids of several drawings in one page apart.

    The renderer counts its ids through the life of a process; here they start anew with each drawing.
    """
    text = vl_convert.vegalite_to_svg(document, vl_version=VERSION, allowed_base_urls=[])
    ids = {name: f"{prefix}clip-{i}" for i, name in enumerate(_IDS.findall(text))}
    return _USES.sub(lambda found: found[1] + ids.get(found[2], found[2]) + found[3], text)
