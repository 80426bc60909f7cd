"""A scene's building blocks by hand: lengths, means of squares, the common end of a scale; and its bytes for the stage."""

import json
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.stage.scene import Block, Grid, Length, Panel, Scene, Source, Text, longest, pool_for, pooled, top_of
from components.stage.wire import pack
from tests.stage.reading import unpacked


def test_a_length_is_cells_and_pixels_and_the_longest_is_so_at_a_usual_cell_size():
    """8 pixels a cell: 3 cells are longer than 20 pixels, and shorter than 1 cell and 20."""
    assert Length(2, 3) + Length(5, 7) == Length(7, 10)
    assert Length(2, 3).at(11) == 25
    assert Length().at(11) == 0
    assert longest([Length(0, 20), Length(3), Length(1, 20)]) == Length(1, 20)
    assert longest([]) == Length()


def test_a_block_is_as_large_as_its_cells_unless_it_says_otherwise():
    block = Block("a", None, Length(), Length(), 3, 5)
    assert (block.w, block.h) == (5, 3)
    narrow = Block("a", None, Length(), Length(), 3, 5, width=4.5, height=2.5)
    assert (narrow.w, narrow.h) == (4.5, 2.5)


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 20), st.sampled_from([1, 2, 4, 8]), st.integers(0, 99))
def test_means_of_squares_are_those_of_plain_loops(rows, columns, pool, seed):
    values = np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)
    made = pooled(values, pool)
    want = [
        [values[top : top + pool, left : left + pool].mean() for left in range(0, columns, pool)] for top in range(0, rows, pool)
    ]
    np.testing.assert_allclose(made, want, atol=1e-6)
    assert made.dtype == np.float32


@pytest.mark.parametrize(("side", "most", "pool"), [
    (1, 48, 1), (48, 48, 1), (49, 48, 2), (96, 48, 2), (97, 48, 4), (4096, 48, 128),
])  # fmt: skip
def test_squares_are_powers_of_two_and_as_small_as_can_be(side, most, pool):
    assert pool_for(side, most) == pool


def test_a_scale_ends_at_the_largest_of_all_that_are_compared():
    assert top_of(np.array([1.0, -7.0]), np.array([[3.0]])) == 7.0
    assert top_of(np.array([2.0, -np.inf, np.nan]), np.array([np.inf])) == 2.0
    assert top_of() == 1.0
    assert top_of(np.zeros(3)) == 1.0


def small(values=((1.5, -2.0), (np.nan, 0.25)), count: str = "5") -> Scene:
    sources = (Source("x", "row"), Source("w", "col", "c"))
    block = Block("q-0", "q", Length(1, 2), Length(3, 4), 2, 2, name="q", head=0, sources=sources)
    panel = Panel("p", Length(3, 5), Length(4, 4), (block,), (Text(f"{count} numbers", Length(), Length()),), on=True, go="two")
    grids = {"x": Grid(np.array([[0.5]], np.float32), "weight"), "q": Grid(np.array(values, np.float32), "score", 4)}
    return Scene(((panel,),), grids, alt=f"{count} numbers", tops={"weight": 0.5, "score": 2.0})


def test_the_bytes_hold_every_value_where_the_plan_says_row_by_row_of_a_grid_that_is_transposed_too():
    plan, values = unpacked(pack(small()))
    q = plan["grids"]["q"]
    assert (q["rows"], q["cols"], q["scale"], q["pool"]) == (2, 2, "score", 4)
    np.testing.assert_array_equal(
        values[q["at"] : q["at"] + 4].reshape(2, 2), np.array([[1.5, -2.0], [np.nan, 0.25]], np.float32)
    )
    assert values[plan["grids"]["x"]["at"]] == np.float32(0.5)
    assert values.size == 5
    assert plan["tops"] == {"weight": 0.5, "score": 2.0}
    turned = np.arange(6, dtype=np.float32).reshape(2, 3).T
    plan, sent = unpacked(pack(Scene((), {"w": Grid(turned)}, alt="")))
    assert (plan["grids"]["w"]["rows"], plan["grids"]["w"]["cols"]) == (3, 2)
    assert sent.tolist() == [0, 3, 1, 4, 2, 5]


def test_a_block_without_its_grid_and_one_whose_cells_would_be_means_of_weights_are_outlines_in_narrow_rows_too():
    (row,) = small().rows
    means = Grid(np.ones((2, 2), np.float32), "weight", 4)
    for grids in ({}, {"q": means}, {"q": replace(means, pool=1)}):
        scene = Scene((row,), grids, alt="", narrow=(row, row))
        drawn = {block.grid for rows in (scene.rows, scene.narrow) for one in rows for panel in one for block in panel.blocks}
        assert drawn == ({"q"} if grids and grids["q"].pool == 1 else {None})
        assert {*scene.grids} == drawn - {None}


def test_the_plan_holds_blocks_sources_and_words():
    plan, _ = unpacked(pack(small(), chosen="q.1.1.2"))
    ((panel,),) = plan["rows"]
    (block,) = panel["blocks"]
    assert (panel["on"], panel["go"], panel["width"]) == (True, "two", [3, 5])
    assert (block["id"], block["grid"], block["name"], block["head"]) == ("q-0", "q", "q", 0)
    assert (block["x"], block["y"]) == ([1, 2], [3, 4])
    assert (block["rows"], block["cols"], block["width"], block["height"]) == (2, 2, 2, 2)
    assert block["sources"] == [{"block": "x", "part": "row", "by": "r"}, {"block": "w", "part": "col", "by": "c"}]
    assert [text["text"] for text in panel["texts"]] == ["5 numbers"]
    assert (plan["alt"], plan["chosen"]) == ("5 numbers", "q.1.1.2")


def look(scene: Scene, **extra) -> int:
    return unpacked(pack(scene, **extra))[0]["look"]


def test_the_look_changes_with_values_and_words_and_not_with_the_chosen_cell():
    assert look(small()) == look(small(), chosen="q.1.1.1") == look(small(), chosen=None)
    assert len({look(small()), look(small(values=((1.5, -2.0), (np.nan, 0.5)))), look(small(count="7"))}) == 3


def test_the_look_is_a_checksum_of_the_plan_and_the_values():
    data = pack(small())
    plan, values = unpacked(data)
    told = plan.pop("look")
    for same_for_all in ("labels", "computed"):
        del plan[same_for_all]
    assert told == zlib.crc32(json.dumps(plan, separators=(",", ":")).encode() + values.tobytes())
