"""Nonsense is refused at the door, with the field, what came and what is allowed."""

import re

import numpy as np
import pytest

from mha import Config

NO_SIZES = [0, -1, 2.5, "4", True, False, float("nan"), float("inf"), [3], b"4"]


@pytest.mark.parametrize("field", ["d_model", "num_heads", "key_dim", "value_dim", "query_len", "key_len", "batch"])
@pytest.mark.parametrize("value", NO_SIZES)
def test_what_is_no_size_is_refused_by_name(field, value):
    sizes = {"d_model": 12, "num_heads": 3, "key_dim": 5} | {field: value}
    with pytest.raises(ValueError, match=f"^{field} must be a whole number .*got {re.escape(repr(value))}$"):
        Config(**sizes)


@pytest.mark.parametrize("field", ["d_model", "num_heads"])
def test_none_is_no_size_where_nothing_follows_from_it(field):
    with pytest.raises(ValueError, match=f"^{field} must be .*got None$"):
        Config(**{"key_dim": 5, field: None})


@pytest.mark.parametrize("field", ["seed"])
@pytest.mark.parametrize("value", [-1, 0.5, "0", True, None])
def test_what_is_no_seed_is_refused(field, value):
    with pytest.raises(ValueError, match=f"^{field} must be a whole number of at least 0, got {re.escape(repr(value))}$"):
        Config(seed=value)


@pytest.mark.parametrize("mask", ["Causal", "", None, True, 0, "padding"])
def test_another_mask_is_refused_with_those_that_exist(mask):
    with pytest.raises(ValueError, match=f"^mask must be one of none, causal, got {re.escape(repr(mask))}$"):
        Config(mask=mask)


@pytest.mark.parametrize("value", [1, 0, "yes", None])
def test_use_bias_is_true_or_false_and_nothing_like_it(value):
    with pytest.raises(ValueError, match=f"^use_bias must be True or False, got {re.escape(repr(value))}$"):
        Config(use_bias=value)


@pytest.mark.parametrize(("d_model", "num_heads"), [(16, 3), (16, 5), (7, 2), (3, 4)])
def test_heads_that_do_not_divide_the_width_need_a_key_dim(d_model, num_heads):
    with pytest.raises(ValueError, match=f"^num_heads must divide d_model={d_model} .*got {num_heads}$"):
        Config(d_model=d_model, num_heads=num_heads)
    assert Config(d_model=d_model, num_heads=num_heads, key_dim=5).key_dim == 5


def test_sizes_left_out_follow_the_paper():
    cfg = Config(d_model=15, num_heads=3, query_len=7)
    assert (cfg.key_dim, cfg.value_dim, cfg.key_len) == (5, 5, 7)
    assert cfg.follows_paper
    assert cfg.is_self_attention


def test_value_dim_left_out_is_key_dim_as_in_keras():
    assert Config(d_model=11, num_heads=3, key_dim=5).value_dim == 5


@pytest.mark.parametrize("sizes", [{"key_dim": 4}, {"key_dim": 5, "value_dim": 4}, {"key_dim": 4, "value_dim": 5}])
def test_other_sizes_per_head_do_not_follow_the_paper(sizes):
    assert not Config(d_model=15, num_heads=3, **sizes).follows_paper


def test_numpy_integers_are_whole_numbers_and_equal_to_pythons():
    cfg = Config(d_model=np.int64(12), num_heads=np.int32(3))
    assert cfg == Config(d_model=12, num_heads=3)
    assert type(cfg.d_model) is int


def test_every_axis_has_its_length():
    cfg = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2)
    assert [cfg.size(axis) for axis in ("b", "t", "s", "m", "h", "k", "v", "(hv)")] == [2, 13, 17, 11, 3, 5, 7, 21]


def test_more_heads_follow_the_paper_or_keep_their_size():
    cfg = Config(d_model=12, num_heads=2)
    assert cfg.with_heads(3, paper=True) == Config(d_model=12, num_heads=3, key_dim=4)
    assert cfg.with_heads(3, paper=False) == Config(d_model=12, num_heads=3, key_dim=6)
    with pytest.raises(ValueError, match="num_heads must divide d_model=12"):
        cfg.with_heads(5, paper=True)


def test_a_config_cannot_change():
    with pytest.raises(AttributeError):
        Config().num_heads = 2
