"""What a study asked and found, as one page that can be read anywhere, offline, with its pictures beside it.

The page is built before the first byte is written, and each file is put in place whole: a full disk leaves what was
there.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from typeover.core.claims import Claim
from typeover.errors import InvalidInputError
from typeover.studies.findings import Cell, Findings, Picture, Table

PAGE = "report.html"
"""The page's name in its folder."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def write(
    *, title: str, question: str, command: str, findings: Findings, folder: Path, facts: Mapping[str, str]
) -> Path:
    """Write the page and a PNG and an SVG per picture into the folder; what else is there stays. Returns the page."""
    from typeover import charts
    from typeover.charts.drawing import draw

    pictures = findings.pictures()
    _check_names(pictures)
    files: dict[str, bytes] = {}
    for picture in pictures:
        document = charts.spec(picture.chart, title=picture.title)
        files |= {f"{picture.name}{kind}": draw(document, kind) for kind in (".png", ".svg")}
    page = _page(title=title, question=question, command=command, findings=findings, pictures=pictures, facts=facts)
    files[PAGE] = page.encode()  # last: a page never names a picture that is not there
    _put(files, folder)
    return folder / PAGE


def _check_names(pictures: Sequence[Picture]) -> None:
    names = [picture.name for picture in pictures]
    for name in names:
        if not _NAME.fullmatch(name) or names.count(name) > 1:
            raise InvalidInputError(
                f"a picture is named {name!r}; each needs its own name of small letters, digits and hyphens"
            )


def _page(
    *,
    title: str,
    question: str,
    command: str,
    findings: Findings,
    pictures: Sequence[Picture],
    facts: Mapping[str, str],
) -> str:
    from typeover.charts import page

    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8") + page.STYLE
    scripts = page.scripts() if pictures else ()
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{page.policy(styles=[style], scripts=scripts)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style></head>",
        f'<body><main><h1>{escape(title)}</h1><p class="question">{escape(question)}</p>',
        "<h2>What came out</h2>",
        *(f"<p>{escape(words)}</p>" for words in findings.words),
        _claims(findings.claims),
        *([] if not pictures else ["<h2>Pictures</h2>"]),
        *(_picture(picture) for picture in pictures),
        *([] if not findings.tables else ["<h2>Figures</h2>"]),
        *(_table(table) for table in findings.tables),
        f'<h2>Run it again</h2><pre tabindex="0"><code>{escape(command)}</code></pre>',
        "<h2>How it was run</h2><dl>",
        *(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()),
        "</dl></main>",
        *(f"<script>{script}</script>" for script in scripts),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _claims(claims: Sequence[Claim]) -> str:
    """Held and missed alike, in the order in which they were made."""
    if not claims:
        return ""
    held = sum(claim.holds for claim in claims)
    rows = "".join(
        f'<tr><td class="{"held" if claim.holds else "missed"}">{"✓ held" if claim.holds else "✗ missed"}</td>'
        f'<th scope="row">{escape(claim.claim)}</th>'
        f'<td class="figure">{_cell(claim.figure)}</td><td class="figure">{_bar(claim.bar)}</td></tr>'
        for claim in claims
    )
    return (
        f'<p class="score">{held} of {len(claims)} claims hold.</p>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Claims"><table><thead><tr>'
        '<th scope="col">Outcome</th><th scope="col">Claim</th><th scope="col">Measured</th><th scope="col">Bar</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _picture(picture: Picture) -> str:
    """Its title stands above as a heading, so the drawing in the page has none."""
    from typeover import charts
    from typeover.charts import page

    drawing = page.figure(
        charts.spec(picture.chart, title=""), name=picture.name, label=f"{picture.title}. {picture.caption}"
    )
    links = f'<a href="{picture.name}.png">PNG</a> · <a href="{picture.name}.svg">SVG</a>'
    return (
        f'<h3>{escape(picture.title)}</h3><figure data-chart="{picture.name}">{drawing}'
        f'<figcaption>{escape(picture.caption)}</figcaption></figure><p class="files">{links}</p>'
    )


def _table(table: Table) -> str:
    """A column of numbers stands right."""
    columns = range(len(table.columns))
    numeric = [all(not isinstance(row[i], str) for row in table.rows) for i in columns]
    kinds = [' class="number"' if is_number else "" for is_number in numeric]
    head = "".join(f'<th scope="col"{kinds[i]}>{escape(table.columns[i])}</th>' for i in columns)
    rows = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row"{kinds[i]}>{_cell(row[i])}</th>' if i == 0 else f"<td{kinds[i]}>{_cell(row[i])}</td>"
            for i in columns
        )
        + "</tr>"
        for row in table.rows
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f"<h3>{escape(table.title)}</h3>{note}"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cell(value: Cell) -> str:
    """Counts with separators, other figures with four digits, nothing as a dash."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return "\N{EN DASH}"
    if isinstance(value, str):
        return escape(value)
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return text.replace("-", "\N{MINUS SIGN}") if "e" not in text else text


def _bar(bar: str | float) -> str:
    """A comparison as it is written by hand, in one piece."""
    return re.sub(r"&([lg])t;=\s*", lambda found: {"l": "≤", "g": "≥"}[found[1]] + "\N{NO-BREAK SPACE}", _cell(bar))


def _put(files: Mapping[str, bytes], folder: Path) -> None:
    """All of the files beside their places first, then each into its place."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".report-", dir=folder) as aside:
            for name, content in files.items():
                Path(aside, name).write_bytes(content)
            for name in files:
                Path(aside, name).replace(folder / name)
    except OSError as error:
        raise InvalidInputError(
            f"folder is {str(folder)!r}; the report cannot be written there: {error.strerror or error}; "
            "free some space or name another folder"
        ) from error
