"""Names for the array types in signatures."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
"""Sums, moments, propensities, losses: float64."""
Indices: TypeAlias = NDArray[np.int32]
"""Positions in a list of candidates: int32, -1 = nothing shown."""
Flags: TypeAlias = NDArray[np.bool_]
Votes: TypeAlias = NDArray[Any]
"""What the policies recommend: int32 indices if all are deterministic, else float64 with one more axis, of length K."""
Action: TypeAlias = Hashable
Actions: TypeAlias = Sequence[Action]
