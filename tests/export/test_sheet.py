"""A figure on its sheet: the file's content and size, and that the same figure gives the same file."""

import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from headcount import Config
from headcount.export import browser
from headcount.export.figures import FIGURES
from headcount.export.rendering import file_name, file_of, sheet_of
from headcount.export.request import Request, Unavailable, request_of
from headcount.export.sheet import caption_of, lowered
from headcount.export.style import Style
from tests.export.sheets import SVG, words
from tests.layer.snippets import run_apart
from tests.sources import ROOT

SCENES = tuple(name for name, figure in FIGURES.items() if figure.draw(request_of({"head_off": 1})).is_scene)


def made(name: str = "heads", look: Style | None = None, **query) -> ET.Element:
    return ET.fromstring(file_of(FIGURES[name], request_of(query), look or Style(), "svg"))


def cells(root: ET.Element) -> int:
    return sum(1 for rect in root.iter(f"{SVG}rect") if "rx" not in rect.attrib and rect.get("fill", "none").startswith("#"))


def test_the_start_pages_figure_has_its_words_and_every_cell_and_is_small():
    """By hand. W_Q of 16 × 16 four times, and of Keras's 16 × 4 for each of 1 + 2 + 4 + 8 heads. Beside the cells: a tint for
    each head on three sheets behind, twice, the white under the cells of 8 sheets, a ghost behind two, the
    ground."""
    data = file_of(FIGURES["heads"], request_of({}), Style(size="slide"), "svg")
    assert len(data) < 500_000
    root = ET.fromstring(data)
    assert cells(root) == 4 * 256 + 15 * 16 * 4 + 2 * 3 * 15 + 8 + 2 + 1
    said = words(root)
    assert said.count("1,088") == 5
    assert [w for w in said if w in ("1 head", "2 heads", "4 heads", "8 heads")] == ["1 head", "2 heads", "4 heads", "8 heads"]
    assert [w for w in said if w in ("284", "552", "2,160")] == ["284", "552", "2,160"]
    assert "4 × 64 + 28" in said
    assert not list(root.iter(f"{SVG}image")), "nothing in it is a picture"


@pytest.mark.parametrize("name", SCENES)
def test_title_caption_and_stamp_are_there_or_not(name):
    whole = " ".join(words(made(name, mask="causal", num_heads=2)))
    of_layer = "?num_heads=2&mask=causal" if FIGURES[name].of_layer else ""
    assert f"Headcount · /{FIGURES[name].page}{of_layer}" in whole
    picture = FIGURES[name].draw(request_of({"mask": "causal", "num_heads": 2}))
    bare = made(name, Style(title=False, caption=False, stamp=False), mask="causal", num_heads=2)
    assert "Headcount" not in " ".join(words(bare))
    assert picture.alt[:20] not in " ".join(words(bare))
    assert bare.find(f"{SVG}desc").text == picture.alt, "for who cannot see it, always"


def test_a_size_stays_on_one_line():
    """After some of these words a line has room for "23" and not for "× 29"."""
    picture = FIGURES["cuts_schematic"].draw(request_of({}))
    for before in range(12, 36):
        figure = replace(FIGURES["cuts_schematic"], drawn_by=lambda _, n=before: replace(picture, caption="of " * n + "23 × 29"))
        lines = words(ET.fromstring(file_of(figure, request_of({}), Style(size="column"), "svg")))
        assert any("23 × 29" in line for line in lines), before


def test_words_of_a_visitor_are_words():
    root = made("steps", numbers="seed", tokens="<script>alert(1)</script> &amp; ]]> \" '")
    assert "<script>alert" in " ".join(words(root))
    assert not list(root.iter(f"{SVG}script"))


