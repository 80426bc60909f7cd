"""The part about masks: the visitor's own mask and surprising cases, each with the real layer's attention weights. PyTorch's
side: the mask shapes that its module and its function take, its errors, and its causal masks."""

from functools import partial

import numpy as np
import streamlit as st

from components.app.stale_widget_values import set_value
from components.pages.keras_layer.reply_text import all_of, apart, code, drawn_of, not_answered, shape, state_line, trailing
from components.pages.keras_layer.selection import MAX_SIDE, LayerChoice, write_cells
from components.widgets.chart import clicked, draw_chart
from components.widgets.stage import show_scene
from components.widgets.tables import markdown_table
from headcount import torch_masks
from headcount.keras.layer import MAX_MASK, KerasLayer, allowed, pairs_allowed, triangle
from headcount.keras.question import KerasQuestion, Reply, question, several
from headcount.names import counted
from headcount.stage.pictures import keras_layer as pictures
from headcount.stage.pictures.keras_layer import Case, allowed_only

MORE_KEYS = 2


def headline(selection: LayerChoice) -> str:
    which, flat = selection.mask_case, selection.flat
    if which == "yours":
        return own_headline(selection)
    batch, heads, *pairs = flat.score_shape
    queries, keys = flat.query_shape[1], uneven(flat).value_shape[1]
    return {
        "shapes": f"A mask for each head is {shape((batch, heads, *pairs))} in Keras and {shape((batch * heads, *pairs))} in "
        "nn.MultiheadAttention.",
        "polarity": "True lets look. In nn.MultiheadAttention it blocks.",
        "causal": f"{counted(queries, 'query')}, {counted(keys, 'key')}: the triangle starts top-left.",
        "empty_row": "A query that may look nowhere has two answers.",
        "additive": "A mask of 0 and −10⁹ is read upside down.",
    }[which]


def question_of(selection: LayerChoice) -> KerasQuestion:
    which, layer = selection.mask_case, called(selection)
    if which == "yours":
        return selection.mask_question(layer)
    if which == "shapes":
        square = layer.with_batch(layer.query_shape[1])  # as many samples as queries: (B, S) then fits where (T, S) is meant
        return several([question("mask_flat", layer=one.plain()) for one in (layer, square)])
    return question(f"mask_{which}", layer=layer.plain())


def called(selection: LayerChoice) -> KerasLayer:
    """The layer that the chosen case of a mask calls."""
    if selection.mask_case == "yours":
        return selection.flat
    return uneven(selection.bare.flat) if selection.mask_case == "causal" else selection.bare.flat


def uneven(flat: KerasLayer) -> KerasLayer:
    """The layer with different numbers of queries and keys, because only then the two alignments of a causal mask differ."""
    queries, keys = flat.query_shape[1], flat.value_shape[1]
    return flat if queries != keys else flat.with_positions((queries,), (keys + MORE_KEYS,))


def show(selection: LayerChoice, reply: Reply) -> None:
    if selection.layer.rank != 3:
        st.caption("Masks are shown with all positions in one row (an input of rank 3).")
    which, layer, flat = selection.mask_case, called(selection), selection.bare.flat
    if which == "shapes":
        show_pytorch_shapes(flat)
    if which != "yours" and flat != selection.flat:
        st.caption("Shown without sliding window and dropout.")
    if selection.causal and which not in ("yours", "causal"):
        st.caption("The masks here are the case's own: the causal mask that is chosen at the side is not part of it.")
    if which == "causal" and layer != flat:
        st.caption(f"With {layer.value_shape[1]} keys here: only with another number of keys than queries are there two ways.")
    sentence, panels = own_case(selection, reply) if which == "yours" else CASES[which](layer, reply)
    if panels and (part := drawn_of(panels[0].maps.shape, layer.score_shape)):
        sentence += f" {part}"
    st.markdown(sentence)
    if panels:
        alt = " ".join(f"{case.title}: {case.note}." for case in panels)
        show_scene(partial(pictures.cases, panels, alt), key=f"mask_{which}")
    hatched = ": may not look" if which == "yours" else " where it gives exactly 0"
    st.caption(state_line(reply, f"Weights (Keras's attention_scores) of the real layer; hatched{hatched}."))


