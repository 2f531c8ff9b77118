"""The command group: help, laziness, exit codes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from typeover import __version__
from typeover.cli import COMMANDS, main
from typeover.cli.lazy import Lazy, LazyGroup
from typeover.errors import InvalidInputError

HEAVY = {"numba", "numpy", "rich", "scipy", "polars", "sklearn"}
LATER = {"fit", "evaluate", "init"}


@click.command()
def refuses():
    """Refuse whatever comes."""
    raise InvalidInputError("tolerance is 3; it must lie in [0, 1]: pass --tolerance 0.05")


@click.command()
@click.pass_context
def says_no(context):
    """Run and answer no."""
    context.exit(1)


GROUP = LazyGroup(
    "group",
    lazy={
        "refuses": Lazy(f"{__name__}:refuses", "Refuse whatever comes."),
        "no": Lazy(f"{__name__}:says_no", "Run and answer no."),
    },
)


def listed(text):
    return re.findall(r"^  ([a-z]+)  ", text.partition("Commands:")[2], re.MULTILINE)


def test_help_lists_exactly_the_known_commands():
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    assert listed(result.stdout) == sorted(COMMANDS)


def test_no_command_is_listed_before_it_exists():
    assert not LATER & set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_loads_and_has_the_listed_help(name):
    command = COMMANDS[name].load()
    assert command.name == name
    assert command.help.splitlines()[0] == COMMANDS[name].help
    assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_and_version_import_nothing_heavy(arguments):
    code = (
        "import sys\nfrom typeover.cli import main\n"
        f"main({arguments!r}, standalone_mode=False)\n"
        f"heavy = {HEAVY!r} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "typeover", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"typeover {__version__}\n"


def test_an_error_of_ours_becomes_one_sentence_and_exit_code_2():
    result = CliRunner().invoke(GROUP, ["refuses"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "Error: tolerance is 3; it must lie in [0, 1]: pass --tolerance 0.05\n"


def test_an_error_of_ours_inside_a_nested_group_becomes_one_sentence_too():
    outer = click.Group("outer", commands={"group": GROUP})
    result = CliRunner().invoke(outer, ["group", "refuses"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_a_command_that_answers_no_exits_with_1():
    assert CliRunner().invoke(GROUP, ["no"]).exit_code == 1


@pytest.mark.parametrize(("arguments", "hint"), [(["docter"], "'doctor'"), (["doctor", "--jsn"], "'--json'")])
def test_a_misspelt_command_or_option_exits_with_2_and_offers_the_nearest(arguments, hint):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"did you mean {hint}?" in result.stderr.lower()


def test_a_table_entry_that_is_no_command_is_refused():
    with pytest.raises(TypeError, match="names click commands"):
        Lazy("typeover.cli:COMMANDS", "").load()


def test_commands_added_at_run_time_stand_beside_the_lazy_ones():
    group = LazyGroup("group", lazy={"no": Lazy(f"{__name__}:says_no", "Run and answer no.")})
    group.add_command(refuses)
    assert listed(CliRunner().invoke(group, ["--help"]).stdout) == ["no", "refuses"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only where there is a disk that is always full")
@pytest.mark.parametrize("arguments", ["doctor", "doctor --json", "--help", "demo --duration 0 --rounds 200"])
@pytest.mark.parametrize("where", [">&-", "> /dev/full"])
def test_output_that_cannot_be_written_is_one_sentence_and_exit_code_1(arguments, where):
    command = f"{shlex.quote(sys.executable)} -m typeover {arguments} {where}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_reader_that_leaves_early_gets_no_complaint():
    command = f"{shlex.quote(sys.executable)} -m typeover doctor | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_characters_that_the_terminal_does_not_know_are_printed_as_escapes():
    code = (
        "from typeover.cli.lazy import LazyGroup\nimport click\n"
        "group = LazyGroup('group')\n"
        "group.add_command(click.Command('sings', callback=lambda: click.echo('a \\u2581 b')))\n"
        "group.main(['sings'])"
    )
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "a \\u2581 b\n"), done.stderr


def test_other_errors_of_the_system_keep_their_traceback():
    def fails():
        raise FileNotFoundError(2, "no such file")

    group = LazyGroup("group", commands={"fails": click.Command("fails", callback=fails)})
    assert isinstance(CliRunner().invoke(group, ["fails"]).exception, FileNotFoundError)
