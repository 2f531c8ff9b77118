"""Experiments that measure what the theorems promise, and the pages that report them."""
