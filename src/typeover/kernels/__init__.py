"""Compiled loops: arrays in, arrays out, inputs trusted; each has an obvious twin in tests/naive.py.

Importing a module here imports numba (0.7 s the first time) and loads its compiled functions from numba's cache: in
`NUMBA_CACHE_DIR` if that is set, else beside the source, else in the user's own cache folder, whichever can be written
first. Where none can, importing fails. `python -m typeover.kernels` fills the cache.
"""

from __future__ import annotations

MODULES = ("corral", "draws", "envelope", "exponentials", "leader", "master", "multiplier", "shared", "sums")
"""Every module with compiled functions."""
NO_CACHE = "cannot cache function"
"""How numba's own error begins when no folder can be written."""
WAY_OUT = (
    "the compiled kernels have no folder to be kept in: neither the one beside their source nor the user's cache "
    "folder can be written; set NUMBA_CACHE_DIR=FOLDER to one that can, and keep it set"
)
"""What to do then."""
