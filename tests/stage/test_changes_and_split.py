"""Bars of what changes, and the wrong idea beside the right one: numbers, words and scales."""

import re

import numpy as np
import pytest

from headcount import Config, run
from headcount.stage.pictures import changes, split
from headcount.switches import Switches
from headcount.variations import split_embedding, without_head
from tests.stage.reading import area, numbers, panel_of, texts

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
SLICED = Config(d_model=21, num_heads=3, key_dim=5, query_len=13)


def test_a_switched_off_head_changes_its_own_columns_before_and_all_after():
    trace = run(PRIMES)
    after = without_head(trace, 1)
    joined, output = changes.column_changes(trace, after)
    assert changes.sentence(trace, trace, None).startswith("Switch a head off")
    assert np.flatnonzero(joined).tolist() == [7, 8, 9, 10, 11, 12, 13]
    assert joined[9] == np.abs(trace.context.values[0, :, 1, 2]).max()
    assert np.count_nonzero(output) == 11
    assert "**7** of 21 columns change before $W_O$ and **11** of 11 after it" in changes.sentence(trace, after, 1)
    alt = "Without head 2, 7 of 21 columns change before W_O and 11 of 11 after it."
    assert changes.draw_changes(trace, after, 1)[1] == alt


def test_the_bars_have_one_scale_that_holds_both_whichever_head_is_off():
    trace = run(PRIMES)
    made = [without_head(trace, head) for head in range(3)]
    figures = [changes.draw_changes(trace, after, head)[0] for head, after in enumerate(made)]
    ((low, high),) = {tuple(figure["layout"][axis]["range"]) for figure in figures for axis in ("yaxis", "yaxis2")}
    columns = [changes.column_changes(trace, after) for after in made]
    assert low == 0
    assert high == pytest.approx(1.05 * max(float(part.max()) for parts in columns for part in parts), rel=1e-5)
    for figure, parts in zip(figures, columns, strict=True):
        for bars, part in zip(figure["data"], parts, strict=True):
            np.testing.assert_array_equal(bars["y"], part)


def test_bars_of_the_divisors_are_three_rows_of_weights_from_0_to_1():
    trace = run(PRIMES)
    figure = changes.divisors(None, trace, Switches(), head=2, row=4)[0]
    scores = trace.scores.values[0, 2, 4].astype(float)
    for bars, number in zip(figure["data"], (5**0.5, 1.0, 11**0.5), strict=True):
        power = np.exp((scores - scores.max()) / number)
        np.testing.assert_allclose(bars["y"], power / power.sum(), atol=1e-6)
    assert [bars["name"] for bars in figure["data"]] == ["÷ √d<sub>k</sub> (the layer)", "÷ 1", "÷ √d<sub>model</sub>"]
    assert figure["layout"]["yaxis"]["range"] == [0, 1]


@pytest.mark.parametrize("word", ["<b>x</b>", "<img/src=x>", "a&b", "<a\thref=x>", "the"])
def test_a_token_is_text_in_the_chart_too_and_equal_ones_stay_apart(word):
    """Plotly reads some HTML in labels."""
    labels = changes.divisors(None, run(PRIMES), Switches(), 0, 0, (word,) * 17)[0]["data"][0]["x"]
    assert not any("<" in label for label in labels)
    assert len(set(labels)) == 17


def test_both_counts_are_said_and_where_there_are_no_slices_that_of_the_layer():
    """21 · 15 = 315 weights, a third of them in the block-diagonal matrix. 3 does not divide 11: 11 · 15 = 165."""
    trace = run(SLICED)
    wrong = split_embedding(trace)
    for words in ("**105** weights", "**315** weights", "only 7 of the 21 columns"):
        assert words in split.sentence(SLICED, wrong)
    assert "a full matrix with 315 weights" in split.draw(trace, wrong).alt
    assert split_embedding(run(PRIMES)) is None
    assert "$W_Q$ holds 165 weights" in split.sentence(PRIMES, None)


