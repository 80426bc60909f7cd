"""W_Q where heads do not divide its width: every column belongs to one head or is left over."""

import numpy as np
import pytest

from components.stage import svg
from components.stage.layout import place
from components.stage.pictures.split import left_over
from components.stage.theme import DARK, LIGHT, PRINT
from mha import Config, run
from tests.stage.reading import numbers, texts


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
    """And in no other block's colour."""
    scene = left_over(17, 5, run(Config(17, 1)))
    drawn = svg.draw(scene, place(scene, 500), svg.Ink(theme))
    last = drawn.split("<title>left over</title>")[1].split("</g>")[0]
    assert f'stroke="{theme.warn}"' in last
    assert f'fill="{theme.warn}"' in last
    if theme is not PRINT:
        assert theme.warn not in drawn.split("<title>left over</title>")[0].replace("<text", "")
