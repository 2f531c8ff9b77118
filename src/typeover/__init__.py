"""Typeover decides which suggestion to show and learns from every accept and every correction."""

__version__ = "0.1.0.dev0"
