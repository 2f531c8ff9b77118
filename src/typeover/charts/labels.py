"""Labels at the ends of lines, moved apart where they would touch."""

from __future__ import annotations

from collections.abc import Sequence


def spread(heights: Sequence[float], *, gap: float, top: float) -> list[float]:
    """The heights nearest to these, in least squares, of which no two are closer than `gap`; then kept in [0, top].

    Taking `gap` times the rank off turns it into isotonic regression, which pools neighbours that are out of order.
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    pools: list[list[float]] = []  # [sum, count]
    for rank, i in enumerate(order):
        pools.append([heights[i] - rank * gap, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    level = [total / count for total, count in pools for _ in range(int(count))]
    room = max(top - gap * (len(heights) - 1), 0.0)
    moved = [0.0] * len(heights)
    for rank, i in enumerate(order):
        moved[i] = min(max(level[rank], 0.0), room) + rank * gap
    return moved
