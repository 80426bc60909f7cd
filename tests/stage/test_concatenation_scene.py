"""Concat times W_O, and the same as a sum of the heads' shares."""

from dataclasses import replace

import numpy as np
import pytest

from components.stage.pictures.concatenation import corner, joined
from mha import Config, run
from mha.variations import without_head
from tests.stage.reading import area, cells_covered, check_products, check_sources, named, numbers, panel_of, texts

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
BARE = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, use_bias=False)
POOLED = Config(d_model=91, num_heads=7, query_len=5)


@pytest.mark.parametrize("cfg", [PRIMES, POOLED])
def test_concat_and_w_o_are_cut_into_heads_without_gap_or_overlap(cfg):
    scene = joined(cfg, run(cfg))
    panel = panel_of(scene, "joined")
    pool = scene.grids["output"].pool
    columns = cfg.num_heads * -(-cfg.value_dim // pool)
    pieces, rows = cells_covered(named(panel, "context")), cells_covered(named(panel, "w_o"))
    assert set(pieces.values()) == set(rows.values()) == {1}
    assert {c for _, c in pieces} == {r for r, _ in rows} == set(range(columns))
    weights = area(named(panel, "w_o")) * pool**2
    assert weights == pytest.approx(cfg.num_heads * cfg.value_dim * cfg.d_model)


def test_every_block_holds_its_own_heads_numbers():
    trace = run(PRIMES)
    scene = joined(PRIMES, trace)
    panel = panel_of(scene, "joined")
    for head in range(3):
        np.testing.assert_array_equal(numbers(scene, named(panel, "context")[head]), trace.context.values[0, :, head])
        np.testing.assert_array_equal(numbers(scene, named(panel, "w_o")[head]), trace.params.w_o.values[head])
        share = trace.context.values[0, :, head] @ trace.params.w_o.values[head]
        np.testing.assert_allclose(scene.grids[f"share/{head}"].values, share, atol=1e-5)
    np.testing.assert_array_equal(numbers(scene, named(panel, "output")[0]), trace.output.values[0])


def test_the_shares_add_up_to_the_output():
    trace = run(PRIMES)
    grids = joined(PRIMES, trace).grids
    total = sum(grids[f"share/{head}"].values for head in range(3)) + trace.params.b_o.values
    np.testing.assert_allclose(total, grids["output"].values, atol=1e-5)


def test_what_lights_up_multiplies_to_the_cell():
    for cfg in (BARE, PRIMES):
        assert check_products(joined(cfg, run(cfg))) == ["output", "share", "share", "share", "output"]


@pytest.mark.parametrize("cfg", [PRIMES, POOLED, Config(d_model=1, num_heads=1, query_len=1)])
def test_what_lights_up_is_there_and_as_long_as_the_inner_dimension(cfg):
    """A cell of the output comes from every head and the bias, one of a share from its own head; and the output once more from
    the shares and the bias."""
    shares = min(cfg.num_heads, 8)
    assert check_sources(joined(cfg, run(cfg))) == 2 * cfg.num_heads + 1 + 2 * shares + shares + 1


@pytest.mark.parametrize("cfg", [PRIMES, POOLED])
def test_one_scale_for_everything_computed(cfg):
    scene = joined(cfg, run(cfg))
    bias = "weight" if scene.grids["w_o"].pool == 1 else "bias"  # of a mean of a row's numbers, the scale is its own
    assert {name: grid.scale for name, grid in scene.grids.items() if grid.scale != "signed"} == {"w_o": "weight", "b_o": bias}


@pytest.mark.parametrize("cfg", [PRIMES, POOLED, Config(d_model=22, num_heads=11, query_len=3)])
def test_the_scales_are_the_same_whichever_head_is_off_and_no_number_is_beyond_them(cfg):
    """They end at the largest number of all these pictures: a head that is switched off changes no other's colour."""
    scenes = [joined(cfg, run(cfg), off) for off in (None, *range(cfg.num_heads))]
    for scale in ("weight", "signed"):
        largest = [np.abs(grid.values).max() for scene in scenes for grid in scene.grids.values() if grid.scale == scale]
        (top,) = {scene.tops[scale] for scene in scenes}
        assert top == pytest.approx(max(largest), rel=1e-6)


@pytest.mark.parametrize("gate", [False, True])
def test_in_the_corner_what_w_o_takes_has_a_scale_of_its_own(gate):
    trace = run(replace(PRIMES, use_gate=gate))
    taken = ["context", "gate", "concat"] if gate else ["concat"]
    for off in (None, 2):
        scene = corner(trace.cfg, trace, off)
        assert {name for name, grid in scene.grids.items() if grid.scale == "input"} == {*taken}
        assert scene.tops["input"] == pytest.approx(max(np.abs(trace[name].values).max() for name in taken))


def test_a_head_that_is_off_changes_only_its_own_blocks_and_the_output():
    trace = run(PRIMES)
    on, off = joined(PRIMES, trace), joined(PRIMES, trace, 1)
    for name in ("share/0", "share/2", "w_o", "b_o"):
        np.testing.assert_array_equal(on.grids[name].values, off.grids[name].values)
    assert not np.array_equal(on.grids["output"].values, off.grids["output"].values)


def test_a_head_that_is_off_is_faded_and_empty_and_said():
    trace = run(PRIMES)
    scene = joined(PRIMES, trace, off=1)
    assert {block.id for block in scene.blocks if block.faded} == {"context-1", "w_o-1", "share-1"}
    assert not numbers(scene, named(panel_of(scene, "joined"), "context")[1]).any()
    assert not scene.grids["share/1"].values.any()
    np.testing.assert_array_equal(scene.grids["output"].values, without_head(trace, 1).output.values[0])
    assert scene.alt.endswith("Head 2 is switched off.")
    assert "switched off" not in joined(PRIMES, trace).alt


def test_words_have_the_sizes():
    scene = joined(PRIMES, run(PRIMES))
    words = texts(panel_of(scene, "joined"))
    assert "13 × (3 · 7)" in words
    assert "W_{O}   (3 · 7) × 11" in words
    assert "output   13 × 11" in words
    assert "3 results of 13 × 7 side by side are 13 × 21; times W_O, 21 × 11, plus b_O, they give 13 × 11." in scene.alt
    assert "Concat · W_{O} + b_{O} = output" in words
    bare = joined(BARE, run(BARE))
    assert "times W_O, 21 × 11, they give 13 × 11." in bare.alt
    assert "Concat · W_{O} = output" in texts(panel_of(bare, "joined"))


def test_only_some_heads_shares_are_drawn_one_by_one_and_the_others_are_summed_up():
    cfg = Config(d_model=22, num_heads=11, query_len=2)
    trace = run(cfg)
    scene = joined(cfg, trace)
    assert [panel.id for panel in scene.rows[1]] == [*(f"share-{i}" for i in range(8)), "share-rest", "b_o-term", "output-sum"]
    assert texts(scene.rows[1][8]) == ["+ heads 9 to 11"]
    rest = sum(trace.context.values[0, :, head] @ trace.params.w_o.values[head] for head in (8, 9, 10))
    np.testing.assert_allclose(scene.grids["share/rest"].values, rest, atol=1e-5)
    nine = Config(d_model=18, num_heads=9, query_len=2)
    assert texts(joined(nine, run(nine)).rows[1][8]) == ["+ head 9"]


def test_what_is_too_large_has_its_shapes_without_values():
    scene = joined(Config(d_model=4096, num_heads=32), None)
    assert scene.grids == {}
    assert len(scene.rows) == len(scene.captions) == 1
    assert {block.grid for block in scene.blocks} == {None}


def test_the_signs_of_the_equation_stand_left_of_what_they_belong_to():
    """The point beside W_O, the sum beside b_O, the equals sign beside the output."""
    cfg = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13)
    panel = joined(cfg, run(cfg)).rows[0][0]
    place = {text.text: text for text in panel.texts}
    blocks = {block.id: block for block in panel.blocks}
    for sign, name in (("·", "w_o-1"), ("+", "b_o"), ("=", "output")):
        text, block = place[sign], blocks[name]
        assert text.x.at(12) < block.x.at(12)
        assert block.y.at(12) <= text.y.at(12) <= block.y.at(12) + block.h * 12 + 6
