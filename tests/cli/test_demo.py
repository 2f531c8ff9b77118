from __future__ import annotations

import importlib
import io
import json
import math
import os

import pytest
from click.testing import CliRunner
from rich.console import Console

from typeover.cli import main
from typeover.cli.demo.picture import CURVES, Picture, sparks
from typeover.cli.demo.race import FINEST, LEGEND, Point, Race, Remembered, compared, kept, signed, told
from typeover.environments import next_word
from typeover.evaluation.trial import Glimpse

command = importlib.import_module("typeover.cli.demo")
SHORT = ["demo", "--duration", "0", "--rounds", "4000", "--seed", "1"]


@pytest.fixture(scope="module")
def race() -> Race:
    race = Race(rounds=6_000, tolerance=0.05, bias_bound=0.6, seed=5)
    for rounds in (500, 1_500, 3_000, 6_000):
        race.advance(rounds)
    return race


@pytest.fixture(scope="module")
def piped() -> list[str]:
    result = CliRunner().invoke(main, SHORT)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_without_a_terminal_it_prints_a_legend_lines_a_table_and_one_sentence(piped: list[str]) -> None:
    assert piped[0].startswith("accepted: ")
    assert any("Ctrl-C" in line for line in piped[:8])
    first = next(place for place, line in enumerate(piped) if line.lstrip().startswith("second")) + 1
    assert piped[first].split()[:3] == ["0", "200", "|"]
    assert any(line.startswith("corrections only") for line in piped)
    assert any(line.startswith("EFBO asked") for line in piped)
    assert "repeats it" in piped[-1]


def test_no_piped_line_is_longer_than_100_characters_and_all_of_it_is_ascii(piped: list[str]) -> None:
    assert max(map(len, piped)) <= 100
    assert "\n".join(piped).isascii()


def test_the_columns_of_the_lines_stand_below_their_headings(race: Race) -> None:
    above, below = race.heading().splitlines()
    line = race.line(3.0)
    bars = [place for place, sign in enumerate(line) if sign == "|"]
    assert len(bars) == 3
    assert [place for place, sign in enumerate(below) if sign == "|"] == bars
    assert [place for place, sign in enumerate(above) if sign == "|"] == bars


def test_json_is_one_document_and_the_same_seed_gives_the_same() -> None:
    first, second = (CliRunner().invoke(main, [*SHORT, "--json"]).stdout for _ in range(2))
    assert first == second
    document = json.loads(first)
    assert document["format"] == "typeover.demo"
    assert set(document["learners"]) == {"EFBO", "rewards only", "corrections only"}


def test_a_drawn_seed_is_printed(monkeypatch: pytest.MonkeyPatch, race: Race) -> None:
    drawn = []
    race_module = importlib.import_module("typeover.cli.demo.race")
    monkeypatch.setattr(race_module, "Race", lambda *, seed, **_: drawn.append(seed) or race)
    result = CliRunner().invoke(main, ["demo", "--duration", "0"])
    assert f"typeover demo --seed {drawn[0]} " in result.stdout


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--rounds", "10", "10 is not in the range 100<=x<=1000000000"),
        ("--duration", "-1", "-1.0 is not in the range 0<=x<=86400"),
        ("--duration", "nan", "nan is not in the range 0<=x<=86400"),
        ("--duration", "inf", "inf is not in the range 0<=x<=86400"),
        ("--duration", "1e300", "1e+300 is not in the range 0<=x<=86400"),
        ("--tolerance", "-0.1", "-0.1 is not in the range 0<=x<=1"),
        ("--tolerance", "nan", "nan is not in the range 0<=x<=1"),
        ("--bias-bound", "2", "2.0 is not in the range 0<=x<=1"),
        ("--seed", "-1", "-1 is not in the range x>=0"),
    ],
)
def test_bad_input_is_one_sentence_that_names_the_option(option: str, value: str, message: str) -> None:
    result = CliRunner().invoke(main, ["demo", option, value])
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Invalid value for '{option}': {message}" in result.stderr
    assert "preparing" not in result.stderr
    assert "Try 'main demo" in result.stderr


