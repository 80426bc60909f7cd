"""Tests masks against PyTorch itself: a mask's shape, what True means, causal triangles and error messages. PyTorch returns the
weights after dropout, while Keras returns those before."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention

HEAD = 4
RATE = 0.4
NEEDS_MASK = (
    "RuntimeError: Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
    "`generate_square_subsequent_mask` to create this mask."
)
#: The error of scaled_dot_product_attention if its plain kernel gets a mask and is_causal; its CPU flash kernel applies both.
NOT_BOTH = "RuntimeError: _scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"


def words(call: Callable[[], object]) -> str:
    """Returns the type and message of the error that a call raises; "" if it raises none."""
    try:
        call()
    except Exception as error:  # any refusal is one
        return f"{type(error).__name__}: {error}"
    return ""


def qkv(scores: tuple[int, ...], *, heads: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    b, h, t, s = scores
    if heads:
        return torch.randn(b, h, t, HEAD, dtype=torch.float64), torch.randn(b, h, s, HEAD, dtype=torch.float64)
    return torch.randn(b, t, h * HEAD, dtype=torch.float64), torch.randn(b, s, h * HEAD, dtype=torch.float64)


def test_the_module_takes_a_mask_for_each_head_of_each_sample_and_true_blocks():
    """B = 2, h = 3, T = 5, S = 7."""
    query, key = qkv((2, 3, 5, 7))
    layer = torch.nn.MultiheadAttention(3 * HEAD, 3, batch_first=True, dtype=torch.float64)
    mask = torch.from_numpy(np.random.default_rng(5).random((6, 5, 7)) < 0.4)
    mask[..., 0] = False
    weights = layer(query, key, key, average_attn_weights=False, attn_mask=mask)[1]
    np.testing.assert_array_equal(weights.detach().numpy() == 0, mask.reshape(2, 3, 5, 7))


def test_the_function_lets_look_where_a_mask_is_true():
    query, key = qkv((2, 3, 5, 7), heads=True)
    mask = torch.from_numpy(np.random.default_rng(5).random((2, 1, 5, 7)) < 0.6)
    mask[..., 0] = True
    weights = scaled_dot_product_attention(query, key, torch.eye(7, dtype=torch.float64).expand(2, 3, 7, 7), attn_mask=mask)
    np.testing.assert_array_equal(weights > 0, mask.expand(2, 3, 5, 7))


@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (3, 7), (7, 3), (1, 11)])
def test_is_causal_starts_top_left_and_the_other_triangle_has_a_name(queries: int, keys: int):
    query, key = torch.randn(1, 1, queries, keys), torch.randn(1, 1, keys, keys)
    value = torch.eye(keys)[None, None]
    first = scaled_dot_product_attention(query, key, value, is_causal=True)[0, 0].numpy()
    np.testing.assert_array_equal(first > 0, np.tri(queries, keys, dtype=bool))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Lower right causal bias will produce NaNs")  # it does not: zeros, see below
        last = scaled_dot_product_attention(query, key, value, attn_mask=causal_lower_right(queries, keys))[0, 0].numpy()
    np.testing.assert_array_equal(last > 0, np.tri(queries, keys, keys - queries, dtype=bool))


def test_a_query_that_may_look_nowhere_is_nan_in_the_module_and_zeros_in_the_function():
    scores = (2, 3, 5, 7)
    query, key = qkv(scores)
    layer = torch.nn.MultiheadAttention(3 * HEAD, 3, batch_first=True, dtype=torch.float64)
    mask = torch.zeros(5, 7, dtype=torch.bool)
    mask[2] = True
    assert layer(query, key, key, attn_mask=mask)[0][:, 2].isnan().all()
    query, key = qkv(scores, heads=True)
    assert not scaled_dot_product_attention(query, key, key, attn_mask=~mask)[:, :, 2].any()


def test_with_a_mask_and_is_causal_the_plain_kernel_refuses_and_the_flash_kernel_of_a_cpu_joins_them():
    query, key = qkv((1, 2, 3, 5), heads=True)
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[2, 0] = False
    with sdpa_kernel(SDPBackend.MATH):
        assert words(lambda: scaled_dot_product_attention(query, key, key, attn_mask=mask, is_causal=True)) == NOT_BOTH
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        both = scaled_dot_product_attention(query, key, key, attn_mask=mask, is_causal=True)
        joined = scaled_dot_product_attention(query, key, key, attn_mask=mask & torch.ones(3, 5, dtype=torch.bool).tril())
        np.testing.assert_allclose(both, joined, atol=1e-12)


def test_the_fast_path_of_inference_does_not_look_at_is_causal():
    """The fast path needs one tensor as query, key and value, batch_first, an even number of heads, and no gradients."""
    layer = torch.nn.MultiheadAttention(10, 2, batch_first=True).eval()
    x = torch.randn(3, 5, 10)
    assert words(lambda: layer(x, x, x, is_causal=True)) == NEEDS_MASK
    with torch.no_grad():
        np.testing.assert_allclose(layer(x, x, x, is_causal=True)[0], layer(x, x, x)[0], atol=1e-6)
        assert not words(lambda: layer(x, x, x, attn_mask=torch.zeros(1, 1, 5, 5, dtype=torch.bool)))


def dropping() -> tuple[torch.nn.MultiheadAttention, torch.Tensor]:
    torch.manual_seed(7)
    return torch.nn.MultiheadAttention(15, 3, dropout=RATE, batch_first=True), torch.randn(2, 11, 15)


def test_in_training_it_returns_the_weights_after_dropout_and_in_evaluation_rows_that_sum_to_1():
    layer, x = dropping()
    after, before = (layer.train(training)(x, x, x, average_attn_weights=False)[1] for training in (True, False))
    kept = after != 0
    torch.testing.assert_close(after[kept], (before / (1 - RATE))[kept])
    assert 0.2 < 1 - kept.float().mean() < 0.6
    assert (after.sum(-1) - 1).abs().max() > 0.1
    torch.testing.assert_close(before.sum(-1), torch.ones(2, 3, 11))


@pytest.mark.parametrize("need_weights", [True, False])
def test_the_output_is_made_of_dropped_weights_whether_they_are_returned_or_not(need_weights):
    layer, x = dropping()
    trained = layer(x, x, x, need_weights=need_weights)[0]
    assert (trained - layer.eval()(x, x, x, need_weights=need_weights)[0]).abs().max() > 0.01
