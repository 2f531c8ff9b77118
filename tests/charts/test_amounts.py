"""Bars, points and heat: every figure is drawn and can be read."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeover import charts
from typeover.charts import amounts
from typeover.charts.theme import ABOVE, BELOW, DARK, INK, MUTED, PAPER, SERIES

few = settings(max_examples=20)  # altair checks each chart against its schema, which takes a tenth of a second
FIGURES = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=10)


@few
@given(FIGURES, st.sampled_from([charts.bars, charts.points]))
def test_every_figure_is_drawn_with_its_interval_and_in_order(values, draw):
    rows = [{"learner": f"n{i}", "share": v, "low": v - 1, "high": v + 1} for i, v in enumerate(values)]
    document = charts.spec(draw(rows, x="share", y="learner", low="low", high="high", line=0.5))
    assert [(row["name"], row["x"], row["low"], row["high"]) for row in document["data"]["values"]] == [
        (row["learner"], row["share"], row["low"], row["high"]) for row in rows
    ]


def test_bars_begin_at_zero():
    document = charts.spec(charts.bars([{"n": "a", "v": 5.0}, {"n": "b", "v": 6.0}], x="v", y="n"))
    low, high = document["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low == 0.0
    assert high > 6.0


def test_many_names_are_drawn_alike():
    document = charts.spec(charts.points([{"n": i, "v": float(i)} for i in range(30)], x="v", y="n"))
    assert len(document["data"]["values"]) == 30
    assert len(document["layer"][-1]["encoding"]["color"]["scale"]["range"]) == 1


def test_panels_keep_the_order_of_the_rows():
    rows = [{"n": "a", "v": 1.0, "world": world} for world in ("W2", "H6")]
    assert charts.spec(charts.points(rows, x="v", y="n", facet="world"))["facet"]["sort"] == ["W2", "H6"]


@few
@given(st.lists(st.one_of(st.none(), st.floats(-5, 5)), min_size=1, max_size=12), st.sampled_from([None, 0.0]))
def test_every_cell_shows_its_figure(values, middle):
    rows = [{"user": f"U{i}", "learner": "EFBO", "loss": value} for i, value in enumerate(values)]
    cells = charts.spec(charts.heat(rows, x="user", y="learner", value="loss", middle=middle))["data"]["values"]
    for cell, value in zip(cells, values, strict=True):
        assert cell["value"] == value
        if value is None:
            assert cell["shown"] == "\N{EN DASH}"
        else:
            greatest = max(abs(v) for v in values if v is not None) or 1.0
            assert float(cell["shown"].replace("\N{MINUS SIGN}", "-")) == pytest.approx(value, abs=0.051 * greatest)


@given(st.floats(-1, 1))
def test_a_figure_can_be_read_on_its_cell(value):
    stops, colours = [-1.0, 0.0, 1.0], [amounts._COOL, amounts._PALE, amounts._WARM]
    inks = {"dark": amounts._ON_PALE, "light": amounts._ON_DEEP}
    cell = [np.interp(value, stops, [int(c[i : i + 2], 16) / 255 for c in colours]) for i in (1, 3, 5)]
    ink = [int(inks[amounts._ink(value, stops, colours)][i : i + 2], 16) / 255 for i in (1, 3, 5)]
    assert contrast(cell, ink) > 4.5


def contrast(one, other):
    """The ratio of WCAG 2."""
    linear = [[c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb] for rgb in (one, other)]
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in linear)
    return (high + 0.05) / (low + 0.05)


def test_text_stands_out_from_the_page_in_the_light_and_in_the_dark():
    def rgb(colour):
        return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]

    for colour in (INK, MUTED, ABOVE, BELOW):
        assert contrast(rgb(colour), rgb(PAPER)) > 4.5
        assert contrast(rgb(DARK[colour]), rgb(DARK[PAPER])) > 4.5
    for light, dark, _ in SERIES.values():  # lines and marks: WCAG asks for 3
        assert contrast(rgb(light), rgb(PAPER)) > 3
        assert contrast(rgb(dark), rgb(DARK[PAPER])) > 3
