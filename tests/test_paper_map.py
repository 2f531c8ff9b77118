"""docs/paper-map.md and the code name the same equations, symbols, tests and decisions."""

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MAP = DOCS / "paper-map.md"
HEADINGS = ("Implemented", "Not yet implemented")
REQUIRED = [
    *(f"Eq. {n}" for n in range(1, 7)),
    *(f"Algorithm 1, line {n}" for n in range(1, 12)),
    "Theorem 2, in expectation", "Theorem 2, with high probability", "Definition 1", "Assumption 2", "Example 1",
    "Section 3.2, T0", "Section 3.2, grid", "Section 2, regret",
    "lem:saddle_point", "lem:lem4_zhang", "lem:mcal_choice",
]  # fmt: skip
NUMBERED = [
    *(f"Eq. {n}" for n in range(1, 15)), *(f"Theorem {n}" for n in range(1, 9)), "Algorithm 1", "Algorithm 2",
    *(f"Assumption {n}" for n in range(1, 7)), "Definition 1", "Definition 2", "Example 1", "Example 2",
]  # fmt: skip
CITATION = re.compile(r"\b(Eq\. \d+|Theorem \d+|Definition \d+|Assumption \d+|Algorithm \d+|Example \d+|lem:\w+)")
RECORD = re.compile(r"\bdecisions?[ /](\d{4})")


@cache
def tables():
    """The rows of both tables, as lists of cells, by heading."""
    found, heading = {name: [] for name in HEADINGS}, ""
    for line in MAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| ") and not line.startswith("| paper |"):
            found[heading].append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def rows():
    return [pytest.param(row, id=row[0]) for row in tables()["Implemented"]]


def is_about(row, item):
    """Whether a row's first cell is this item, or a part of it."""
    return re.match(rf"{re.escape(item)}(?!\d)", row[0]) is not None


def marked(cell):
    return re.findall(r"`([^`]+)`", cell)


def resolve(dotted):
    """The object that a dotted path names: the longest importable module, then attributes."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ModuleNotFoundError as error:
            if error.name is None or not dotted.startswith(error.name):
                raise
            continue
        for name in parts[n:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(dotted)


def citations(pattern):
    """What the sources cite, each with the files that do."""
    found = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        for item in pattern.findall(path.read_text(encoding="utf-8")):
            found.setdefault(item, set()).add(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize("item", REQUIRED)
def test_everything_that_is_implemented_has_a_row(item):
    assert any(is_about(row, item) for row in tables()["Implemented"])


@pytest.mark.parametrize("item", NUMBERED)
def test_every_numbered_item_of_the_paper_stands_in_exactly_one_table(item):
    assert sum(any(is_about(row, item) for row in tables()[name]) for name in HEADINGS) == 1


@pytest.mark.parametrize("row", rows())
def test_every_row_is_complete(row):
    _, says, code, test, departure = row
    assert says
    assert marked(code)
    assert marked(test)
    assert departure


@pytest.mark.parametrize("row", rows())
def test_every_symbol_exists(row):
    for dotted in marked(row[2]):
        assert dotted.startswith("typeover.")
        resolve(dotted)


@pytest.mark.parametrize("row", rows())
def test_every_test_exists(row):
    for place in marked(row[3]):
        path, _, name = place.partition("::")
        assert (ROOT / path).is_file(), f"{path} does not exist"
        text = (ROOT / path).read_text(encoding="utf-8")
        pattern = rf"^ *def {name}\(" if name else r"^ *(def test_\w+\(|>>> )"
        assert re.search(pattern, text, re.MULTILINE), f"{place} holds no such test"


def test_two_rows_never_share_a_name():
    names = [row[0] for table in tables().values() for row in table]
    assert len(set(names)) == len(names)


def test_what_the_code_cites_stands_among_what_is_implemented():
    implemented = tables()["Implemented"]
    lacking = {
        item: files for item, files in citations(CITATION).items() if not any(is_about(r, item) for r in implemented)
    }
    assert lacking == {}


def test_every_equation_of_the_map_is_cited_in_the_code():
    cited = citations(CITATION)
    mapped = {m[0] for row in tables()["Implemented"] if (m := re.match(r"Eq\. \d+|Theorem \d+|lem:\w+", row[0]))}
    assert mapped - set(cited) == set()


def test_every_decision_that_is_named_is_recorded():
    recorded = {path.name[:4] for path in (DOCS / "decisions").glob("[0-9]*.md")}
    assert {number: files for number, files in citations(RECORD).items() if number not in recorded} == {}
    for page in [*DOCS.glob("*.md"), *(DOCS / "decisions").glob("*.md")]:
        for link in re.findall(r"\]\(([^):#]+\.md)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).is_file(), f"{page.name} links to {link}"


@pytest.mark.parametrize("path", sorted((DOCS / "decisions").glob("[0-9]*.md")), ids=lambda path: path.stem)
def test_a_decision_record_has_its_number_and_four_parts_in_order(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# {path.name[:4]}: ")
    places = [text.find(f"**{part}**") for part in ("Context", "Options", "Choice", "Cost")]
    assert -1 not in places
    assert places == sorted(places)


def test_decision_records_are_numbered_without_gap_or_repetition():
    numbers = sorted(int(path.name[:4]) for path in (DOCS / "decisions").glob("[0-9]*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
