"""What every command says and how: one JSON document on stdout, progress on stderr, the answer as exit code.

0 = it ran and the answer is yes. 1 = it ran and the answer is no. 2 = bad input: one clear sentence on stderr, which
`LazyGroup` makes of every `TypeoverError` and click of a wrong option.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from typeover.core.claims import Claim
from typeover.errors import InvalidInputError

YES, NO = 0, 1
"""Exit codes of a command that ran."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def json_option(function: _Function) -> _Function:
    """Add `--json`; the command gets it as `as_json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON document on stdout; progress goes to stderr."
    )(function)


def emit(document: Any) -> None:
    """Print the one JSON document of this command; arrays become lists, what is not finite becomes null.

    It is UTF-8 whatever the terminal speaks.
    """
    import msgspec

    from typeover.core.document import encode

    click.echo(msgspec.json.format(encode(document), indent=2))


def progress(text: str) -> None:
    """Say on stderr how far the work is."""
    click.echo(text, err=True)


def introduce(text: str, *, as_json: bool) -> None:
    """Say in plain words what is about to be measured, before it is; lines that end in a full stop stay apart."""
    width = min(100, shutil.get_terminal_size().columns)
    for sentence in re.split(r"(?<=[.])\n", text.strip()):
        click.echo(textwrap.fill(sentence, width), err=as_json)
    click.echo(err=as_json)


def verdict(claims: Sequence[Claim]) -> int:
    """The exit code for these claims: 0 if every one holds, else 1.

    >>> verdict([Claim("exact", bar=1e-9, figure=2e-16, holds=True)])
    0
    >>> verdict([Claim("exact", bar=1e-9, figure=2e-16, holds=True), Claim("fast", bar=3.0, figure=4.2, holds=False)])
    1
    """
    if not claims:
        raise InvalidInputError("claims is empty: nothing was measured, so there is no answer; choose something to run")
    return YES if all(claim.holds for claim in claims) else NO


def print_claims(claims: Sequence[Claim]) -> None:
    """A line each: whether it holds, the figure, the bar."""
    for claim in claims:
        figure = f"{claim.figure:.4g}" if isinstance(claim.figure, float) else claim.figure
        click.echo(f"{'holds ' if claim.holds else 'MISSED'}  {claim.claim}: {figure} (bar {claim.bar})")
    kept = sum(claim.holds for claim in claims)
    click.echo(f"{kept} of {len(claims)} claims hold")
