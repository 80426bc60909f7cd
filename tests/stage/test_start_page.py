"""The start page's picture: every count, every weight in its place, and room for every word at every setting."""

import math
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from headcount import Config, count_parameters, run
from headcount.stage.layout import Placed, place, text_width
from headcount.stage.pictures import piles, reader, start_page
from headcount.stage.scene import Scene
from headcount.trained.sentence import DEFAULT, read
from tests.stage.reading import Label, area, lying_on_another, meet, panel_of, texts

PAPER = Config(d_model=16, num_heads=4)
FREE = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13)
WIDE = Config(d_model=4096, num_heads=32)
CASES = {
    "paper": (PAPER, True),
    "eight of the paper": (PAPER.with_heads(8, paper=True), True),
    "eight of Keras": (PAPER.with_heads(8, paper=False), False),
    "unequal sizes": (FREE, False),
    "values are wider": (Config(d_model=13, num_heads=2, key_dim=3, value_dim=17), False),
    "no biases": (Config(d_model=12, num_heads=6, use_bias=False), True),
    "gate": (Config(d_model=12, num_heads=3, use_gate=True), True),
    "a prime width": (Config(d_model=13, num_heads=13), True),
    "width 1": (Config(d_model=1, num_heads=1), True),
    "low sheets": (Config(d_model=2, num_heads=2, key_dim=512, value_dim=512), False),
    "64 cells": (Config(d_model=64, num_heads=2, key_dim=8, value_dim=8), False),
    "outlines": (WIDE, True),
    "the largest": (Config(d_model=4096, num_heads=256, key_dim=512, value_dim=512), False),
    "many heads": (Config(d_model=768, num_heads=256), True),
}
#: Pages of a phone, of a narrow window, of projectors and laptops, and of the widest.
WIDTHS = (288, 358, 640, 684, 860, 932, 1092, 1488)


def drawn(name: str) -> Scene:
    cfg, paper = CASES[name]
    numbers = start_page.numbers_of(start_page.numbered(cfg, paper), bool, run)
    return start_page.draw(cfg, paper, numbers, reader.reader(cfg, DEFAULT))


def counts(scene: Scene, way: str) -> list[str]:
    """The large texts on a convention's cards."""
    return [text.text for panel in scene.panels if panel.id.startswith(f"{way} ") for text in panel.texts if text.size > 20]


@pytest.mark.parametrize(("name", "way", "shown"), [
    ("paper", "paper", ["1,088"] * 4),  # 4 · 16 · 16 + 4 · 16
    ("paper", "free", ["284", "552", "1,088", "2,160"]),  # pieces of 4: 4 · 16 · 4h + 3 · 4h + 16
    ("eight of the paper", "free", ["284", "552", "1,088", "2,160"]),  # pieces of 2: 4 · 16 · 2h + 3 · 2h + 16
    ("unequal sizes", "free", ["292", "573", "854", "1,697"]),  # 11 · 5h twice, 11 · 7h twice, biases of 5h, 5h, 7h and 11
    ("unequal sizes", "paper", ["528"]),  # of 1, 2, 3 and 6 only 1 divides 11
])  # fmt: skip
def test_every_count_by_hand(name: str, way: str, shown: list[str]):
    assert counts(drawn(name), way) == shown
    assert bool(drawn(name).grids) == (name != "outlines")


@pytest.mark.parametrize("name", CASES)
def test_the_sum_below_each_count_is_that_count(name: str):
    scene = drawn(name)
    for panel in scene.panels:
        large = [text.text for text in panel.texts if text.size > 20 and text.text[0].isdigit()]
        if panel.go:
            (count,) = large or [text.text for text in panel.texts if re.fullmatch(r"[\d,]+", text.text)]
            terms = " ".join(text.text for text in panel.texts if "×" in text.text or text.text.startswith("+")).replace(",", "")
            products = [[int(factor) for factor in term.split("×")] for term in terms.split("+")]
            assert sum(map(math.prod, products)) == int(count.replace(",", "")), panel.id


