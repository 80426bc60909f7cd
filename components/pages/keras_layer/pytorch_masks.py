"""PyTorch's side of masks: which shapes each of its two calls takes beside Keras's, in which words it refuses, its triangles."""

import streamlit as st

from components.pages.keras_layer.reply_text import code, shape
from components.widgets.tables import markdown_table
from mha.keras.layer import KerasLayer, triangle
from mha.names import counted
from mha.torch_masks import (
    FLASH_NO_MASK,
    FLASH_NOT_SQUARE,
    NEEDS_MASK,
    VERSION,
    Shape,
    function_refusal,
    keras_takes,
    module_refusal,
)

#: Key of the part that is computed when it is opened.
WORDS = "pytorch_words"


def headline(layer: KerasLayer) -> str:
    batch, heads, *pairs = layer.score_shape
    each = (batch * heads, *pairs)
    return f"A mask for each head is {shape(layer.score_shape)} in Keras and {shape(each)} in nn.MultiheadAttention."


def shapes(scores: Shape) -> dict[str, Shape]:
    """Shapes that people try, by their letters."""
    b, h, t, s = scores
    return {
        "(T, S)": (t, s), "(B·h, T, S)": (b * h, t, s), "(B, T, S)": (b, t, s), "(B, h, T, S)": (b, h, t, s),
        "(B, 1, T, S)": (b, 1, t, s), "(B, 1, S)": (b, 1, s), "(B, S)": (b, s),
    }  # fmt: skip


def verdict(batch: int, letters: str, taken: bool, by_heads: bool = False) -> str:
    """What a cell says. Two axes are read as (T, S) by all; of three the function reads the first as heads (`by_heads`)."""
    if not taken:
        return "refused"
    if batch > 1 and letters == "(B, S)":
        return "**taken as (T, S)**"
    if batch > 1 and by_heads and letters in ("(B, T, S)", "(B, 1, S)"):
        return f"**taken as {letters.replace('B', 'h')}**"
    return "taken"


def show_shapes(layer: KerasLayer) -> None:
    """The table of shapes and the sentence below it; refusals in PyTorch's words when they are opened."""
    scores = layer.score_shape
    batch, keys = scores[0], scores[-1]
    rows, refused = [], []
    for letters, sizes in shapes(scores).items():
        module, function = module_refusal(scores, sizes), function_refusal(scores, sizes)
        cells = (
            verdict(batch, letters, not module),
            verdict(batch, letters, not function, by_heads=True),
            verdict(batch, letters, keras_takes(scores, sizes)),
        )
        rows.append((letters, shape(sizes), *cells))
        refused += [(letters, name, words) for name, words in (("module", module), ("function", function)) if words]
    heads = ("mask", "here", "module", "function", "Keras")
    meaning = ("**True means**", "", "**blocked**", "**may look**", "**may look**")
    st.markdown(markdown_table(heads, [*rows, meaning]))
    st.markdown(
        "`attn_mask` of PyTorch's module `nn.MultiheadAttention` and of its function `scaled_dot_product_attention`; Keras's "
        f"`attention_mask`. `key_padding_mask`, of the module alone, takes (B, S) = {shape((batch, keys))} and nothing else; "
        f"True blocks the key. In Keras that is its opposite, `attention_mask` (B, 1, S) = {shape((batch, 1, keys))}."
    )
    words = st.expander("In PyTorch's words, and where is_causal does nothing", type="compact", key=WORDS, on_change="rerun")
    if words.open:
        lines = [f"{letters}, {name}: {code(words)}" for letters, name, words in refused]
        lines += [f"is_causal=True without attn_mask, module: {code(NEEDS_MASK)}"]
        words.markdown("\n".join(f"- {line}" for line in lines))
        words.markdown(
            "In the module `is_causal` is a hint. With need_weights=True the attn_mask counts and the hint is not read; with "
            "need_weights=False (and no key_padding_mask) the triangle counts and the attn_mask is not read. In inference "
            "with one tensor for query, key and value, batch_first and an even number of heads, is_causal=True is silently "
            "ignored."
        )
    st.caption(f"PyTorch {VERSION}, by formula: each cell and each word is held to PyTorch itself by this app's tests.")


def triangles_sentence(layer: KerasLayer) -> str:
    """Says what `is_causal` does where T is not S, and FlashAttention's corner."""
    queries, keys = layer.query_shape[1], layer.value_shape[1]
    whole, last = counted(queries * keys, "pair"), counted(triangle(queries, keys, keys - queries), "pair")
    none = (
        f" {counted(queries - keys, 'query')} then may look nowhere: zeros in the function, NaN in the module where it returns "
        "weights." if queries > keys else ""
    )  # fmt: skip
    return (
        f"`is_causal=True` of the function starts top-left: {triangle(queries, keys):,} of {whole} may look. A cache of "
        f"earlier keys needs the other end, `causal_lower_right({queries}, {keys})`: {last}.{none} FlashAttention's own `causal` "
        "is that second one (since 2.1). So on a GPU PyTorch's FlashAttention kernel takes is_causal only where T = S, and no "
        "mask at all. PyTorch then chooses another kernel and says nothing; where it is allowed no other, it says "
        f"{code(FLASH_NOT_SQUARE)} or {code(FLASH_NO_MASK)}"
    )
