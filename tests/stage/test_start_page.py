"""The start page's picture: every count, every weight where it belongs, and room for every word at every setting."""

import math
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from headcount import Config, count_parameters, run
from headcount.stage.layout import Placed, place, text_width
from headcount.stage.pictures import start_page
from headcount.stage.scene import Scene
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
    return start_page.draw(cfg, paper, start_page.numbers_of(start_page.numbered(cfg, paper), bool, run))


def counts(scene: Scene, way: str) -> list[str]:
    """What stands in large type in a convention's cards."""
    return [text.text for panel in scene.panels if panel.id.startswith(f"{way} ") for text in panel.texts if text.size > 20]


@pytest.mark.parametrize(("name", "way", "shown"), [
    ("paper", "paper", ["1,088"] * 4),  # 4 · 16 · 16 + 4 · 16
    ("paper", "free", ["284", "552", "1,088", "2,160"]),  # pieces of 4: 4 · 16 · 4h + 3 · 4h + 16
    ("eight of the paper", "free", ["150", "284", "552", "1,088"]),  # pieces of 2, as with 8 heads: 4 · 16 · 2h + 3 · 2h + 16
    ("unequal sizes", "free", ["292", "573", "854", "1,697"]),  # 11 · 5h twice, 11 · 7h twice, biases of 5h, 5h, 7h and 11
    ("unequal sizes", "paper", ["528"]),  # of 1, 2, 3 and 6 only 1 divides 11
    ("outlines", "paper", ["67,125,248"] * 4),
])  # fmt: skip
def test_every_count_by_hand_and_what_is_wider_than_64_has_outlines(name: str, way: str, shown: list[str]):
    assert counts(drawn(name), way) == shown
    assert bool(drawn(name).grids) == (name != "outlines")
    assert not start_page.fits_cells(Config(d_model=16, num_heads=8, key_dim=9), False), "8 heads of 9 are 72 columns"


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


@pytest.mark.parametrize("name", ["paper", "eight of Keras", "unequal sizes", "no biases", "gate", "64 cells"])
def test_the_area_of_a_cards_sheets_is_its_weights_and_the_front_one_has_the_numbers_of_that_layer(name: str):
    """Every layer's own, though one grid serves all: a cut changes none, and one more head of Keras's only adds columns."""
    scene = drawn(name)
    assert (list(scene.grids), scene.panels[0].id) == (["w_q"], "paper")
    for c, card in ((card.cfg, card.id) for row in start_page.cards(*CASES[name]) for card in row if card.cfg is not None):
        own = {block.name: block for block in panel_of(scene, card).blocks if block.bands}
        biases = c.d_model + c.num_heads * (2 * c.key_dim + (2 if c.use_gate else 1) * c.value_dim) if c.use_bias else 0
        assert area([*own.values()]) == count_parameters(c) - biases
        assert {block.bands for block in own.values()} == {c.num_heads}
        front, kernel = own["w_q"], run(c).params.w_q.values.reshape(c.d_model, -1)
        assert (front.rows, front.cols, front.row, front.col) == (c.d_model, c.num_heads * c.key_dim, 0, 0)
        np.testing.assert_array_equal(scene.grids["w_q"].values[:, : front.cols], kernel)
        assert panel_of(scene, card).blocks[-1] is front, "drawn last, so in front"


def test_sheets_have_no_legend_a_ghost_where_the_paper_is_wider_and_tints_alone_where_numbers_are_of_another_kind():
    assert drawn("paper").scales == ()
    ghosts = {panel.id: [block.w for block in panel.blocks if not block.bands] for panel in drawn("paper").panels}
    assert {card: wide for card, wide in ghosts.items() if wide} == {"free 1": [12], "free 2": [8]}
    grids = front_grids(start_page.draw(PAPER, True, [([PAPER], run(PAPER))]))
    assert {card for card, grid in grids.items() if grid} == {"paper 4", "free 4"}


@pytest.mark.parametrize("name", CASES)
def test_a_ghost_is_there_only_where_one_of_them_is_named(name: str):
    """But for the place of a layer that there is not, below which is said why."""
    scene = drawn(name)
    for rows in (scene.rows, scene.narrow):
        cards = [panel for row in rows for panel in row if any(block.bands for block in panel.blocks)]
        ghosts = [block for panel in cards for block in panel.blocks if not block.bands]
        assert bool(ghosts) == ("paper’s" in [text.text for panel in cards for text in panel.texts])


def test_two_layers_beside_each_other_have_no_ghost():
    other = PAPER.with_heads(1, paper=False)
    scene = start_page.side_by_side(PAPER, other, (True, False), lambda place: run((PAPER, other)[place]))
    assert all(block.bands for block in scene.blocks)


def test_each_kind_of_numbers_has_a_grid_of_its_own_with_those_of_its_widest_layer():
    layers = start_page.layers(PAPER, True)
    numbers = start_page.numbers_of(layers, lambda one: one.follows_paper, lambda one: run(replace(one, seed=one.num_heads)))
    scene = start_page.draw(PAPER, True, numbers)
    grids = front_grids(scene)
    paper, keras = grids["paper 1"], grids["free 8"]
    assert grids == {**{f"paper {h}": paper for h in (1, 2, 4, 8)}, "free 4": paper, **{f"free {h}": keras for h in (1, 2, 8)}}
    np.testing.assert_array_equal(scene.grids[keras].values, run(Config(16, 8, 4, seed=8)).params.w_q.values.reshape(16, 32))
    assert scene.grids[paper].values.shape == (16, 16)


