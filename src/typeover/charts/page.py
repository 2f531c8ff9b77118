"""Charts inside an HTML page that needs no network: a still drawing, and a script that brings it to life.

The page allows nothing but its own scripts and styles, by their hashes, so that no text in it can become code. Vega's
expressions are interpreted (`ast`), for `eval` is not allowed either.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import vl_convert

from typeover.charts.drawing import VERSION, svg
from typeover.charts.theme import dark_css

STYLE = (
    ".live,.drawn .still{display:none}.drawing .live,.drawn .live{display:block}"
    "@media print{.drawn .still{display:block}.drawn .live{display:none}}"
    f"@media screen and (prefers-color-scheme:dark){{{dark_css('figure')}}}"
)
"""What figures need of a page's style sheet."""


def figure(document: dict[str, Any], *, name: str, label: str) -> str:
    """Two drawings of a specification, of which one shows: still from the start, live once a script has run."""
    data = json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")  # a text that closes no script
    return (
        f'<div role="img" aria-label="{escape(label)}">'
        f'<div class="still" aria-hidden="true">{svg(document, prefix=f"{name}-")}</div>'
        '<div class="live" aria-hidden="true"></div></div>'
        f'<script type="application/json">{data}</script>'
    )


@cache
def scripts() -> tuple[str, ...]:
    """Vega's libraries, and the few lines that use them; they go into a page once, after its figures."""
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VERSION)
    live = Path(__file__).with_name("live.js").read_text(encoding="utf-8")
    return tuple(text.replace("</script", "<\\/script") for text in (bundle, live))


def policy(*, styles: Iterable[str], scripts: Iterable[str]) -> str:
    """The content security policy of a page with these and nothing else."""
    return (
        f"default-src 'none'; style-src {_hashes(styles)}; script-src {_hashes(scripts)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashes(texts: Iterable[str]) -> str:
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
