"""What each head does with its piece: all of X, a piece of W_Q and of b_Q, and what they come to."""

from dataclasses import replace

import numpy as np
import pytest

from components.stage.pictures.heads import pieces
from components.stage.scene import whole_numbers
from mha import Config, run
from tests.stage.reading import named, numbers

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
    """One scale for kernels and biases, one for other numbers; each ends at the largest of all its grids."""
    _, scene = drawn(name)
    assert {grid.pool for grid in scene.grids.values()} <= {1}
    assert set(scene.tops) == {"weight", "signed"}
    assert {grid.scale for grid in scene.grids.values()} == ({*scene.tops} if scene.grids else set())
    for scale, top in scene.tops.items() if scene.grids else ():
        assert top == max(float(np.abs(grid.values).max()) for grid in scene.grids.values() if grid.scale == scale)


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
    said = "All of X times each head's own piece of W_Q plus its piece of b_Q: its 7 × 6 queries. 4 heads."
    assert scene.alt == said
