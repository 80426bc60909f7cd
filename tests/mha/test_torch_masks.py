"""PyTorch's side of masks, in cases that PyTorch itself was asked about (parity/test_masks.py asks it about 400 more)."""

import numpy as np
import pytest

from mha.keras.layer import KerasLayer, triangle
from mha.torch_masks import function_refusal, keras_takes, module_refusal

#: B = 2, h = 3, T = 5, S = 7.
SCORES = (2, 3, 5, 7)


@pytest.mark.parametrize(("shape", "words"), [
    ((5, 7), ""), ((6, 5, 7), ""),
    ((2, 5, 7), "RuntimeError: The shape of the 3D attn_mask is torch.Size([2, 5, 7]), but should be (6, 5, 7)."),
    ((1, 7), "RuntimeError: The shape of the 2D attn_mask is torch.Size([1, 7]), but should be (5, 7)."),
    ((2, 3, 5, 7), "AssertionError: For batched (3-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found 4-D "
     "tensor instead"),
])  # fmt: skip
def test_the_module_takes_one_mask_for_all_or_one_for_each_sample_and_head_and_refuses_others_in_pytorchs_words(shape, words):
    assert module_refusal(SCORES, shape) == words


def test_masks_that_the_function_takes_are_spread_from_the_back():
    assert function_refusal(SCORES, (3, 5, 7)) == ""  # its first axis is the heads
    assert function_refusal(SCORES, (2, 5, 7)) == (
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1"
    )
    assert function_refusal(SCORES, (7,)).startswith("IndexError")


@pytest.mark.keras
@pytest.mark.parametrize("scores", [SCORES, (3, 3, 3, 5), (1, 2, 5, 3), (5, 1, 2, 2)])
def test_keras_takes_the_shapes_that_are_said_to_be_taken(scores, ask):
    b, h, t, s = scores
    layer = KerasLayer(h, 2, 2, (b, t, 4), (b, s, 4)).plain()
    for shape in [(t, s), (b * h, t, s), (b, t, s), (b, h, t, s), (b, 1, t, s), (b, 1, s), (b, s), (s,), (1, s), (h, t, s)]:
        assert keras_takes(scores, shape) == ("error" not in ask("mask_own", layer=layer, mask=np.ones(shape))), shape


@pytest.mark.parametrize(("queries", "keys"), [(5, 7), (7, 5), (3, 3), (1, 11), (11, 1)])
@pytest.mark.parametrize("ahead", [-2, -1, 0, 1, 2, 6])
def test_pairs_under_a_triangle_are_counted_as_one_by_one(queries, keys, ahead):
    assert triangle(queries, keys, ahead) == np.tri(queries, keys, ahead).sum()
