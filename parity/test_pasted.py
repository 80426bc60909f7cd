"""Tests findings about pasted PyTorch code: parameter counts of calls, and error messages of PyTorch and transformers."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import BertConfig, BertModel

from headcount.pasted.code import read_code
from headcount.pasted.errors import read_error


def zeros(*shape: int) -> torch.Tensor:
    return torch.zeros(shape)


@pytest.mark.parametrize("call", [
    "nn.MultiheadAttention(21, 7)", "nn.MultiheadAttention(embed_dim=22, num_heads=11, bias=False)",
    "nn.MultiheadAttention(21, 3, kdim=10, vdim=11)", "nn.MultiheadAttention(21, 3, add_bias_kv=True)",
    "nn.MultiheadAttention(21, 3, 0.1, True, True, True, 10, 11)",
    "nn.TransformerEncoderLayer(d_model=35, nhead=5)", "nn.TransformerDecoderLayer(33, 3)",
])  # fmt: skip
def test_a_call_has_as_many_parameters_as_pytorch_gives_it(call: str):
    layer = eval(call)  # noqa: S307 a line of this file
    real = getattr(layer, "self_attn", layer)
    (found,) = read_code(call)
    assert f": {sum(one.numel() for one in real.parameters()):,} " in found.says


def call(*shapes: tuple[int, ...], **masks: torch.Tensor) -> Callable[[], object]:
    return lambda: nn.MultiheadAttention(12, 3, batch_first=True)(*(zeros(*shape) for shape in shapes), **masks)


@pytest.mark.parametrize(("raises", "says"), [
    (call((2, 5, 11), (2, 5, 11), (2, 5, 11)), "12 and 11 must be equal."),
    (call((2, 5, 12), (2, 5, 11), (2, 5, 11)), "The first has 11 columns and the second 12 rows"),
    (call(*[(2, 5, 12)] * 3, attn_mask=zeros(5, 6)), "6 and 5 stand in the same place of (5, 6) and (5, 5)"),
    (call(*[(2, 5, 12)] * 3, attn_mask=zeros(2, 5, 5)), "a part for each head of each sequence: 2 · 3 = 6."),
    (call(*[(2, 5, 12)] * 3, key_padding_mask=zeros(5, 2)), "2 and 5 must be equal."),
    (lambda: F.scaled_dot_product_attention(*[zeros(2, 8, 5, 4)] * 3, attn_mask=zeros(3, 5, 5)), "8 and 3 must be equal."),
    (lambda: zeros(32, 44, 768).view(32, 44, 8, 64), "12 in place of 8 would fit: 12 heads of 64."),
    (lambda: zeros(2, 5, 12).view(2, -1, 5, 7), "70, which does not divide 120."),
    (lambda: zeros(6, 12) @ zeros(30, 12), "12 columns and the second 30 rows"),
    (lambda: torch.einsum("bqhd,bkhd->bhqk", zeros(2, 5, 3, 4), zeros(2, 5, 2, 4)), "2 and 3 must be equal."),
    (lambda: nn.MultiheadAttention(12, 3).load_state_dict(nn.MultiheadAttention(6, 3).state_dict()),
     "in_proj has 6 numbers in the file, 12 in the model."),
    (lambda: BertModel(BertConfig(hidden_size=10, num_attention_heads=3)), "These divide 10: 1, 2, 5 and 10."),
])  # fmt: skip
def test_what_pytorch_itself_says_is_read(raises: Callable[[], object], says: str):
    with pytest.raises(Exception) as fault:  # noqa: PT011
        raises()
    (finding,) = read_error(str(fault.value))
    assert says in finding.says
