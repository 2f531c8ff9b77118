"""Where rounds come from: worlds whose truth is known exactly, and the users who live in them."""

from __future__ import annotations

from typeover.environments.baits import STARVING_BLENDS, STARVING_TOLERANCE, bait_world, h6, h20, hr, starving, w2
from typeover.environments.benchmark import Benchmark
from typeover.environments.coauthor import WriterRound, writer_rounds
from typeover.environments.habits import Careless, Hurried, Moody, Slipping
from typeover.environments.labelled import Stream, labelled
from typeover.environments.lower_bound import Yielding, lower_bound, revealing_action
from typeover.environments.passage import Passage
from typeover.environments.replay import LoggedRound, Replayed, replay
from typeover.environments.search_session import Clicking, search_session
from typeover.environments.tables import LabelledRows, read_table, read_vectors
from typeover.environments.tabular import TabularWorld
from typeover.environments.turning import Turn, TurningWorld, turn
from typeover.environments.users import Conduct, Exact, Soft, Tolerant, User
from typeover.environments.words import Typing, next_word
from typeover.environments.worlds import Setting, aligned_world, w1

__all__ = [
    "STARVING_BLENDS", "STARVING_TOLERANCE", "Benchmark", "Careless", "Clicking", "Conduct", "Exact", "Hurried",
    "LabelledRows", "LoggedRound", "Moody", "Passage", "Replayed", "Setting", "Slipping", "Soft", "Stream",
    "TabularWorld", "Tolerant", "Turn", "TurningWorld", "Typing", "User", "WriterRound", "Yielding", "aligned_world",
    "bait_world", "h6", "h20", "hr", "labelled", "lower_bound", "next_word", "read_table", "read_vectors", "replay",
    "revealing_action", "search_session", "starving", "turn", "w1", "w2", "writer_rounds",
]  # fmt: skip