@pytest.mark.parametrize("name", ["paper", "eight of Keras", "no biases", "gate", "64 cells", "a prime width"])
def test_a_pile_that_is_not_torn_is_as_large_as_its_weights_and_the_papers_are_16_cells_high(name: str):
    """All layers use one grid, and each has its own numbers: a cut changes none, and each head of Keras's only adds columns."""
    scene = drawn(name)
    for c, card in ((card.cfg, card.id) for row in start_page.cards(*CASES[name]) for card in row if card.cfg is not None):
        panel = panel_of(scene, card)
        if panel.curves:
            continue
        own = {block.name: block for block in panel.blocks if block.bands}
        biases = c.d_model + c.num_heads * (2 * c.key_dim + (2 if c.use_gate else 1) * c.value_dim) if c.use_bias else 0
        assert area([*own.values()]) * (c.d_model / 16) ** 2 == pytest.approx(count_parameters(c) - biases)
        assert {block.bands for block in own.values()} == {c.num_heads}
        assert {block.h for block in own.values()} == {16}
        assert panel.blocks[-1] is own["w_q"], "drawn last, so in front"


@pytest.mark.parametrize("name", ["paper", "eight of Keras", "unequal sizes", "no biases", "gate"])
def test_the_front_sheet_has_the_numbers_of_its_layer_and_of_a_torn_one_those_of_its_first_and_last_heads(name: str):
    scene = drawn(name)
    for c, card in ((card.cfg, card.id) for row in start_page.cards(*CASES[name]) for card in row if card.cfg is not None):
        kernel = run(c).params.w_q.values.reshape(c.d_model, -1)
        fronts = [block for block in panel_of(scene, card).blocks if block.name == "w_q"]
        assert fronts[0].col == 0
        assert fronts[-1].col + fronts[-1].cols == kernel.shape[1]
        for block in fronts:
            columns = slice(block.col, block.col + block.cols)
            np.testing.assert_array_equal(scene.grids[block.grid].values[:, columns], kernel[:, columns])
            first = block.hue or 0
            assert (first * c.key_dim, (first + block.bands) * c.key_dim) == (block.col, block.col + block.cols)


def test_piles_that_do_not_fit_are_torn_the_widest_first_and_the_row_says_so():
    """Keras's layers with 1, 2, 4 and 8 heads of 16 are 16, 32, 64 and 128 cells wide. There is room for 80."""
    cfg = Config(d_model=16, num_heads=1, key_dim=16)
    scene = start_page.draw(cfg, True, (), reader.reader(cfg, DEFAULT))
    torn = {panel.id for panel in scene.panels if panel.curves and panel.go}
    assert torn == {"free 4", "free 8"}
    assert {panel.id: panel.width.cells for panel in scene.panels if panel.go}["free 2"] == 32
    assert max(panel.width.cells for panel in scene.panels if panel.id in torn) == 16
    assert "Gaps skip columns." in texts(panel_of(scene, "heading free"))[1]
    assert "Gaps" not in texts(panel_of(drawn("paper"), "heading free"))[1]


@pytest.mark.parametrize(("cfg", "side"), [
    (Config(16, 16, 1), 1), (Config(64, 4, 16), 4), (Config(24, 4, 6), 2), (Config(24, 8, 3), 3), (Config(48, 4, 12), 3),
    (Config(64, 64, 1), 0), (Config(64, 4, 16, value_dim=2), 0), (Config(128, 4, 32), 0),
])  # fmt: skip
def test_a_square_is_the_fewest_weights_with_at_most_16_above_each_other_and_no_heads_edge_inside(cfg: Config, side: int):
    assert piles.square(cfg) == side


def test_sheets_have_no_legend_a_ghost_where_the_paper_is_wider_and_tints_alone_where_numbers_are_of_another_kind():
    assert drawn("paper").scales == ()
    ghosts = {panel.id: [block.w for block in panel.blocks if not block.bands] for panel in drawn("paper").panels}
    assert {card: wide for card, wide in ghosts.items() if wide} == {"free 1": [12], "free 2": [8]}
    grids = front_grids(start_page.draw(PAPER, True, [([PAPER], run(PAPER))]))
    assert {card for card, grid in grids.items() if grid} == {"paper 4", "free 4"}


@pytest.mark.parametrize("name", CASES)
def test_a_ghost_is_there_only_where_one_of_them_is_named(name: str):
    """A place for an impossible layer may have one, too, with the reason below."""
    scene = drawn(name)
    for rows, words in ((scene.rows, "the paper’s width"), (scene.narrow, "the paper’s width.")):
        panels = [panel for row in rows for panel in row]
        ghosts = [b for panel in panels if any(b.bands for b in panel.blocks) for b in panel.blocks if not b.bands]
        assert bool(ghosts) == (words in " ".join(text.text for panel in panels for text in panel.texts))


