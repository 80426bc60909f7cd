"""Layers of PyTorch: read as files, the same output as the library that saved them; and PyTorch's own count."""

import numpy as np
import pytest
import torch
from safetensors.torch import save

from mha import Config, count_parameters
from mha.files.report import inspect_in_subprocess
from parity.models import shaken
from tests.mha.files.files import output_of

NEAR = {"atol": 1e-5, "rtol": 0}
BATCH, LENGTH = 2, 7


@pytest.mark.parametrize(("width", "heads", "bias"), [(21, 7, True), (26, 2, False), (11, 1, True)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_layer_saved_by_pytorch(width, heads, bias, dtype):
    layer = shaken(torch.nn.MultiheadAttention(width, heads, bias=bias, batch_first=True)).to(dtype)
    data, x = save(layer.state_dict()), torch.randn(BATCH, LENGTH, width)
    np.testing.assert_allclose(output_of(data, 0, heads, x.numpy()), layer.float()(x, x, x)[0].detach().numpy(), **NEAR)


def test_a_layer_with_keys_of_another_width_is_counted_and_not_shown():
    layer = torch.nn.MultiheadAttention(12, 3, kdim=5, vdim=7)
    (entry,) = inspect_in_subprocess(save(layer.state_dict()))[0].entries
    assert entry.sizes.count == sum(p.numel() for p in layer.parameters())
    assert "12, 5, 7 and 12 wide" in entry.why_not


def test_every_layer_of_a_pytorch_encoder_is_found():
    stack = shaken(torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(14, 2, 3, batch_first=True), 11))
    data, x = save(stack.state_dict()), torch.randn(BATCH, LENGTH, 14)
    entries = inspect_in_subprocess(data)[0].entries
    assert [entry.name for entry in entries] == [f"layers.{i}.self_attn" for i in range(11)]
    assert {entry.sizes.num_heads for entry in entries} == {None}, "these files do not say it"
    real = stack.layers[10].self_attn(x, x, x)[0].detach().numpy()
    np.testing.assert_allclose(output_of(data, 10, 2, x.numpy()), real, **NEAR)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("width", "heads"), [(26, 13), (26, 1), (77, 7), (768, 12), (768, 384)])
def test_the_paper_split_counts_what_pytorch_builds(width: int, heads: int, bias: bool):
    real = torch.nn.MultiheadAttention(width, heads, bias=bias, device="meta")
    assert count_parameters(Config(width, heads, use_bias=bias)) == sum(p.numel() for p in real.parameters())


def test_heads_that_do_not_divide_are_refused_with_the_words_that_the_pages_show():
    with pytest.raises(AssertionError, match=r"^embed_dim must be divisible by num_heads$"):
        torch.nn.MultiheadAttention(768, 5, device="meta")
