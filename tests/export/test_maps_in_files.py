"""A map in a file is the map of its page: cells in the same places and colours, the same words, and all of it vectors."""

import re
import xml.etree.ElementTree as ET
from functools import partial
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

from headcount.explain import Cell
from headcount.export.figures import FIGURES
from headcount.export.rendering import picture_of, sheet_of
from headcount.export.request import Unavailable, request_of
from headcount.export.sheet import caption_of
from headcount.export.style import Style
from headcount.plots import layer
from headcount.plots.recolour import in_theme
from headcount.reading import pale_rows
from headcount.stage import heatmaps_svg
from headcount.stage.svg import Ink
from headcount.stage.theme import DARK, LIGHT, PRINT
from tests.export.sheets import SVG, placed, text_boxes, words

REQUEST = request_of({"mask": "causal"}).on_words()
TRACE, LABELS = REQUEST.trace(), REQUEST.reading_labels
#: What the pages of the layer show (pages/*.py), by the figure's name.
PAGES = {
    "attention": partial(
        layer.maps_of, TRACE, REQUEST.switches, "sqrt_d_k", REQUEST.reading, REQUEST.tokens, 0, None
    ),
    "projection_maps": partial(layer.projections, TRACE, LABELS),
    "kernel_maps": partial(layer.kernels, TRACE),
    "results": partial(layer.results, TRACE, LABELS),
    "shares": partial(layer.shares, TRACE, LABELS),
}  # fmt: skip


def mixed(scale: list, share: float) -> tuple[int, ...]:
    """A colour of a Plotly scale, mixed in RGB between the two nearest stops."""
    for (low, one), (high, other) in pairwise(scale):
        if low <= share <= high:
            part = (share - low) / (high - low)
            ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (one, other)]
            return tuple(round(a + (b - a) * part) for a, b in zip(*ends, strict=True))
    raise AssertionError(share)


def expected(figure: dict) -> dict[str, list[tuple[int, ...] | None]]:
    """The colour of every cell of every map by its name, from the figure's own data, row by row. None for a masked cell."""
    found = {}
    over = {trace["xaxis"]: trace for trace in figure["data"] if trace.get("hoverinfo") == "skip"}
    for trace in figure["data"]:
        if trace.get("hoverinfo") == "skip":
            continue
        grey = over.get(trace["xaxis"])
        colours = []
        for place, value in np.ndenumerate(np.asarray(trace["z"], float)):
            shown = grey if grey is not None and np.isfinite(grey["z"][place]) else trace
            axis = figure["layout"][shown["coloraxis"]]
            share = (value - axis["cmin"]) / (axis["cmax"] - axis["cmin"])
            colours.append(None if np.isnan(value) else mixed(axis["colorscale"], share))
        found[re.sub("<.*?>", "", trace["name"])] = colours
    return found


