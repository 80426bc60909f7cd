"""Weights: from a seed, the same flat numbers in every cut, and with added columns."""

import numpy as np
import pytest

from headcount import Config, make_inputs, make_params

NAMES = ("w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "w_o", "b_o")


def values(cfg: Config) -> dict[str, np.ndarray]:
    return {name: getattr(make_params(cfg), name).values for name in NAMES}


@pytest.mark.parametrize("num_heads", [2, 3, 4, 6, 12])
def test_with_the_papers_split_the_same_flat_numbers_are_cut_for_every_head_count(num_heads):
    whole, cut = values(Config(d_model=12, num_heads=1)), values(Config(d_model=12, num_heads=num_heads))
    for name in NAMES:
        assert whole[name].tobytes() == cut[name].tobytes(), name
    one, other = (make_inputs(Config(d_model=12, num_heads=heads)).x_query.values for heads in (1, num_heads))
    np.testing.assert_array_equal(one, other)


def test_a_head_more_appends_columns_and_rows_of_w_o_and_leaves_the_old_heads_as_they_are():
    few = values(Config(d_model=11, num_heads=3, key_dim=5, value_dim=7))
    more = values(Config(d_model=11, num_heads=4, key_dim=5, value_dim=7))
    for name in ("w_q", "w_k", "w_v"):
        assert more[name].shape == (11, 4, few[name].shape[2])
        np.testing.assert_array_equal(more[name][:, :3], few[name])
    for name in ("b_q", "b_k", "b_v"):
        np.testing.assert_array_equal(more[name][:3], few[name])
    np.testing.assert_array_equal(more["w_o"][:3], few["w_o"])
    np.testing.assert_array_equal(more["b_o"], few["b_o"])


def test_the_same_seed_gives_the_same_numbers_and_another_seed_none_of_them():
    one, again, other = (values(Config(seed=seed)) for seed in (3, 3, 5))
    for name in NAMES:
        np.testing.assert_array_equal(one[name], again[name])
        assert not np.isclose(one[name], other[name]).any(), name


def test_no_two_arrays_share_their_random_numbers_and_all_are_float32():
    drawn = values(Config(d_model=13, num_heads=1))
    for one, other in (("w_q", "w_k"), ("w_k", "w_v"), ("w_v", "w_o"), ("b_q", "b_k"), ("b_k", "b_v"), ("b_v", "b_o")):
        assert not np.isclose(drawn[one].ravel(), drawn[other].ravel()).any(), (one, other)
    inputs = make_inputs(Config(d_model=13, num_heads=1, key_len=7))
    assert not np.isclose(inputs.x_query.values, inputs.x_key.values[:, :6]).any()
    arrays = [*drawn.values(), inputs.x_query.values, inputs.x_key.values]
    assert {array.dtype for array in arrays} == {np.dtype("float32")}


def test_kernels_keep_the_size_of_what_passes_through_them_and_no_bias_is_zero_so_that_a_forgotten_one_shows():
    """The variance is 1 / d_model = 1 / 211, within 5 % for at least 20 000 numbers."""
    drawn = values(Config(d_model=211, num_heads=5, key_dim=19, value_dim=23))
    for name in ("w_q", "w_k", "w_v", "w_o"):
        assert drawn[name].var() == pytest.approx(1 / 211, rel=0.05), name
    assert all(drawn[name].all() for name in ("b_q", "b_k", "b_v", "b_o"))


def test_a_layer_without_biases_has_none_and_the_same_kernels():
    with_bias, without = make_params(Config()), make_params(Config(use_bias=False))
    assert [without.b_q, without.b_k, without.b_v, without.b_o] == [None] * 4
    np.testing.assert_array_equal(with_bias.w_v.values, without.w_v.values)


def test_self_attention_looks_at_the_very_same_x_and_cross_attention_at_another_sequence():
    same = make_inputs(Config(d_model=11, num_heads=1, query_len=5))
    assert same.x_query.values is same.x_key.values
    cross = make_inputs(Config(d_model=11, num_heads=1, query_len=5, key_len=7, batch=3))
    assert (cross.x_query.shape, cross.x_key.shape) == ((3, 5, 11), (3, 7, 11))
    assert not np.isclose(cross.x_query.values, cross.x_key.values[:, :5]).any()
