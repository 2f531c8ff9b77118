"""Last rows by axes and seed."""

from __future__ import annotations

import pytest

from typeover.studies.endings import Endings
from typeover.studies.records import Record


def record(name, size, seed, regret):
    rows = [{"regret": 9.0}, {"regret": regret}]
    return Record(
        point={"learner": name, "size": size, "rounds": 5},
        seed=seed,
        rows=rows,
        seconds=1,
        peak_bytes=None,
        version="1",
    )


def test_learners_are_paired_by_seed_whatever_the_order_of_records():
    records = [record("a", 1, seed, 0.1 * seed) for seed in (0, 1, 2)]
    records += [record("b", 1, seed, 0.1 * seed - 0.5) for seed in (2, 0, 1)]
    ends = Endings(records, "learner", "size")
    assert list(ends) == [("a", 1), ("b", 1)]
    assert ends.column("regret", "b", 1) == pytest.approx([-0.3, -0.5, -0.4])
    assert ends.difference("regret", ("a", 1), ("b", 1)) == pytest.approx((0.5, 0.5, 0.5))
    assert ends.interval("regret", "a", 1).high > ends.mean("regret", "a", 1) == pytest.approx(0.1)
