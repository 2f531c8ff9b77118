"""Curves and drift: every row is drawn, with its band, its name and its own colour."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeover import charts
from typeover.charts.theme import SERIES
from typeover.errors import InvalidInputError

NAMES = st.lists(st.sampled_from([*SERIES, "mine", "<b>", "a.b", "it's"]), min_size=1, max_size=6, unique=True)


few = settings(max_examples=10)  # altair checks each chart against its schema, which takes a fifth of a second


def band(mean):
    return {"low": mean - 0.5, "high": mean + 1}


def table(learners, n=4, **more):
    return [
        {
            "learner": name,
            "rounds": 10**i,
            "regret": 10.0**i + k,
            "low": 10.0**i + k - 0.5,
            "high": 10.0**i + k + 1,
            **more,
        }
        for k, name in enumerate(learners)
        for i in range(1, n + 1)
    ]


def drawn(chart, kind="measured"):
    rows = charts.spec(chart).get("data", {}).get("values")
    return [row for row in rows if row["kind"] == kind]


def curves(rows, **more):
    return charts.curves(rows, x="rounds", y="regret", by="learner", low="low", high="high", **more)


@few
@given(NAMES, st.booleans(), st.booleans())
def test_every_row_is_in_the_chart_with_its_band_around_it(learners, log_x, log_y):
    rows = table(learners)
    shown = drawn(curves(rows, log_x=log_x, log_y=log_y))
    assert [(r["series"], r["x"], r["y"]) for r in shown] == [(r["learner"], r["rounds"], r["regret"]) for r in rows]
    assert all(row["low"] <= row["y"] <= row["high"] for row in shown)


@few
@given(NAMES)
def test_every_line_has_its_name_once_at_its_end_and_no_two_names_touch(learners):
    labels = drawn(curves(table(learners), log_x=True), "label")
    assert [row["series"] for row in labels] == learners
    assert {row["label_x"] for row in labels} == {10**4}
    low, high = scale(curves(table(learners)))["domain"]
    heights = sorted((row["label_y"] - low) / (high - low) * 340 for row in labels)
    assert np.all(np.diff(heights) > 15.9)


def scale(chart, channel="y"):
    """The scale of a channel, in the first layer that names it."""
    encodings = (layer["encoding"].get(channel, {}) for layer in charts.spec(chart)["layer"])
    return next(encoding["scale"] for encoding in encodings if "scale" in encoding)


def colours(chart):
    found = scale(chart, "color")
    return dict(zip(found["domain"], found["range"], strict=True))


@few
@given(NAMES)
def test_a_learner_has_the_same_colour_whoever_else_is_there_and_no_two_share_one(learners):
    found = colours(curves(table(learners)))
    assert len(set(found.values())) == len(learners)
    assert {name: SERIES[name][0] for name in learners if name in SERIES}.items() <= found.items()


def test_columns_and_rows_and_numpys_numbers_give_the_same_chart():
    rows = table(["EFBO", "Uniform"])
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    assert charts.spec(curves(columns)) == charts.spec(curves(rows))


def test_the_same_rows_give_the_same_bytes_again(tmp_path):
    for kind in (".png", ".svg", ".json"):
        first, again = (
            charts.save(curves(table(["EFBO"], world="W2"), facet="world"), tmp_path / f"{i}{kind}").read_bytes()
            for i in range(2)
        )
        assert first == again


def test_a_theorem_is_dashed_in_grey_and_its_name_stands_at_its_end():
    reference = [{"learner": "Theorem 2", "rounds": t, "regret": 9.0 * t} for t in (10, 10_000)]
    chart = curves(table(["EFBO"]), reference=reference, log_x=True)
    assert [row["y"] for row in drawn(chart, "theory")] == [90.0, 90_000.0]
    assert [row["series"] for row in drawn(chart, "label")] == ["EFBO", "Theorem 2"]
    dashed = [layer for layer in charts.spec(chart)["layer"] if "strokeDash" in layer["mark"]]
    assert ["theory" in json.dumps(layer["transform"]) for layer in dashed] == [True]
    assert colours(chart)["Theorem 2"] not in {light for light, _, _ in SERIES.values()}


def test_a_bound_named_after_its_learner_takes_its_colour_and_needs_no_second_name():
    reference = [{"learner": "EFBO", "rounds": t, "regret": 9.0 * t} for t in (10, 10_000)]
    chart = curves(table(["EFBO"]), reference=reference)
    assert colours(chart) == {"EFBO": SERIES["EFBO"][0]}
    assert len(drawn(chart, "label")) == 1


def test_on_a_logarithmic_axis_zero_leaves_a_gap_and_a_band_ends_at_the_floor():
    rows = table(["EFBO"])
    rows[0] |= {"regret": 0.0}
    rows[1] |= {"low": -3.0}
    chart = curves(rows, log_y=True)
    shown = drawn(chart)
    assert shown[0]["y"] is None
    assert shown[1]["low"] == scale(chart)["domain"][0] > 0


def test_what_is_not_finite_is_left_out_and_wide_intervals_do_not_flatten_the_lines():
    rows = table(["EFBO"])
    rows[0] |= {"low": -math.inf, "high": math.inf}
    rows[1] |= {"low": -1e9, "high": 1e9}
    chart = curves(rows)
    assert drawn(chart)[0]["low"] is None
    low, high = scale(chart)["domain"]
    assert high - low < 2.5 * (10_000 - 10)


def test_numbers_may_name_the_lines():
    assert list(colours(curves(table([2, 6, 20])))) == ["2", "6", "20"]
    assert {row["series"] for row in drawn(curves(table([2, 6, 20])))} == {"2", "6", "20"}


def test_panels_share_a_legend_and_stand_in_the_order_of_the_rows():
    rows = table(["EFBO", "Uniform"], world="W2") + table(["EFBO", "Uniform"], world="H6")
    document = charts.spec(curves(rows, facet="world", title="Two worlds"))
    assert document["facet"]["sort"] == ["W2", "H6"]
    assert document["title"] == ["Two worlds"]
    assert not any(row["kind"] == "label" for row in document["data"]["values"])


def test_drift_shades_what_lies_above_the_tolerance_and_has_room_on_both_sides():
    ends = {"EFBO": -0.01, "RewardOnly": 0.2}
    chart = charts.drift([{"learner": n, "careless": c, "violation": v * c} for n, v in ends.items() for c in (0, 1)])
    low, high = scale(chart)["domain"]
    assert low < -0.05
    assert high > 0.21
    shades = [layer for layer in charts.spec(chart)["layer"] if layer["mark"]["type"] == "rect"]
    assert [(shade["encoding"]["y"]["datum"], shade["encoding"]["y2"]["datum"]) for shade in shades] == [(0.0, high)]
    assert [row["y"] for row in drawn(chart)] == [0.0, -0.01, 0.0, 0.2]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "rows is empty"),
        ([{"learner": "EFBO", "round": 1, "regret": 1}], "did you mean 'round'"),
        ({"learner": ["EFBO"], "rounds": [1, 2], "regret": [1]}, "they must be equal"),
        (table([f"learner {i}" for i in range(11)]), "at most 10 can be told apart"),
    ],
)
def test_rows_that_make_no_chart_are_refused(rows, words):
    with pytest.raises(InvalidInputError, match=words):
        charts.spec(charts.curves(rows, x="rounds", y="regret", by="learner"))


@pytest.mark.parametrize("values", [[3.0, 3.0], [0.0, 0.0], [None, None]])
def test_a_line_that_is_flat_or_empty_can_be_drawn(values, tmp_path):
    rows = [{"x": i, "y": value, "by": "EFBO"} for i, value in enumerate(values)]
    assert charts.save(charts.curves(rows, x="x", y="y", by="by"), tmp_path / "flat.svg").stat().st_size > 500
