"""One head step by step, with masked cells empty, never 0. Also one word's attention as curves, one for each weight."""

import numpy as np
import pytest

from headcount import Config, run
from headcount.export.figures import FIGURES
from headcount.export.request import request_of
from headcount.names import LABELS
from headcount.stage.layout import place, tokens
from headcount.stage.pictures.attention import names_of_positions, steps
from headcount.stage.text import width_of
from headcount.switches import Switches
from headcount.variations import with_divisor, with_switches
from tests.stage.reading import check_sources, panel_of, texts

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
CAUSAL = Config(d_model=12, num_heads=2, query_len=7, mask="causal")
POOLED = Config(d_model=6, num_heads=2, query_len=67, key_len=71, mask="causal")  # maps in squares of 4, steps of 2


def test_masked_cells_are_empty_after_the_mask_only():
    trace = run(CAUSAL)
    future = np.triu(np.ones((7, 7), bool), 1)
    drawn = steps(CAUSAL, trace, 1, "sqrt_d_k").grids
    for name, empty in (("scores", False), ("scaled", False), ("masked", True), ("weights", True)):
        np.testing.assert_array_equal(np.isnan(drawn[name].values), future & empty, err_msg=name)
    assert all(np.isfinite(drawn[name].values).all() for name in ("q", "k", "sums"))


def test_a_square_that_is_partly_masked_is_the_mean_of_what_may_be_seen():
    """134 × 142 cells in squares of 2: three cells of the first square are allowed, none of a later one."""
    cfg = Config(d_model=6, num_heads=2, query_len=134, key_len=142, mask="causal")
    trace = run(cfg)
    grid, weights = steps(cfg, trace, 1, "sqrt_d_k").grids["weights"], trace.weights.values[0, 1]
    assert grid.pool == 2
    assert grid.values.shape == (67, 71)
    assert grid.values[0, 0] == pytest.approx(np.mean([weights[0, 0], weights[1, 0], weights[1, 1]]), rel=1e-5)
    assert grid.values[10, 2] == pytest.approx(weights[20:22, 4:6].mean(), rel=1e-5)
    assert np.isnan(grid.values[0, 1:]).all()
    np.testing.assert_array_equal(np.isnan(grid.values), np.triu(np.ones((67, 71), bool), 1))


@pytest.mark.parametrize(("kind", "sign"), [("sqrt_d_k", "→ ÷ √d_{k}"), ("none", "→ ÷ 1"), ("sqrt_d_model", "→ ÷ √d_{model}")])
def test_the_steps_of_a_head_are_its_own_end_in_row_sums_of_1_and_are_called_what_a_cell_of_them_is_called(kind, sign):
    """The label under the pointer is "A of head 3"; the picture writes A_3."""
    trace = with_divisor(run(PRIMES), kind)
    scene = steps(PRIMES, trace, 2, kind)
    for name in ("scores", "scaled", "weights"):
        np.testing.assert_array_equal(scene.grids[name].values, getattr(trace, name).values[0, 2], err_msg=name)
    np.testing.assert_array_equal(scene.grids["q"].values, trace.q.values[0, :, 2])
    np.testing.assert_array_equal(scene.grids["k"].values, trace.k.values[0, :, 2].T)
    np.testing.assert_allclose(scene.grids["sums"].values, np.ones((13, 1)), rtol=1e-5)
    assert scene.grids["weights"].values.sum(axis=1) == pytest.approx(1, rel=1e-5)
    assert sign in texts(panel_of(scene, "scaled"))
    assert f"→ softmax = {LABELS['weights']}_{{3}}" in texts(panel_of(scene, "weights"))


@pytest.mark.parametrize("cfg", [PRIMES, CAUSAL, POOLED, Config(1, 1, query_len=1), Config(64, 8, query_len=6)])
def test_what_lights_up_is_as_long_as_the_inner_dimension_and_every_step_names_its_axes(cfg):
    """Where Q and Kᵀ meet, one has the axis of queries, the other that of keys."""
    scene = steps(cfg, run(cfg), 0, "sqrt_d_k")
    assert check_sources(scene) == 2 + (2 if cfg.mask == "none" else 3) + 1
    axes = {tuple(sorted(text for text in texts(panel) if text[-1] in "→↓")) for panel in scene.panels}
    assert axes == {("key →", "query ↓")}


