"""Compiled loops: arrays in, arrays out, inputs trusted; each has an obvious twin in tests/naive.py.

Importing a module here imports numba (0.7 s the first time) and loads its compiled functions from the cache beside it;
`python -m typeover.kernels` fills that cache.
"""

from __future__ import annotations

MODULES = ("draws", "envelope", "exponentials", "master", "multiplier", "shared", "sums")
"""Every module with compiled functions."""
