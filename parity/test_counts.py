"""The layer's count against the real `torch.nn.MultiheadAttention`: the number of heads is in no shape of it."""

import pytest
import torch

from mha import Config, count_parameters


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("width", "heads"), [(26, 13), (26, 1), (77, 7), (768, 12), (768, 384)])
def test_the_paper_split_counts_what_pytorch_builds(width: int, heads: int, bias: bool):
    real = torch.nn.MultiheadAttention(width, heads, bias=bias, device="meta")
    assert count_parameters(Config(width, heads, use_bias=bias)) == sum(p.numel() for p in real.parameters())


def test_heads_that_do_not_divide_are_refused_with_the_words_that_the_pages_show():
    with pytest.raises(AssertionError, match=r"^embed_dim must be divisible by num_heads$"):
        torch.nn.MultiheadAttention(768, 5, device="meta")
