"""A report is one page that reads offline, says what came out whether it pleases or not, and is written whole."""

import errno
import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path

import pytest

from typeover import charts
from typeover.core.claims import Claim
from typeover.errors import InvalidInputError
from typeover.studies import report
from typeover.studies.findings import Findings, Picture, Table

EVIL = """<script>alert("x")</script></script><!-- '&amp;"""


def picture(name="drift", title="Who drifts"):
    rows = [{"learner": EVIL, "careless": c, "violation": c - 0.5, "low": c - 0.6, "high": c - 0.4} for c in (0.0, 1.0)]
    return Picture(name=name, title=title, caption=EVIL, chart=charts.drift(rows, low="low", high="high"))


def findings(pictures=(), **more):
    claims = (Claim(EVIL, "<= 0.5", 0.25, holds=True), Claim("fast", 3.0, 4.25, holds=False))
    table = Table(
        title=EVIL, columns=(EVIL, "n", "share"), rows=((EVIL, 12_000, 0.123456), ("b", None, -1.0)), note=EVIL
    )
    return Findings(claims=claims, words=(EVIL,), tables=(table,), pictures=lambda: tuple(pictures), **more)


def write(folder, found=None):
    facts = {"Seeds": EVIL, EVIL: "2"}
    return report.write(
        title=EVIL, question=EVIL, command=EVIL, findings=found or findings(), folder=folder, facts=facts
    )


class Page(HTMLParser):
    """The elements of a page, with the text of each script and style."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = (tag, dict(attrs)) if tag in {"script", "style"} else None

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.texts.append((*self.inside, data))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write(folder, findings([picture(), picture(name="again")]))
    return folder


@pytest.fixture(scope="module")
def page(written):
    return Page((written / report.PAGE).read_text(encoding="utf-8"))


def test_a_picture_has_a_png_and_an_svg_beside_the_page(written):
    names = {path.name for path in written.iterdir()}
    assert names == {report.PAGE, "drift.png", "drift.svg", "again.png", "again.svg"}


def test_no_text_of_a_user_becomes_an_element_or_a_script(page):
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2 + 2  # the data of two pictures, Vega and its use
    assert not any("alert" in text for tag, kind, text in page.texts if kind.get("type") != "application/json")
    assert not any(name.startswith("on") or name == "style" for _, attrs in page.elements for name in attrs)


def test_the_policy_allows_exactly_the_pages_own_scripts_and_style(page):
    policy = next(attrs["content"] for tag, attrs in page.elements if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    code = [text for tag, kind, text in page.texts if kind.get("type") != "application/json"]
    assert allowed == {b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in code}
    assert "unsafe" not in policy


def test_the_page_loads_nothing(written, page):
    assert not [tag for tag, _ in page.elements if tag in {"link", "img", "iframe", "object", "embed", "base"}]
    links = {attrs[name] for _, attrs in page.elements for name in ("src", "href", "data", "action") if name in attrs}
    assert links == {"drift.png", "drift.svg", "again.png", "again.svg"}
    style = next(text for tag, _, text in page.texts if tag == "style")
    assert "url(" not in style
    assert "@import" not in style
    without_scripts = re.sub(r"<script>.*?</script>", "", (written / report.PAGE).read_text("utf-8"), flags=re.DOTALL)
    known = r"http://www\.w3\.org/|https://vega\.github\.io/schema/"  # names of formats, never loaded
    assert not re.search("https?://", re.sub(known, "", without_scripts))


def test_the_data_of_a_picture_survive_the_page(page):
    documents = [json.loads(text) for _, kind, text in page.texts if kind.get("type") == "application/json"]
    assert [row["series"] for row in documents[0]["data"]["values"] if row["kind"] == "measured"] == [EVIL, EVIL]


def test_claims_that_held_and_claims_that_did_not_stand_alike(tmp_path):
    text = write(tmp_path).read_text(encoding="utf-8")
    assert "1 of 2 claims hold." in text
    assert text.count('class="held"') == text.count('class="missed"') == 1
    assert "≤\N{NO-BREAK SPACE}0.5" in text
    assert "4.25" in text


def test_a_reader_who_cannot_see_finds_headings_column_names_and_labels(page):
    tags = [tag for tag, _ in page.elements]
    assert tags.count("h1") == 1
    assert ("html", {"lang": "en"}) in page.elements
    assert all(attrs.get("scope") in {"col", "row"} for tag, attrs in page.elements if tag == "th")
    drawings = [attrs for _, attrs in page.elements if attrs.get("role") == "img"]
    assert [attrs["aria-label"] for attrs in drawings] == [f"Who drifts. {EVIL}"] * 2
    assert all(attrs.get("aria-label") for _, attrs in page.elements if attrs.get("role") == "region")


def test_a_table_writes_counts_shares_and_nothing_so_that_they_can_be_read(tmp_path):
    text = write(tmp_path).read_text(encoding="utf-8")
    for cell in ("12,000", "0.1235", "\N{EN DASH}", "\N{MINUS SIGN}1"):
        assert f'<td class="number">{cell}</td>' in text


def test_a_page_without_pictures_has_no_script_and_allows_none(tmp_path):
    page = Page(write(tmp_path).read_text(encoding="utf-8"))
    assert not any(tag == "script" for tag, _ in page.elements)
    assert "script-src 'none'" in next(attrs["content"] for _, attrs in page.elements if attrs.get("http-equiv"))


def test_the_same_findings_give_the_same_bytes(written, tmp_path):
    write(tmp_path, findings([picture(), picture(name="again")]))
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {p.name: p.read_bytes() for p in written.iterdir()}


def test_a_full_disk_leaves_the_report_of_before_and_one_sentence(tmp_path, monkeypatch):
    before = write(tmp_path).read_bytes()

    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InvalidInputError, match="cannot be written there: No space left on device; free some space"):
        write(tmp_path, Findings(claims=(), words=("other",)))
    assert [path.name for path in tmp_path.iterdir()] == [report.PAGE]
    assert (tmp_path / report.PAGE).read_bytes() == before


def test_a_folder_that_is_a_file_is_one_sentence(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InvalidInputError, match="the report cannot be written there"):
        write(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize("names", [["../up"], ["A picture"], [""], ["twice", "twice"]])
def test_a_picture_without_a_name_of_its_own_for_a_file_is_refused(names, tmp_path):
    with pytest.raises(InvalidInputError, match="each needs its own name"):
        write(tmp_path, findings([picture(name=name) for name in names]))
    assert list(tmp_path.iterdir()) == []