def test_the_same_settings_give_the_same_bytes_in_another_process(tmp_path):
    """Another process has another order of sets. The environment stays, because the BLAS chooses its routines by it."""
    command = [sys.executable, "-m", "headcount", "figures", "--figure", "heads", "--num-heads", "2", "--set", "seed=7"]
    there, kinds = os.environ | {"PYTHONHASHSEED": "77"}, ("svg", "html", "csv", "npz")
    command += ["--theme", "print", "--format", ",".join(kinds), "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, env=there, timeout=120)
    for kind in kinds:
        here = file_of(FIGURES["heads"], request_of({"num_heads": 2, "seed": 7}), Style(theme="print"), kind)
        assert (tmp_path / f"heads_d16_h2_seed7.{kind}").read_bytes() == here, kind


def test_without_choreographer_every_file_that_needs_no_browser_is_there():
    """The static site lacks it, so an import of the browser's module must not fail there."""
    program = (
        "import sys; sys.modules['choreographer'] = None\n"
        "from headcount.export import browser, rendering\n"
        "from headcount.export.figures import FIGURES\n"
        "from headcount.export.style import Style\n"
        "from headcount.export.request import request_of\n"
        "assert 'choreographer' in browser.missing()\n"
        "assert rendering.file_of(FIGURES['heads'], request_of({}), Style(), 'svg').startswith(b'<svg')\n"
    )
    run_apart(program)


def test_names_say_what_a_file_is():
    at = lambda name, kind, **query: file_name(FIGURES[name], request_of(query), kind)  # noqa: E731
    assert at("heads", "svg") == "heads_d16_h4.svg"
    assert at("attention", "png", mask="causal", head=2) == "attention_d16_h4_causal_head2.png"
    free = at("steps", "pdf", split="free", key_dim=5, value_dim=7, use_bias=False, seed=3, query_len=9)
    assert free == "steps_d16_h4_k5_v7_t9_s13_nobias_seed3.pdf"
    assert at("heads", "svg", head=3) == "heads_d16_h4.svg", "what it does not read is not in its name"
    assert at("steps", "svg", tokens="../../etc/passwd x") == "steps_d16_h4_tokensetcpasswdx.svg"


def test_there_is_no_figure_where_the_settings_have_none():
    with pytest.raises(Unavailable, match="There is no head 5"):
        FIGURES["head_switched_off"].draw(request_of({"head_off": 5}))
    with pytest.raises(Unavailable, match="too large"):
        FIGURES["steps"].draw(request_of({"d_model": 4096, "num_heads": 32}))
    free = Request(Config(d_model=7, num_heads=3, key_dim=2), paper=False)
    with pytest.raises(Unavailable, match="needs a head count that divides d_model"):
        FIGURES["copied_not_split"].draw(free)


def test_lines_below_the_figure_stay_as_wide_as_they_are_and_no_space_is_lost_elsewhere():
    """Programs may use another font than the embedded one, and librsvg drops a space after a subscript without xml:space."""
    root = made("copied_not_split", Style(size="column"))
    fixed = [text for text in root.iter(f"{SVG}text") if "textLength" in text.attrib]
    said = ["".join(text.itertext()) for text in fixed]
    assert any(line.startswith("Each head multiplies all of X") for line in said)
    assert all(float(text.get("textLength")) <= float(root.get("viewBox").split()[2]) - 8 for text in fixed)
    assert root.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"


def test_a_png_says_how_large_it_is_and_what_it_shows(monkeypatch):
    """A column has 300 dots an inch and a slide 192, for 13.33 inches, as slides are wide."""
    plain = io.BytesIO()
    Image.new("RGB", (7, 5), "red").save(plain, "PNG")
    monkeypatch.setattr(browser, "png", lambda *_: plain.getvalue())
    for look, dpi in ((Style(size="column"), 300), (Style(size="slide"), 192)):
        found = Image.open(io.BytesIO(file_of(FIGURES["head_map"], request_of({"numbers": "seed"}), look, "png")))
        found.load()
        assert found.size == (7, 5)
        assert found.info["dpi"] == pytest.approx((dpi, dpi), abs=0.02)
        assert found.text["Title"] == "Head 1: how each query shares its attention"
        assert found.text["Description"].startswith(
            "The picture shows the attention weights of head 1 of 4, from 0 to 1, for 13 queries by 13 keys."
        )


def test_without_a_background_only_the_figure_is_there():
    """The first rectangle of a sheet is its background, which covers all of it. Papers and slides may have another colour."""
    ground = lambda root: [rect.get("fill") for rect in root.iter(f"{SVG}rect") if rect.get("width") == "100%"]  # noqa: E731
    assert len(ground(made())) == 1
    bare = made("heads", Style(background=False))
    assert ground(bare) == []
    assert cells(bare) == cells(made()) - 1


def test_a_drawn_sheet_is_kept():
    ask, look = request_of({"num_heads": 2}), Style(theme="dark")
    assert sheet_of(FIGURES["heads"], ask, look) is sheet_of(FIGURES["heads"], ask, look)


def test_names_of_matrices_are_lowered_in_captions():
    assert lowered("W_Q of the layer, d_model and a_b_c 4") == "W_{Q} of the layer, d_{model} and a_b_c 4"


@pytest.mark.parametrize(("theme", "said"), [("light", True), ("dark", True), ("print", False)])
def test_a_caption_speaks_of_heads_colours_only_where_there_are_colours(theme, said):
    request = request_of({"num_heads": 4, "head_off": 2})
    assert ("Colours are heads." in caption_of(FIGURES["head_switched_off"].draw(request), Style(theme=theme))) is said


def test_variables_are_in_italics_where_the_papers_fonts_are_asked_for():
    def slanted(font: str) -> list[str]:
        root = made("block_diagram", Style(font=font))
        return [span.text for span in root.iter(f"{SVG}tspan") if span.get("font-style") == "italic"]

    assert slanted("sans") == []
    assert {"W", "Q", "i", "d", "k", "X", "h"} <= {*slanted("serif")}
    assert not {"model", "Linear ", "Concat", "T"} & {*slanted("serif")} - {"T"}


def test_a_sheet_has_the_width_that_was_asked_for():
    sides = lambda look: [made("head_map", look).get(side) for side in ("width", "height")]  # noqa: E731
    assert sides(Style())[0] == "165.1mm"
    assert sides(Style(size="column"))[0] == "88.9mm"
    assert sides(Style(size="slide")) == ["1280px", "720px"]
    assert sides(Style(size="own", width_mm=254))[0] == "254mm"


def test_every_cell_is_a_rectangle_also_where_they_are_most():
    """Two arrays of 127 × 127, and two with their lower half. None is averaged: maps have at least 64 cells on a side."""
    root = made("steps", query_len=127, key_len=127, mask="causal")
    assert not list(root.iter(f"{SVG}image"))
    assert len(list(root.iter(f"{SVG}rect"))) > 2 * 127 * 127 + 2 * 127 * 128 / 2


@pytest.mark.parametrize("name", ["heads", "why_several", "attention", "head_switched_off"])
def test_in_print_no_caption_speaks_of_a_colour(name):
    picture = FIGURES[name].draw(request_of({"head_off": 2}))
    words = re.compile(r"colou?r|brown|teal|violet|grey", re.I)
    assert words.search(caption_of(picture, Style()))
    assert not words.search(caption_of(picture, Style(theme="print")))


def test_curves_of_heads_have_their_own_dashes_in_print():
    svg = file_of(FIGURES["why_several"], request_of({}), Style(theme="print"), "svg").decode()
    curves = [path for path in re.findall("<path[^>]*>", svg) if 'fill="none"' in path and "C" in path]
    assert len({"".join(re.findall(r'stroke-dasharray="[^"]+"', path)) for path in curves}) == 4
    assert "stroke-dasharray" not in file_of(FIGURES["why_several"], request_of({}), Style(), "svg").decode()


def test_the_divisors_are_shown_where_they_matter_most_and_two_equal_ones_once():
    """With one head, d_k is d_model."""
    trace = request_of({}).on_words().trace()
    bars = FIGURES["divisors"].draw(request_of({})).chart["data"]
    scores = trace.scores.values[0, 0]
    powers = [np.exp(scores / number) for number in (2, 1, 4)]  # √d_k, none, √d_model
    peaks = [(power / power.sum(axis=-1, keepdims=True)).max(axis=-1) for power in powers]
    spread = np.ptp(peaks, axis=0)
    assert [max(one["y"]) for one in bars] == pytest.approx([peak[spread.argmax()] for peak in peaks], abs=1e-4)
    alone = FIGURES["divisors"].draw(request_of({"num_heads": 1})).chart["data"]
    assert [one["name"] for one in alone] == ["÷ √d<sub>k</sub> (the layer) = ÷ √d<sub>model</sub>", "÷ 1"]
