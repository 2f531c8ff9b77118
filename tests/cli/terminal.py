"""A terminal for tests: runs a command in a window of some size, and tells what stands on the screen afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import select
import struct
import subprocess
import sys
import time

import pytest

fcntl = pytest.importorskip("fcntl", reason="terminals of this kind are POSIX")
termios = pytest.importorskip("termios")

MARK = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|([\s\S])")


def run(*arguments: str, rows: int, columns: int, until: bytes | None = None, **environment: str) -> tuple[str, int]:
    """What `typeover` wrote and its exit code; once `until` is seen, Ctrl-C is typed."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", "NO_COLOR"}}
    child = subprocess.Popen(
        [sys.executable, "-c", TAKE_TERMINAL, *arguments],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env=clean | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"} | environment,
    )  # fmt: skip
    os.close(slave)
    written, ends = b"", time.monotonic() + 60
    while time.monotonic() < ends:
        if select.select([master], [], [], 0.1)[0]:
            chunk = b""
            with contextlib.suppress(OSError):  # Linux: the other end was closed
                chunk = os.read(master, 65536)
            if not chunk:
                break
            written += chunk
        if until is not None and until in written:
            os.write(master, b"\x03")
            until = None
    code = child.wait(10)
    os.close(master)
    return written.decode(), code


TAKE_TERMINAL = (
    "import fcntl, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "from typeover.cli import main\n"
    "main(prog_name='typeover')"
)
"""Ctrl-C reaches who has the terminal as their own."""


def screen(written: str, *, rows: int, columns: int) -> list[str]:
    """Every line, those that have scrolled out of the window first."""
    lines, y, x = [""], 0, 0
    for mark in MARK.finditer(written):
        n = int(mark[1]) if (mark[1] or "").isdigit() else 1
        if mark[2] == "A":
            y = max(0, len(lines) - rows, y - n)
        elif mark[2] == "K":
            lines[y] = "" if mark[1] == "2" else lines[y][:x]
        elif mark[3] == "\r":
            x = 0
        elif mark[3] == "\n":
            y += 1
        elif mark[3]:
            y, x = (y + 1, 0) if x == columns else (y, x)
        lines += [""] * (y + 1 - len(lines))
        if mark[3] and mark[3] not in "\r\n":
            lines[y] = f"{lines[y]:{x}}"[:x] + mark[3] + lines[y][x + 1 :]
            x += 1
    return [line.rstrip() for line in lines]
