"""The worlds in which constants are tried, in pairs: one of each kind in either half."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from typeover.core.protocols import Policies
from typeover.rng import seed_for

if TYPE_CHECKING:
    from typeover.environments import Passage, TabularWorld, TurningWorld

PAIRS = (
    ("W1 dial 1", "W1 dial 0"),
    ("W2 100 %", "W2 70 %"),
    ("H6", "H20"),
    ("Hr", "Ht"),
    ("U0", "U1"),
    ("U2", "U3"),
    ("U4", "U5"),
    ("U6", "W1 dial 0.5"),
    ("starving 1", "starving 10"),
    ("satimage", "letter"),
)
"""What is a world of whom stands in the README; the last pair are sets of a folder that the user names."""
HALVES = tuple(zip(*PAIRS, strict=True))
TABLES = PAIRS[-1]
KINDS = {
    "U0": "U0 exact", "U1": "U1 tolerant", "U2": "U2 soft", "U3": "U3 hurried", "U4": "U4 careless", "U5": "U5 moody",
    "U6": "U6 slipping",
}  # fmt: skip
"""Their names in study `users`; they live in W2."""
SLACK = {"Hr": 0.005}
"""How far the violation may be above 0 and the bar of `typeover bench regret` holds; 0 where nothing stands."""
TABLE_ROWS, TABLE_MODELS = 2_000, 6


class Place(NamedTuple):
    """A world, what is tried in it, and what the learner has to be told there, whatever constants it has."""

    world: TabularWorld | TurningWorld | Passage
    policies: Policies
    tolerance: float
    told: Mapping[str, Any] = {}


def place(name: str, *, rounds: int, seed: int, data: Path | None) -> Place:
    """The world of that name; its randomness does not know which constants are tried."""
    drawn = seed_for(seed, "world")
    if name in KINDS:
        return _with_user(KINDS[name], drawn, seed)
    if name in TABLES:
        assert data is not None  # noqa: S101 - the runner leaves these points out without a folder
        return _table(name, drawn, data)
    return _made(rounds)[name](drawn)


def _made(rounds: int) -> dict[str, Callable[[int], Place]]:
    from typeover.environments import STARVING_BLENDS, h6, h20, hr, starving, turn, w1, w2

    blends = {"blends": sorted(STARVING_BLENDS)}
    return {
        "W1 dial 1": lambda seed: Place(*w1(alignment=1.0, seed=seed)),
        "W1 dial 0.5": lambda seed: Place(*w1(alignment=0.5, seed=seed)),
        "W1 dial 0": lambda seed: Place(*w1(alignment=0.0, seed=seed)),
        "W2 100 %": lambda seed: Place(*w2(careless=1.0, seed=seed)),
        "W2 70 %": lambda seed: Place(*w2(careless=0.7, seed=seed)),
        "H6": lambda seed: Place(*h6(seed=seed)),
        "H20": lambda seed: Place(*h20(seed=seed)),
        "Hr": lambda seed: Place(*hr(seed=seed)),
        "Ht": lambda seed: Place(*turn(h6(careless=0.0, seed=seed), h6(careless=1.0, seed=seed), at=rounds // 10)),
        "starving 1": lambda seed: Place(*starving(good=1, seed=seed), blends),
        "starving 10": lambda seed: Place(*starving(good=10, seed=seed), blends),
    }


def _with_user(kind: str, drawn: int, seed: int) -> Place:
    from typeover.environments import w2
    from typeover.studies.users import user

    world, policies, tolerance = w2(seed=drawn)
    return Place(world.with_user(user(kind, seed)), policies, tolerance)


def _table(name: str, drawn: int, data: Path) -> Place:
    """Users who let 70 % of what is wrong pass, else the constraint would test nothing."""
    from typeover.environments import Careless, Tolerant, labelled, read_table

    users = Careless(Tolerant(0.05), 0.7)
    stream = labelled(read_table(data, name), user=users, n_rows=TABLE_ROWS, n_models=TABLE_MODELS, seed=drawn)
    return Place(stream.world, stream.policies, stream.tolerance)
