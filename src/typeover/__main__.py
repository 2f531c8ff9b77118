"""`python -m typeover` is the command `typeover`."""

from __future__ import annotations

from typeover.cli import main

main(prog_name="typeover")
