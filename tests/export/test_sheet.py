"""A figure on its sheet: what is in the file, how large it is, that it fits, and that it is the same file again. And with ever
more heads, as a moving picture: what stays is seen to stay."""

import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from PIL import Image

from components.export import browser
from components.export.figures import FIGURES
from components.export.look import FONTS, SIZES, Look
from components.export.motion import frames_of_heads, of_heads
from components.export.rendering import file_name, file_of, sheet_of
from components.export.request import Request, Unavailable, request_of
from components.export.sheet import caption_of, lowered, on_paper, stamp_of
from components.stage import svg
from mha import Config
from tests.export.sheets import SVG, outside, points, text_boxes, words
from tests.mha.snippets import run_apart
from tests.sources import ROOT
from tests.stage.reading import lying_on_another

SCENES = tuple(name for name, figure in FIGURES.items() if figure.draw(request_of({"head_off": 1})).is_scene)


def made(name: str = "heads", look: Look | None = None, **query) -> ET.Element:
    return ET.fromstring(file_of(FIGURES[name], request_of(query), look or Look(), "svg"))


def cells(root: ET.Element) -> int:
    return sum(1 for rect in root.iter(f"{SVG}rect") if "rx" not in rect.attrib and rect.get("fill", "none").startswith("#"))


def test_the_start_pages_figure_has_its_words_and_every_cell_and_is_small():
    """By hand. W_Q of 16 × 16 four times, and of Keras's 16 × 4 for each of 1 + 2 + 4 + 8 heads. Beside the cells: a tint for
    each head on three sheets behind, twice, the white under the cells of 8 sheets, a ghost behind two, the ground."""
    data = file_of(FIGURES["heads"], request_of({}), Look(), "svg")
    assert len(data) < 500_000
    root = ET.fromstring(data)
    assert cells(root) == 4 * 256 + 15 * 16 * 4 + 2 * 3 * 15 + 8 + 2 + 1
    said = words(root)
    assert said.count("1,088") == 5
    assert [w for w in said if w in ("1 head", "2 heads", "4 heads", "8 heads")] == ["1 head", "2 heads", "4 heads", "8 heads"]
    assert [w for w in said if w in ("284", "552", "2,160")] == ["284", "552", "2,160"]
    assert "4 × 64 + 28" in said
    assert not list(root.iter(f"{SVG}image")), "nothing in it is a picture"


@pytest.mark.parametrize("look", [Look(size=size) for size in SIZES] + [Look(size="paper", width_mm=205)])
def test_a_grey_box_beside_the_sheets_is_named_or_not_there(look):
    root = made(look=look)
    muted = [rect for rect in root.iter(f"{SVG}rect") if rect.get("opacity") == "0.06"]
    assert bool(muted) == ("paper’s" in words(root))


@pytest.mark.parametrize("name", SCENES)
def test_title_caption_and_stamp_are_there_or_not(name):
    whole = " ".join(words(made(name, mask="causal", num_heads=2)))
    of_layer = "?num_heads=2&mask=causal" if FIGURES[name].of_layer else ""
    assert f"Headcount · /{FIGURES[name].page}{of_layer}" in whole
    picture = FIGURES[name].draw(request_of({"mask": "causal", "num_heads": 2}))
    bare = made(name, Look(title=False, caption=False, stamp=False), mask="causal", num_heads=2)
    assert "Headcount" not in " ".join(words(bare))
    assert picture.alt[:20] not in " ".join(words(bare))
    assert bare.find(f"{SVG}desc").text == picture.alt, "for who cannot see it, always"


@pytest.mark.parametrize(("width_mm", "type_pt"), [(77.0, 6.5), (82.6, 8.0), (165.1, 11.0)])
@pytest.mark.parametrize("name", SCENES)
def test_on_paper_it_has_the_width_that_was_asked_for_and_type_that_can_be_read(name, width_mm, type_pt):
    """By hand: the viewBox is `width_mm` wide, and a point is 25.4 / 72 mm. Lowered letters are smaller, as in any book."""
    look = Look(size="paper", width_mm=width_mm, type_pt=type_pt)
    ask = request_of({"num_heads": 8, "numbers": "seed", "tokens": "the cat sat on the mat"})
    page = sheet_of(FIGURES[name], ask, look)
    root = ET.fromstring(page.svg)
    assert float(root.get("width").removesuffix("mm")) == pytest.approx(width_mm, abs=0.01)
    point = float(root.get("viewBox").split()[2]) / (width_mm / (25.4 / 72))
    sizes = {float(text.get("font-size")) / point for text in root.iter(f"{SVG}text")}
    assert min(sizes) >= 6 - 0.01
    high = float(root.get("height").removesuffix("mm"))
    usual = 13 / point
    assert usual == pytest.approx(type_pt, abs=0.01) or 6.5 - 0.01 <= usual < type_pt, "smaller only where a page is too low"
    assert high <= 225.01


