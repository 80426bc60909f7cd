"""A head's computation: all of X, a slice of W_Q and of b_Q, and their result. Also Concat times W_O, and the same as a sum of
the heads' contributions."""

from dataclasses import replace

import numpy as np
import pytest

from components.presenter.pictures import sum_of_heads
from headcount import Config, run
from headcount.stage.pictures.concatenation import corner
from headcount.stage.pictures.heads import pieces
from headcount.stage.scene import Scene, whole_numbers
from headcount.variations import contributions, without_head
from tests.stage.reading import area, cells_covered, named, numbers, panel_of, texts

PAPER = Config(d_model=24, num_heads=4, query_len=7)
FREE = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13)
LARGE = Config(d_model=96, num_heads=6, query_len=7)
UNEVEN = Config(d_model=91, num_heads=7, query_len=5)  # 13 columns a head
CASES = {"paper": PAPER, "free": FREE, "large": LARGE, "uneven": UNEVEN, "many": Config(d_model=44, num_heads=11, query_len=3)}


def drawn(name: str, use_bias: bool = True):
    cfg = replace(CASES[name], use_bias=use_bias)
    return cfg, pieces(cfg, run(cfg))


@pytest.mark.parametrize("name", CASES)
def test_what_is_compared_has_one_scale(name):
    """Weight matrices and biases have one scale, other numbers another. Each ends at the largest number of its grids."""
    _, scene = drawn(name)
    assert {grid.pool for grid in scene.grids.values()} <= {1}
    assert set(scene.tops) == {"weight", "signed"}
    assert {grid.scale for grid in scene.grids.values()} == ({*scene.tops} if scene.grids else set())
    for scale, top in scene.tops.items() if scene.grids else ():
        assert top == max(float(np.abs(grid.values).max()) for grid in scene.grids.values() if grid.scale == scale)


def test_the_output_is_in_its_values_colours_and_the_matrices_before_it_in_their_heads_tints():
    scene = corner(FREE, run(FREE))
    assert {block.name for block in scene.blocks if not block.calm} == {"output"}
    assert {block.name for block in scene.blocks if block.calm} == {"context", "w_o", "b_o"}


@pytest.mark.parametrize("name", ["large", "uneven"])
def test_matrices_of_more_than_64_on_a_side_are_outlines_and_whole_in_a_file(name):
    cfg, scene = drawn(name)
    assert not scene.grids
    assert {block.grid for block in scene.blocks} == {None}
    assert sum(block.w for block in scene.blocks if block.name == "w_q") == cfg.num_heads * cfg.key_dim / 2
    with whole_numbers():
        _, whole = drawn(name)
    np.testing.assert_array_equal(whole.grids["w_q"].values, run(cfg).params.w_q.values.reshape(cfg.d_model, -1))


def test_without_biases_there_is_no_gap():
    one, other = (drawn("paper", use_bias)[1].rows[0][0] for use_bias in (True, False))
    assert one.width.cells - other.width.cells == named(one, "w_q")[0].w, "a bias is as wide as its kernel"
    assert other.width.px == 68


def test_every_head_has_all_of_x_and_the_description_says_sizes_and_heads():
    """24 / 4 = 6."""
    cfg, scene = drawn("paper")
    copies = [block for panel in scene.panels for block in named(panel, "x_query")]
    assert [block.copy for block in copies] == [0, 1, 2, 3]
    for block in copies:
        np.testing.assert_array_equal(numbers(scene, block), run(cfg).x_query.values[0])
    said = (
        "Each of 4 heads multiplies all of X by its own slice of W_Q and adds its slice of b_Q. "
        "Each head’s Q is 7 × 6, a query of 6 numbers for each of 7 tokens."
    )
    assert scene.alt == said


PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
BARE = replace(PRIMES, use_bias=False)
POOLED = Config(d_model=91, num_heads=7, query_len=5)


def over_heads(cfg: Config) -> Scene:
    """The walk's picture: the product, and below it every head's contribution to the output."""
    return sum_of_heads(run(cfg), [str(place) for place in range(cfg.query_len)], 0)