def drawn(svg: str) -> dict[str, list[ET.Element]]:
    """The cells of every map in a file, in order."""
    groups = [group for group in ET.fromstring(svg).iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
    return {group.find(f"{SVG}title").text: group.findall(f"{SVG}rect") for group in groups}


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("name", PAGES)
def test_cells_have_the_colours_of_the_page(name, theme):
    page, _ = PAGES[name]()
    look = Style(theme="dark" if theme is DARK else "light")
    colours, cells = expected(in_theme(page, theme, "")), drawn(sheet_of(FIGURES[name], request_of({"mask": "causal"}), look).svg)
    assert [*cells] == [*colours]
    for title, asked in colours.items():
        seen = [tuple(bytes.fromhex(rect.get("fill")[1:])) for rect in cells[title]]
        shown = [colour for colour in asked if colour is not None]
        assert len(seen) == len(shown) > 0
        assert max(abs(a - b) for one, other in zip(seen, shown, strict=True) for a, b in zip(one, other, strict=True)) <= 1


def test_rows_that_are_not_read_are_as_faint_as_on_the_page():
    """The ground covers them, which is how a cell that lets the ground through looks."""
    page, _ = layer.projections(TRACE, LABELS, Cell("q", 3, 1, 0), "q")
    svg = f"<svg xmlns='{SVG[1:-1]}'>{heatmaps_svg.draw(in_theme(page, LIGHT, ''), Ink(LIGHT))}</svg>"
    veils = [path for path in ET.fromstring(svg).iter(f"{SVG}path") if path.get("opacity")]
    assert [(path.get("fill"), path.get("opacity")) for path in veils] == [(LIGHT.background, "0.67")] * 2
    assert {trace["opacity"] for trace in page["data"][:2]} == {0.33}
    for veil, cells in zip(veils, drawn(svg).values(), strict=True):
        covered = [float(top) for top in re.findall(r"M\S+ ([\d.]+)h", veil.get("d"))]
        tops = [float(cell.get("y")) for cell in cells[:: len(cells) // 13]]
        del tops[3]
        assert covered == pytest.approx(tops, abs=0.1)


@pytest.mark.parametrize("name", PAGES)
def test_a_file_says_the_words_of_the_page_and_its_rows_stand_in_their_order(name):
    page, _ = PAGES[name]()
    svg = sheet_of(FIGURES[name], request_of({"mask": "causal"}), Style()).svg
    said = {text.replace("\u00a0", " ") for text in words(svg)}
    for note in page["layout"]["annotations"]:
        for line in note["text"].split("<br>"):
            plain = unescape(re.sub("<.*?>", "", line)).removesuffix(" to")
            own = (
                "to",
                "What each head adds to the output",
                "1    Grey rows answer no question.",
            )  # the file's title and caption
            if plain not in own and not re.match(r"output  −|\+\d", plain):  # and its own colour bar
                number = plain.removeprefix("head ") if name == "kernel_maps" else plain  # where bands are narrow
                assert any(number in text for text in said), plain
    root = ET.fromstring(svg)
    if name != "kernel_maps":
        assert {re.sub("</?b>", "", word) for word in page["layout"]["yaxis"]["ticktext"]} <= said
        tops = {box[0]: box[2] for box in reversed(text_boxes(root)) if box[0] in LABELS and box[3] < 120}
        assert len(tops) >= 10
        assert [*sorted(tops, key=lambda word: LABELS.index(word))] == [*sorted(tops, key=lambda word: tops[word])]
    for cells in drawn(svg).values():
        places = [(float(rect.get("y")), float(rect.get("x"))) for rect in cells]
        assert places == sorted(places), "the first row is on top, the first column at the left"
    assert not list(root.iter(f"{SVG}image"))


def test_each_map_has_its_title_and_the_strip_in_its_heads_hue_above_it():
    """The strip is the rectangle of that colour that is lower than a cell and as wide as its map."""
    root = ET.fromstring(sheet_of(FIGURES["attention"], request_of({}), Style()).svg)
    titles = {box[0]: box for box in text_boxes(root)}
    rects = [(rect, x + scale * float(rect.get("x", 0)), y + scale * float(rect.get("y", 0)))
             for rect, x, y, scale in placed(root) if rect.tag == f"{SVG}rect"]  # fmt: skip
    for head, (name, cells) in enumerate(drawn(ET.tostring(root, encoding="unicode")).items()):
        at = next((x, y) for rect, x, y in rects if rect.attrib == cells[0].attrib)
        strips = [(x, y) for rect, x, y in rects if rect.get("fill") == LIGHT.head_text[head] and rect.get("height") == "4"]
        assert len(strips) == 1
        assert strips[0] == pytest.approx((at[0], at[1] - 6), abs=0.1)
        title = titles[name.removeprefix("head ").replace(" ·", "")]
        assert title[4] < at[1] - 7
        assert title[1] == pytest.approx(at[0], abs=1)


@pytest.mark.parametrize("name", ["projection_maps", "kernel_maps", "results", "shares"])
def test_in_print_a_bar_is_in_each_negative_cell_and_in_no_other(name):
    page, _ = PAGES[name]()
    negative = sum(int((np.asarray(trace["z"]) < 0).sum()) for trace in page["data"])
    root = ET.fromstring(sheet_of(FIGURES[name], request_of({"mask": "causal"}), Style(theme="print")).svg)
    groups = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
    bars = sum(path.get("d").count("M") for group in groups for path in group.findall(f"{SVG}path"))
    assert bars == negative > 50
    caption = caption_of(picture_of(FIGURES[name], request_of({})), Style(theme="print"))
    assert "a bar marks negative numbers" in caption


@pytest.mark.parametrize("name", ["attention", "steps"])
@pytest.mark.parametrize(("theme", "said"), [("light", "Grey rows answer no question."),
                                             ("print", "Rows of half the height answer no question.")])  # fmt: skip
def test_rows_that_answer_no_question_are_told_apart_in_every_theme_and_the_caption_says_how(name, theme, said):
    look = Style(theme=theme)
    ask = request_of({})
    pale = pale_rows(ask.on_words().reading)
    root = ET.fromstring(sheet_of(FIGURES[name], ask, look).svg)
    group = next(one for one in root.iter(f"{SVG}g") if (one.findtext(f"{SVG}title") or "").startswith(("head 1", "A of head 1")))
    rects = group.findall(f"{SVG}rect")[: 13 * 13]
    rows = [rects[13 * row : 13 * row + 13] for row in range(13)]
    high = [max(float(rect.get("height")) for rect in row) for row in rows]
    tinted = [any(len({*bytes.fromhex(rect.get("fill")[1:])}) == 3 and _violet(rect.get("fill")) for rect in row) for row in rows]
    assert 0 < len(pale) < 13
    if theme == "print":
        assert [place for place in range(13) if high[place] < 0.6 * max(high)] == [*pale]
    else:
        assert [place for place in range(13) if not tinted[place]] == [*pale]
    assert said in caption_of(picture_of(FIGURES[name], ask), look)
    others = {"Grey rows answer no question.", "Rows of half the height answer no question."} - {said}
    assert not any(other in caption_of(picture_of(FIGURES[name], ask), look) for other in others)


def _violet(fill: str) -> bool:
    """Whether blue outweighs green, as in the scale of attention weights."""
    _, green, blue = bytes.fromhex(fill[1:])
    return blue - green > 2


def test_a_matrix_that_is_too_large_is_a_tint_for_each_head_with_its_size_and_never_an_empty_box():
    """A head has 64 of W_Q's 512 columns: an eighth of the width."""
    for name, many in (("kernel_maps", 8), ("projection_maps", 8), ("shares", 1)):
        root = ET.fromstring(sheet_of(FIGURES[name], request_of({"d_model": 512, "num_heads": 8}), Style()).svg)
        tints = [rect for rect in root.iter(f"{SVG}rect") if rect.get("opacity")]
        assert len(tints) == (9 if many == 1 else 3 * many)
        first = [float(rect.get("width")) for rect in tints[:many]]
        assert max(first) - min(first) < 0.02
        assert sum(512 in map(int, re.findall(r"\d+", text)) and "×" in text for text in words(root)) >= 3


def test_a_large_map_has_means_of_blocks_and_the_caption_says_so():
    """131 = 2 · 65 + 1 queries and keys give means of 2 × 2 cells, 66 on a side."""
    ask = request_of({"query_len": 131, "key_len": 131, "numbers": "seed"})
    page = sheet_of(FIGURES["head_map"], ask, Style())
    cells = drawn(page.svg)["head 1"]
    assert len(cells) == 66 * 66
    trace = ask.trace().weights.values[0, 0]
    first = mixed([[i / 8, colour] for i, colour in enumerate(LIGHT.share)], float(trace[:2, :2].mean()))
    assert max(abs(a - b) for a, b in zip(first, bytes.fromhex(cells[0].get("fill")[1:]), strict=True)) <= 1
    assert "A cell is the mean of 2 × 2 weights." in caption_of(picture_of(FIGURES["head_map"], ask), Style())


@pytest.mark.parametrize("name", ["attention", "head_map", "shares"])
def test_a_clean_map_has_no_frame_and_names_no_query(name):
    framed, clean = (sheet_of(FIGURES[name], request_of({"frame": frame}), Style()).svg for frame in ("query", "none"))
    frames = [len(re.findall(r'stroke-width="[23]"', svg)) for svg in (framed, clean)]
    assert frames[0] >= 1
    assert frames[1] == 0
    assert any("→" in text for text in words(framed)) is (name != "shares")
    assert not any("→" in text for text in words(clean))
    assert [len(cells) for cells in drawn(framed).values()] == [len(cells) for cells in drawn(clean).values()]


@pytest.mark.parametrize("name", [*PAGES, "head_map"])
def test_the_colour_bars_begin_and_end_with_their_scales(name):
    """They are below the maps, from the least number to the greatest. Q and K have one, V another."""
    root = ET.fromstring(sheet_of(FIGURES[name], request_of({}), Style()).svg)
    alone = [rect for rect in root.iter(f"{SVG}rect") if rect.get("height") == "8"]
    scale = LIGHT.share if name in ("attention", "head_map") else LIGHT.signed
    lows = [place for place, rect in enumerate(alone) if rect.get("fill") == scale[0]]
    assert len(lows) == (2 if name in ("projection_maps", "kernel_maps") else 1)
    for low, then in zip(lows, [*lows[1:], len(alone)], strict=True):
        assert alone[then - 1].get("fill") == scale[-1]
        starts = [float(rect.get("x")) for rect in alone[low:then]]
        assert starts == sorted(starts)


def test_where_words_have_no_room_at_many_maps_the_row_that_asks_alone_has_its_word():
    for heads, alone in ((16, True), (4, False)):
        said = {*words(sheet_of(FIGURES["attention"], request_of({"num_heads": heads}), Style()).svg)}
        assert "thanks" in said
        assert ("Rome" in said) is not alone


def test_a_map_of_many_cells_is_refused_nowhere_and_has_no_more_rectangles_than_the_bound():
    for name in ("attention", "head_map"):
        try:
            page = sheet_of(FIGURES[name], request_of({"query_len": 512, "key_len": 512, "numbers": "seed"}), Style())
        except Unavailable:
            pytest.fail("a map of means is legible")
        assert page.svg.count("<rect ") < 1 << 16
        assert "<image" not in page.svg


def test_print_has_one_scale_for_all_rows():
    assert PRINT.pale == ()
