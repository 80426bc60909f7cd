"""Tests masks against PyTorch itself: accepted shapes, error messages and causal triangles. PyTorch returns the weights after
dropout, while Keras returns those before."""

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention

from headcount.keras.layer import triangle
from headcount.torch_masks import FLASH_NO_MASK, NEEDS_MASK, NOT_BOTH, VERSION, function_refusal, module_refusal

CASES = 200
HEAD = 4
RATE = 0.4


def words(call: Callable[[], object]) -> str:
    """Returns the type and message of the error that a call raises; "" if it raises none."""
    try:
        call()
    except Exception as error:  # any refusal is one
        return f"{type(error).__name__}: {error}"
    return ""


def scores_of(draw: random.Random) -> tuple[int, ...]:
    """Draws a shape of scores: B samples, h heads, T queries, S keys."""
    return (draw.randint(1, 3), draw.randint(1, 4), draw.randint(1, 5), draw.randint(1, 5))


def shape_of(draw: random.Random, scores: tuple[int, ...]) -> tuple[int, ...]:
    """Draws the shape of a mask that somebody might try: up to five axes of the lengths of the scores, B · h, or 1."""
    b, h, t, s = scores
    likely = [(t, s), (b * h, t, s), (b, t, s), (b, h, t, s), (b, 1, 1, s), (b, 1, s), (b, s), (1, s), (s,)]
    free = tuple(draw.choice([1, b, h, t, s, b * h]) for _ in range(draw.randint(0, 5)))
    return draw.choice([*likely, free])


def mask_of(draw: random.Random, shape: tuple[int, ...]) -> torch.Tensor:
    """Draws a mask of this shape with some True. No row is all True, because such a row gives NaN."""
    mask = np.random.default_rng(draw.randint(0, 9999)).random(shape) < 0.4
    if mask.ndim:
        mask[..., 0] = False
    return torch.from_numpy(np.asarray(mask))


def qkv(scores: tuple[int, ...], *, heads: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    b, h, t, s = scores
    if heads:
        return torch.randn(b, h, t, HEAD, dtype=torch.float64), torch.randn(b, h, s, HEAD, dtype=torch.float64)
    return torch.randn(b, t, h * HEAD, dtype=torch.float64), torch.randn(b, s, h * HEAD, dtype=torch.float64)


def test_the_installed_version_is_the_one_that_is_named():
    assert torch.__version__.startswith(f"{VERSION}.")


@pytest.mark.parametrize("seed", range(CASES))
def test_the_module_takes_or_refuses_masks_in_these_words_and_blocks_these_pairs(seed: int):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    scores = scores_of(draw)
    attn = shape_of(draw, scores) if draw.random() < 0.7 else None
    padding = shape_of(draw, scores) if draw.random() < 0.4 else None
    if padding is not None and draw.random() < 0.7:
        padding = (scores[0], scores[3])
    causal, need = draw.random() < 0.3, draw.random() < 0.6
    layer = torch.nn.MultiheadAttention(scores[1] * HEAD, scores[1], batch_first=True, dtype=torch.float64)
    layer.eval()
    query, key = qkv(scores)
    given = {
        "attn_mask": None if attn is None else mask_of(draw, attn),
        "key_padding_mask": None if padding is None else mask_of(draw, padding),
        "is_causal": causal, "need_weights": need,
    }  # fmt: skip
    said = words(lambda: layer(query, key, key, average_attn_weights=False, **given))
    if padding not in (None, (scores[0], scores[3])):
        assert said, "key_padding_mask takes (B, S) and nothing else"
        return
    hint = causal and padding is None and not need  # then the triangle counts, and the attn_mask is not read
    if attn is None:
        assert said == (NEEDS_MASK if causal else "")
    else:
        assert said == ("" if hint and len(attn) in (2, 3) else module_refusal(scores, attn))
    if said:
        return
    pairs = np.zeros(scores, bool)
    if hint:
        pairs |= ~np.tri(scores[2], scores[3], dtype=bool)
    elif attn is not None:
        pairs |= given["attn_mask"].numpy() if len(attn) == 2 else given["attn_mask"].numpy().reshape(scores)
    if padding is not None:
        pairs |= given["key_padding_mask"].numpy()[:, None, None, :]
    output, weights = layer(query, key, key, average_attn_weights=False, **given)
    meant = torch.from_numpy(pairs).reshape(-1, *scores[2:])
    same, same_weights = layer(query, key, key, average_attn_weights=False, attn_mask=meant)
    rows = ~torch.from_numpy(pairs.all(-1).any(1))  # where both masks together block every key, the output is NaN or 0
    np.testing.assert_allclose(output[rows].detach(), same[rows].detach(), atol=1e-12)
    if need:
        np.testing.assert_allclose(weights.detach(), same_weights.detach(), atol=1e-12)
        assert not weights.detach().numpy()[pairs & rows.numpy()[:, None, :, None]].any()


@pytest.mark.parametrize("seed", range(CASES))
def test_the_function_takes_or_refuses_masks_in_these_words_and_spreads_them(seed: int):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    scores = scores_of(draw)
    shape = shape_of(draw, scores)
    query, key = qkv(scores, heads=True)
    mask = ~mask_of(draw, shape)
    said = words(lambda: scaled_dot_product_attention(query, key, key, attn_mask=mask))
    assert said == function_refusal(scores, shape)
    if not said:
        meant = torch.from_numpy(np.broadcast_to(mask.numpy(), scores).copy())
        output = scaled_dot_product_attention(query, key, key, attn_mask=mask)
        np.testing.assert_allclose(output, scaled_dot_product_attention(query, key, key, attn_mask=meant), atol=1e-12)


@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (3, 7), (7, 3), (1, 11)])
def test_is_causal_starts_top_left_and_the_other_triangle_has_a_name(queries: int, keys: int):
    query, key = torch.randn(1, 1, queries, keys), torch.randn(1, 1, keys, keys)
    value = torch.eye(keys)[None, None]
    first = scaled_dot_product_attention(query, key, value, is_causal=True)[0, 0].numpy()
    np.testing.assert_array_equal(first > 0, np.tri(queries, keys, dtype=bool))
    assert triangle(queries, keys) == (first > 0).sum()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Lower right causal bias will produce NaNs")  # it does not: zeros, see below
        last = scaled_dot_product_attention(query, key, value, attn_mask=causal_lower_right(queries, keys))[0, 0].numpy()
    np.testing.assert_array_equal(last > 0, np.tri(queries, keys, keys - queries, dtype=bool))
    assert triangle(queries, keys, keys - queries) == (last > 0).sum()


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


def test_the_words_about_flash_attention_are_pytorchs():
    header = Path(torch.__file__).parent / "include/ATen/native/transformers/sdp_utils_cpp.h"
    assert FLASH_NO_MASK in header.read_text(encoding="utf-8")


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
