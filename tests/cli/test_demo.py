from __future__ import annotations

import json
import math

import pytest
from click.testing import CliRunner
from rich.console import Console

from typeover.cli import main
from typeover.cli.demo.picture import CURVES, Picture, sparks
from typeover.cli.demo.race import FINEST, Point, Race, kept, told
from typeover.evaluation.trial import Glimpse


@pytest.fixture(scope="module")
def race() -> Race:
    race = Race(rounds=6_000, tolerance=0.05, bias_bound=0.6, seed=5)
    for rounds in (500, 1_500, 3_000, 6_000):
        race.advance(rounds)
    return race


def test_without_a_terminal_it_prints_lines_a_table_and_one_sentence_and_exits_with_0() -> None:
    result = CliRunner().invoke(main, ["demo", "--duration", "0", "--rounds", "4000", "--seed", "1"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("   0 s     200 words | EFBO:")
    assert any(line.startswith("corrections only") for line in lines)
    assert "EFBO asked" in result.stdout
    assert "repeats it" in lines[-1]


def test_json_is_one_document_and_the_same_seed_gives_the_same() -> None:
    arguments = ["demo", "--duration", "0", "--rounds", "4000", "--seed", "1", "--json"]
    first, second = (CliRunner().invoke(main, arguments).stdout for _ in range(2))
    assert first == second
    document = json.loads(first)
    assert document["format"] == "typeover.demo"
    assert set(document["learners"]) == {"EFBO", "rewards only", "corrections only"}


def test_a_drawn_seed_is_printed() -> None:
    result = CliRunner().invoke(main, ["demo", "--duration", "0", "--rounds", "1000"])
    assert "typeover demo --seed" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rounds", "10"], "10 is not in the range"),
        (["--duration", "-1"], "-1.0 is not in the range"),
        (["--tolerance", "-0.1"], "tolerance is -0.1; it must be"),
        (["--bias-bound", "2"], "bias_bound is 2.0; it must be"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["demo", "--duration", "0", *arguments])
    assert result.exit_code == 2
    assert message in result.stderr


def test_before_efbo_commits_nothing_is_compared() -> None:
    race = Race(rounds=6_000, tolerance=0.05, bias_bound=0.6, seed=5)
    race.advance(100)
    assert "still exploring" in race.verdict()


def test_the_curve_joins_to_the_same_totals_however_fine(race: Race) -> None:
    lane = race.lanes[1]
    for n_points in CURVES:
        points = lane.curve(n_points)
        assert len(points) == n_points
        assert FINEST % n_points == 0
    whole = lane.between(0, 6_000)
    assert sum(point.earned for point in lane.curve(6)) / 6 == pytest.approx(whole.earned)


def test_figures_after_the_exploration_leave_the_exploration_out(race: Race) -> None:
    explored, settled = race.lanes[0].between(0, race.explores), race.settled()["EFBO"]
    assert explored.regret > settled.regret
    assert race.lanes[0].trial.learner.figures()["stage"] == "committed"


def test_the_picture_fits_80_columns_and_names_every_lane(race: Race) -> None:
    console = Console(width=80, record=True, file=open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    picture = Picture(race, console=console)
    console.print(picture.drawn())
    text = console.export_text()
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "…" not in text.split("EFBO just now")[0]
    assert all(lane.name in text for lane in race.lanes)
    console.file.close()


def test_a_gap_in_the_curve_is_a_blank() -> None:
    assert sparks([-1.0, 2.0, math.nan], 0, 1) == "▁█ "


def test_rounds_are_told_in_words() -> None:
    assert "asked without a suggestion" in told(Glimpse(("of", "t"), None, accepted=False, entered="the"))
    assert told(Glimpse(("of", "t"), "the", accepted=True, entered=None)).endswith("accepted")
    assert "typed over with 'this'" in told(Glimpse(("of", "t"), "the", accepted=False, entered="this"))


def test_a_drift_is_named() -> None:
    point = Point(accepted=0.5, fidelity=0.5, regret=0.0, earned=0.1, violation=0.2)
    assert kept(point) == "was 0.20 less faithful than allowed"
    assert kept(point._replace(violation=-0.01)) == "stayed as faithful as asked"