#: What the page says of a case, and its panels.
SentenceAndPanels = tuple[str, list[Case]]


def shapes_case(layer: KerasLayer, reply: Reply) -> SentenceAndPanels:
    samples, queries, keys = layer.query_shape[0], layer.query_shape[1], layer.value_shape[1]
    as_is, misread = reply.parts(2)
    sentence = "In Keras **(B, S) is taken for (T, S)**."
    if as_is.state == "refused":
        sentence += f" With B = {samples}, T = {queries}, S = {keys} the layer refuses it: {not_answered(as_is)}."
    elif as_is.answered and samples == 1:
        sentence += f" With one sample that is what was meant: off by {apart(as_is['apart'])}."
    if not misread.answered or misread["apart"] == 0:
        return sentence + trailing(misread), []
    off = apart(misread["apart"])
    sentence += f" With as many samples as queries (B = T = {queries}) it is silently misread: the output is off by **{off}**."
    return sentence, [
        Case("(B, S) with B = T", "lengths of samples taken for queries", allowed_only(misread["scores"])),
        Case("meant: (B, 1, S)", f"output {off} away", allowed_only(misread["meant"])),
    ]  # fmt: skip


def polarity_case(layer: KerasLayer, reply: Reply) -> SentenceAndPanels:
    sentence = (
        "PyTorch's `nn.MultiheadAttention` documents True as *blocked* in its boolean `attn_mask` and `key_padding_mask`; "
        "`scaled_dot_product_attention` is as Keras."
    )
    if not reply.answered:
        return f"{sentence}{trailing(reply)}", []
    off, keys = apart(reply["apart"]), layer.value_shape[1]
    return f"{sentence} Carried over unchanged, such a mask moves the output by **{off}**.", [
        Case(f"True for {(keys + 1) // 2} of {counted(keys, 'key')}", "as Keras means it", allowed_only(reply["scores"])),
        Case("the same mask inverted", f"output off by {off}", allowed_only(reply["inverted"])),
    ]  # fmt: skip


def causal_case(layer: KerasLayer, reply: Reply) -> SentenceAndPanels:
    """The triangle of Keras's `use_causal_mask` and PyTorch's `is_causal` if T is not S, and FlashAttention's corner."""
    queries, keys = layer.query_shape[1], layer.value_shape[1]
    most = "" if queries <= keys else f" (at most {keys})"
    whole, last = counted(queries * keys, "pair"), counted(triangle(queries, keys, keys - queries), "pair")
    none = (
        f" {counted(queries - keys, 'query')} then may look nowhere: zeros in the function, NaN in the module where it returns "
        "weights." if queries > keys else ""
    )  # fmt: skip
    sentence = (
        f"With `use_causal_mask`, and `is_causal=True` of PyTorch's function, query t sees keys 1 … t{most}: "
        f"{triangle(queries, keys):,} of {whole}. A cache of earlier keys needs the other end, "
        f"`causal_lower_right({queries}, {keys})`: {last}.{none} FlashAttention's own `causal` "
        "is that second one (since 2.1). So on a GPU PyTorch's FlashAttention kernel takes is_causal only where T = S, and no "
        "mask at all. PyTorch then chooses another kernel and says nothing; where it is allowed no other, it says "
        f"{code(torch_masks.FLASH_NOT_SQUARE)} or {code(torch_masks.FLASH_NO_MASK)}"
    )
    if not reply.answered:
        return f"{sentence}{trailing(reply)}", []
    wrong = apart(reply["bottom_right"])
    return f"{sentence} The two triangles' outputs are **{wrong}** apart.", [
        Case("use_causal_mask=True", f"off by {apart(reply['top_left'])} from top-left", allowed_only(reply["scores"])),
        Case("causal_lower_right", f"output off by {wrong}", allowed_only(reply["bottom"])),
    ]  # fmt: skip