@pytest.mark.parametrize("layer", [{"d_model": 64, "num_heads": 8}, {"num_heads": 16}, {"d_model": 64, "num_heads": 64}])
@pytest.mark.parametrize("name", [*SCENES, "block_diagram", "published_widths"])
def test_a_column_is_never_higher_than_a_page_and_says_which_panels_have_no_room(name, layer):
    """225 mm: the text of a letter page with two lines of caption."""
    layer = layer | {"numbers": "seed", "query_len": 6, "key_len": 6}
    ask, look = request_of(layer), Look(size="paper", width_mm=77)
    page, root = sheet_of(FIGURES[name], ask, look), made(name, look, **layer)
    assert float(root.get("height").removesuffix("mm")) <= 225.01
    if name in SCENES:
        titles = {f"head {panel + 1}" for panel in range(layer["num_heads"])} | {f"X · W{one} + b{one} = {one}" for one in "QKV"}
        missing = (titles & {*words(made(name, **layer))}) - {*words(root)}
        said = re.search(r"Left out, so that it fits on a page: (.*)\.$", page.note)
        assert bool(missing) == bool(said)
        assert not said or said[1] in " ".join(words(root)), "the caption has it, too"


def test_a_size_stays_on_one_line():
    """Of "… its own 16 × 4 piece", a column has room for "16" after "own", but not for "× 4"."""
    lines = words(made("projections", Look(size="paper", width_mm=77)))
    assert any("16 × 4 piece" in line for line in lines)
    assert not any(line.startswith("×") or line.endswith("×") for line in lines)


def test_type_gets_smaller_rather_than_that_words_beside_a_map_are_left_out():
    """Of four maps in a column, with type of 8 points there would be room for the cells alone."""
    eight = {"numbers": "seed", "query_len": 8, "key_len": 8, "tokens": "that she gave him the old red book"}
    assert words(made("steps", Look(size="paper", width_mm=77), **eight)).count("gave") == 2 * 3


LAYERS = {
    "usual": {},
    "h8 d64": {"d_model": 64, "num_heads": 8, "tokens": "the cat sat on the mat"},
    "h16": {"num_heads": 16, "mask": "causal", "kernel": "w_v", "cut": "keras"},
    "free": {"split": "free", "d_model": 11, "num_heads": 13, "key_dim": 2, "value_dim": 5, "query_len": 3, "key_len": 7,
             "cut": "separate", "use_bias": False},
}  # fmt: skip


@pytest.mark.parametrize(("size", "layer", "font"), [
    (size, layer, FONTS[(place + shift) % len(FONTS)])
    for place, size in enumerate((*SIZES, "paper", "own")) for shift, layer in enumerate(LAYERS)
])  # fmt: skip
@pytest.mark.parametrize("name", SCENES)
def test_no_word_is_cut_off_and_none_lies_on_another(name, size, layer, font, monkeypatch):
    """Fonts in turn: each meets every size and every layer. Without the cells, which hold their own numbers by construction."""
    monkeypatch.setattr(svg, "cells", lambda *_: "")
    monkeypatch.setattr(svg, "picture", lambda *_: "")
    divides = {"num_heads": 11} if (name, layer) == ("copied_not_split", "free") else {}
    ask, look = request_of(LAYERS[layer] | divides | {"head_off": 2}), Look(size=size, font=font, width=400, height=700)
    root = ET.fromstring(on_paper(FIGURES[name].draw(ask), stamp_of(FIGURES[name], ask, look), look).svg)
    boxes = text_boxes(root, font)
    assert len(boxes) > 4
    assert outside(root, boxes, 0.5) == []
    assert lying_on_another(boxes) == []


def test_a_sheet_has_the_size_that_was_asked_for():
    assert (made(look=Look()).get("width"), made(look=Look()).get("height")) == ("1280px", "720px")
    assert made(look=Look(size="paper", width_mm=88)).get("width") == "88mm"
    own = made(look=Look(size="own", width=1999, height=211))
    assert (own.get("width"), own.get("height")) == ("1999px", "211px")


