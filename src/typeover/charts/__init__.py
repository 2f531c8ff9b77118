"""Charts defined once, for reports and for a dashboard: plain rows in, an altair chart out.

Rows are a list of dicts or a dict of columns. `spec(chart)` is the chart in the one theme of this package, `save` draws
it. A learner has the same colour and mark in every chart.
"""

from __future__ import annotations

from typeover.errors import missing

try:
    import altair as alt  # noqa: F401 - asked for here, so that every module below may rely on both
    import vl_convert  # noqa: F401
except ImportError as error:
    raise missing(str(error.name), extra="plots", purpose="drawing a chart") from error

from typeover.charts.amounts import bars, heat, points
from typeover.charts.drawing import save, spec
from typeover.charts.lines import curves, drift

__all__ = ["bars", "curves", "drift", "heat", "points", "save", "spec"]
