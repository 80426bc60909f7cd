"""X with W_Q, W_K and W_V, and one weight matrix in three cuts: the same numbers everywhere. If heads do not divide the width of
W_Q, every column belongs to one head or is left over."""

from dataclasses import replace

import numpy as np
import pytest

from headcount import Config, run
from headcount.stage import svg
from headcount.stage.layout import place
from headcount.stage.pictures.projections import CUTS, KERNELS, claim, corner, three_cuts
from headcount.stage.pictures.split import left_over
from headcount.stage.svg import Ink, legend
from headcount.stage.theme import DARK, LIGHT, PRINT
from tests.stage.reading import area, cells_covered, check_products, named, numbers, panel_of, texts

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
BARE = replace(PRIMES, use_bias=False)
POOLED = Config(d_model=91, num_heads=7, query_len=5, key_len=3)
#: kernel: X, what comes out, and its rows and columns per head in PRIMES.
MEETING = {"w_q": ("x_query", "q", 13, 5), "w_k": ("x_key", "k", 17, 5), "w_v": ("x_key", "v", 17, 7)}


@pytest.mark.parametrize("kernel", MEETING)
def test_each_corner_holds_its_own_kernel_input_and_result(kernel):
    trace = run(PRIMES)
    scene = corner(PRIMES, trace, kernel)
    panel = panel_of(scene, kernel)
    source, made, rows, cols = MEETING[kernel]
    assert check_products(scene) == [made] * 3, "a row of X, a column of the kernel and its bias light up"
    (x,) = named(panel, source)
    np.testing.assert_array_equal(numbers(scene, x), getattr(trace, source).values[0])
    for head in range(3):
        np.testing.assert_array_equal(numbers(scene, named(panel, kernel)[head]), getattr(trace.params, kernel).values[:, head])
        result = named(panel, made)[head]
        assert (result.rows, result.cols, result.head) == (rows, cols, head)
        np.testing.assert_array_equal(numbers(scene, result), getattr(trace, made).values[0, :, head])


def test_queries_and_keys_have_one_scale_and_so_have_their_kernels_and_x_has_its_own():
    """Values may be far larger, so they have their own scale, also in the heatmaps beside it."""
    trace = run(PRIMES)
    top = lambda names: max(np.abs(trace[name].values).max() for name in names.split())  # noqa: E731
    for kernel in MEETING:
        scene = corner(PRIMES, trace, kernel)
        weights, computed = ("w_v b_v", "v") if kernel == "w_v" else ("w_q w_k b_q b_k", "q k")
        assert scene.tops == pytest.approx({"weight": top(weights), "signed": top(computed), "input": top("x_query x_key")})
        assert all(block.calm for block in scene.blocks)


def test_a_legend_calls_each_scale_by_the_matrices_that_have_it():
    """On the page the scale of Q, K and V is beside them. In a file it is in the legend, under the name of its kind."""
    scene, bare = corner(PRIMES, run(PRIMES), "w_k"), corner(BARE, run(BARE), "w_k")
    assert (scene.named["input"], scene.named["weight"], bare.named["weight"], scene.named["signed"]) == ("X", "W, b", "W", "")
    (made,) = legend(scene, Ink(LIGHT), 900)
    assert {word for word in ("X", "W, b", "values", "inputs", "weights") if f">{word}</text>" in made} == {"X", "W, b", "values"}


def test_words_have_the_sizes_and_the_claim_those_of_values_where_they_are_others():
    scenes = {kernel: corner(PRIMES, run(PRIMES), kernel) for kernel in MEETING}
    assert {"W_{V}", "11 × 21", "b_{V}", "V"} <= {*texts(panel_of(scenes["w_v"], "w_v"))}
    assert "X   13 × 11" in texts(panel_of(scenes["w_q"], "w_q"))
    assert "X′   17 × 11" in texts(panel_of(scenes["w_k"], "w_k")), "a second sequence is not called X"
    assert "K = X′ · W_{K} + b_{K}" in texts(panel_of(scenes["w_k"], "w_k"))
    assert scenes["w_q"].alt == "X (13 × 11) times W_Q (11 × 15), plus b_Q, is Q. Q has a block of 13 × 5 for each of 3 heads."
    assert scenes["w_v"].alt.startswith("X′ (17 × 11) times W_V (11 × 21), plus b_V, is V. V has a block of 17 × 7 for")
    assert "Q = X · W_{Q}" in texts(panel_of(corner(BARE, run(BARE), "w_q"), "w_q"))
    assert claim(Config(d_model=15, num_heads=3)) == "Each head reads all of X through its own 15 × 5 slice"
    slices = "11 × 5 for queries and keys, 11 × 7 for values"
    assert claim(PRIMES) == f"Each head reads all of X and X′ through its own slices: {slices}"


def test_without_biases_there_is_no_gap():
    """The result is 40 pixels below the weight matrix. With a bias between them, it is one cell and 48 pixels."""
    for cfg, gap in ((BARE, (0, 40)), (PRIMES, (1, 48))):
        panel = panel_of(corner(cfg, run(cfg), "w_q"), "w_q")
        kernel, result = named(panel, "w_q")[0], named(panel, "q")[0]
        below = (result.y.cells - kernel.y.cells - kernel.h, result.y.px - kernel.y.px)
        assert below == pytest.approx(gap)


