"""Masks as PyTorch takes them: which shapes, the words in which it refuses the others, and what a mask that it takes blocks.

Source: torch.nn.MultiheadAttention and torch.nn.functional.scaled_dot_product_attention of PyTorch 2.13 on a CPU, held to both by
`make parity` (parity/test_masks.py). nn.MultiheadAttention: True in a Boolean mask blocks. scaled_dot_product_attention: True may
look, as in Keras. Each refusal is the kind of the error and its words; "" where the mask is taken.
"""

from dataclasses import dataclass

import numpy as np

from mha.arrays import Bools

#: The version whose words these are.
VERSION = "2.13"
Shape = tuple[int, ...]
NEEDS_MASK = (
    "RuntimeError: Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
    "`generate_square_subsequent_mask` to create this mask."
)
#: What scaled_dot_product_attention says where its plain kernel gets both; its CPU flash kernel takes both, joined by "and".
NOT_BOTH = "RuntimeError: _scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
#: What PyTorch's CUDA build says where nothing but its FlashAttention kernel is allowed (sdp_utils_cpp.h, cuda/sdp_utils.cpp).
FLASH_NO_MASK = "Flash Attention does not support non-null attn_mask."
FLASH_NOT_SQUARE = "Flash attention does not support the is_causal flag when seqlen_q != seqlen_k."


@dataclass(frozen=True, slots=True)
class Lengths:
    """B samples, h heads, T queries, S keys."""

    batch: int
    num_heads: int
    query_len: int
    key_len: int

    @property
    def scores(self) -> Shape:
        """Shape of the scores, (B, h, T, S)."""
        return self.batch, self.num_heads, self.query_len, self.key_len


def module_refusal(
    lengths: Lengths,
    attn_mask: Shape | None = None,
    key_padding_mask: Shape | None = None,
    is_causal: bool = False,
    need_weights: bool = True,
) -> str:
    """What nn.MultiheadAttention says to masks of these shapes, called with a batch. In the order of its own checks.

    Not of its fast path (inference, query, key and value the same tensor, batch_first, an even number of heads), which words some
    refusals otherwise, takes (1, 1, T, T) too and does not look at `is_causal`.
    """
    of_batch = "AssertionError: For batched (3-D) `query`, expected "
    if key_padding_mask is not None and len(key_padding_mask) != 2:
        return f"{of_batch}`key_padding_mask` to be `None` or 2-D but found {len(key_padding_mask)}-D tensor instead"
    if attn_mask is not None and len(attn_mask) not in (2, 3):
        return f"{of_batch}`attn_mask` to be `None`, 2-D or 3-D but found {len(attn_mask)}-D tensor instead"
    if is_causal and attn_mask is None:
        return NEEDS_MASK
    if attn_mask is not None and not hint_replaces_mask(is_causal, key_padding_mask is not None, need_weights):
        expected = (lengths.query_len, lengths.key_len)
        if len(attn_mask) == 3:
            expected = (lengths.batch * lengths.num_heads, *expected)
        if attn_mask != expected:
            came = f"torch.Size({list(attn_mask)})"
            return f"RuntimeError: The shape of the {len(attn_mask)}D attn_mask is {came}, but should be {expected}."
    if key_padding_mask is not None:
        for axis, length in enumerate((lengths.batch, lengths.key_len)):
            if key_padding_mask[axis] != length:
                return f"AssertionError: Expected key_padded_mask.shape[{axis}] to be {length}, but got {key_padding_mask[axis]}"
    return ""


def hint_replaces_mask(is_causal: bool, has_key_padding: bool, need_weights: bool) -> bool:
    """Whether nn.MultiheadAttention leaves the given attn_mask unread and puts its own triangle in its place: only where it need
    not return the weights. Otherwise `is_causal` itself is not looked at."""
    return is_causal and not has_key_padding and not need_weights


def blocked(
    lengths: Lengths,
    attn_mask: Bools | None = None,
    key_padding_mask: Bools | None = None,
    is_causal: bool = False,
    need_weights: bool = True,
) -> Bools:
    """Pairs that nn.MultiheadAttention blocks under Boolean masks that it takes, axes "bhts". True: blocked."""
    pairs = np.zeros(lengths.scores, bool)
    if hint_replaces_mask(is_causal, key_padding_mask is not None, need_weights):
        return pairs | ~top_left(lengths)
    if attn_mask is not None:
        pairs |= attn_mask if attn_mask.ndim == 2 else attn_mask.reshape(lengths.scores)
    if key_padding_mask is not None:
        pairs |= key_padding_mask[:, None, None, :]
    return pairs


def function_refusal(lengths: Lengths, attn_mask: Shape) -> str:
    """What scaled_dot_product_attention says to a mask of this shape beside queries (B, h, T, d) and keys (B, h, S, d): it takes
    all that NumPy would spread over (B, h, T, S), but no fewer than two axes."""
    if len(attn_mask) < 2:
        return (
            "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got -2)" if attn_mask
            else "IndexError: Dimension specified as -2 but tensor has no dimensions"
        )  # fmt: skip
    scores = lengths.scores
    for back in range(1, min(len(scores), len(attn_mask)) + 1):
        a, b = scores[-back], attn_mask[-back]
        if a != b and 1 not in (a, b):
            axis = max(len(scores), len(attn_mask)) - back
            sizes = f"The size of tensor a ({a}) must match the size of tensor b ({b})"
            return f"RuntimeError: {sizes} at non-singleton dimension {axis}"
    padded = [(1,) * (max(len(scores), len(attn_mask)) - len(shape)) + shape for shape in (scores, attn_mask)]
    wide = [max(sizes) for sizes in zip(*padded, strict=True)]
    if wide != list(scores):
        return f"RuntimeError: output with shape {list(scores)} doesn't match the broadcast shape {wide}"
    return ""


def keras_takes(lengths: Lengths, attention_mask: Shape) -> bool:
    """Whether keras.layers.MultiHeadAttention takes an attention_mask of this shape: it puts the heads' axis third from the back
    into a mask of three axes, and spreads the result over (B, h, T, S)."""
    shape = (attention_mask[0], 1, *attention_mask[1:]) if len(attention_mask) == 3 else attention_mask
    spread = zip(reversed(shape), reversed(lengths.scores), strict=False)
    return 2 <= len(shape) <= 4 and all(size in (1, whole) for size, whole in spread)


def pairs_top_left(queries: int, keys: int) -> int:
    """How many pairs `top_left` lets look."""
    short = min(queries, keys)
    return short * (short + 1) // 2 + max(queries - keys, 0) * keys


def pairs_bottom_right(queries: int, keys: int) -> int:
    """How many pairs `bottom_right` lets look."""
    short = min(queries, keys)
    return short * (short + 1) // 2 + max(keys - queries, 0) * queries


def top_left(lengths: Lengths) -> Bools:
    """Who may look under `is_causal` of scaled_dot_product_attention, axes "ts": query t at keys 0 … t, whatever T and S are."""
    return np.tril(np.ones((lengths.query_len, lengths.key_len), bool))


def bottom_right(lengths: Lengths) -> Bools:
    """Who may look under torch.nn.attention.bias.causal_lower_right, axes "ts": the last query at all keys. FlashAttention's own
    `causal` (2.1 and later) is this one."""
    return np.tril(np.ones((lengths.query_len, lengths.key_len), bool), lengths.key_len - lengths.query_len)
