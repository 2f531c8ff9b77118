from __future__ import annotations

import importlib
import json

import numpy as np
import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.cli.bench import worlds
from typeover.cli.bench.timing import side_by_side
from typeover.core.claims import Claim
from typeover.oracles import exact

corral, regret, saddle = (
    importlib.import_module(f"typeover.cli.bench.{name}") for name in ("corral", "regret", "saddle")
)


@pytest.fixture(scope="module")
def instance() -> tuple[np.ndarray, np.ndarray]:
    source = np.random.default_rng(3)
    return source.random(500), source.random(500)


def test_the_yardsticks_of_the_saddle_point_find_the_same_optimum(instance: tuple[np.ndarray, np.ndarray]) -> None:
    rewards, losses = instance
    solution = exact(rewards, losses, 0.05)
    assert saddle.judged(rewards, losses, 0.05) == pytest.approx(solution.reward, abs=1e-9)
    assert saddle.bisection(rewards, losses, 0.05) == pytest.approx(solution.multiplier, abs=1e-9)


@pytest.mark.thorough
def test_bench_saddle_judges_every_bar_of_its_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saddle, "SIZES", (1_000,))
    monkeypatch.setattr(saddle, "_simulated", lambda seed, rounds: 2e6)
    result = CliRunner().invoke(main, ["bench", "saddle", "--quick", "--json"])
    document = json.loads(result.stdout)
    assert list(document)[:3] == ["format", "version", "bench"]
    assert (document["format"], document["version"]) == ("typeover.bench", 1)
    held = [claim["holds"] for claim in document["claims"]]
    assert result.exit_code == (0 if all(held) else 1), "the exit code is the verdict; timings are not judged here"
    assert len(held) == 7
    value = next(claim for claim in document["claims"] if "HiGHS" in claim["claim"])
    assert value["holds"], value
    loaded = next(claim for claim in document["claims"] if "heavy" in claim["claim"])
    assert loaded["holds"], loaded
    assert set(document["sizes"][0]["mwu"]) == {"tuned", "printed"}
    assert "Compared" in result.stderr


@pytest.mark.parametrize(("quick", "n_sizes"), [(["--quick"], 2), ([], 3)])
def test_bench_saddle_says_first_what_is_compared_and_leaves_a_million_out_if_it_must_be_quick(
    monkeypatch: pytest.MonkeyPatch, quick: list[str], n_sizes: int
) -> None:
    claim = Claim("nothing", bar="<= 1", figure=0.5, holds=True)
    row = {"n_policies": 1, "seconds": {}}
    solved: list[int] = []
    monkeypatch.setattr(saddle, "_solve", lambda size, seed: (solved.append(size) or row, [claim]))
    monkeypatch.setattr(saddle, "_starting", lambda budget: ({}, [claim]))
    monkeypatch.setattr(saddle, "_simulated", lambda seed, rounds: 2e6)
    result = CliRunner().invoke(main, ["bench", "saddle", *quick])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Compared: ")
    assert "A bar is" in result.stdout
    assert len(solved) == n_sizes


@pytest.mark.parametrize("words", [saddle.WORDS, regret.WORDS])
def test_the_words_before_a_bench_explain_its_own(words: str) -> None:
    for term in ("frontier", "mwu", "A bar is") if words is saddle.WORDS else ("uniform", "The bar", "Theorem 2"):
        assert term in words


def test_without_scipy_bench_saddle_names_the_command_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saddle.util, "find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["bench", "saddle"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.endswith("run: pip install scipy\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["saddle", "--seed", "-1"], "'--seed': -1 is not in the range x>=0"),
        (["regret", "--seed", "-1"], "'--seed': -1 is not in the range x>=0"),
        (["regret", "--alignment", "1.5"], "'--alignment': 1.5 is not in the range 0<=x<=1"),
        (["regret", "--alignment", "nan"], "'--alignment': nan is not in the range 0<=x<=1"),
        (["regret", "--seeds", "1"], "'--seeds': 1 is not in the range"),
    ],
)
def test_what_lies_outside_a_range_is_named_as_the_option(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["bench", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Try 'main bench" in result.stderr


def test_bench_regret_compares_with_theorem_2_and_says_where_it_says_nothing() -> None:
    result = CliRunner().invoke(
        main, ["bench", "regret", "--quick", "--seeds", "2", "--alignment", "1", "--part", "theorem2"]
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Three parts. Theorem 2: EFBO's regret")
    assert "says nothing here" in result.stdout
    assert "4 of 4 claims hold" in result.stdout


def test_bench_regret_begins_at_the_seed_that_it_is_given() -> None:
    arguments = ["bench", "regret", "--quick", "--seeds", "2", "--alignment", "1", "--part", "theorem2", "--json"]
    first, second = (json.loads(CliRunner().invoke(main, [*arguments, "--seed", str(seed)]).stdout) for seed in (0, 7))
    assert list(second)[:5] == ["format", "version", "bench", "seed", "seeds"]
    assert (second["seed"], second["seeds"]) == (7, 2)
    assert first["efbo"] != second["efbo"]


@pytest.mark.slow
def test_regret_over_theorem_2_does_not_grow_up_to_1e8_rounds() -> None:
    result = CliRunner().invoke(main, ["bench", "regret", "--part", "theorem2", "--json"])
    document = json.loads(result.stdout)
    assert all(claim["holds"] for claim in document["claims"]), document["claims"]


def test_every_world_of_the_bench_is_measured_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "ROUNDS", 3_000)
    monkeypatch.setattr(worlds, "SPANS", {"first_1e3": (0, 100), "first_1e4": (0, 1_000), "last_1e4": (2_000, 3_000)})
    table = worlds.measured(1)
    judged = list(worlds.claims(table))
    assert {claim.claim.split(":")[0] for claim in judged} == {name.split(":")[0] for name in worlds.WORLDS}
    assert len(list(worlds.lines(table))) == len(table) + 2


def test_every_elimination_of_the_bench_is_measured_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    short = {name: elimination._replace(rounds=3_000) for name, elimination in worlds.ELIMINATIONS.items()}
    monkeypatch.setattr(worlds, "ELIMINATIONS", short)
    found, claims = worlds.radius(2)
    assert set(found) == set(short)
    assert all(row["runs"] == 2 for row in found.values())
    assert len(claims) == len(found) + 1


def test_rivals_take_turns() -> None:
    calls: list[str] = []
    seconds = side_by_side({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, budget=0.0)
    assert calls == ["a", "b"] * 4
    assert set(seconds) == {"a", "b"}


def test_bench_corral_judges_every_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corral, "LARGE", (2_000,))
    result = CliRunner().invoke(main, ["bench", "corral", "--json"])
    document = json.loads(result.stdout)
    held = [claim["holds"] for claim in document["claims"]]
    assert result.exit_code == (0 if all(held) else 1), "the exit code is the verdict; timings are not judged here"
    assert len(held) == 5
    assert set(document["rounds_per_second"]) == {
        "CorralledExp4", "Eq. 11 in NumPy", "SharedExp4", "SharedExp4 in NumPy",
    }  # fmt: skip
