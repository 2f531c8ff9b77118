"""The command `typeover`: one file per command, imported when it is called."""

from __future__ import annotations

import click

from typeover import __version__
from typeover.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "bench": Lazy(
        "typeover.cli.bench:bench", "Measure speed and regret against their bars; exits 1 if a bar is missed."
    ),
    "demo": Lazy(
        "typeover.cli.demo:demo",
        "Watch EFBO learn from simulated typists, beside learners that hear only half of what they say.",
    ),
    "doctor": Lazy("typeover.cli.doctor:doctor", "Look at the install and name the command that mends it."),
    "study": Lazy("typeover.cli.study:study", "Repeat the experiments, and see what they say."),
}
"""What `typeover --help` lists: where each command lives, and the first line of its own help."""


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Decide which suggestion to show, learn from every accept and every correction.

    Commands that compute take --json (one document on stdout, progress on stderr) and exit 0 (yes), 1 (it ran, the
    answer is no) or 2 (bad input).
    """
