"""Where rounds come from: worlds whose truth is known exactly, and the users who live in them."""

from __future__ import annotations

from typeover.environments.baits import STARVING_BLENDS, STARVING_TOLERANCE, bait_world, h6, h20, hr, starving, w2
from typeover.environments.benchmark import Benchmark
from typeover.environments.habits import Careless, Hurried, Moody, Slipping
from typeover.environments.lower_bound import Yielding, lower_bound, revealing_action
from typeover.environments.search_session import Clicking, search_session
from typeover.environments.tabular import TabularWorld
from typeover.environments.turning import Turn, TurningWorld, turn
from typeover.environments.users import Conduct, Exact, Soft, Tolerant, User
from typeover.environments.words import Typing, next_word
from typeover.environments.worlds import Setting, aligned_world, w1

__all__ = [
    "STARVING_BLENDS", "STARVING_TOLERANCE", "Benchmark", "Careless", "Clicking", "Conduct", "Exact", "Hurried",
    "Moody", "Setting", "Slipping", "Soft", "TabularWorld", "Tolerant", "Turn", "TurningWorld", "Typing", "User",
    "Yielding", "aligned_world", "bait_world", "h6", "h20", "hr", "lower_bound", "next_word", "revealing_action",
    "search_session", "starving", "turn", "w1", "w2",
]  # fmt: skip
