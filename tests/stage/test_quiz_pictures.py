"""The quiz's pictures: options, and the figures that answer."""

import re
from random import Random

import numpy as np
import pytest

from components.pages.quiz.pictures import HIGH, WIDE, as_svg, options, pile
from headcount import Config, count_parameters, ledger, run
from headcount.export.figures import EVERY
from headcount.export.request import Request
from headcount.stage.layout import place
from headcount.stage.pictures import start_page
from headcount.stage.scene import MAX_CELLS, Scene
from headcount.stage.theme import LIGHT
from lessons.quiz import KINDS, deck, new_question
from lessons.quiz.pictures import CAUSAL, mask_named


def drawn(kind: str, seed: int = 0):
    """A question and its pictures, whose alt texts differ."""
    question = new_question(kind, Random(seed))
    scenes = options(question, run(question.cfg))
    assert len({scene.alt for scene in scenes}) == len(question.options)
    return question, scenes


def test_masks_by_hand():
    """3 queries, 5 keys."""
    cfg = Config(d_model=4, num_heads=2, query_len=3, key_len=5)
    rows = {name: ["".join("x."[not seen] for seen in row) for row in mask_named(name, cfg)] for name in ("causal", *CAUSAL)}
    assert rows == {
        "causal": ["x....", "xx...", "xxx.."], "end": ["xxx..", "xxxx.", "xxxxx"], "after": ["xxxxx", ".xxxx", "..xxx"],
        "strict": [".....", "x....", "xx..."], "padding": ["xxx..", "xxx..", "xxx.."], "none": ["xxxxx"] * 3,
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "seed"), [("mask", seed) for seed in range(6)])
def test_every_map_hatches_what_its_mask_forbids_its_rows_sum_to_1_or_are_empty_and_the_right_one_is_the_layers_own(kind, seed):
    question, scenes = drawn(kind, seed)
    for at, (scene, option) in enumerate(zip(scenes, question.options, strict=True)):
        grid, allowed = scene.grids["weights"].values, mask_named(option.text, question.cfg)
        np.testing.assert_array_equal(np.isnan(grid), ~allowed)
        np.testing.assert_allclose(np.nansum(grid, axis=1), allowed.any(axis=1), atol=1e-6)
        if kind == "mask" and at == question.answer:
            np.testing.assert_allclose(np.nan_to_num(grid), run(question.cfg).weights.values[0, 0], atol=1e-6)


def test_a_cut_covers_the_matrix_once_but_for_the_slices_of_an_embedding_and_names_the_head_at_every_piece():
    question, scenes = drawn("cut")
    width = question.cfg.d_model
    for scene, option in zip(scenes, question.options, strict=True):
        (panel,) = scene.panels
        held = np.zeros((width, width), int)
        for block in panel.blocks:
            held[block.row : block.row + block.rows, block.col : block.col + block.cols] += 1
        expected = np.kron(np.eye(question.cfg.num_heads, dtype=int), np.ones((question.cfg.key_dim,) * 2, int))
        np.testing.assert_array_equal(held, expected if option.text == "diagonal" else 1)
        assert [text.text for text in panel.texts] == [str(block.head + 1) for block in panel.blocks]


def rects(scene: Scene) -> list:
    """The front sheets, or the dashed area, in pixels."""
    placed = place(scene, 2 * WIDE)
    return [rect for block, rect in placed.blocks if block.name in ("w_q", "")]


@pytest.mark.parametrize("kind", ["paper_count", "keras_count_doubled", "longer"])
def test_of_counts_twice_the_parameters_cover_twice_the_area_within_what_the_biases_are_and_all_fit_in_a_card(kind):
    """The drawn matrices have no biases. Without them the areas are proportional to the counts, within a thousandth."""
    for question in [q for seed in range(8) for q in deck(seed) if q.kind == kind]:
        weights = lambda cfg: sum(row.count for row in ledger(cfg) if not row.is_bias)  # noqa: E731
        (first,) = rects(pile(question, question.before, run(question.before)))
        for option, scene in zip(question.options, options(question, None), strict=True):
            area = sum(rect.w * rect.h for rect in rects(scene)) / (first.w * first.h)
            claimed = int(option.text.replace(",", "")) / count_parameters(question.before)
            wanted = sum(map(weights, option.layers)) / weights(question.before) if option.layers else claimed
            assert area == pytest.approx(wanted, rel=1e-3), (question.asks, option.text)
            assert bool(option.layers) == (not scene.alt.endswith("no layer."))
            assert sum(map(count_parameters, option.layers)) in (0, int(option.text.replace(",", "")))
            svg, width = as_svg(scene, LIGHT)
            assert width <= WIDE + 2
            assert float(re.search(r'height="([\d.]+)"', svg)[1]) <= HIGH + 2
            assert ("stroke-dasharray" in svg) == (not option.layers)


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_has_its_real_figure(kind):
    for question in [question for seed in range(3) for question in deck(seed) if question.kind == kind]:
        figure = EVERY[question.figure]
        picture = figure.draw(Request(question.cfg, question.paper, question.choices))
        assert picture.alt
        cfg, outlines = question.cfg, False
        if question.figure == "why_several":  # curves
            outlines = True
        elif question.figure == "heads":
            outlines = not start_page.fits_cells(cfg, question.paper)
        elif question.figure == "projections":  # W_Q
            outlines = max(cfg.d_model, cfg.num_heads * max(cfg.key_dim, cfg.value_dim), cfg.query_len, cfg.key_len) > MAX_CELLS
        assert not isinstance(picture.drawing, Scene) or bool(picture.drawing.grids) != outlines
