"""Where the parameters are: counts known from elsewhere, and the closed formula on any sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha import Config, count_parameters, ledger, make_params

SIZE = st.integers(1, 40)
CONFIGS = st.builds(Config, d_model=SIZE, num_heads=SIZE, key_dim=SIZE, value_dim=SIZE, use_bias=st.booleans())


@pytest.mark.parametrize(("sizes", "count"), [
    # In the paper's split 4 · 512² + 4 · 512, for h = 1 … 512.
    *(({"d_model": 512, "num_heads": 2**i}, 1_050_624) for i in range(10)),
    *(({"d_model": 512, "num_heads": 2**i, "use_bias": False}, 1_048_576) for i in range(10)),
    ({"d_model": 512, "num_heads": 1, "key_dim": 512}, 1_050_624),
    ({"d_model": 512, "num_heads": 2, "key_dim": 512}, 2_100_736),
    ({"d_model": 512, "num_heads": 4, "key_dim": 512}, 4_200_960),
    ({"d_model": 512, "num_heads": 8, "key_dim": 512}, 8_401_408),
    ({"d_model": 512, "num_heads": 8, "key_dim": 64, "value_dim": 32}, 788_224),
    ({"d_model": 512, "num_heads": 3, "key_dim": 170}, 1_046_522),
    ({"d_model": 8, "num_heads": 2, "key_dim": 8}, 568),
    ({"d_model": 8, "num_heads": 2, "key_dim": 4}, 288),
])  # fmt: skip
def test_count_is_the_one_that_keras_printed(sizes, count):
    assert count_parameters(Config(**sizes)) == count


@given(CONFIGS)
def test_count_follows_the_closed_formula(cfg):
    """P = I_k (2 D + 2 b) + I_v (2 D + b) + b D with I_k = h d_k, I_v = h d_v: heads enter only through these products."""
    width, i_k, i_v, b = cfg.d_model, cfg.num_heads * cfg.key_dim, cfg.num_heads * cfg.value_dim, int(cfg.use_bias)
    assert count_parameters(cfg) == i_k * (2 * width + 2 * b) + i_v * (2 * width + b) + b * width


@given(CONFIGS)
def test_each_row_describes_the_array_that_is_really_drawn(cfg):
    params = make_params(cfg)
    for row in ledger(cfg):
        array = getattr(params, row.name)
        assert (array.axes, array.shape, array.values.size) == (row.axes, row.shape, row.count)
        assert row.numbers == " · ".join(map(str, array.shape))