def test_each_kind_of_numbers_has_a_grid_of_its_own_with_those_of_its_widest_layer():
    layers = start_page.layers(PAPER, True)
    numbers = start_page.numbers_of(layers, lambda one: one.follows_paper, lambda one: run(replace(one, seed=one.num_heads)))
    scene = start_page.draw(PAPER, True, numbers)
    grids = front_grids(scene)
    paper, keras = grids["paper 1"], grids["free 8"]
    assert grids == {**{f"paper {h}": paper for h in (1, 2, 4, 8)}, "free 4": paper, **{f"free {h}": keras for h in (1, 2, 8)}}
    np.testing.assert_array_equal(scene.grids[keras].values, run(Config(16, 8, 4, seed=8)).params.w_q.values.reshape(16, 32))
    assert scene.grids[paper].values.shape == (16, 16)
    assert len(scene.grids) == 2, "and no reader's"


def front_grids(scene: Scene) -> dict[str, str | None]:
    return {panel.id: next(block.grid for block in panel.blocks if block.name == "w_q") for panel in scene.panels if panel.go}


@pytest.mark.parametrize(("name", "same"), [
    ("paper", ["4"]), ("eight of the paper", ["8"]), ("unequal sizes", []), ("values are wider", []),
    ("gate", ["3"]), ("outlines", ["32"]), ("low sheets", []),
])  # fmt: skip
def test_the_same_layer_stands_where_both_ways_have_the_same_sizes(name: str, same: list[str]):
    scene = drawn(name)
    assert [(link.first, link.second) for link in scene.links] == [(f"paper {h}", f"free {h}") for h in same]
    assert ("the same layer" in scene.alt) == bool(same)


def test_where_a_line_would_cross_kerass_heading_words_say_with_how_many_heads_both_are_the_same():
    scene = drawn("eight of Keras")
    assert scene.links == ()
    assert "4 heads make the paper’s layer." in " ".join(texts(panel_of(scene, "heading free")))
    assert "With 4 heads, the paper and Keras have the same layer." in scene.alt


@pytest.mark.parametrize("name", CASES)
def test_one_card_is_lit_in_either_arrangement_and_a_click_says_which_layer_it_is(name: str):
    scene, (cfg, paper) = drawn(name), CASES[name]
    for rows in (scene.rows, scene.narrow):
        panels = [panel for row in rows for panel in row]
        assert [panel.id for panel in panels if panel.on] == [f"{'paper' if paper else 'free'} {cfg.num_heads}"]
        assert {panel.go for panel in panels} - {None} == {panel.id for panel in panels if any(b.bands for b in panel.blocks)}


def test_where_the_heads_do_not_divide_or_pairs_are_odd_the_papers_row_says_so_in_place():
    card = panel_of(drawn("unequal sizes"), "paper 2")
    assert texts(card) == ["2 heads", "no layer:", "11 / 2 is", "not whole"]
    assert card.go is None
    assert "Paper, PyTorch: no layer has 2 heads" in drawn("unequal sizes").alt
    cfg = Config(d_model=16, num_heads=4, rotary="halves")
    assert [card.cfg is None for card in start_page.cards(cfg, True)[0]] == [False] * 4
    odd = Config(d_model=6, num_heads=1, key_dim=6, rotary="halves")
    assert [card.cfg is None for card in start_page.cards(odd, True)[0]] == [False, True, False, True]


@pytest.mark.parametrize(("name", "paper", "keras"), [
    ("paper", "no. It cuts thinner slices.", "nearly. It adds slices."),  # 1,088 and 1,088; 1,088 and 2,160
    ("unequal sizes", "no. It cannot cut 11 into 3.", "nearly. It adds slices."),
    ("no biases", "no. It cuts thinner slices.", "yes. It adds slices."),
])  # fmt: skip
def test_each_row_answers_the_heading_by_its_counts(name: str, paper: str, keras: str):
    scene = drawn(name)
    assert texts(panel_of(scene, "heading paper"))[0] == f"The 2017 Transformer paper: {paper}"
    assert texts(panel_of(scene, "heading free"))[0] == f"Keras: {keras}"


def test_the_alternative_text_says_what_the_rows_show():
    alt = drawn("eight of Keras").alt
    assert "In Keras, with key_dim 4 per head: 2 heads have 552 parameters, 4 heads 1,088, 8 heads 2,160 and " in alt
    assert "In the paper and PyTorch, 2, 4, 8 and 16 heads all have 1,088 parameters. In Keras" in alt
    assert alt.endswith("With 4 heads, the paper and Keras have the same layer. The chosen layer is Keras’s, with 8 heads.")
    assert "In Keras, with key_dim 5 and value_dim 7 per head: 1 head has 292 parameters" in drawn("unequal sizes").alt