def empty_row_case(layer: KerasLayer, reply: Reply) -> SentenceAndPanels:
    sentence = "Which one comes depends on whether scores are asked for."
    if not reply.answered:
        return f"{sentence}{trailing(reply)}", []
    bias = "the output's bias" if layer.use_bias else "zeros"
    others = f"; all other queries {apart(reply['others'])}" if layer.query_shape[1] > 1 else ""
    which = "the last query sees nothing" if others else "the only query sees nothing"
    return (
        f"{sentence} With `return_attention_scores=True` its weights are all 0 and its output is {bias} "
        f"(off by {apart(reply['bias'])}); without, it is what equal weights give (off by {apart(reply['mean'])}). "
        f"The two are **{apart(reply['apart'])}** apart{others}."
    ), [Case(which, "its row is all 0", allowed_only(reply["scores"]))]


def additive_case(layer: KerasLayer, reply: Reply) -> SentenceAndPanels:
    sentence = "Meant to be added to the scores, it is taken for True and False instead: any number but 0 is True."
    if not reply.answered:
        return f"{sentence}{trailing(reply)}", []
    return (
        f"{sentence} The output is off by **{apart(reply['apart'])}** from what was meant, and by {apart(reply['inverted'])} "
        "from the inverted mask: the layer looks exactly where it should not. No error, no warning."
    ), [
        Case("meant: 0 may look", "as True and False", allowed_only(reply["meant"])),
        Case("given as numbers", f"output off by {apart(reply['apart'])}", allowed_only(reply["scores"])),
    ]  # fmt: skip


def tried_shapes(scores: torch_masks.Shape) -> dict[str, torch_masks.Shape]:
    """Shapes of a mask that people try, by their letters. `scores`: the shape (B, h, T, S)."""
    b, h, t, s = scores
    return {
        "(T, S)": (t, s), "(B·h, T, S)": (b * h, t, s), "(B, T, S)": (b, t, s), "(B, h, T, S)": (b, h, t, s),
        "(B, 1, T, S)": (b, 1, t, s), "(B, 1, S)": (b, 1, s), "(B, S)": (b, s),
    }  # fmt: skip


def taken_as(batch: int, letters: str, taken: bool, by_heads: bool = False) -> str:
    """A cell's text that says how a mask of this shape is read. Two axes are always read as (T, S). `by_heads`: the first of
    three axes is read as heads, as PyTorch's function does."""
    if not taken:
        return "refused"
    if batch > 1 and letters == "(B, S)":
        return "**taken as (T, S)**"
    if batch > 1 and by_heads and letters in ("(B, T, S)", "(B, 1, S)"):
        return f"**taken as {letters.replace('B', 'h')}**"
    return "taken"


