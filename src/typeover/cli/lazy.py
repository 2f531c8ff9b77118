"""A group of commands that knows their names and one line each, and imports a command only when it is called."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import click

from typeover.errors import TaskFailedError, TypeoverError, nearest
from typeover.kernels import NO_CACHE, WAY_OUT

UNWRITTEN = {errno.EBADF, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EPIPE, errno.EFBIG}
"""Of an error: what could not be written is the output."""


class Lazy(NamedTuple):
    """A command that has not been imported."""

    target: str
    """`package.module:function`."""
    help: str
    """The first line of the command's own help."""

    def load(self) -> click.Command:
        """Import the command."""
        module, _, name = self.target.partition(":")
        command = getattr(importlib.import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self.target} is a {type(command).__name__}; a lazy table names click commands")
        return command


class BadInput(click.ClickException):
    """What the caller gave does not fit: one sentence on stderr, exit code 2."""

    exit_code = 2


class Failed(click.ClickException):
    """It could not run here, or not to its end: why on stderr, exit code 1."""

    exit_code = 1


class LazyGroup(click.Group):
    """Loads a command on its first call; turns Typeover's own errors into one sentence and exit code 2."""

    def __init__(self, *args: Any, lazy: Mapping[str, Lazy] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The known names, in alphabetical order."""
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now if it is lazy."""
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in self.lazy:
            command = self.lazy[cmd_name].load()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but a name that is unknown is answered with the nearest known one."""
        names = self.list_commands(ctx)
        if args and not ctx.resilient_parsing and not args[0].startswith("-") and args[0] not in names:
            ctx.fail(f"no command is named {args[0]!r}; {nearest(args[0], names)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that help imports none of them."""
        rows = []
        for name in self.list_commands(ctx):
            entry = self.lazy.get(name)
            rows.append((name, entry.help if entry else self.commands[name].get_short_help_str()))
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error that Typeover raises on purpose becomes exit code 2."""
        try:
            return super().invoke(ctx)
        except TaskFailedError as error:
            raise Failed(str(error)) from error
        except TypeoverError as error:
            raise BadInput(str(error)) from error
        except RuntimeError as error:
            if NO_CACHE not in str(error):
                raise
            raise Failed(WAY_OUT) from error

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a program that ends with one sentence, not a traceback, when its output cannot be written."""
        if not kwargs.get("standalone_mode", True):
            return super().main(*args, **kwargs)
        if sys.stdout is None:
            _give_up("standard output is closed")
        _never_crash_on_characters()
        try:
            try:
                return super().main(*args, **kwargs)
            finally:
                sys.stdout.flush()  # what was printed fails here, if at all, and not after the last line of Python
        except OSError as error:
            if error.errno not in UNWRITTEN:
                raise
            _give_up("" if error.errno == errno.EPIPE else f"the output cannot be written: {error.strerror}")


def _never_crash_on_characters() -> None:
    """Characters that the terminal does not know are printed as their escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _give_up(sentence: str) -> NoReturn:
    """Say why, drop what is still unwritten, exit with 1."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if sentence:
            click.echo(f"Error: {sentence}", err=True)
    with contextlib.suppress(OSError, ValueError, AttributeError):  # no real file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)