@pytest.mark.parametrize("cfg", [PRIMES, CAUSAL, POOLED])
def test_scores_of_all_steps_share_a_scale_that_is_the_same_whatever_they_are_divided_by(cfg):
    trace = run(cfg)
    scenes = [steps(cfg, with_divisor(trace, kind), 0, kind) for kind in ("sqrt_d_k", "none", "sqrt_d_model")]
    (tops,) = {tuple(sorted(scene.tops.items())) for scene in scenes}
    largest = {"share": 1.0, "signed": max(float(np.abs(trace[name].values[0, :, 0]).max()) for name in "qk")}
    largest["score"] = max(float(np.nanmax(np.abs(scenes[0].grids[name].values))) for name in ("scores", "scaled"))
    assert dict(tops) == largest
    for scene in scenes:
        assert {scene.grids[name].scale for name in ("scores", "scaled", "masked") if name in scene.grids} == {"score"}
        for grid in scene.grids.values():
            assert np.nanmax(np.abs(grid.values)) <= scene.tops[grid.scale] * (1 + 1e-6)


def test_each_step_lights_up_in_the_one_before_and_without_a_mask_there_is_no_step_of_masking():
    for cfg, ids in ((PRIMES, ["meeting", "scaled", "weights"]), (CAUSAL, ["meeting", "scaled", "masked", "weights"])):
        scene = steps(cfg, run(cfg), 0, "sqrt_d_k")
        assert [panel.id for panel in scene.panels] == ids
        assert ("the mask" in scene.alt) == any("→ mask" in texts(panel) for panel in scene.panels) == (cfg is CAUSAL)
        assert set(scene.grids) == {block.grid for block in scene.blocks}
        lit = {block.id: [(s.block, s.part) for s in block.sources] for block in scene.blocks if len(block.sources) == 1}
        masked = {"masked": [("scaled", "cell")]} if cfg is CAUSAL else {}
        weights = [("masked" if cfg is CAUSAL else "scaled", "row")]
        assert lit == {"scaled": [("scores", "cell")], **masked, "weights": weights, "sums": [("weights", "row")]}


def test_tokens_name_rows_and_columns_of_every_panel():
    """Keys are above the columns of Kᵀ and of every step, queries beside the rows of Q and of every step. The panels' rows are
    level."""
    words = tuple("abcdefg")
    scene = steps(CAUSAL, run(CAUSAL), 0, "sqrt_d_k", words)
    blocks = {block.id: block for block in scene.blocks}
    assert {name for name, block in blocks.items() if block.row_labels == words} == {"q", "scaled", "masked", "weights"}
    assert {name for name, block in blocks.items() if block.col_labels == words} == {"k", "scores", "scaled", "masked", "weights"}
    drawn = zip(scene.panels, ("scores", "scaled", "masked", "weights"), strict=True)
    feet = {panel.height.px - blocks[name].y.px for panel, name in drawn}
    assert len(feet) == 1
    short, long = (steps(CAUSAL, run(CAUSAL), 0, "sqrt_d_k", (word,) * 7) for word in ("at", "incomprehensible"))
    assert [panel.width.px for panel in short.panels] < [panel.width.px for panel in long.panels]
    pooled = steps(POOLED, run(POOLED), 0, "sqrt_d_k", words)
    assert not any(block.row_labels or block.col_labels for block in pooled.blocks), "where cells are means, none"