@pytest.mark.parametrize(("cfg", "pool"), [(PRIMES, 1), (POOLED, 2)])
def test_concat_and_w_o_are_cut_into_heads_without_gap_or_overlap(cfg, pool):
    panel = panel_of(corner(cfg, run(cfg)), "joined")
    columns = cfg.num_heads * -(-cfg.value_dim // pool)
    pieces, rows = cells_covered(named(panel, "context")), cells_covered(named(panel, "w_o"))
    assert set(pieces.values()) == set(rows.values()) == {1}
    assert {c for _, c in pieces} == {r for r, _ in rows} == set(range(columns))
    weights = area(named(panel, "w_o")) * pool**2
    assert weights == pytest.approx(cfg.num_heads * cfg.value_dim * cfg.d_model)


def test_every_block_holds_its_own_heads_numbers():
    trace = run(PRIMES)
    scene = corner(PRIMES, trace)
    panel = panel_of(scene, "joined")
    for head in range(3):
        np.testing.assert_array_equal(numbers(scene, named(panel, "context")[head]), trace.context.values[0, :, head])
        np.testing.assert_array_equal(numbers(scene, named(panel, "w_o")[head]), trace.params.w_o.values[head])
    np.testing.assert_array_equal(numbers(scene, named(panel, "output")[0]), trace.output.values[0])
    scales = {name: grid.scale for name, grid in over_heads(PRIMES).grids.items() if grid.scale != "signed"}
    assert scales == {"w_o": "weight", "b_o": "weight"}, "one scale for everything computed"


@pytest.mark.parametrize("cfg", [PRIMES, Config(d_model=22, num_heads=11, query_len=3)])
def test_the_scales_are_the_same_whichever_head_is_off_and_no_number_is_beyond_them(cfg):
    """They end at the largest number of all these pictures, so switching a head off changes no other head's colours."""
    trace, off = run(cfg), (None, *range(cfg.num_heads))
    scenes = [corner(cfg, trace, head) for head in off]
    for scale in ("weight", "input"):
        largest = [np.abs(grid.values).max() for scene in scenes for grid in scene.grids.values() if grid.scale == scale]
        (top,) = {scene.tops[scale] for scene in scenes}
        assert top == pytest.approx(max(largest), rel=1e-6)
    varied = [trace if head is None else without_head(trace, head) for head in off]
    few, shown = (contributions(trace), 8) if cfg.num_heads > 8 else (contributions(trace), cfg.num_heads)
    numbers_ = [np.abs(one.output.values).max() for one in varied] + [np.abs(share).max() for share in few[:shown]]
    rest = few[shown:]
    numbers_ += [np.abs(rest.sum(0)).max(), *(np.abs(rest.sum(0) - one).max() for one in rest)] if len(rest) else []
    (top,) = {scene.tops["signed"] for scene in scenes}
    assert top == pytest.approx(max(numbers_), rel=1e-5)


@pytest.mark.parametrize("gate", [False, True])
def test_in_the_corner_what_w_o_takes_has_a_scale_of_its_own(gate):
    trace = run(replace(PRIMES, use_gate=gate))
    taken = ["context", "gate", "concat"] if gate else ["concat"]
    for off in (None, 2):
        scene = corner(trace.cfg, trace, off)
        assert {name for name, grid in scene.grids.items() if grid.scale == "input"} == {*taken}
        assert scene.tops["input"] == pytest.approx(max(np.abs(trace[name].values).max() for name in taken))


def test_a_head_that_is_off_is_faded_and_empty_and_said_and_changes_nothing_else_but_the_output():
    trace = run(PRIMES)
    on, off = corner(PRIMES, trace), corner(PRIMES, trace, 1)
    assert {block.id for block in off.blocks if block.faded} == {"context-1", "w_o-1"}
    assert not numbers(off, named(panel_of(off, "joined"), "context")[1]).any()
    for name in ("w_o", "b_o"):
        np.testing.assert_array_equal(on.grids[name].values, off.grids[name].values)
    np.testing.assert_array_equal(off.grids["output"].values, without_head(trace, 1).output.values[0])
    assert off.alt.endswith("Head 2 is switched off.")
    assert "switched off" not in on.alt


def test_words_have_the_sizes_and_the_legend_tells_the_output_from_what_is_mixed():
    scene, bare = corner(PRIMES, run(PRIMES)), corner(BARE, run(BARE))
    panel = panel_of(scene, "joined")
    words = texts(panel)
    ((plus, bias),) = [(text, block) for text in panel.texts for block in panel.blocks if (text.text, block.id) == ("+", "b_o")]
    assert plus.x.at(12) < bias.x.at(12), "the sign of the sum stands left of the bias"
    assert bias.y.at(12) <= plus.y.at(12) <= bias.y.at(12) + bias.h * 12 + 6
    assert {"Concat   3 × 7 columns", "W_{O}", "21 × 11", "b_{O}", "output = Concat · W_{O} + b_{O}"} <= {*words}
    assert "3 head outputs of 13 × 7, side by side, make Concat, 13 × 21. Concat times W_O (21 × 11), " in scene.alt
    assert "plus b_O, is the output, 13 × 11." in scene.alt
    assert scene.named == {"weight": "W, b", "signed": "", "input": "Z"}
    assert "times W_O (21 × 11) is the output, 13 × 11." in bare.alt
    assert "output = Concat · W_{O}" in texts(panel_of(bare, "joined"))
    assert bare.named["weight"] == "W"


def test_what_is_too_large_has_its_shapes_without_values():
    scene = corner(Config(d_model=4096, num_heads=32), None)
    assert scene.grids == {}
    assert len(scene.rows) == 1
    assert {block.grid for block in scene.blocks} == {None}
