from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.cli.bench import saddle
from typeover.cli.bench.timing import side_by_side
from typeover.oracles import exact


@pytest.fixture(scope="module")
def instance() -> tuple[np.ndarray, np.ndarray]:
    source = np.random.default_rng(3)
    return source.random(500), source.random(500)


def test_the_yardsticks_of_the_saddle_point_find_the_same_optimum(instance: tuple[np.ndarray, np.ndarray]) -> None:
    rewards, losses = instance
    solution = exact(rewards, losses, 0.05)
    assert saddle.judged(rewards, losses, 0.05) == pytest.approx(solution.reward, abs=1e-9)
    assert saddle.bisection(rewards, losses, 0.05) == pytest.approx(solution.multiplier, abs=1e-9)


def test_bench_saddle_judges_every_bar_of_its_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saddle, "SIZES", (1_000,))
    monkeypatch.setattr(saddle, "_simulated", lambda seed: 2e6)
    result = CliRunner().invoke(main, ["bench", "saddle", "--json"])
    document = json.loads(result.stdout)
    held = [claim["holds"] for claim in document["claims"]]
    assert result.exit_code == (0 if all(held) else 1), "the exit code is the verdict; timings are not judged here"
    assert len(held) == 7
    value = next(claim for claim in document["claims"] if "HiGHS" in claim["claim"])
    assert value["holds"], value
    loaded = next(claim for claim in document["claims"] if "heavy" in claim["claim"])
    assert loaded["holds"], loaded
    assert set(document["sizes"][0]["mwu"]) == {"tuned", "printed"}


def test_bench_regret_compares_with_theorem_2_and_says_where_it_says_nothing() -> None:
    result = CliRunner().invoke(main, ["bench", "regret", "--quick", "--seeds", "2", "--alignment", "1"])
    assert result.exit_code == 0, result.output
    assert "says nothing here" in result.stdout
    assert "2 of 2 claims hold" in result.stdout


@pytest.mark.slow
def test_regret_over_theorem_2_does_not_grow_up_to_1e8_rounds() -> None:
    result = CliRunner().invoke(main, ["bench", "regret", "--json"])
    document = json.loads(result.stdout)
    assert all(claim["holds"] for claim in document["claims"]), document["claims"]


def test_rivals_take_turns() -> None:
    calls: list[str] = []
    seconds = side_by_side({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, budget=0.0)
    assert calls == ["a", "b"] * 4
    assert set(seconds) == {"a", "b"}
