"""A scene as SVG: every cell a rectangle in its colour, every word a text, and nothing told by colour alone in print. Also the
width and line breaks of words in the figures' font. Also the block diagram and the schematic of cuts: shapes and counts by hand,
and nothing overlaps."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from headcount import Config
from headcount.export.figures import FIGURES
from headcount.export.rendering import sheet_of
from headcount.export.request import request_of
from headcount.export.style import FONTS, Style
from headcount.stage import svg
from headcount.stage.diagram import Diagram
from headcount.stage.layout import APART, place, text_width
from headcount.stage.pictures.schematic import block, cuts
from headcount.stage.scene import Block, Grid, Length, Panel, Scene, Text
from headcount.stage.svg import Ink, hatch, px
from headcount.stage.text import FACES, embedded, pieces, width_of, wrap
from headcount.stage.theme import DARK, LIGHT, PRINT
from tests.export.sheets import outside, text_boxes, words
from tests.stage.reading import labels_of, lying_on_another

VALUES = np.array([[2.0, 0.0, -2.0], [-1.0, np.nan, 1.0]], np.float32)
NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
SVG = "{http://www.w3.org/2000/svg}"


def scene(values=VALUES, kind="signed", cell=7.0, **block) -> Scene:
    tall, wide = values.shape
    one = Block("q-0", "q", Length(0, 11), Length(0, 13), tall, wide, name="q", head=0, **block)
    texts = (Text("W_{Q} & <b>", Length(0, 11), Length(0, 5), hue=0),)
    panel = Panel("p", Length(wide, 30), Length(tall, 30), (one,), texts)
    return Scene(((panel,),), {"q": Grid(values, kind)}, alt="", tops={kind: 2.0}, max_cell=cell, min_cell=1)


def drawn(of: Scene, theme=LIGHT) -> ET.Element:
    return ET.fromstring(f"<svg {NAMES}>{svg.draw(of, place(of, 500), Ink(theme))}</svg>")


def cells(root: ET.Element) -> list[str]:
    """The cells' colours, row by row. Frames have round corners, so they are left out."""
    square = [rect.get("fill", "none") for rect in root.iter(f"{SVG}rect") if "rx" not in rect.attrib]
    return [fill for fill in square if fill.startswith("#")]