def front_grids(scene: Scene) -> dict[str, str | None]:
    return {panel.id: next(block.grid for block in panel.blocks if block.name == "w_q") for panel in scene.panels if panel.go}


@pytest.mark.parametrize(("name", "same"), [
    ("paper", ["4"]), ("eight of Keras", ["4"]), ("eight of the paper", ["8"]), ("unequal sizes", []), ("values are wider", []),
    ("gate", ["3"]), ("outlines", ["32"]), ("low sheets", []),
])  # fmt: skip
def test_the_same_layer_stands_where_both_ways_have_the_same_sizes(name: str, same: list[str]):
    scene = drawn(name)
    assert [(link.first, link.second) for link in scene.links] == [(f"paper {h}", f"free {h}") for h in same]
    assert ("the same layer" in scene.alt) == bool(same)


@pytest.mark.parametrize("name", CASES)
def test_one_card_is_lit_in_either_arrangement_and_a_click_says_which_layer_it_is(name: str):
    scene, (cfg, paper) = drawn(name), CASES[name]
    for rows in (scene.rows, scene.narrow):
        panels = [panel for row in rows for panel in row]
        assert [panel.id for panel in panels if panel.on] == [f"{'paper' if paper else 'free'} {cfg.num_heads}"]
        assert {panel.go for panel in panels} - {None} == {panel.id for panel in panels if any(b.bands for b in panel.blocks)}


def test_where_the_heads_do_not_divide_or_pairs_are_odd_the_papers_row_says_so_in_place():
    card = panel_of(drawn("unequal sizes"), "paper 2")
    assert texts(card) == ["2 heads", "no such layer", "11 / 2 is not whole"]
    assert card.go is None
    assert "2 heads: no layer, 11 / 2 is not whole" in drawn("unequal sizes").alt
    cfg = Config(d_model=16, num_heads=4, rotary="halves")
    assert [card.cfg is None for card in start_page.cards(cfg, True)[0]] == [False] * 4
    odd = Config(d_model=6, num_heads=1, key_dim=6, rotary="halves")
    assert [card.cfg is None for card in start_page.cards(odd, True)[0]] == [False, True, False, True]


def test_the_headline_and_the_alternative_text_say_what_the_rows_show():
    assert start_page.headline(PAPER, True) == "More heads: the paper cuts finer, Keras adds pieces."
    assert start_page.headline(FREE, False) == "More heads: the paper cannot cut 11 into 3, Keras adds pieces."
    alt = drawn("eight of Keras").alt
    assert "Keras, key_dim = 4: 1 head: 284 parameters; 2 heads: 552 parameters; 4 heads: 1,088 parameters; " in alt
    assert alt.endswith("With 4 heads both are the same layer. Chosen: Keras, 8 heads.")
    assert "Keras, key_dim = 5, value_dim = 7: 1 head: 292 parameters" in drawn("unequal sizes").alt


@pytest.mark.parametrize(("d_model", "heads", "row"), [
    (16, 1, [1, 2, 4, 8]), (16, 8, [1, 2, 4, 8]), (16, 16, [1, 4, 8, 16]), (768, 12, [1, 6, 12, 24]), (32, 16, [1, 8, 16, 32]),
    (1024, 64, [1, 32, 64, 128]), (12, 4, [1, 2, 4, 6]), (20, 5, [1, 2, 5, 10]), (768, 256, [1, 64, 128, 256]),
    (13, 13, [1, 6, 13, 26]), (1, 1, [1, 2, 4, 8]), (11, 7, [1, 3, 7, 14]), (11, 2, [1, 2, 4, 8]), (11, 256, [1, 64, 128, 256]),
])  # fmt: skip
def test_the_head_counts_are_at_most_four_that_divide_where_enough_do_and_else_any(d_model: int, heads: int, row: list[int]):
    assert start_page.head_counts(Config(d_model, heads, 3)) == row


def boxes(placed: Placed) -> list[Label]:
    """Around each label, from its baseline upwards: left, top, right, bottom."""
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
def test_a_phone_has_a_row_for_each_head_count_and_a_projector_one_for_each_convention(name: str):
    for width, down in ((358, True), (932, False)):
        frames = {panel.id: rect for panel, rect in place(drawn(name), width).frames}
        (first, second, *_), (third, *_) = start_page.cards(*CASES[name])
        assert (frames[first.id].x == frames[second.id].x) == down
        assert (frames[first.id].y == frames[third.id].y) == down


@pytest.mark.parametrize("name", ["paper", "eight of Keras", "no biases", "gate", "outlines", "many heads"])
@pytest.mark.parametrize("width", [358, 932, 1240])
def test_a_sheet_of_the_papers_covers_the_same_pixels_however_it_is_cut(name: str, width: int):
    placed = place(drawn(name), width)
    own = [rect for block, rect in placed.blocks if block.id.startswith("paper ") and block.bands]
    assert len({(round(rect.w, 6), round(rect.h, 6)) for rect in own}) == 1


def test_kerass_sheets_grow_by_a_heads_columns_and_nothing_else():
    placed = place(drawn("unequal sizes"), 1240)
    wide = {block.id: rect.w for block, rect in placed.blocks}
    for heads in (1, 2, 3, 6):
        assert wide[f"free {heads} w_k"] == pytest.approx(heads * 5 * placed.cell)
        assert wide[f"free {heads} w_o"] == pytest.approx(heads * 7 * placed.cell)
