"""Figures along an axis, one line per series: measured with its interval, in theory dashed, and who drifts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple

import altair as alt

from typeover.charts.axes import Axis, exact, fitted
from typeover.charts.labels import spread
from typeover.charts.rows import Row, Rows, names, tidy
from typeover.charts.theme import ABOVE, BELOW, DASHES, INK, MUTED, looks

WIDTH, HEIGHT = 600, 340
PANEL_WIDTH, PANEL_HEIGHT = 250, 190
LABEL_GAP = 16
"""From one label at the end of a line to the next."""
MARKS = 12
"""At most so many points of a line carry its mark."""


class _Plot(NamedTuple):
    """What the layers of one picture share."""

    rows: list[Row]
    x_axis: Axis
    y_axis: Axis
    x_title: str
    y_title: str
    x_ticks: alt.Axis
    y_ticks: alt.Axis
    height: int
    series: list[str]
    theories: list[str]
    is_split: bool

    def x(self, field: str = "x") -> alt.X:
        return alt.X(f"{field}:Q", title=self.x_title, scale=self.x_axis.scale(), axis=self.x_ticks)

    def y(self, field: str = "y") -> alt.Y:
        return alt.Y(f"{field}:Q", title=self.y_title, scale=self.y_axis.scale(), axis=self.y_ticks)

    def color(self) -> alt.Color:
        colors, _ = looks(self.series)
        scale = alt.Scale(domain=self.series + self.theories, range=colors + [MUTED] * len(self.theories))
        return alt.Color("series:N", scale=scale, legend=alt.Legend() if self.is_split else None)

    def shape(self) -> alt.Shape:
        _, marks = looks(self.series)
        scale = alt.Scale(domain=self.series + self.theories, range=marks + [DASHES] * len(self.theories))
        return alt.Shape("series:N", scale=scale, legend=alt.Legend() if self.is_split else None)


def curves(
    rows: Rows,
    *,
    x: str,
    y: str,
    by: str,
    low: str | None = None,
    high: str | None = None,
    facet: str | None = None,
    log_x: bool = False,
    log_y: bool = False,
    reference: Rows | None = None,
    title: str = "",
    x_title: str | None = None,
    y_title: str | None = None,
) -> Any:
    """One line per value of `by`, with a band from `low` to `high` and a panel per value of `facet`.

    `reference` has the same columns; its lines are dashed, in the colour of the series that they are named after, else
    in grey under their own name. On a logarithmic axis a figure of 0 or less leaves a gap.
    """
    table = [row | {"kind": "measured"} for row in tidy(rows, x=x, y=y, series=by, low=low, high=high, panel=facet)]
    if reference is not None:
        table += [row | {"kind": "theory"} for row in tidy(reference, x=x, y=y, series=by, panel=facet)]
    ends = [row.get(end) for row in table for end in ("low", "high")]
    y_axis = fitted([row["y"] for row in table], log=log_y, edges=ends)
    x_axis = exact([row["x"] for row in table], log=log_x)
    ticks = x_axis.ticks(), y_axis.ticks()
    plot = _plot(_on_scale(table, x_axis, y_axis), (x_axis, y_axis), (x_title or x, y_title or y), ticks)
    return _assembled(plot, title=title)


def drift(
    rows: Rows,
    *,
    x: str = "careless",
    y: str = "violation",
    by: str = "learner",
    low: str | None = None,
    high: str | None = None,
    title: str = "",
    x_title: str = "Share of wrong suggestions that users let pass",
    y_title: str = "Fidelity given up beyond the tolerance",
) -> Any:
    """Who drifts from what users want, and who stays: the violation, 0 at the tolerance and shaded above."""
    table = [row | {"kind": "measured"} for row in tidy(rows, x=x, y=y, series=by, low=low, high=high)]
    values = [row["y"] for row in table if row["y"] is not None]
    reach = max((abs(value) for value in values), default=0.0) or 0.1
    room = [*values, max([0.3 * reach, *values]) + 0.1 * reach, -0.3 * reach]  # the words on both sides need a place
    y_axis = fitted(room, edges=[row.get(end) for row in table for end in ("low", "high")])
    x_axis = exact([row["x"] for row in table])
    ticks = x_axis.ticks(share=x_axis.high <= 1), y_axis.ticks(signed=True)
    plot = _plot(table, (x_axis, y_axis), (x_title, y_title), ticks)
    return _assembled(plot, title=title, under=_tolerance(y_axis, x_axis))


def _plot(
    table: list[Row], axes: tuple[Axis, Axis], titles: tuple[str, str], ticks: tuple[alt.Axis, alt.Axis]
) -> _Plot:
    series = names((row for row in table if row["kind"] == "measured"), "series")
    theories = [name for name in names(table, "series") if name not in series]
    is_split = "panel" in table[0]
    return _Plot(table, *axes, *titles, *ticks, PANEL_HEIGHT if is_split else HEIGHT, series, theories, is_split)


def _on_scale(table: list[Row], x_axis: Axis, y_axis: Axis) -> list[Row]:
    """A logarithmic axis has no place at 0 or below: a gap for a figure, the floor for the end of a band."""

    def row_on_scale(row: Row) -> Row:
        kept = dict(row)
        for name, axis in (("x", x_axis), ("y", y_axis)):
            if axis.log and row[name] is not None and row[name] <= 0:
                kept[name] = None
        if y_axis.log and row.get("low") is not None:
            kept["low"] = max(row["low"], y_axis.low)
        return kept

    return [row_on_scale(row) for row in table]


def _assembled(plot: _Plot, *, title: str, under: tuple[Any, ...] = ()) -> Any:
    """Bands below lines, lines below marks; names at the ends of the lines, or in a legend above panels."""
    _choose_marks(plot)
    layers = [*under, _bands(plot), _lines(plot, "theory"), _lines(plot, "measured"), _marks(plot), _targets(plot)]
    if not plot.is_split:
        layers += _names_at_the_ends(plot)
    data = alt.InlineData(values=plot.rows, name="rows")
    chart = alt.layer(*layers, data=data)
    if not plot.is_split:
        return chart.properties(width=WIDTH, height=HEIGHT, title=title)
    panels = names(plot.rows, "panel")
    panel = alt.Facet("panel:N", sort=panels, title=None)
    chart = chart.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    return chart.facet(facet=panel, columns=2 if len(panels) in {2, 4} else 3, title=title)


def _choose_marks(plot: _Plot) -> None:
    """Set `marked` on a few points of each line: colours need help, crowds do not."""
    measured = sorted((row for row in plot.rows if row["kind"] == "measured"), key=_line)
    for _, line in groupby(measured, key=_line):
        points = list(line)
        step = -(-len(points) // MARKS)
        for i, row in enumerate(points):
            row["marked"] = (len(points) - 1 - i) % step == 0


def _line(row: Row) -> tuple[str, str]:
    return row.get("panel", ""), row["series"]


def _of(kind: str) -> alt.Chart:
    return alt.Chart().transform_filter(f"datum.kind == '{kind}'")


def _bands(plot: _Plot) -> Any:
    """The interval over seeds."""
    band = _of("measured").mark_area(opacity=0.13, clip=True)
    return band.encode(x=plot.x(), y=plot.y("low"), y2="high:Q", color=plot.color())


def _lines(plot: _Plot, kind: str) -> Any:
    dash: dict[str, Any] = {"strokeDash": [6, 4], "strokeWidth": 1.5} if kind == "theory" else {}
    return _of(kind).mark_line(**dash).encode(x=plot.x(), y=plot.y(), color=plot.color())


def _marks(plot: _Plot) -> Any:
    marks = alt.Chart().transform_filter("datum.marked").mark_point(filled=True, size=52, opacity=1)
    return marks.encode(x=plot.x(), y=plot.y(), color=plot.color(), shape=plot.shape())


def _targets(plot: _Plot) -> Any:
    """Unseen, large enough for a finger: they carry the figures that a live chart shows."""
    ends = [("low", "from"), ("high", "to")] if "low" in plot.rows[0] and "high" in plot.rows[0] else []
    tooltip = [
        alt.Tooltip("series:N", title="series"),
        alt.Tooltip("x:Q", title=plot.x_title, format=",.6~g"),
        alt.Tooltip("y:Q", title=plot.y_title, format=",.4~g"),
        *(alt.Tooltip(f"{end}:Q", title=word, format=",.4~g") for end, word in ends),
    ]
    points = alt.Chart().transform_filter("datum.kind != 'label'").mark_point(filled=True, size=260, opacity=0)
    return points.encode(x=plot.x(), y=plot.y(), tooltip=tooltip)


def _names_at_the_ends(plot: _Plot) -> list[Any]:
    """Each name in ink beside its mark, moved apart from the others, with a thin line to the end that it names."""
    last = max(row["x"] for row in plot.rows if row["x"] is not None)
    ends: dict[str, Row] = {}
    for row in sorted((row for row in plot.rows if None not in {row["x"], row["y"]}), key=lambda row: row["x"]):
        if row["kind"] == "measured" or row["series"] in plot.theories:
            ends[row["series"]] = row
    heights = [plot.y_axis.place(row["y"]) * plot.height for row in ends.values()]
    moved = spread(heights, gap=LABEL_GAP, top=plot.height)
    plot.rows.extend(
        {
            "kind": "label", "series": name, "x": row["x"], "y": row["y"], "label_x": last,
            "label_y": plot.y_axis.value(height / plot.height),
        }
        for (name, row), height in zip(ends.items(), moved, strict=True)
    )  # fmt: skip
    colour, shape = plot.color(), plot.shape()
    lead = _of("label").mark_rule(xOffset=5, x2Offset=14, strokeWidth=1, opacity=0.7)
    key = _of("label").mark_point(filled=True, size=52, opacity=1, xOffset=20)
    text = _of("label").mark_text(align="left", baseline="middle", xOffset=28, color=INK)
    return [
        lead.encode(x=plot.x(), x2="label_x:Q", y=plot.y(), y2="label_y:Q", color=colour),
        key.encode(x=plot.x("label_x"), y=plot.y("label_y"), color=colour, shape=shape),
        text.encode(x=plot.x("label_x"), y=plot.y("label_y"), text="series:N"),
    ]


def _tolerance(y_axis: Axis, x_axis: Axis) -> tuple[Any, ...]:
    """A line at 0, a shade above it, and what either side means."""
    at: Callable[[float], Any] = alt.datum
    shade = alt.Chart().transform_filter("datum.kind == 'label'").transform_aggregate(n="count()")
    above = shade.mark_text(align="left", baseline="top", dx=6, dy=6, color=ABOVE)
    below = shade.mark_text(align="left", baseline="bottom", dx=6, dy=-6, color=BELOW)
    return (
        shade.mark_rect(color=ABOVE, opacity=0.08).encode(y=at(0.0), y2=at(y_axis.high)),
        shade.mark_rule(color=INK, strokeWidth=1).encode(y=at(0.0)),
        above.encode(x=at(x_axis.low), y=at(y_axis.high), text=alt.value("drifts from what users want")),
        below.encode(x=at(x_axis.low), y=at(y_axis.low), text=alt.value("stays within the tolerance")),
    )
