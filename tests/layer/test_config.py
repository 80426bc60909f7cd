"""Impossible sizes are refused at once, with the field, the value and what is allowed."""

import re

import numpy as np
import pytest

from headcount import Config

NO_SIZES = (0, -1, 2.5, "4", True, False, float("nan"), float("inf"), [3], b"4")
#: Ways to slow angles, as the sentence has them.
SCALINGS = (
    "empty or a kind with at least its numbers, “linear factor”, “llama3 factor low_freq_factor high_freq_factor "
    "original_max_position_embeddings” or “yarn factor original_max_position_embeddings”, and a factor of at least 1"
)
#: What a field must be, and values that it may not have.
REFUSED = {
    **dict.fromkeys(("d_model", "num_heads"), ("a whole number of at least 1", (*NO_SIZES, None))),  # nothing follows from it
    **dict.fromkeys(("key_dim", "value_dim", "query_len", "key_len", "batch", "sliding_window"),
                    ("a whole number of at least 1", NO_SIZES)),
    **dict.fromkeys(("seed", "dropout_seed"), ("a whole number of at least 0", (-1, 0.5, "0", True, None))),
    **dict.fromkeys(("use_bias", "use_gate", "training", "alibi", "sinks"), ("True or False", (1, 0, "yes", None))),
    "mask": (
        r"none, causal or a Boolean array of shape \(6, 6\), which is True where a query may look",
        ("Causal", "", None, True, 0, "padding", "01/11", "/".join(["111111"] * 5 + ["111112"])),
    ),
    "rotary": ("none, halves or pairs", ("half", None)),
    "qk_norm": ("none, rms, rms_wide or layer", ("l2", True)),
    "dropout": ("a number from 0 to 0.9", (-0.1, 0.91, "0.5", True, None, float("nan"))),
    "soft_cap": ("a number of at least 0", (-1, "2", True, float("inf"), float("nan"))),
    "rotary_scaling": (SCALINGS, (
        "ntk", "linear", "linear 0.5", "llama3 8 4 1 32", "yarn 4 0", " ", "linear 2 3", "linear nan", None,
    )),
    "rotary_base": ("a number of at least 1", (0.5, -1, "2", True, float("inf"), float("nan"))),
}  # fmt: skip


@pytest.mark.parametrize("field", REFUSED)
def test_what_a_field_may_not_be_is_refused_by_its_name(field):
    allowed, values = REFUSED[field]
    for value in values:
        with pytest.raises(ValueError, match=f"^{field} must be {allowed}, got {re.escape(repr(value))}$"):
            Config(**{"d_model": 12, "num_heads": 3, "key_dim": 5, field: value})


@pytest.mark.parametrize(("d_model", "num_heads"), [(16, 3), (16, 5), (7, 2), (3, 4)])
def test_heads_that_do_not_divide_the_width_need_a_key_dim(d_model, num_heads):
    with pytest.raises(ValueError, match=f"^num_heads must divide d_model={d_model} .*got {num_heads}$"):
        Config(d_model=d_model, num_heads=num_heads)
    assert Config(d_model=d_model, num_heads=num_heads, key_dim=5).key_dim == 5


def test_sizes_left_out_follow_the_paper_and_value_dim_is_key_dim_as_in_keras():
    cfg = Config(d_model=15, num_heads=3, query_len=7)
    assert (cfg.key_dim, cfg.value_dim, cfg.key_len) == (5, 5, 7)
    assert cfg.follows_paper
    assert cfg.is_self_attention
    assert Config(d_model=11, num_heads=3, key_dim=5).value_dim == 5
    for sizes in ({"key_dim": 4}, {"key_dim": 5, "value_dim": 4}, {"key_dim": 4, "value_dim": 5}):
        assert not Config(d_model=15, num_heads=3, **sizes).follows_paper


def test_numpy_integers_are_whole_numbers_and_equal_to_pythons_and_a_config_cannot_change():
    cfg = Config(d_model=np.int64(12), num_heads=np.int32(3))
    assert cfg == Config(d_model=12, num_heads=3)
    assert type(cfg.d_model) is int
    with pytest.raises(AttributeError):
        cfg.num_heads = 2


def test_every_axis_has_its_length():
    cfg = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2)
    assert [cfg.size(axis) for axis in ("b", "t", "s", "m", "h", "k", "v", "(hv)")] == [2, 13, 17, 11, 3, 5, 7, 21]


def test_more_heads_follow_the_paper_or_keep_their_size():
    cfg = Config(d_model=12, num_heads=2)
    assert cfg.with_heads(3, paper=True) == Config(d_model=12, num_heads=3, key_dim=4)
    assert cfg.with_heads(3, paper=False) == Config(d_model=12, num_heads=3, key_dim=6)
    with pytest.raises(ValueError, match="num_heads must divide d_model=12"):
        cfg.with_heads(5, paper=True)