def test_with_one_head_it_is_said_that_both_ideas_are_the_same():
    trace = run(Config(d_model=5, num_heads=1, query_len=3))
    wrong = split_embedding(trace)
    np.testing.assert_array_equal(wrong.q, trace.q.values[0].reshape(3, -1))
    said = texts(panel_of(split.draw(trace, wrong), "wrong"))
    assert {"the same Q", "With one head the slice is all of X"} <= {*said}
    assert not any("not Q" in text or "wrong" in text for text in said)
    assert "give the same Q" in split.draw(trace, wrong).alt
    assert "the only slice is all of X: $W_Q$ has 25 weights either way." in split.sentence(trace.cfg, wrong)


def whole(scene, panel, name):
    """A matrix of a panel, put together from its blocks by place; NaN if a cell has no block."""
    pieces = [block for block in panel_of(scene, panel).blocks if block.name == name and block.grid]
    left, top = min(block.x.cells for block in pieces), min(block.y.cells for block in pieces)
    spots = [(block, round(block.y.cells - top), round(block.x.cells - left)) for block in pieces]
    full = np.full((max(r + b.rows for b, r, _ in spots), max(c + b.cols for b, _, c in spots)), np.nan)
    for block, row, column in spots:
        full[row : row + block.rows, column : column + block.cols] = numbers(scene, block)
    return full


def test_the_matrices_are_the_layers_and_the_wrong_ones_on_common_scales():
    trace = run(SLICED)
    wrong = split_embedding(trace)
    scene = split.draw(trace, wrong)
    x, kernel, q, bias = (whole(scene, "layer", name) for name in ("x_query", "w_q", "q", "b_q"))
    slices, blocks, not_q = (whole(scene, "wrong", name) for name in ("X", "w_q", "not_q"))
    np.testing.assert_allclose(x, trace.x_query.values[0])
    np.testing.assert_allclose(slices, x)
    np.testing.assert_allclose(bias, trace.params.b_q.values.reshape(1, 15))
    np.testing.assert_allclose(kernel, trace.params.w_q.values.reshape(21, 15))
    np.testing.assert_allclose(x @ kernel + bias, q, atol=1e-5)
    np.testing.assert_allclose(slices @ np.nan_to_num(blocks) + bias, not_q, atol=1e-5)
    assert np.isnan(blocks).sum() == 315 - 105, "empty, not 0"
    np.testing.assert_allclose(blocks[~np.isnan(blocks)], wrong.kernel[wrong.kernel != 0])
    assert scene.tops == {"weight": np.abs(kernel).max(), "signed": max(np.abs(x).max(), np.abs(q).max(), np.abs(not_q).max())}


def test_the_wrong_kernel_has_the_outline_of_the_layers_and_its_cells_their_size():
    for cfg in (SLICED, Config(d_model=512, num_heads=8, query_len=7)):
        scene = split.draw(run(cfg), split_embedding(run(cfg)))
        (outline,) = (block for block in panel_of(scene, "wrong").blocks if block.name == "no weights")
        real = [block for block in panel_of(scene, "layer").blocks if block.name == "w_q"]
        assert (outline.w, outline.h) == (sum(block.w for block in real), real[0].h)
        cut = cfg.d_model // cfg.num_heads * cfg.num_heads * cfg.key_dim
        shown = [block for block in panel_of(scene, "wrong").blocks if block.name == "w_q"]
        assert area(shown) / area(real) == pytest.approx(cut / (cfg.d_model * cfg.num_heads * cfg.key_dim))


@pytest.mark.parametrize(("cfg", "why"), [
    (Config(16, 4, query_len=3, key_len=1), "sees one key gives it the whole weight"),
    (Config(1, 1, query_len=3, key_len=5), "the divisor changes nothing"),
    (Config(16, 4), "The larger the divisor, the more even the weights of a row."),
])  # fmt: skip
def test_the_rule_of_the_divisor_stands_only_beside_numbers_that_show_it(cfg, why):
    trace = run(cfg)
    said = changes.divisor_sentence(trace)
    assert why in said
    most, paper, least = (float(peak) for peak in re.findall(r"\*\*(\d\.\d\d)\*\*", said))
    assert ("more even" in said) == (most > paper > least)
    assert f"{paper:.2f}" == f"{trace.weights.values.max(axis=-1).mean():.2f}"
    roots = [f"$\\sqrt{{{name}}}$ = {size**0.5:.2f}" for name, size in (("d_k", cfg.key_dim), ("d_{model}", cfg.d_model))]
    assert all(root in said for root in roots)