@pytest.mark.parametrize("layer", [{}, {"d_model": 512, "num_heads": 8}, {"d_model": 96, "num_heads": 24}, {"num_heads": 1}])
@pytest.mark.parametrize(("look", "points", "least"), [
    (Look(size="paper", width_mm=82.6), 82.6 / 25.4 * 72, 6), (Look(size="paper", width_mm=77, type_pt=6.5), 77 / 25.4 * 72, 6),
    (Look(size="talk"), 960, 12),
])  # fmt: skip
@pytest.mark.parametrize("name", ["attention", "head_map", "table_maps"])
def test_words_at_maps_can_be_read_and_have_room(name, look, points, least, layer):
    """Ticks are set in 14 pixels of the chart (components.plots.heatmaps.TICK); 12 points are 16 pixels of a slide."""
    layer = layer if FIGURES[name].of_layer else {}
    page = sheet_of(FIGURES[name], request_of(layer), look)
    scale = float(re.search(r'scale\(([\d.]+)\)"><g class="chart"/>', page.svg)[1])
    wide = float(ET.fromstring(page.svg).get("viewBox").split()[2])
    assert 14 * scale * points / wide >= least - 0.01
    layout, first = page.chart["layout"], page.chart["data"][0]
    start, end = layout["xaxis"]["domain"]
    cell = (end - start) * (layout["width"] - layout["margin"]["l"] - layout["margin"]["r"]) / first["z"].shape[1]
    assert cell >= 14
    shown, every = len(page.chart["data"]), 5 if name == "table_maps" else 1 if name == "head_map" else layer.get("num_heads", 4)
    assert layout["yaxis"]["ticktext"][0] != "", "words, or numbers, stay"
    assert (f"{every - shown} of {every} panels" in page.note) is (shown < every)
    assert page.note.count("Left out") <= 1


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("name", ["block_diagram", "cuts_schematic", "heads", "divisors"])
def test_in_a_hall_type_is_large_in_every_font_and_below_a_long_link(name, font):
    """A link with 64 words takes many lines."""
    words_typed = " ".join(f"position{place}" for place in range(64))
    ask = request_of({"d_model": 61, "num_heads": 61, "query_len": 64, "key_len": 64, "numbers": "seed", "tokens": words_typed})
    page = sheet_of(FIGURES[name], ask, Look(size="talk", font=font))
    assert min(points(ET.fromstring(page.svg), 960)) >= 16 - 0.05


def test_more_cells_than_rectangles_are_pictures_and_the_file_says_so():
    root = made("steps", query_len=64, key_len=64, numbers="seed")
    assert "cells are embedded pictures" in root.find(f"{SVG}desc").text
    assert len(list(root.iter(f"{SVG}image"))) == 6


def test_words_of_a_visitor_are_words():
    root = made("steps", numbers="seed", tokens="<script>alert(1)</script> &amp; ]]> \" '")
    assert "<script>alert" in " ".join(words(root))
    assert not list(root.iter(f"{SVG}script"))


