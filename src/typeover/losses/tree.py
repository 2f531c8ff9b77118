"""Steps through a taxonomy: Delta(a, b) = (depth a + depth b - 2 depth of their lowest common group) / longest.

`longest` is the largest number of steps between two items, so that the two furthest items are one apart. A metric, for
steps in a tree are. Several tops hang below one unnamed top: items that share no group are joined there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Action, Vector
from typeover.core.decision import is_name
from typeover.errors import InvalidInputError
from typeover.losses.items import ItemLoss


class Tree(ItemLoss):
    """How far apart two labels are in a taxonomy: near misses cost less than far ones.

    Choose this when candidates are categories with groups above them, as topics or diagnoses. A taxonomy is
    {leaf: path} or {child: parent}. A path is the list of groups above the leaf, from the top down; groups of one name
    below different groups are different, and only the leaves are items. In {child: parent} every name is an item; a top
    may have the parent None. An answer that is no item is `unknown` away from every candidate; below 0.5 that makes the
    loss no metric.

    >>> loss = Tree({"robin": ["animal", "bird"], "owl": ["animal", "bird"], "cat": ["animal"], "oak": ["plant"]})
    >>> loss.deltas(["robin", "owl", "cat", "oak"], "robin")  # 0, 2, 3 and 5 steps; 5 is the longest way
    array([0. , 0.4, 0.6, 1. ])
    >>> Tree({"owl": "bird", "robin": "bird"}).deltas(["owl", "bird"], "robin")
    array([1. , 0.5])
    """

    def __init__(self, taxonomy: Mapping[Action, Any], *, unknown: float = 1.0) -> None:
        if not isinstance(taxonomy, Mapping):
            raise InvalidInputError(
                f"taxonomy is a {type(taxonomy).__name__}; it must be {{leaf: path}} or {{child: parent}}"
            )
        for child, above in taxonomy.items():
            for group in above if isinstance(above, list | tuple) else [above]:
                if not is_name(group):
                    raise InvalidInputError(
                        f"taxonomy gives {child!r} the group {group!r}, which cannot be a name; "
                        "spell it as {leaf: [group, ...]} or {child: parent}"
                    )
        listed = [isinstance(above, list | tuple) for above in taxonomy.values()]
        if any(listed) and not all(listed):
            child = next(c for c, is_path in zip(taxonomy, listed, strict=True) if not is_path)
            raise InvalidInputError(
                f"taxonomy gives {child!r} the parent {taxonomy[child]!r} and others a path; "
                "it must be {leaf: [group, ...]} or {child: parent} throughout"
            )
        ways = _ways_from_paths(taxonomy) if any(listed) else _ways_from_parents(taxonomy)
        super().__init__(ways, unknown=unknown)
        self._depths = np.array([len(way) for way in ways.values()])
        self._nodes = _numbered(list(ways.values()))
        end = int(self._steps(0, slice(None)).argmax())  # in a tree, an item furthest from any item ends a longest way
        self.longest = int(self._steps(end, slice(None)).max())
        """Steps between the two items that are furthest apart."""

    def _column(self, answer: int, places: list[int] | slice) -> Vector:
        return self._steps(answer, places) / max(self.longest, 1)

    def _largest(self) -> float:
        return float(self.longest > 0)

    def _steps(self, answer: int, places: list[int] | slice) -> NDArray[np.int64]:
        depth = self._depths[answer]
        common = (self._nodes[places][:, :depth] == self._nodes[answer, :depth]).sum(axis=1)  # depth of the last shared
        steps: NDArray[np.int64] = self._depths[places] + depth - 2 * common
        return steps


def _ways_from_paths(taxonomy: Mapping[Action, Sequence[Any]]) -> dict[Action, tuple[Any, ...]]:
    """The way from the top down to each leaf, the leaf included."""
    for leaf, path in taxonomy.items():
        if path and path[-1] == leaf:
            raise InvalidInputError(
                f"the path of {leaf!r} is {list(path)!r} and ends in {leaf!r} itself; it must hold only the groups "
                "above the leaf: drop the last, or rename the group"
            )
    return {leaf: (*path, leaf) for leaf, path in taxonomy.items()}


def _ways_from_parents(taxonomy: Mapping[Action, Any]) -> dict[Action, tuple[Any, ...]]:
    """The way from the top down to each name, the name included; a parent that has none is a top."""
    parents = {**{p: None for p in taxonomy.values() if p is not None}, **taxonomy}
    ways: dict[Action, tuple[Any, ...]] = {}
    for name in [*taxonomy, *parents]:
        climbed: dict[Any, None] = {}
        above = name
        while above is not None and above not in ways:
            if above in climbed:
                raise InvalidInputError(
                    f"taxonomy goes in a circle: {' -> '.join(repr(c) for c in climbed)} -> {above!r}; "
                    "every name must lead up to a top, whose parent is None"
                )
            climbed[above] = None
            above = parents[above]
        way = () if above is None else ways[above]
        for below in reversed(climbed):
            ways[below] = way = (*way, below)
    return ways


def _numbered(ways: list[tuple[Any, ...]]) -> NDArray[np.int32]:
    """A row per item: the number of the node passed at each level, -1 below the item; a node is its whole way down."""
    rows = np.full((len(ways), max(map(len, ways))), -1, dtype=np.int32)
    nodes: dict[tuple[int, Any], int] = {}
    for row, way in zip(rows, ways, strict=True):
        node = -1
        for level, name in enumerate(way):
            node = row[level] = nodes.setdefault((node, name), len(nodes))
    return rows