def test_where_no_row_has_the_papers_layer_kerass_says_with_how_many_heads_it_would_be():
    cfg = Config(16, 4, 1)
    said = " ".join(texts(panel_of(start_page.draw(cfg, False), "heading free")))
    assert "16 heads make the paper’s layer." in said
    assert "would be" not in " ".join(texts(panel_of(drawn("paper"), "heading free")))


#: By heads in the paper's way at 16 wide: the lead's second sentence, and how often the four questions are answered rightly.
READ = {
    1: ("Here one head must find who, whom, where and when.", "Right answers: whom 34%, the others 100%"),
    4: ("Each head has a colour and looks for something different.", "Right answers to all four questions: 100%"),
    8: ("Here each answer has a head that looks mostly at it.", "Right answers to all four questions: 100%"),
    16: (
        "Here no single head finds “where”.",
        "Right answers: who 92%, whom 89%, the others 100%",
    ),
}

#: At she, Carl, Oslo and later.
WEIGHTS = {
    1: (0.175, 0.342, 0.213, 0.093), 4: (0.999, 0.990, 0.935, 0.940), 8: (1, 0.987, 0.999, 1), 16: (0.738, 1, 0.279, 0.998),
}  # fmt: skip


@pytest.mark.parametrize("heads", READ)
def test_the_left_half_says_who_looks_where_and_how_often_that_is_right(heads: int):
    """The numbers are those of the trained networks' manifest and of their maps."""
    one = reader.reader(Config(16, heads, 16 // heads, query_len=13, key_len=13), DEFAULT)
    lead, right = READ[heads]
    assert start_page.lead(one) == f"Language models use attention: words look at other words. {lead}"
    assert len(start_page.lead(one).split()) <= 20
    assert reader.answers_right(one.right) == right
    weights = {
        1: (0.175, 0.342, 0.213, 0.093),
        4: (0.999, 0.990, 0.935, 0.940),
        8: (1, 0.987, 0.999, 1),
        16: (0.738, 1, 0.279, 0.998),
    }
    assert [look.weight for look in one.looks] == pytest.approx(weights[heads], abs=6e-4)
    panel = reader.panel(one, None)
    threads = [curve for curve in panel.curves if curve.thick == 2 and curve.hue is not None]
    assert {curve.hue for curve in threads} == one.owners == {look.head for look in one.looks if look.weight > 0.5}
    assert len([curve for curve in panel.curves if curve.label]) == 4
    front = [block for block in panel.blocks if block.name == "w_q"]
    assert {head for block in front for head in block.pale} == (
        {*range(heads)} - {look.head for look in one.looks} if heads > 4 else set()
    )
    assert any("pale" in text for text in texts(panel)) == (heads > 4)
    assert reader.said(one).endswith("This trained layer has 1,088 parameters.")
    assert ("whom?" in texts(panel), "whom" in texts(panel)) == (heads == 1, heads != 1)


def test_a_weight_below_an_even_look_has_no_curve_and_is_written_with_three_decimals():
    one = reader.reader(Config(16, 4, 1, query_len=13, key_len=13), DEFAULT)
    panel = reader.panel(one, None)
    assert [text for text in texts(panel) if text.startswith("0.")] == ["0.002", "0.099", "0.315", "0.365"]
    assert len([curve for curve in panel.curves if curve.label]) == 3
    assert {"who?", "whom?", "where", "when"} <= {*texts(panel)}
    assert "Here no head looks mostly at an answer." in start_page.lead(one)


def test_where_no_layer_was_trained_the_usual_one_reads_says_so_and_has_no_threads():
    panel = panel_of(drawn("unequal sizes"), "reader")
    assert texts(panel)[0] == "A trained layer, 16 wide, with four heads"
    assert "No layer of these sizes was trained." in texts(panel)
    assert [curve for curve in panel.curves if curve.thick == 2 and curve.hue is not None] == []
    assert "1,088" in texts(panel)


def test_another_sentence_is_read_and_its_answers_stand_where_they_are():
    text = "Bea sees Bob in Lima now and in Cairo he is met by Cleo often"
    one = reader.reader(Config(16, 4, 4, query_len=13, key_len=13), read(text))
    assert [one.sentence.words[look.at] for look in one.looks] == ["Cleo", "he", "Cairo", "often"]
    (table,) = start_page.draw(one.cfg, True, (), one).tables
    assert [row[:2] for row in table.rows] == [("who", "Cleo"), ("whom", "he"), ("where", "Cairo"), ("when", "often")]


@pytest.mark.parametrize(("right", "says"), [
    ((1, 1, 1, 1), "Right answers to all four questions: 100%"),
    ((0.9927, 0.9862, 1, 1), "Right answers: whom 99%, the others at least 99%"),
    ((0.3243, 0.2715, 1, 0.9988), "Right: who 32%, whom 27%, the others at least 99%"),
    ((0.2693, 0.2338, 0.633, 0.162), "Right: who 27%, whom 23%, where 63%, when 16%"),
    ((0.0808, 0.0715, 0.166, 1), "Right: who 8%, whom 7%, where 17%, when 100%"),
])  # fmt: skip
def test_only_what_is_always_right_is_100_percent(right: tuple[float, ...], says: str):
    assert reader.answers_right(right) == says


@pytest.mark.parametrize(("d_model", "heads", "row"), [
    (16, 1, [1, 2, 4, 8]), (16, 8, [2, 4, 8, 16]), (16, 16, [2, 4, 8, 16]), (768, 12, [1, 6, 12, 24]), (8, 8, [1, 2, 4, 8]),
    (1024, 64, [1, 32, 64, 128]), (12, 4, [1, 2, 4, 6]), (20, 5, [1, 2, 5, 10]), (768, 256, [1, 64, 128, 256]),
    (13, 13, [1, 6, 13, 26]), (1, 1, [1, 2, 4, 8]), (11, 7, [1, 3, 7, 14]), (11, 2, [1, 2, 4, 8]), (11, 256, [1, 64, 128, 256]),
])  # fmt: skip
def test_the_head_counts_are_at_most_four_that_divide_where_enough_do_and_else_any(d_model: int, heads: int, row: list[int]):
    assert start_page.head_counts(Config(d_model, heads, 3)) == row


def boxes(placed: Placed) -> list[Label]:
    """A box around each label, from its baseline upwards: left, top, right, bottom."""
    found = []
    for text, x, y in placed.texts:
        wide = text_width(text, "sans")
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[text.anchor]
        found.append((text.text, left, y - 0.72 * text.size, left + wide, y))
    return found


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", CASES)
def test_nothing_overlaps_and_nothing_is_outside_the_page(name: str, width: int):
    placed = place(drawn(name), width)
    words = boxes(placed)
    assert lying_on_another(words) == []
    for word in words:
        assert word[1] >= 0, word
        assert word[3] <= width + 0.5, word
        assert word[4] <= placed.height, word
    for block, rect in placed.blocks:
        assert rect.x >= 0
        assert rect.x + rect.w <= width + 0.5, block.id
        if block.bands:
            around = (block.id, rect.x, rect.y, rect.x + rect.w, rect.y + rect.h)
            assert not [word for word in words if meet(around, word)], block.id
    for (one, a), (other, b) in combinations(placed.frames, 2):
        apart = not meet(("", a.x, a.y, a.x + a.w - 0.01, a.y + a.h - 0.01), ("", b.x, b.y, b.x + b.w, b.y + b.h))
        assert apart, (one.id, other.id)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [358, 932])
def test_each_convention_is_a_row_and_the_sentence_stands_above_them_on_a_phone_and_left_of_them_elsewhere(name: str, width: int):
    frames = {panel.id: rect for panel, rect in place(drawn(name), width).frames}
    (first, second, *_), (third, *_) = start_page.cards(*CASES[name])
    assert frames[first.id].y == frames[second.id].y < frames[third.id].y
    left = frames["reader"].x + frames["reader"].w < frames[first.id].x
    assert (left, frames["reader"].y + frames["reader"].h < frames[first.id].y) == (width > 500, width < 500)


@pytest.mark.parametrize("name", ["paper", "eight of Keras", "no biases", "gate", "outlines", "many heads"])
@pytest.mark.parametrize("width", [358, 932, 1240])
def test_a_sheet_of_the_papers_covers_the_same_pixels_however_it_is_cut(name: str, width: int):
    placed = place(drawn(name), width)
    own = [rect for block, rect in placed.blocks if block.id.startswith("paper ") and block.bands]
    assert len({(round(rect.w, 6), round(rect.h, 6)) for rect in own}) == 1


def test_kerass_sheets_grow_by_a_heads_columns_and_nothing_else():
    placed = place(drawn("paper"), 1240)
    wide = {block.id: rect.w for block, rect in placed.blocks}
    for heads in (1, 2, 4, 8):
        assert wide[f"free {heads} w_k"] == wide[f"free {heads} w_o"] == pytest.approx(heads * 4 * placed.cell)