def test_the_ends_and_the_middle_of_the_scale_have_the_themes_colours():
    """2 of 2 is the last colour, 0 the middle one, −2 the first. The masked cell has no rectangle."""
    made = cells(drawn(scene()))
    assert len(made) == 5
    assert made[:3] == [LIGHT.signed[-1], LIGHT.signed[len(LIGHT.signed) // 2], LIGHT.signed[0]]
    shares = cells(drawn(scene(np.array([[0.0, 1.0, 2.0]], np.float32), "share"), DARK))
    assert (shares[0], shares[2]) == (DARK.share[0], DARK.share[-1])


def test_a_cell_stands_where_the_arrangement_says():
    """Cells of 7 pixels, a gap of 1, the block 11 to the right and 13 down, a margin of 4: the third cell of the second row."""
    rect = [r for r in drawn(scene()).iter(f"{SVG}rect") if r.get("height") == "6"][-1]
    assert (rect.get("x"), rect.get("y"), rect.get("width")) == ("29", "24", "6")


def test_words_stay_words():
    root = drawn(scene())
    label = next(text for text in root.iter(f"{SVG}text") if "b>" in "".join(text.itertext()))
    assert "".join(label.itertext()) == "WQ & <b>"
    assert [span.text for span in label.iter(f"{SVG}tspan")] == ["W", "Q", " & <b>"]
    wide = [float(span.get("textLength")) for span in label.iter(f"{SVG}tspan")]
    assert float(label.get("textLength")) == pytest.approx(sum(wide), abs=0.02), "as wide in programs that take another font"
    assert label.get("fill") == LIGHT.head_text[0]
    _, lowered, _ = label.iter(f"{SVG}tspan")
    assert float(lowered.get("dy")) == pytest.approx(13 * 0.22, abs=0.01)


@pytest.mark.parametrize(("values", "numbers"), [
    (VALUES, ["2.00", "0.00", "−2.00", "−1.00", "1.00"]), (np.array([[-0.004]], np.float32), ["0.00"]),
], ids=["a true minus", "no sign at zero"])  # fmt: skip
def test_large_cells_hold_their_numbers(values, numbers):
    root = drawn(scene(values, cell=30.0))
    assert ["".join(text.itertext()) for text in root.iter(f"{SVG}text")][: len(numbers)] == numbers


def test_in_print_a_bar_says_what_is_negative_and_both_ends_are_dark():
    root = drawn(scene(), PRINT)
    assert cells(root)[:3] == ["#000000", "#ffffff", "#000000"]
    bars = [path for path in root.iter(f"{SVG}path") if path.get("stroke") in ("#000000", "#ffffff")]
    starts = {tuple(map(float, move.split("h")[0].split())) for path in bars for move in path.get("d").split("M")[1:]}
    assert starts == {(4 + 11 + 2 * 7 + 1.4, 4 + 13 + 3), (4 + 11 + 1.4, 4 + 13 + 7 + 3)}, "over −2 and −1, a fifth from the left"
    assert [path.get("stroke") for path in bars] == ["#000000", "#ffffff"], "white on black, black on white"
    assert not any(path.get("stroke") in ("#000000", "#ffffff") for path in drawn(scene(), LIGHT).iter(f"{SVG}path"))


def test_a_masked_cell_is_hatched_within_its_edges():
    strokes = hatch(3, 5, 11, 7)
    points = [float(part) for piece in strokes.replace("M", " ").replace("L", " ").split() for part in [piece]]
    assert len(points) >= 12
    assert all(3 <= x <= 14 for x in points[::2])
    assert all(5 <= y <= 12 for y in points[1::2])
    assert any(path.get("stroke") == LIGHT.muted for path in drawn(scene()).iter(f"{SVG}path"))


def test_a_faded_head_a_strip_and_a_shape_without_numbers():
    root = drawn(scene(faded=True, hue=1, strip="top"))
    assert [g.get("opacity") for g in root.iter(f"{SVG}g")] == ["0.22"]
    assert LIGHT.heads[1] in cells(root), "the strip"
    bare = replace(scene().blocks[0], grid=None, hue=None)
    panel = replace(scene().panels[0], blocks=(bare,))
    root = drawn(replace(scene(), rows=((panel,),), grids={}))
    assert [rect.get("opacity") for rect in root.iter(f"{SVG}rect") if rect.get("opacity")] == ["0.16"]


def test_the_word_of_the_column_that_is_hit_stands_below_its_middle_and_one_wider_than_its_room_is_squeezed():
    def names(label: str, **more) -> list[ET.Element]:
        root = drawn(scene(cell=46.0, row_labels=(label,) * 2, **more))
        return [text for text in root.iter(f"{SVG}text") if text.text == label]

    hit = scene(cell=46.0, col_labels=("he", "she", "it"), hit=1)
    (word,) = (one for one in drawn(hit).iter(f"{SVG}text") if one.text == "she")
    assert word.get("text-anchor") == "middle"
    assert "transform" not in word.attrib, "no word slants"
    rect = next(rect for block, rect in place(hit, 500).blocks if block.col_labels)
    assert float(word.get("x")) == pytest.approx(rect.x + rect.w / 2, abs=0.1)
    assert float(word.get("y")) > rect.y + rect.h
    assert [name.get("textLength") for name in names("incomprehensib")] == ["78"] * 2
    own = {f"{width_of('cat', float(name.get('font-size'))):.2f}".rstrip("0") for name in names("cat")}
    assert {name.get("textLength") for name in names("cat")} == own


def test_panels_of_one_width_stand_in_columns_where_a_row_breaks():
    """Seven panels of 60 pixels, cells of 10, in 325 pixels: four in a line, then three, each below one of the first line."""
    panel = replace(scene().panels[0], width=Length(6), texts=(), go=None)
    row = tuple(replace(panel, id=f"p{i}") for i in range(7))
    placed = place(replace(scene(cell=10.0), rows=(row,), min_cell=10), 325)
    lefts = [rect.x for _, rect in placed.frames]
    assert [rect.y for _, rect in placed.frames].count(placed.frames[0][1].y) == 4
    assert lefts[4:] == lefts[:3]
    assert lefts[3] + 60 <= 325 - 4


def test_labels_that_would_touch_stand_side_by_side_in_their_panel():
    wide = tuple(Text(text, Length(2, 0), Length(0, 5), 13) for text in ("three words here", "and three there"))
    panel = replace(scene().panels[0], texts=wide, width=Length(4))
    placed = place(replace(scene(), rows=((panel,),)), 500)
    (_, frame), (one, other) = placed.frames[0], placed.texts
    boxes = [(x - text_width(text, "sans") / 2, x + text_width(text, "sans") / 2) for text, x, _ in (one, other)]
    assert frame.x <= boxes[0][0] + 0.01
    assert boxes[0][1] + APART <= boxes[1][0] + 0.01
    assert boxes[1][1] <= frame.x + frame.w + 0.01


def test_a_legend_has_both_ends_of_every_scale():
    (made,) = svg.legend(scene(), Ink(PRINT), 400)
    root = ET.fromstring(f"<svg {NAMES}>{made}</svg>")
    assert ["".join(text.itertext()) for text in root.iter(f"{SVG}text")] == ["values", "−2.00", "+2.00"]
    assert len(cells(root)) == svg.SWATCHES
    assert svg.legend(replace(scene(), grids={}), Ink(LIGHT), 400) == []


def test_a_legends_ends_grow_away_from_its_strip_in_a_wider_font():
    """In another program's wider font, the lower end is anchored before the first colour, the upper after the last."""
    (made,) = svg.legend(scene(), Ink(LIGHT), 400)
    root = ET.fromstring(f"<svg {NAMES}>{made}</svg>")
    places = {text.text: (text.get("text-anchor"), float(text.get("x"))) for text in root.iter(f"{SVG}text")}
    colours = [float(rect.get("x")) for rect in root.iter(f"{SVG}rect")]
    assert places["−2.00"] == ("end", pytest.approx(min(colours) - 8, abs=0.01))
    assert places["+2.00"] == (None, pytest.approx(max(colours) + svg.SWATCH + 7, abs=0.01))


def test_a_legend_breaks_where_the_sheet_is_narrow():
    two = replace(scene(), grids={"q": Grid(VALUES, "signed"), "w": Grid(VALUES, "score", 4)})
    assert [len(svg.legend(two, Ink(LIGHT), width)) for width in (900, 420, 300)] == [1, 2, 3]
    alone = svg.legend(two, Ink(LIGHT), 300)[-1]
    assert "a cell is the mean of 4 × 4" in alone
    assert "scores" not in alone, "what a cell means has a line of its own where it does not fit beside its scale"


@pytest.mark.parametrize(("value", "text"), [(3.0, "3"), (2.50, "2.5"), (1.239, "1.24"), (-0.001, "0"), (-1.5, "-1.5")])
def test_lengths_are_as_short_as_can_be(value, text):
    assert px(value) == text


def test_a_label_falls_apart_into_what_is_on_the_line_lowered_and_raised():
    assert pieces("Q_{1}K_{1}^{T} ÷ √d_{k}") == [
        ("Q", ""), ("1", "_"), ("K", ""), ("1", "_"), ("T", "^"), (" ÷ √d", ""), ("k", "_"),
    ]  # fmt: skip
    assert pieces("d_model, 2^3") == [("d_model, 2^3", "")]


@pytest.mark.parametrize("face", ["sans", "serif"])
def test_bold_is_wider_and_a_size_is_a_factor(face):
    assert width_of("1,088 parameters", 13, face, bold=True) > width_of("1,088 parameters", 13, face)
    assert width_of("1,088 parameters", 26, face) == pytest.approx(2 * width_of("1,088 parameters", 13, face))


@pytest.mark.parametrize("face", FACES)
def test_no_sign_of_the_formulas_is_missing_in_a_font(face):
    """A sign that a font lacks is drawn as its box for missing signs."""
    font = ImageFont.truetype(FACES[face].path(400), 100)
    box = bytes(font.getmask("\ue000"))
    assert {sign for sign in "√×−·→…÷Σ≤′äß" if bytes(font.getmask(sign)) == box} == set()


@given(st.lists(st.text("abWM1,_{}^", min_size=1, max_size=9), max_size=30), st.integers(20, 300))
def test_no_line_is_too_wide_and_no_word_is_lost(words, width):
    text = " ".join(words)
    lines = wrap(text, width, 11)
    assert " ".join(lines).split() == text.split()
    assert all(width_of(line, 11) <= width or " " not in line for line in lines)


def test_a_link_is_broken_where_its_query_is_and_only_where_it_must_be():
    link = "/attention?d_model=64&num_heads=8&tokens=cat"
    lines = wrap(f"see {link} now", 150, 11)
    assert lines[0] == "see"
    assert "".join(lines[1:]) == f"{link} now"
    assert len(lines) > 2
    assert all(line.endswith(("?", "&")) for line in lines[1:-1])
    assert all(width_of(line, 11) <= 150 for line in lines)
    assert wrap(f"see {link}", 900, 11) == [f"see {link}"]


def test_a_font_is_embedded_as_it_lies_in_the_folder():
    rule = embedded("sans")
    assert rule.startswith("@font-face{font-family:'Headcount Sans';")
    assert len(rule) < 60_000
    assert "http" not in rule


ODD = Config(d_model=7, num_heads=3, key_dim=2, value_dim=5, query_len=11, key_len=13)
LAYERS = {
    "usual": {},
    "odd": {"split": "free", "d_model": 7, "num_heads": 3, "key_dim": 2, "value_dim": 5, "query_len": 11, "key_len": 13},
    "large": {"d_model": 4096, "num_heads": 32, "query_len": 512, "key_len": 509, "mask": "causal"},
    "many": {"d_model": 17, "num_heads": 17, "use_bias": False},
    "one": {"num_heads": 1, "query_len": 1, "key_len": 1, "d_model": 1},
}  # fmt: skip


def written(diagram: Diagram) -> str:
    return " | ".join(re.sub(r"[_^]\{([^}]*)\}", r"\1", text.text) for text in diagram.of(Text))


def test_every_arrow_has_its_shape_and_every_box_its_parameters_and_so_has_the_file():
    """By hand. W_Q and W_K: 7 · 3 · 2 + 3 · 2 = 48, W_V: 7 · 3 · 5 + 3 · 5 = 120, W_O: 3 · 5 · 7 + 7 = 112; together 328."""
    said = written(block(ODD))
    for size in (
        "X   11 × 7 = 77", "X′   13 × 7 = 91", "Qi   3 × (11 × 2) = 66", "Ki   3 × (13 × 2) = 78", "Vi   3 × (13 × 5) = 195",
        "3 maps of 11 × 13: 429 weights", "Zi   3 × (11 × 5) = 165", "Concat   11 × 15 = 165", "output   11 × 7 = 77",
        "48 parameters", "120 parameters", "112 parameters",
    ):  # fmt: skip
        assert size in said, size
    assert "328 parameters" in block(ODD).alt
    assert "mask" not in said, "a step that does nothing is no step"
    found = {row[0]: row[2:] for row in block(ODD).tables[0].rows}
    assert found["K"] == (3, 13, 2, 78)
    assert found["W_V"] == (3, 7, 5, 105)
    assert found["W_O"] == (3, 5, 7, 105)
    assert found["b_O"] == (1, 1, 7, 7)
    assert sum(int(str(row[-1])) for row in block(ODD).tables[0].rows if row[1] == "parameters") == 328


def test_a_cut_adds_no_number():
    """7 rows, 3 heads of 5 columns: 105 numbers in every cut."""
    rows = cuts(ODD, "w_v").tables[0].rows
    assert [row[1:] for row in rows] == [(1, 7, 15, 105), (3, 7, 5, 105), (7, 3, 5, 105)]
    said = written(cuts(ODD, "w_v"))
    for size in ("dmodel = 7", "h · dv = 3 · 5", "each 7 × 5", "Keras: (7, 3, 5)", "7 tiles"):
        assert size in said, size


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", ["block_diagram", "cuts_schematic"])
def test_no_word_of_a_schematic_is_cut_off_and_none_lies_on_another(name, layer):
    for look in (Style(size=size, font=font) for size in ("page", "slide") for font in FONTS):
        root = ET.fromstring(sheet_of(FIGURES[name], request_of(LAYERS[layer]), look).svg)
        boxes = text_boxes(root, look.font)
        assert len(words(root)) > 8
        assert outside(root, boxes, 0.5) == []
        assert lying_on_another(boxes) == [], look


@pytest.mark.parametrize("layer", LAYERS)
def test_the_layer_stands_upright_as_the_paper_draws_it_and_no_word_lies_on_another(layer):
    drawn = block(request_of(LAYERS[layer]).cfg)
    at = {text.text.split(":")[0]: (text.x.px, text.y.px) for text in drawn.of(Text) if text.role == "strong"}
    names = [next(name for name in at if name.startswith(f"Linear W_{{{one}}}")) for one in "VKQ"]
    assert [at[name][0] for name in names] == sorted(at[name][0] for name in names)
    assert at["Concat"][1] < at["Scaled dot-product attention"][1] < at[names[0]][1]
    assert lying_on_another(labels_of(drawn)) == []
