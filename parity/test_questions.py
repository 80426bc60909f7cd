"""Tests answers about PyTorch and transformers against both: shapes of grouped layers, masks."""

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers.models.llama import modeling_llama as llama

from experiments.runs import measure


@pytest.mark.parametrize(("model", "kv_heads"), [("Llama-2-7B", 32), ("Llama-2-7B", 8), ("Llama-2-7B", 1), ("Llama-3-8B", 4)])
def test_linear_weights_of_a_grouped_layer_are_out_by_in(model: str, kv_heads: int):
    config = llama.LlamaConfig(hidden_size=4096, num_attention_heads=32, num_key_value_heads=kv_heads)
    with torch.device("meta"):
        real = llama.LlamaAttention(config, layer_idx=0)
    found = measure("groups", {"model": model, "kv_heads": [kv_heads]})
    shapes = {f"W_{name[0].upper()}": [*getattr(real, name).weight.shape] for name in ("q_proj", "k_proj", "v_proj", "o_proj")}
    assert found["shapes"] == [shapes]
    assert found["counts"] == [sum(weight.numel() for weight in real.parameters())]


def test_true_blocks_in_the_module_and_lets_look_in_the_function_and_each_head_has_its_samples_mask():
    layer = torch.nn.MultiheadAttention(16, 4, batch_first=True, dtype=torch.float64)
    x = torch.randn(2, 5, 16, dtype=torch.float64)
    real = torch.arange(5) < torch.tensor([[5], [3]])
    may = torch.ones(5, 5, dtype=torch.bool).tril() & real[:, None]
    output, weights = layer(x, x, x, attn_mask=~may.repeat_interleave(4, 0), average_attn_weights=False)
    assert ((weights > 0) == may[:, None]).all()
    q, k, v = (part.unflatten(-1, (4, 4)).transpose(1, 2) for part in (x @ layer.in_proj_weight.T).chunk(3, -1))
    result = scaled_dot_product_attention(q, k, v, attn_mask=may[:, None])
    np.testing.assert_allclose(layer.out_proj(result.transpose(1, 2).flatten(2)).detach(), output.detach(), atol=1e-12)
