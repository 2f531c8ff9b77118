"""Numbers that an option takes, with their range in `--help`; what lies outside is refused before any work."""

from __future__ import annotations

from typing import Any

import click


class Real(click.FloatRange):
    """A number in a closed range; not a number lies in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """As click does, which lets NaN through."""
        number = float(super().convert(value, param, ctx))
        if number != number:  # noqa: PLR0124 - NaN
            self.fail(f"{number} is not in the range {self._describe_range()}.", param, ctx)
        return number


SHARE = Real(0, 1)
SEED = click.IntRange(0)