def test_help_shows_the_ranges_and_says_what_one_sees() -> None:
    text = " ".join(CliRunner().invoke(main, ["demo", "--help"]).stdout.split())
    for part in ("0<=x<=86400", "0<=x<=1]", "fidelity", "Less regret is better", "Ctrl-C"):
        assert part in text


class Screen(io.StringIO):
    """A terminal of some encoding."""

    def __init__(self, encoding: str | None) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str | None:
        return self._encoding

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("encoding", "term", "size", "draws"),
    [
        ("utf-8", "xterm", (80, 24), True),
        ("latin-1", "xterm", (80, 24), False),
        ("ascii", "xterm", (80, 24), False),
        (None, "xterm", (80, 24), False),
        ("utf-8", "dumb", (80, 24), False),
        ("utf-8", "xterm", (39, 24), False),
        ("utf-8", "xterm", (80, 5), False),
    ],
)
def test_it_draws_only_where_the_picture_can_be_shown(
    monkeypatch: pytest.MonkeyPatch, encoding: str | None, term: str, size: tuple[int, int], draws: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(command.shutil, "get_terminal_size", lambda: os.terminal_size(size))
    assert command.can_draw(Screen(encoding)) is draws


def test_the_votes_of_a_world_are_asked_for_once_and_stay_the_same() -> None:
    world, policies, _ = next_word(n_contexts=12, n_policies=5)
    remembered = Remembered(policies, world.tables)
    assert len(remembered) == len(policies)
    assert remembered.names == policies.names
    for context, actions in zip(world.tables.contexts, world.tables.actions, strict=True):
        assert remembered.vote(context, actions).tolist() == policies.vote(context, actions).tolist()
        assert remembered.votes([context], actions).tolist() == policies.votes([context], actions).tolist()
    assert remembered.subset([2, 0]).names == policies.subset([2, 0]).names


def test_before_efbo_commits_nothing_is_compared(monkeypatch: pytest.MonkeyPatch, race: Race) -> None:
    monkeypatch.setattr(race, "done", 100)
    assert "still exploring" in race.verdict()


def test_the_curve_joins_to_the_same_totals_however_fine(race: Race) -> None:
    lane = race.lanes[1]
    for n_points in CURVES[:-1]:
        points = lane.curve(n_points)
        assert len(points) == n_points
        assert FINEST % n_points == 0
    whole = lane.between(0, 6_000)
    assert sum(point.earned for point in lane.curve(6)) / 6 == pytest.approx(whole.earned)


def test_figures_after_the_exploration_leave_the_exploration_out(race: Race) -> None:
    explored, settled = race.lanes[0].between(0, race.explores), race.settled()["EFBO"]
    assert explored.regret > settled.regret
    assert race.lanes[0].trial.learner.figures()["stage"] == "committed"


class Utf8(io.StringIO):
    encoding = "utf-8"


def drawn(race: Race, width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, file=Utf8())
    console.print(Picture(race, console=console).drawn())
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("height", [6, 7, 8, 12, 24])
@pytest.mark.parametrize("width", [40, 45, 50, 60, 80, 100, 160, 300])
def test_the_picture_fits_every_window_and_cuts_no_figure(race: Race, width: int, height: int) -> None:
    lines = drawn(race, width, height)
    assert max(map(len, lines)) <= width
    assert len(lines) <= height - 1
    figures = [line for line in lines if "%" in line and "just now" not in line and "log count" not in line]
    assert len(figures) == len(race.lanes)
    for lane, line in zip(race.lanes, figures, strict=True):
        assert line.startswith(lane.name.removesuffix(" only"))
        assert "…" not in line
        assert signed(lane.curve(6)[-1].regret)[:2] in line
    heads = next(line for line in lines if "regret" in line)
    assert "…" not in heads


def test_a_wide_window_gets_finer_curves_and_a_narrow_one_none(race: Race) -> None:
    bars = {width: sum(sign in "▁▂▃▄▅▆▇█" for sign in "".join(drawn(race, width, 24))) for width in (50, 80, 160)}
    assert bars[50] == 0 < bars[80] < bars[160]
    assert bars[160] > 3 * 3 * 24


def test_a_gap_in_the_curve_is_a_blank() -> None:
    assert sparks([-1.0, 2.0, math.nan], 0, 1) == "▁█ "


def test_rounds_are_told_in_words_that_every_terminal_knows() -> None:
    asked = told(Glimpse(("of", "t"), None, accepted=False, entered="the"))
    assert "asked without a suggestion" in asked
    assert asked.isascii()
    assert told(Glimpse(("of", "t"), "the", accepted=True, entered=None)).endswith("accepted")
    assert "typed over with 'this'" in told(Glimpse(("of", "t"), "the", accepted=False, entered="this"))


POINT = Point(accepted=0.5, fidelity=0.5, regret=0.0, earned=0.1, violation=0.2)


@pytest.mark.parametrize(
    ("violation", "said"),
    [
        (0.2, "was 0.20 less faithful than allowed"),
        (0.01, "was 0.01 less faithful than allowed"),
        (0.009, "was about as faithful as asked"),
        (0.0001, "was about as faithful as asked"),
        (0.0, "stayed as faithful as asked"),
        (-0.01, "stayed as faithful as asked"),
        (math.nan, "showed nothing"),
    ],
)
def test_a_drift_is_named_unless_sampling_may_explain_it(violation: float, said: str) -> None:
    assert kept(POINT._replace(violation=violation)) == said


def test_what_earns_about_as_much_is_said_to() -> None:
    points = {"EFBO": POINT, "near": POINT._replace(earned=0.104), "far": POINT._replace(earned=0.3, violation=-0.1)}
    assert compared(points) == (
        "earned 0.10 a word and was 0.20 less faithful than allowed; near earned about the same (0.10) and was 0.20 "
        "less faithful than allowed; far earned 0.30 and stayed as faithful as asked"
    )


@pytest.mark.parametrize(("figure", "shown"), [(0.0049, "0.00"), (-0.0049, "0.00"), (-0.3, "-0.30"), (0.016, "+0.02")])
def test_zero_has_no_sign(figure: float, shown: str) -> None:
    assert signed(figure) == shown


def test_the_legend_says_what_the_figures_mean_in_plain_characters() -> None:
    assert LEGEND.isascii()
    for word in ("accepted", "fidelity", "regret", "below 0", "less is better", "log count"):
        assert word in LEGEND


@pytest.mark.thorough
@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (8, 50), (24, 160)])
def test_in_a_terminal_ctrl_c_leaves_one_picture_and_a_summary(rows: int, columns: int) -> None:
    from cli import terminal

    written, code = terminal.run("demo", "--seed", "2", rows=rows, columns=columns, until=b"500 ")
    lines = terminal.screen(written, rows=rows, columns=columns)
    assert code == 0, "\n".join(lines)
    stopped = next(place for place, line in enumerate(lines) if line.startswith("stopped after"))
    for lane in ("EFBO  ", "rewards only  ", "corrections only  "):
        assert sum(line.startswith(lane) for line in lines) == 1, "\n".join(lines)
    assert "repeats it" in "\n".join(lines[stopped:])


def test_a_terminal_that_does_not_know_the_characters_gets_lines() -> None:
    from cli import terminal

    arguments = ["demo", "--duration", "0", "--rounds", "1000"]
    written, code = terminal.run(*arguments, rows=24, columns=80, PYTHONIOENCODING="latin-1")
    assert code == 0, written
    assert " | acc. fid. regret" in written
    assert "Traceback" not in written
