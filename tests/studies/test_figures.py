"""Rows at log-spaced rounds."""

from __future__ import annotations

import itertools

import pytest

from typeover.environments import w1
from typeover.evaluation import simulate
from typeover.learners import Uniform
from typeover.studies.figures import curve, marks


@pytest.mark.parametrize("rounds", [1, 99, 100, 101, 20_000, 10**6])
def test_rounds_are_log_spaced_and_end_with_the_last(rounds):
    found = marks(rounds)
    assert found[-1] == rounds
    assert all(1 < later / earlier < 1.6 for earlier, later in itertools.pairwise(found))


def test_a_row_says_what_was_so_far_and_in_the_last_tenth():
    world, policies, tolerance = w1(n_policies=5, seed=1)
    rows = curve(world, Uniform(policies=policies, seed=2), rounds=1_000, seed=3, tolerance=tolerance)
    again = simulate(
        world, Uniform(policies=policies, seed=2), rounds=1_000, seed=3, tolerance=tolerance, at=[900, 1_000]
    )
    assert [row["rounds"] for row in rows] == marks(1_000)
    assert {name: figure for name, figure in rows[-1].items() if name.startswith("late_")} == {
        f"late_{name}": pytest.approx(figure) for name, figure in again.between(900, 1_000).items()
    }
    assert rows[-1]["accepted_share"] == pytest.approx(again.accepted_share[-1])
    assert rows[-1]["reward"] == pytest.approx(again.reward[-1] / 1_000)


def test_even_a_single_round_has_a_row():
    world, policies, tolerance = w1(n_policies=5, seed=1)
    (row,) = curve(world, Uniform(policies=policies, seed=2), rounds=1, seed=3, tolerance=tolerance)
    assert row["rounds"] == 1
    assert row["violation"] == row["late_violation"]