def show_pytorch_shapes(layer: KerasLayer) -> None:
    """Shows a table of mask shapes with what PyTorch and Keras make of each, and PyTorch's errors in an expander."""
    scores = layer.score_shape
    batch, keys = scores[0], scores[-1]
    rows, refused = [], []
    for letters, sizes in tried_shapes(scores).items():
        module, function = torch_masks.module_refusal(scores, sizes), torch_masks.function_refusal(scores, sizes)
        cells = (
            taken_as(batch, letters, not module),
            taken_as(batch, letters, not function, by_heads=True),
            taken_as(batch, letters, torch_masks.keras_takes(scores, sizes)),
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
    words = st.expander(
        "In PyTorch's words, and where is_causal does nothing", type="compact", key="pytorch_words", on_change="rerun"
    )
    if words.open:
        lines = [f"{letters}, {name}: {code(words)}" for letters, name, words in refused]
        lines += [f"is_causal=True without attn_mask, module: {code(torch_masks.NEEDS_MASK)}"]
        words.markdown("\n".join(f"- {line}" for line in lines))
        words.markdown(
            "In the module `is_causal` is a hint. With need_weights=True the attn_mask counts and the hint is not read; with "
            "need_weights=False (and no key_padding_mask) the triangle counts and the attn_mask is not read. In inference "
            "with one tensor for query, key and value, batch_first and an even number of heads, is_causal=True is silently "
            "ignored."
        )
    st.caption(
        f"PyTorch {torch_masks.VERSION}, by formula: each cell and each word is held to PyTorch itself by this app's tests."
    )


CASES = {
    "shapes": shapes_case, "polarity": polarity_case, "causal": causal_case, "empty_row": empty_row_case,
    "additive": additive_case,
}  # fmt: skip


def own_headline(selection: LayerChoice) -> str:
    batch, queries, keys = selection.flat.query_shape[0], selection.flat.query_shape[1], selection.flat.value_shape[1]
    may, whole = pairs_allowed(selection.flat, selection.causal, selection.mask)[0], batch * queries * keys
    if may == whole:
        none = selection.mask is None and not selection.causal and selection.flat.sliding_window is None
        return f"{'No mask' if none else 'The mask leaves nothing out'}: every query sees {all_of(keys, 'key')}."
    samples = f" in {batch:,} samples" if batch > 1 else ""
    return f"The mask allows {may:,} of {counted(whole, 'query-key pair')}{samples}."


def left_out(selection: LayerChoice) -> str:
    """The reason why a chosen mask is not used; "" if it is used or none is chosen."""
    if selection.mask is not None or selection.attention_mask == "none":
        return ""
    if selection.attention_mask == "custom":
        return f"A mask is typed up to {MAX_SIDE} × {MAX_SIDE}; here all may look."
    return f"A mask of lengths is made for up to {MAX_MASK:,} keys of all samples together; here all may look."


def own_case(selection: LayerChoice, reply: Reply) -> SentenceAndPanels:
    """The visitor's call, sentences on its mask, and its attention maps."""
    _, empty = pairs_allowed(selection.flat, selection.causal, selection.mask)
    mask, text, call = selection.mask, "", "layer(query, value, key"
    if mask is not None:
        call += f", attention_mask=({', '.join(map(str, mask.shape))})"
        text = f"The mask has the shape {shape(mask.shape)}: {KINDS[selection.attention_mask]}. "
    if empty:
        samples = selection.flat.query_shape[0]
        together = f", {counted(samples, 'sample')} together" if samples > 1 else ""
        text += f"**{counted(empty, 'query')} may look nowhere**{together}: see *empty_row*. "
    if (window := selection.flat.sliding_window) is not None:
        text += f"The layer's `sliding_window={window}` joins it: keys fewer than {counted(window, 'position')} away. "
    if why := left_out(selection):
        text += f"{why} "
    text = f"{code(call + (', use_causal_mask=True)' if selection.causal else ')'))}  \n{text}"
    if not reply.answered:
        return text + (code(reply.why) if reply.state == "refused" else ""), []
    scores, may_look = reply["scores"], allowed(selection.flat, selection.causal, mask)
    maps = allowed_only(scores, np.broadcast_to(may_look, selection.flat.score_shape)[: scores.shape[0], : scores.shape[1]])
    return text, [Case(f"output off by {apart(reply['apart'])}", "from the one without a mask", maps)]


KINDS = {"padding": "(B, 1, S), from one length for each sample", "custom": "(T, S), the same for all samples and heads"}


def show_squares(selection: LayerChoice) -> None:
    """Draws the typed mask as squares to click. They change the text of the mask, so they need no state and no real layer."""
    mask = selection.mask
    if selection.mask_case != "yours" or selection.attention_mask != "custom" or mask is None:
        return
    figure, alt = pictures.clickable_mask(mask)
    with st.container(width=figure["layout"]["width"]):
        draw_chart(figure, "mask_squares", alt, on_point=lambda: _flip(mask))


def _flip(mask: np.ndarray) -> None:
    if 0 <= (at := clicked("mask_squares")) < mask.size:
        changed = mask.copy()
        changed.flat[at] = not mask.flat[at]
        set_value("mask_cells", write_cells(changed))
