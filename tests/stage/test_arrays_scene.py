"""What one array moves, QK and OV: what is drawn, and that it says nothing moves where nothing does."""

import re
from dataclasses import replace

import numpy as np
import pytest

from components.stage.pictures import arrays
from mha import Config, run
from mha.sensitivity import in_float64, moved
from tests.stage.reading import check_products, numbers, panel_of, texts

PRIMES = Config(d_model=7, num_heads=3, key_dim=5, value_dim=2, query_len=11, key_len=13)


def scene_of(cfg: Config, array: str, times: float = 0.0):
    return arrays.change(cfg, moved(cfg, in_float64(run(cfg)), array, times))


def test_without_b_k_each_row_of_scores_moves_as_a_whole_and_what_is_written_is_the_largest_that_is_drawn():
    scene = scene_of(PRIMES, "b_k")
    for block in panel_of(scene, "scores").blocks:
        rows = numbers(scene, block)
        assert rows.shape == (11, 13)
        assert np.ptp(rows, axis=1).max() < 1e-6 < np.abs(rows).max()
    assert [texts(panel_of(scene, name))[-1] for name in ("weights", "output")] == ["nothing moves"] * 2
    assert all((numbers(scene, block) == 0).all() for name in ("weights", "output") for block in panel_of(scene, name).blocks)
    assert scene.alt.endswith("; A: nothing moves; output: nothing moves.")
    assert "when b_K alone is changed" in scene.alt
    other = scene_of(PRIMES, "w_v", 2.0)
    drawn = np.abs(numbers(other, panel_of(other, "output").blocks[0])).max()
    assert texts(panel_of(other, "output"))[-1] == f"up to {drawn:.3g}", "the largest that is drawn"
    assert texts(panel_of(other, "scores"))[-1] == "nothing moves"


@pytest.mark.parametrize("heads", [1, 4, 5])
def test_the_maps_of_at_most_four_heads_are_drawn_and_a_change_of_all_is_not_said_of_these(heads):
    scene = scene_of(replace(PRIMES, num_heads=heads), "w_q")
    assert len(panel_of(scene, "weights").blocks) == min(heads, 4)
    assert scene.captions == (f"The first 4 of {heads} heads." if heads > 4 else "",)
    among = f", in one of {heads} heads" if heads > 4 else ""
    assert re.fullmatch(rf"up to [\d.]+{among}", texts(panel_of(scene, "weights"))[-1])
    assert re.fullmatch(r"up to [\d.]+", texts(panel_of(scene, "output"))[-1])


def test_without_numbers_the_shapes_are_drawn():
    scene = arrays.change(Config(4096, 32, query_len=300), None)
    assert all(block.grid is None for block in scene.blocks)
    assert all(block.grid is None for block in arrays.products(Config(4096, 32), None, 0).blocks)


def test_qk_and_ov_are_the_products_of_what_stands_beside_and_above():
    scene = arrays.products(PRIMES, run(PRIMES), 1)
    assert check_products(scene) == ["qk", "ov"]
    assert "7 × 7, rank 5" in texts(panel_of(scene, "qk"))
    assert "7 × 7, rank 2" in texts(panel_of(scene, "ov"))