def test_positions_are_called_by_the_words_typed_or_by_a_sentence_of_six_or_by_their_numbers():
    six, cross = Config(d_model=12, num_heads=2, query_len=6), Config(d_model=12, num_heads=2, query_len=6, key_len=3)
    assert names_of_positions(("we", "saw"), six) == ("we", "saw")
    assert names_of_positions(("one", "two", "three", "four", "five", "six", "seven", "eight"), CAUSAL)[-1] == "seven"
    assert " ".join(names_of_positions((), six)) == "the cat sat on the mat"
    assert names_of_positions((), cross) == ("1", "2", "3", "4", "5", "6")
    assert names_of_positions((), CAUSAL) == ("1", "2", "3", "4", "5", "6", "7")


WORDS = ("the", "incomprehensible", "cat", "sat", "on", "the")


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize(
    ("d_model", "heads", "length"), [(16, 4, 6), (64, 8, 6), (64, 1, 6), (16, 2, 17), (24, 2, 64), (7, 7, 1)]
)
def test_the_chain_stands_in_one_line_on_a_projector_wherever_it_is_drawn_cell_by_cell(d_model, heads, length, mask):
    cfg = Config(d_model=d_model, num_heads=heads, query_len=length, mask=mask)
    placed = place(steps(cfg, run(cfg), 0, "sqrt_d_k", WORDS[:length]), 930)
    feet = {round(rect.y + rect.h) for _, rect in placed.frames}
    assert len(feet) == 1
    assert max(rect.x + rect.w for _, rect in placed.frames) <= 930


def test_every_step_that_published_models_added_has_its_panel_and_its_numbers():
    """h = 3, d_k = 4: from Q to its norm, rotation, products, cap, distances, mask, and a weight with a sink."""
    cfg = Config(12, 3, query_len=5, mask="causal")
    switches = Switches("halves", "rms", 1.5, alibi=True, sinks=True)
    trace = with_switches(run(cfg), switches)
    scene = steps(cfg, run(cfg), 1, "sqrt_d_k", switches=switches)
    held = {name: grid.values for name, grid in scene.grids.items()}
    for name in ("q", "q_normed", "q_rotated", "k", "k_normed"):
        np.testing.assert_array_equal(held[name], trace[name].values[0, :, 1])
    np.testing.assert_allclose(held["q_rotated"] @ held["k_rotated"], held["scores"], atol=1e-5)  # keys are drawn turned
    np.testing.assert_allclose(held["scaled"], held["scores"] / 2, rtol=1e-6)
    np.testing.assert_allclose(held["capped"], 1.5 * np.tanh(held["scaled"] / 1.5), rtol=1e-5)
    away = np.abs(np.arange(5)[:, None] - np.arange(5))
    np.testing.assert_allclose(held["biased"], held["capped"] - away / 256, atol=1e-6)  # the second of 2 slopes, and 1 between
    sink = np.exp(float(trace["sinks"].values[1]))
    powers = np.exp(np.where(np.isnan(held["masked"]), -np.inf, held["masked"]))
    np.testing.assert_allclose(np.nan_to_num(held["weights"]), powers / (powers.sum(-1, keepdims=True) + sink), atol=1e-6)
    words = [text.text for panel in scene.panels for text in panel.texts]
    for sign in ("norm(Q_{2})", "rotated Q_{2}", "→ 1.5 · tanh(· / 1.5)", "→ − 0.00391 · |t − s|"):
        assert sign in words, sign


@pytest.mark.parametrize("width", [350, 632, 940])
def test_below_each_map_stands_the_word_that_the_asking_row_hits_upright_and_within_the_page(width):
    """Head 1 finds "she" from "thanks". Rotated keys have their names only under the pointer."""
    scene = FIGURES["steps"].draw(request_of({})).drawing
    placed = place(scene, width)
    hits = [(block, rect, token) for block, rect in placed.blocks for token in tokens(block, rect) if token.anchor == "middle"]
    assert [block.name for block, *_ in hits] == ["scores", "scaled", "weights"]
    for block, rect, token in hits:
        assert token.text == "she"
        assert token.x == pytest.approx(rect.x + rect.w * (block.col_labels.index("she") + 0.5) / 13)
        assert token.y > rect.y + rect.h
        assert token.x + width_of(token.text, token.size) / 2 <= width
