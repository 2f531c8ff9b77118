"""One look for every chart: ink, paper, colours and marks, in the light and in the dark.

Charts are written in the light colours. A page shows them dark by `dark_css`, which repaints every element by its
light colour, so that one drawing serves both. The colours keep their distance (at least 8 in OKLab x 100) for readers
with any of the three colour blindnesses; marks and labels tell the series apart where colours cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typeover.errors import InvalidInputError

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is drawn into PNGs everywhere; the others have its widths, so that nothing shifts in a browser."""

INK, MUTED, LINE, PAPER = "#1b1f24", "#59626e", "#dfe3e8", "#ffffff"
ABOVE, BELOW = "#c9402d", "#2f6db5"
"""Further from what users want than tolerated, and within."""

SERIES = {
    "SharedExp4": ("#275dcd", "#67b7fe", "circle"),
    "RewardOnly": ("#9f1809", "#c84836", "triangle-up"),
    "CorrectionOnly": ("#015a3d", "#b5fd8b", "square"),
    "EFBO": ("#5018a7", "#966cfc", "diamond"),
    "CorralledExp4": ("#48a1a0", "#75fffa", "triangle-down"),
    "ConstrainedExp4": ("#bf862a", "#f2ae2e", "cross"),
    "AnytimeEFBO": ("#894a76", "#d163bd", "triangle-right"),
    "FeatureBandit": ("#7675b7", "#72707c", "triangle-left"),
    "Uniform": ("#2e333b", "#bec1c3", "M-1,-.3H1V.3H-1Z"),
    "Fixed": ("#867259", "#ab957b", "M-.3,-1H.3V1H-.3Z"),
}
"""Light colour, dark colour and mark of each learner; other names take those that are free."""

DASHES = "M-1.2,-.2H-.3V.2H-1.2Z M.3,-.2H1.2V.2H.3Z"
"""The mark of a line from theory."""

DARK = {INK: "#e8ebf0", MUTED: "#a3adba", LINE: "#323a46", PAPER: "#14181f", ABOVE: "#ff8a75", BELOW: "#7fb4f5"}
DARK |= {light: dark for light, dark, _ in SERIES.values()}

CONFIG: dict[str, Any] = {
    "aria": False,  # a page gives each chart one label; thousands of labelled marks help no one
    "background": PAPER,
    "font": FONT,
    "view": {"stroke": None},
    "title": {
        "anchor": "start", "frame": "group", "fontSize": 16, "fontWeight": "bold", "color": INK, "lineHeight": 20,
        "offset": 14,
    },
    "axis": {
        "labelColor": MUTED, "labelFontSize": 12, "titleColor": INK, "titleFontSize": 12, "titleFontWeight": "normal",
        "gridColor": LINE, "domainColor": LINE, "tickColor": LINE, "titlePadding": 10, "labelPadding": 5,
        "labelOverlap": True,
    },
    "axisX": {"grid": False, "tickCount": 6},
    "axisY": {"domain": False, "ticks": False, "tickCount": 6},
    "legend": {
        "orient": "top", "title": None, "labelColor": INK, "labelFontSize": 12, "symbolSize": 70, "symbolOpacity": 1,
        "columns": 4, "columnPadding": 18, "labelLimit": 240, "offset": 14,
    },
    "header": {
        "labelColor": INK, "labelFontSize": 12, "labelFontWeight": "bold", "labelAnchor": "start", "title": None,
    },
    "line": {"strokeWidth": 2, "strokeCap": "round", "strokeJoin": "round"},
    "text": {"color": INK, "fontSize": 12},
}  # fmt: skip


def looks(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """(colours, marks) of these series: a learner's own, and for other names the first that are free."""
    if len(names) > len(SERIES):
        raise InvalidInputError(
            f"{len(names)} series in one chart; at most {len(SERIES)} can be told apart: show fewer, or draw a `heat`"
        )
    free = [look for name, look in SERIES.items() if name not in names]
    chosen = [SERIES[name] if name in SERIES else free.pop(0) for name in names]
    return [light for light, _, _ in chosen], [mark for _, _, mark in chosen]


def dark_css(selector: str) -> str:
    """Rules that repaint drawings inside `selector` for a dark page."""
    return "".join(
        f'{selector} [{paint}="{light}"]{{{paint}:{dark}}}'
        for light, dark in DARK.items()
        for paint in ("fill", "stroke")
    )
