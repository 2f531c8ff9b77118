"""Files of a chart, and what is said where a chart cannot be drawn."""

import json
import re
import subprocess
import sys

import pytest

from typeover import charts
from typeover.charts.drawing import svg
from typeover.errors import InvalidInputError

CHART = charts.bars([{"n": "EFBO", "v": 1.0, "w": "W2"}], x="v", y="n", low="v", high="v", title="A <b> & a title")


def test_a_png_has_two_dots_per_unit_and_an_svg_the_title_as_text(tmp_path):
    picture = charts.save(CHART, tmp_path / "a.png").read_bytes()
    drawing = charts.save(CHART, tmp_path / "a.svg").read_text(encoding="utf-8")
    assert picture.startswith(b"\x89PNG")
    width = int(re.search(r'width="(\d+)', drawing)[1])
    assert int.from_bytes(picture[16:20]) == 2 * width
    assert "A &lt;b&gt; &amp; a title" in drawing


def test_a_specification_is_json_in_the_theme_and_names_no_other_host_than_its_schema(tmp_path):
    text = charts.save(CHART, tmp_path / "a.json").read_text(encoding="utf-8")
    document = json.loads(text)
    assert document["config"]["font"].startswith("Liberation Sans")
    assert set(re.findall(r"https?://[^/\"]+", text)) == {"https://vega.github.io"}


def test_another_ending_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(InvalidInputError, match=r"cannot be saved as '\.pgn'; did you mean '\.png'\?"):
        charts.save(CHART, tmp_path / "a.pgn")
    assert list(tmp_path.iterdir()) == []


def test_drawings_in_one_page_share_no_id_and_each_uses_only_its_own():
    document = charts.spec(CHART)
    texts = [svg(document, prefix=prefix) for prefix in ("one-", "two-")]
    for text, prefix in zip(texts, ("one-", "two-"), strict=True):
        ids = re.findall(r' id="([^"]+)"', text)
        assert ids
        assert all(name.startswith(prefix) for name in ids)
        assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_without_the_extra_one_sentence_names_the_command_that_brings_it(package):
    code = f"import sys; sys.modules[{package!r}] = None; import typeover.charts"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith("which is not installed; run: pip install 'typeover[plots]'")
    assert "drawing a chart needs" in last