def test_the_same_settings_give_the_same_bytes_in_another_process(tmp_path):
    """Sets and dictionaries have another order there. The rest of the environment stays: the BLAS takes its kernels by it."""
    command = [sys.executable, "-m", "components.export", "--figure", "heads", "--num-heads", "2", "--set", "seed=7"]
    there, kinds = os.environ | {"PYTHONHASHSEED": "77"}, ("svg", "html", "csv", "npz")
    command += ["--theme", "print", "--format", ",".join(kinds), "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, env=there, timeout=120)
    for kind in kinds:
        here = file_of(FIGURES["heads"], request_of({"num_heads": 2, "seed": 7}), Look(theme="print"), kind)
        assert (tmp_path / f"heads_d16_h2_seed7.{kind}").read_bytes() == here, kind


def test_without_choreographer_every_file_that_needs_no_browser_is_there():
    """The static site has none: what imports the browser's module there must not fail."""
    program = (
        "import sys; sys.modules['choreographer'] = None\n"
        "from components.export import browser, rendering\n"
        "from components.export.figures import FIGURES\n"
        "from components.export.look import Look\n"
        "from components.export.request import request_of\n"
        "assert 'choreographer' in browser.missing()\n"
        "assert rendering.file_of(FIGURES['heads'], request_of({}), Look(), 'svg').startswith(b'<svg')\n"
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
    """For programs that take another font than the embedded one; and librsvg drops a space after a lowered letter without
    xml:space."""
    root = made("projections", Look(size="paper"))
    fixed = [text for text in root.iter(f"{SVG}text") if "textLength" in text.attrib]
    assert "".join(fixed[0].itertext()).startswith("Each head reads all of X")
    assert all(float(text.get("textLength")) <= float(root.get("viewBox").split()[2]) - 8 for text in fixed)
    assert root.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"


def test_a_png_says_how_large_it_is_and_what_it_shows(monkeypatch):
    """A column has 300 dots an inch and a slide 192: 13.33 inches wide, as slides are."""
    plain = io.BytesIO()
    Image.new("RGB", (7, 5), "red").save(plain, "PNG")
    monkeypatch.setattr(browser, "png", lambda *_: plain.getvalue())
    for look, dpi in ((Look(size="paper"), 300), (Look(), 192)):
        found = Image.open(io.BytesIO(file_of(FIGURES["steps"], request_of({"numbers": "seed"}), look, "png")))
        found.load()
        assert found.size == (7, 5)
        assert found.info["dpi"] == pytest.approx((dpi, dpi), abs=0.02)
        assert found.text["Title"] == "Head 1: from QK^T to attention weights"
        assert found.text["Description"].startswith("Head 1 step by step. Q times K transposed gives 13 × 13 scores")


def test_without_a_background_only_the_figure_is_there():
    """On paper or a slide of another colour: the first rectangle of a sheet is its ground, which covers all of it."""
    ground = lambda root: [rect.get("fill") for rect in root.iter(f"{SVG}rect") if rect.get("width") == "100%"]  # noqa: E731
    assert len(ground(made())) == 1
    bare = made("heads", Look(background=False))
    assert ground(bare) == []
    assert cells(bare) == cells(made()) - 1


def test_a_drawn_sheet_is_kept():
    ask, look = request_of({"num_heads": 2}), Look(theme="dark")
    assert sheet_of(FIGURES["heads"], ask, look) is sheet_of(FIGURES["heads"], ask, look)


def test_names_of_matrices_are_lowered_in_captions():
    assert lowered("W_Q of the layer, d_model and a_b_c 4") == "W_{Q} of the layer, d_{model} and a_b_c 4"


@pytest.mark.parametrize(("theme", "said"), [("light", True), ("dark", True), ("print", False)])
def test_a_caption_speaks_of_heads_colours_only_where_there_are_colours(theme, said):
    request = request_of({"num_heads": 4, "head_off": 2})
    assert ("Colours are heads." in caption_of(FIGURES["head_switched_off"].draw(request), Look(theme=theme))) is said


def test_variables_are_in_italics_where_the_papers_fonts_are_asked_for():
    def slanted(font: str) -> list[str]:
        root = made("block_diagram", Look(font=font))
        return [span.text for span in root.iter(f"{SVG}tspan") if span.get("font-style") == "italic"]

    assert slanted("sans") == []
    assert {"W", "Q", "i", "d", "k", "X", "h"} <= {*slanted("serif")}
    assert not {"model", "Linear ", "Concat", "T"} & {*slanted("serif")} - {"T"}


def test_words_at_the_steps_of_a_short_sentence_stay_on_a_slide():
    ask = request_of({"query_len": 6, "key_len": 6, "numbers": "seed", "tokens": "the cat sat on the mat"})
    page = sheet_of(FIGURES["steps"], ask, Look(size="talk"))
    assert words(ET.fromstring(page.svg)).count("cat") >= 2
    assert "words beside" not in page.note


@pytest.mark.parametrize("layer", [{}, {"d_model": 512, "num_heads": 8}, {"d_model": 96, "num_heads": 24}])
@pytest.mark.parametrize("size", ["talk", "slide"])
def test_both_conventions_stay_on_a_slide_with_the_chosen_layer_and_no_word_lies_on_another(size, layer):
    page = sheet_of(FIGURES["heads"], request_of(layer), Look(size=size))
    root = ET.fromstring(page.svg)
    assert {"Paper, PyTorch", "Keras", "1 head", f"{layer.get('num_heads', 4)} heads"} <= {*words(root)}
    assert lying_on_another(text_boxes(root)) == []


def test_maps_that_have_no_room_on_a_slide_are_counted_though_grey_rows_are_traces_of_their_own():
    page = sheet_of(FIGURES["attention"], request_of({"num_heads": 8}), Look(size="slide"))
    axes = {trace["xaxis"] for trace in page.chart["data"]}
    assert len(page.chart["data"]) == 2 * len(axes), "each map has its grey rows"
    assert 2 <= len(axes) < 8
    assert f"{8 - len(axes)} of 8 panels" in page.note


def test_a_slide_has_all_four_maps_of_the_sentence():
    page = sheet_of(FIGURES["attention"], request_of({}), Look(size="slide"))
    assert [trace["name"] for trace in page.chart["data"]][:4] == [f"head {i} · {who}" for i, who in enumerate(
        ("who", "whom", "where", "when"), start=1)]  # fmt: skip
    assert "panels" not in page.note


@pytest.mark.parametrize("size", ["screen", "talk", "slide"])
@pytest.mark.parametrize("name", ["heads", "two_layers"])
def test_matrices_of_the_papers_base_layer_are_large_beside_their_words(name, size):
    """W_Q is an outline of 512 × 512: a twelfth of the sheet's width at least; and no word is smaller than a hundredth."""
    page = sheet_of(FIGURES[name], request_of({"d_model": 512, "num_heads": 8}), Look(size=size))
    root = ET.fromstring(page.svg)
    wide = float(root.get("viewBox").split()[2])
    outlines = [float(side) for path in root.iter(f"{SVG}path") for side in re.findall(r"h([\d.]+)v", path.get("d", ""))]
    assert max(outlines) >= wide / 12
    assert min(points(root, 100)) >= 0.8


def test_what_a_slide_has_no_room_for_is_refused_with_what_to_take():
    tall = {"split": "free", "d_model": 3, "num_heads": 40, "key_dim": 64, "value_dim": 64, "query_len": 40}
    with pytest.raises(
        Unavailable, match=r"At these sizes a slide has no room for it\. Choose the size screen, or a smaller layer\."
    ):
        sheet_of(FIGURES["projections"], request_of(tall), Look(size="slide"))
    assert sheet_of(FIGURES["projections"], request_of(tall), Look()).svg


LOOK = Look(size="own", width=480, height=270, caption=False)


@pytest.mark.parametrize("name", ["projections", "shares"])
def test_colours_mean_the_same_in_every_frame(name):
    """The scale's ends: of cells the words in the legend, of heatmaps the ends of the colour axis."""
    requests = list(request_of({"numbers": "seed", "d_model": 12, "num_heads": 3}).at_stops().values())
    pages = frames_of_heads(FIGURES[name], requests, LOOK)
    if name == "shares":
        ends = [page.chart["layout"]["coloraxis"]["cmax"] for page in pages]
    else:
        ends = [re.findall(r">([+−][\d.]+)<", page.svg)[-1] for page in pages]
    assert len(ends) == 4
    assert len(set(ends)) == 1


def test_type_has_the_same_size_in_every_frame():
    """Eight maps stand in two lines, four in one."""
    pages = frames_of_heads(FIGURES["attention"], [request_of({"num_heads": heads}) for heads in (4, 8)], Look())
    seen = [re.search(r'viewBox="0 0 (\S+) .* scale\((\S+)\)"><g class="chart"/>', page.svg, re.S) for page in pages]
    assert seen[0].groups() == seen[1].groups()


def test_an_axis_stands_still_while_the_heads_move():
    """The layer of 1,088 parameters keeps them with 1, 2, 4 and 8 heads: the ring's words stay at their height."""
    requests = [request_of({"num_heads": heads}) for heads in (1, 2, 4, 8)]
    charts = [page.chart for page in frames_of_heads(FIGURES["parameters"], requests, LOOK)]
    tops = {tuple(chart["layout"]["yaxis"]["range"]) for chart in charts}
    assert len(tops) == 1
    assert all(chart["data"][-1]["y"] == [1088] for chart in charts)


def test_a_moving_picture_stops_at_eight_heads(monkeypatch):
    """32 wide, a layer may have 1, 2, 4, 8, 16 and 32."""
    still = io.BytesIO()
    Image.new("RGB", (2, 2)).save(still, "PNG")
    monkeypatch.setattr(browser, "png", lambda *_: still.getvalue())
    said = []
    of_heads(FIGURES["cuts_schematic"], request_of({"d_model": 32}), LOOK, lambda _, what: said.append(what))
    assert said == [*(f"frame {number} of 4" for number in (1, 2, 3, 4)), "done"]