def test_what_is_too_large_has_its_shapes_without_values_and_keras_cut_of_a_large_kernel_stays_a_picture():
    cfg = Config(d_model=4096, num_heads=32)
    scene = corner(cfg, None, "w_q")
    assert scene.grids == {}
    pool = 4096 / max(block.w for block in scene.blocks)
    assert area(named(panel_of(scene, "w_q"), "w_q")) * pool**2 == pytest.approx(4096**2)
    large = Config(d_model=1024, num_heads=64, query_len=1)
    assert len(three_cuts(large, run(large), "w_q", "keras").blocks) < 5_000


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("cut", CUTS)
def test_every_number_of_the_kernel_is_in_every_cut_exactly_once(kernel, cut):
    trace = run(PRIMES)
    scene = three_cuts(PRIMES, trace, kernel, cut)
    wide = 3 * (7 if kernel == "w_v" else 5)
    pieces, bias = named(scene.panels[0], kernel), named(scene.panels[0], "b" + kernel[1:])
    covered = cells_covered(pieces)
    assert set(covered.values()) == {1}
    assert set(covered) == {(r, c) for r in range(11) for c in range(wide)}
    assert cells_covered(bias) == {(0, c): 1 for c in range(wide)}
    np.testing.assert_array_equal(scene.grids["b" + kernel[1:]].values, trace["b" + kernel[1:]].values.reshape(1, wide))
    np.testing.assert_array_equal(scene.grids[kernel].values, getattr(trace.params, kernel).values.reshape(11, wide))
    assert (area(pieces), area(bias)) == (11 * wide, wide)


def test_the_three_cuts_are_one_two_and_three_dimensional():
    """Fused: one matrix. Separate: the same with two cuts. Keras: an h × d tile for each of the d_model rows."""
    trace = run(PRIMES)
    fused, separate, keras = scenes = [three_cuts(PRIMES, trace, "w_q", cut) for cut in CUTS]
    for scene, shape in zip(scenes, ("11 × (3 · 5) = 11 × 15", "3 matrices of 11 × 5", "(11, 3, 5)"), strict=True):
        assert shape in scene.captions[0]
        assert scene.alt.startswith("W_Q has 165 numbers")
    for name in ("w_q", "b_q"):
        for scene, edges in ((fused, ["o-oo", "o-o-", "ooo-"]), (separate, ["o-oo", "o-oc", "oooc"])):
            assert [block.x.at(10) for block in named(scene.panels[0], name)] == [0, 50, 100]
            assert [block.edges for block in named(scene.panels[0], name)] == edges
    tiles = {}
    for block in named(keras.panels[0], "w_q"):
        assert (block.rows, block.cols) == (1, 5)
        tiles.setdefault(block.row, []).append(block.head)
    assert tiles == {row: [0, 1, 2] for row in range(11)}
    assert [block.y.cells - keras.blocks[-3].y.cells for block in named(keras.panels[0], "b_q")] == [0, 1, 2], "one h × d tile"


@pytest.mark.parametrize(("d_model", "heads", "size", "rest"), [(17, 5, 3, 2), (23, 7, 3, 2), (83, 11, 7, 6), (13, 11, 1, 2)])
def test_heads_and_what_is_left_over_are_the_whole_width(d_model: int, heads: int, size: int, rest: int):
    """17 = 5 · 3 + 2, 23 = 7 · 3 + 2, 83 = 11 · 7 + 6, 13 = 11 · 1 + 2."""
    trace = run(Config(d_model, 1))
    scene = left_over(d_model, heads, trace)
    (panel,) = scene.panels
    *pieces, over = panel.blocks
    pool = 2 if d_model > 48 else 1
    assert [(block.head, block.width) for block in pieces] == [(head, size / pool) for head in range(heads)]
    assert (over.width, over.warn, over.grid, over.head) == (rest / pool, True, None, None)
    assert over.x.cells + over.width == pytest.approx(d_model / pool)
    columns = "1 column" if size == 1 else f"{size} columns"
    assert {f"{heads} heads × {columns} = {heads * size}", f"{rest} columns left over"} <= {*texts(panel)}
    assert f"{rest} columns left over" in scene.alt
    for block in pieces if pool == 1 else ():  # the numbers of the matrix before it is cut
        own = trace.params.w_q.values.reshape(d_model, d_model)[:, size * block.head : size * (block.head + 1)]
        np.testing.assert_array_equal(numbers(scene, block), own)


def test_with_more_heads_than_columns_all_are_left_over_and_what_is_too_large_has_no_values():
    scene = left_over(7, 11, run(Config(7, 1)))
    (block,) = scene.blocks
    assert (block.width, block.edges, scene.grids) == (7, "oooo", {})
    assert "7 columns left over" in scene.alt
    assert {block.grid for block in left_over(4093, 3, None).blocks} == {None}


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT])
def test_what_is_left_over_is_hatched_in_the_colour_of_warnings(theme):
    """No other block has this colour."""
    scene = left_over(17, 5, run(Config(17, 1)))
    drawn = svg.draw(scene, place(scene, 500), svg.Ink(theme))
    last = drawn.split("<title>left over</title>")[1].split("</g>")[0]
    assert f'stroke="{theme.warn}"' in last
    assert f'fill="{theme.warn}"' in last
    if theme is not PRINT:
        assert theme.warn not in drawn.split("<title>left over</title>")[0].replace("<text", "")
