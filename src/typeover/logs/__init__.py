"""The decision log on disk: one schema for every form of it, and the JSONL form; docs/log-schema.md is its page."""

from __future__ import annotations

from typeover.logs.jsonl import Writer, read
from typeover.logs.schema import VERSION, Entry, Micros

__all__ = ["VERSION", "Entry", "Micros", "Writer", "read"]
