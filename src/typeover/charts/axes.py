"""Ends, ticks and numbers of an axis, straight or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import altair as alt


class Axis(NamedTuple):
    """One axis of a picture: from `low` to `high`."""

    low: float
    high: float
    log: bool

    def place(self, value: float) -> float:
        """Where a value lies, 0 at the low end and 1 at the high one."""
        low, high, value = (math.log(v) for v in (self.low, self.high, value)) if self.log else (*self[:2], value)
        return (value - low) / (high - low)

    def value(self, place: float) -> float:
        """The value at a place."""
        if self.log:
            return math.exp(math.log(self.low) + math.log(self.high / self.low) * place)
        return self.low + (self.high - self.low) * place

    def scale(self) -> alt.Scale:
        """Both ends as they are: labels were placed by them."""
        ends = [self.low, self.high]
        return (
            alt.Scale(type="log", domain=ends, nice=False)
            if self.log
            else alt.Scale(domain=ends, nice=False, zero=False)
        )

    def ticks(self, *, signed: bool = False, share: bool = False) -> alt.Axis:
        """Ticks at round numbers; `signed` writes +0.1, `share` writes 10 %."""
        wide = max(abs(self.low), abs(self.high)) >= 10_000
        number = "~%" if share else "~s" if wide else "~g" if self.log else alt.Undefined
        plus = "datum.value > 0 ? '+' + datum.label : datum.label" if signed else "datum.label"
        marks = _log_ticks(self.low, self.high) if self.log else alt.Undefined
        return alt.Axis(format=number, labelExpr=plus, values=marks)


def fitted(values: Iterable[float | None], *, log: bool = False, edges: Iterable[float | None] = ()) -> Axis:
    """An axis that holds all values, and as much of the edges of intervals as leaves the values half of the room."""
    inner = sorted(_scaled(values, log=log)) or [0.0, 1.0]
    low, high = inner[0], inner[-1]
    room = high - low or 0.2 * abs(high) or 1.0
    outer = [min(max(edge, low - room / 2), high + room / 2) for edge in _scaled(edges, log=log)]
    low, high = min(low, *outer, low), max(high, *outer, high)
    rim = 0.04 * (high - low) or room / 2
    if log:
        return Axis(math.exp(low - rim), math.exp(high + rim), log)
    return Axis(0.0 if low == 0 else low - rim, high + rim, log)


def exact(values: Iterable[float | None], *, log: bool = False) -> Axis:
    """An axis that begins at the least value and ends at the greatest."""
    inner = sorted(value for value in values if value is not None and (value > 0 or not log)) or [1.0]
    low, high = inner[0], inner[-1]
    if low == high:
        return fitted([low], log=log)
    return Axis(low, high, log)


def _scaled(values: Iterable[float | None], *, log: bool) -> list[float]:
    if log:
        return [math.log(value) for value in values if value is not None and value > 0]
    return [value for value in values if value is not None]


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, with 2 and 5 between them where there are few, and every other one where there are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if math.log10(high / low) < 2 else (1,)
    ticks = [float(f"{step}e{power}") for power in powers for step in steps]
    within = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
    return within[:: math.ceil(len(within) / 9) or 1]
