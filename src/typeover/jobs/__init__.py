"""Many tasks in a fixed order, on all cores: `run(tasks, workers=N)` hands back each result as it comes.

Imports no numeric library, so that a caller can still say how many threads those may use.
"""

from __future__ import annotations

from typeover.jobs.local import cores, run
from typeover.jobs.task import Done, Task, single_threaded

__all__ = ["Done", "Task", "cores", "run", "single_threaded"]
