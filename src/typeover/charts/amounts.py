"""One figure per learner, world or user: bars, points with intervals, and a table in colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from typeover.charts.axes import fitted
from typeover.charts.rows import Row, Rows, names, tidy
from typeover.charts.theme import INK, MUTED, PAPER, SERIES, looks

WIDTH = 520
STEP = 30
"""Height of one name's row."""
_COOL, _PALE, _WARM, _DEEP = "#1c4f8c", "#f2f3f5", "#9c2212", "#1c4f8c"
_ON_PALE, _ON_DEEP = "#000000", "#fffffe"
"""Cells keep their colours on a dark page, so these are no tokens of the theme."""


def points(
    rows: Rows,
    *,
    x: str,
    y: str,
    low: str | None = None,
    high: str | None = None,
    facet: str | None = None,
    line: float | None = None,
    title: str = "",
    x_title: str | None = None,
    bar: bool = False,
) -> Any:
    """A point with its interval for each name in `y`, in the order of the rows; `line` is a limit to be met."""
    table = tidy(rows, x=x, name=y, low=low, high=high, panel=facet)
    order = names(table, "name")
    fixed = [value for value in (line, 0.0 if bar else None) if value is not None]
    ends = [row.get(end) for row in table for end in ("low", "high")]
    axis = fitted([*(row["x"] for row in table), *fixed], edges=ends)
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=x_title or x, scale=axis.scale(), axis=alt.Axis(grid=True)),
        y=alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelColor=INK, labelLimit=240)),
    )
    figures = _figures(base, table, order, x_title or x, bar=bar)
    intervals = _intervals(base, table, x_title or x, bar=bar)
    layers = [figures, *intervals] if bar else [*intervals, figures]
    if line is not None:
        once = alt.Chart().transform_aggregate(n="count()")
        layers.insert(0, once.mark_rule(color=INK, strokeDash=[4, 3]).encode(x=alt.datum(line)))
    chart = alt.layer(*layers, data=alt.InlineData(values=table, name="rows")).properties(
        width=WIDTH if facet is None else WIDTH // 2, height=STEP * len(order)
    )
    if facet is None:
        return chart.properties(title=title)
    panels = names(table, "panel")
    return chart.facet(facet=alt.Facet("panel:N", sort=panels, title=None), columns=min(len(panels), 2), title=title)


def bars(rows: Rows, **settings: Any) -> Any:
    """What `points` shows, as bars from 0."""
    return points(rows, bar=True, **settings)


def heat(
    rows: Rows,
    *,
    x: str,
    y: str,
    value: str,
    middle: float | None = None,
    title: str = "",
    value_title: str | None = None,
) -> Any:
    """A table of figures in colours; around a `middle`, such as a tolerance, above is warm and below is cool."""
    table = tidy(rows, column=x, line=y, value=value)
    values = [row["value"] for row in table if row["value"] is not None] or [0.0]
    stops, colours = [min(values), max(values)], [_PALE, _DEEP]
    if middle is not None:
        reach = max(stops[1] - middle, middle - stops[0]) or 1.0
        stops, colours = [middle - reach, middle, middle + reach], [_COOL, _PALE, _WARM]
    decimals = max(0, 1 - math.floor(math.log10(max(abs(value) for value in values) or 1.0)))
    for row in table:
        row["shown"] = _shown(row["value"], decimals, signed=middle is not None)
        row["ink"] = _ink(row["value"], stops, colours)
    columns, lines = names(table, "column"), names(table, "line")
    base = alt.Chart(alt.InlineData(values=table, name="rows")).encode(
        x=alt.X(
            "column:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False)
        ),
        y=alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(labelColor=INK, labelLimit=240)),
    )
    name = value_title or value
    paint = alt.Scale(domain=stops, range=colours, interpolate="rgb")
    cells = base.mark_rect(stroke=PAPER, strokeWidth=2).encode(
        color=alt.Color("value:Q", title=name, scale=paint, legend=None),
        tooltip=[
            alt.Tooltip("line:N", title=y),
            alt.Tooltip("column:N", title=x),
            alt.Tooltip("value:Q", title=name, format=",.4~g"),
        ],
    )
    ink: Any = alt.when("datum.ink == 'light'").then(alt.value(_ON_DEEP))
    ink = ink.when("datum.ink == 'dark'").then(alt.value(_ON_PALE)).otherwise(alt.value(MUTED))
    figures = base.mark_text(fontSize=12).encode(text="shown:N", color=ink)
    return alt.layer(cells, figures).properties(width=68 * len(columns), height=34 * len(lines), title=title)


def _shown(value: float | None, decimals: int, *, signed: bool) -> str:
    """As many decimals as the greatest figure has use for."""
    if value is None:
        return "\N{EN DASH}"
    rounded = round(value, decimals) + 0.0  # no minus before 0
    return f"{rounded:{'+' if signed and rounded else ''}.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def _ink(value: float | None, stops: Sequence[float], colours: Sequence[str]) -> str:
    """Dark or light, whichever is easier to read on this cell; an empty one shows the page itself."""
    if value is None:
        return "muted"
    channels = ([int(colour[i : i + 2], 16) / 255 for colour in colours] for i in (1, 3, 5))
    red, green, blue = ((float(np.interp(value, stops, c) + 0.055) / 1.055) ** 2.4 for c in channels)  # sRGB, linear
    brightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "dark" if brightness > 0.18 else "light"  # where contrast with black and with white is the same


def _intervals(base: Any, table: list[Row], title: str, *, bar: bool) -> list[Any]:
    """A line from end to end; on a bar with a rim, to be seen on any colour."""
    if "low" not in table[0] or "high" not in table[0]:
        return []
    strokes = [(PAPER, 4), (INK, 2)] if bar else [(MUTED, 2)]
    ends: dict[str, Any] = {"x": alt.X("low:Q", title=title), "x2": "high:Q"}
    return [base.mark_rule(strokeWidth=width, color=colour, clip=True).encode(**ends) for colour, width in strokes]


def _figures(base: Any, table: list[Row], order: list[str], title: str, *, bar: bool) -> Any:
    colours, marks = looks(order) if len(order) <= len(SERIES) else ([MUTED], ["circle"])  # many names: all alike
    ends = [alt.Tooltip(f"{end}:Q", format=",.4~g") for end in ("low", "high") if end in table[0]]
    marked = base.mark_bar(height={"band": 0.66}) if bar else base.mark_point(filled=True, size=90, opacity=1)
    if not bar:
        marked = marked.encode(shape=alt.Shape("name:N", scale=alt.Scale(domain=order, range=marks), legend=None))
    return marked.encode(
        color=alt.Color("name:N", scale=alt.Scale(domain=order, range=colours), legend=None),
        tooltip=["name:N", alt.Tooltip("x:Q", title=title, format=",.4~g"), *ends],
    )
