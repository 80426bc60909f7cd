"""Masks in PyTorch: which shapes it accepts, and the error messages for the other shapes. Sources are torch.nn.MultiheadAttention
and torch.nn.functional.scaled_dot_product_attention of PyTorch 2.13 on a CPU; `make parity` compares with both
(parity/test_masks.py). True in a Boolean mask blocks a pair in nn.MultiheadAttention. In scaled_dot_product_attention it allows
the pair, as in Keras. `scores` is the shape of the scores, (B, h, T, S). The functions return the type and message of an error,
or "" if the mask is accepted."""

VERSION = "2.13"
Shape = tuple[int, ...]
NEEDS_MASK = (
    "RuntimeError: Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
    "`generate_square_subsequent_mask` to create this mask."
)
#: The error of scaled_dot_product_attention if its plain kernel gets a mask and is_causal; its CPU flash kernel applies both.
NOT_BOTH = "RuntimeError: _scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
#: The error of PyTorch's CUDA build if only its FlashAttention kernel is allowed (sdp_utils_cpp.h, cuda/sdp_utils.cpp).
FLASH_NO_MASK = "Flash Attention does not support non-null attn_mask."
FLASH_NOT_SQUARE = "Flash attention does not support the is_causal flag when seqlen_q != seqlen_k."


def module_refusal(scores: Shape, attn_mask: Shape) -> str:
    """Returns the error of nn.MultiheadAttention for an attn_mask of this shape in a call with a batch. The fast path is not
    covered (inference, one tensor as query, key and value, batch_first, an even number of heads). It words some errors
    differently and also accepts (1, 1, T, T)."""
    if len(attn_mask) not in (2, 3):
        expected = "`attn_mask` to be `None`, 2-D or 3-D"
        return f"AssertionError: For batched (3-D) `query`, expected {expected} but found {len(attn_mask)}-D tensor instead"
    batch, heads, *pairs = scores
    wanted = tuple(pairs) if len(attn_mask) == 2 else (batch * heads, *pairs)
    if attn_mask != wanted:
        came = f"torch.Size({list(attn_mask)})"
        return f"RuntimeError: The shape of the {len(attn_mask)}D attn_mask is {came}, but should be {wanted}."
    return ""


def function_refusal(scores: Shape, attn_mask: Shape) -> str:
    """Returns the error of scaled_dot_product_attention for a mask of this shape with queries (B, h, T, d) and keys (B, h, S, d).
    It accepts every mask of at least two axes that broadcasts to (B, h, T, S)."""
    if len(attn_mask) < 2:
        return (
            "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got -2)" if attn_mask
            else "IndexError: Dimension specified as -2 but tensor has no dimensions"
        )  # fmt: skip
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


def keras_takes(scores: Shape, attention_mask: Shape) -> bool:
    """Whether keras.layers.MultiHeadAttention accepts an attention_mask of this shape. Keras inserts an axis of heads before the
    last two axes of a three-axis mask, and broadcasts to (B, h, T, S)."""
    shape = (attention_mask[0], 1, *attention_mask[1:]) if len(attention_mask) == 3 else attention_mask
    spread = zip(reversed(shape), reversed(scores), strict=False)
    return 2 <= len(shape) <= 4 and all(size in (1, whole) for size, whole in spread)
