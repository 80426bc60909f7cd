"""Masks: the visitor's own, cases that surprise, and what the real layer makes of each, with its own attention maps."""

from dataclasses import replace

import numpy as np
import streamlit as st

from components.figures.pictures.keras_layer import Case, allowed_only, cases, clickable_mask, mask_alt, rows
from components.pages.keras_layer.chosen import MOST_SIDE, Chosen, write_cells
from components.pages.keras_layer.words import absent, all_of, apart, code, drawn_of, shape, state_line, trailing
from components.streamlit.late_reports import set_value
from components.widgets.stage import show_scene
from mha.keras.layer import MOST_MASK, KerasLayer
from mha.keras.question import Question, Reply, question, several
from mha.names import counted

MORE_KEYS = 2


def headline(chosen: Chosen) -> str:
    which, flat = chosen.mask_case, chosen.flat
    if which == "yours":
        return told(chosen)
    queries, keys = flat.query_shape[1], uneven(chosen).value_shape[1]
    return {
        "shapes": f"Five shapes are spread over {shape(flat.score_shape)}. (B, S) is {two_axes(flat)}.",
        "polarity": "True lets look. In nn.MultiheadAttention it blocks.",
        "causal": f"{counted(queries, 'query')}, {counted(keys, 'key')}: the triangle starts top-left.",
        "empty_row": "A query that may look nowhere has two answers.",
        "additive": "A mask of 0 and −10⁹ is read upside down.",
    }[which]


def above(chosen: Chosen) -> None:
    """What does not wait for the real layer: squares to click."""
    if chosen.mask_case == "yours" and chosen.attention_mask == "custom" and chosen.mask is not None:
        show_squares(chosen.mask)


def ask(chosen: Chosen) -> Question:
    which, layer = chosen.mask_case, chosen.flat.plain()
    if which == "yours":
        return ask_own(chosen)
    if which == "shapes":
        shapes = [letters for letters, _ in SHAPES]
        return several([question("mask_shapes", layer=layer, shapes=shapes), question("mask_flat", layer=layer)])
    if which == "causal":
        return question("mask_causal", layer=uneven(chosen).plain())
    return question(f"mask_{which}", layer=layer)


def uneven(chosen: Chosen):
    """Its layer with another number of keys than queries: only then two ways to align a triangle differ."""
    flat = chosen.flat
    if flat.query_shape[1] != flat.value_shape[1]:
        return flat
    keys = flat.value_shape[1] + MORE_KEYS
    value, key = ((shape[0], keys, shape[2]) for shape in (flat.value_shape, flat.key_shape))
    return replace(flat, value_shape=value, key_shape=key)


def show(chosen: Chosen, reply: Reply) -> None:
    if chosen.layer.rank != 3:
        st.caption("Masks are shown with all positions in one row (an input of rank 3).")
    which = chosen.mask_case
    if which == "yours":
        show_own(chosen, reply)
        return
    layer = uneven(chosen) if which == "causal" else chosen.flat
    if layer != chosen.flat:
        st.caption(f"With {layer.value_shape[1]} keys here: only with another number of keys than queries are there two ways.")
    sentence, lines = CASES[which](layer, reply)
    if lines and (part := drawn_of(lines[0][0].maps.shape, layer.score_shape)):
        sentence += f" {part}"
    st.markdown(sentence)
    if lines:
        alt = " ".join(f"{one.title}: {one.note}." for line in lines for one in line)
        show_scene(cases(lines, alt), chosen.drawn_by, key=f"mask_{which}")
    if which == "empty_row" and reply.found:
        show_two_answers(reply, chosen.drawn_by)
    st.caption(state_line(reply, "Weights (Keras's attention_scores) of the real layer, hatched where it gives exactly 0."))


#: Shapes in letters, and how Keras reads each.
SHAPES = (
    ("BTS", "each sample its own"),
    ("B1S", "each sample, all queries alike"),
    ("TS", "all samples and heads alike"),
    ("B11S", "the same with the heads' axis"),
    ("BhTS", "each sample and head its own"),
)
Told = tuple[str, list[list[Case]]]


def spelt(letters: str) -> str:
    return f"({', '.join(letters)})"


def two_axes(layer: KerasLayer) -> str:
    """What becomes of a (B, S) mask, which Keras takes for (T, S)."""
    samples, queries = layer.query_shape[:2]
    return "read right with one sample" if samples == 1 else "misread" if samples == queries else "refused"


def shapes_case(layer: KerasLayer, reply: Reply) -> Told:
    samples, queries, keys = layer.query_shape[0], layer.query_shape[1], layer.value_shape[1]
    sentence = "A mask is spread over (B, h, T, S). Five shapes are read as one would think; **(B, S) is taken for (T, S)**."
    found, flat = reply.parts("results", 2)
    if not found.found:
        return f"{sentence}{trailing(found)}", []
    cases = []
    for (letters, reading), one in zip(SHAPES, found.parts("cases", len(SHAPES)), strict=True):
        if one.found:
            note = f"{reading}; off by {apart(one['apart'])}"
            cases.append(Case(spelt(letters), note, allowed_only(one["scores"], one["reading"] > 0), labels=False))
    drawn = " Below: samples under each other, heads side by side."
    as_is, square = flat.part("as_is"), flat.part("square")
    if as_is.state == "refused":
        sentence += f" With B = {samples}, T = {queries}, S = {keys} the layer refuses it: {absent(as_is)}."
    elif as_is.found and samples == 1:
        sentence += f" With one sample that is what was meant: off by {apart(as_is['apart'])}."
    misread = f" With as many samples as queries (B = T = {queries}) it is silently misread"
    if not square.found and queries > 1:
        sentence += f"{misread}: {absent(square)}."
    elif square.found and square["apart"] > 0:
        off = apart(square["apart"])
        sentence += f"{misread}: the output is off by **{off}**."
        taken, meant = allowed_only(square["scores"]), allowed_only(square["meant"])
        cases.append(Case("(B, S) with B = T", "lengths of samples taken for queries", taken, labels=False))
        cases.append(Case("meant: (B, 1, S)", f"output {off} away", meant, labels=False))
    return sentence + drawn, [cases[:3], cases[3:5], cases[5:]]


def polarity_case(layer: KerasLayer, reply: Reply) -> Told:
    sentence = (
        "PyTorch's `nn.MultiheadAttention` documents True as *blocked* in its boolean `attn_mask` and `key_padding_mask`; "
        "`scaled_dot_product_attention` is as Keras."
    )
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    off, keys = apart(reply["apart"]), layer.value_shape[1]
    return f"{sentence} Carried over unchanged, such a mask moves the output by **{off}**.", [[
        Case(f"True for {(keys + 1) // 2} of {counted(keys, 'key')}", "as Keras means it", allowed_only(reply["scores"])),
        Case("the same mask inverted", f"output off by {off}", allowed_only(reply["inverted"])),
    ]]  # fmt: skip


def causal_case(layer: KerasLayer, reply: Reply) -> Told:
    queries, keys = layer.query_shape[1], layer.value_shape[1]
    most = "" if queries <= keys else f" (at most {keys})"
    meet = f"{counted(queries, 'query')} meet{'s' if queries == 1 else ''} {counted(keys, 'key')}"
    sentence = f"With `use_causal_mask` query t sees keys 1 … t{most}, also where {meet}."
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    wrong = apart(reply["bottom_right"])
    other = (
        "A cache of earlier keys needs the triangle at the other end" if queries < keys
        else f"Aligned at the other end it would leave {counted(queries - keys, 'query')} without a key"
    )  # fmt: skip
    return f"{sentence} {other}: **{wrong}** away in the output.", [[
        Case("use_causal_mask=True", f"off by {apart(reply['top_left'])} from top-left", allowed_only(reply["scores"])),
        Case("triangle bottom-right", f"output off by {wrong}", allowed_only(reply["bottom"])),
    ]]  # fmt: skip


def empty_row_case(layer: KerasLayer, reply: Reply) -> Told:
    sentence = "Which one comes depends on whether scores are asked for."
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    bias = "the output's bias" if layer.use_bias else "zeros"
    others = f"; all other queries {apart(reply['others'])}" if layer.query_shape[1] > 1 else ""
    which = "the last query sees nothing" if others else "the only query sees nothing"
    return (
        f"{sentence} With `return_attention_scores=True` its weights are all 0 and its output is {bias} "
        f"(off by {apart(reply['bias'])}); without, it is what equal weights give (off by {apart(reply['mean'])}). "
        f"The two are **{apart(reply['apart'])}** apart{others}."
    ), [[Case(which, "its row is all 0", allowed_only(reply["scores"]))]]


def show_two_answers(reply: Reply, drawn_by: str) -> None:
    """The row's output, once with the scores asked for and once without."""
    outputs = {"scores asked for": reply["with_scores"], "not asked for": reply["without_scores"]}
    alt = f"Output of the query that sees nothing, twice; the two are {apart(reply['apart'])} apart."
    show_scene(rows({label: np.asarray(values) for label, values in outputs.items()}, alt), drawn_by, key="two_answers")


def additive_case(layer: KerasLayer, reply: Reply) -> Told:
    sentence = "Meant to be added to the scores, it is taken for True and False instead: any number but 0 is True."
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    return (
        f"{sentence} The output is off by **{apart(reply['apart'])}** from what was meant, and by {apart(reply['inverted'])} "
        "from the inverted mask: the layer looks exactly where it should not. No error, no warning."
    ), [[
        Case("meant: 0 may look", "as True and False", allowed_only(reply["meant"])),
        Case("given as numbers", f"output off by {apart(reply['apart'])}", allowed_only(reply["scores"])),
    ]]  # fmt: skip


CASES = {
    "shapes": shapes_case, "polarity": polarity_case, "causal": causal_case, "empty_row": empty_row_case,
    "additive": additive_case,
}  # fmt: skip


def ask_own(chosen: Chosen) -> Question:
    mask = None if chosen.mask is None else chosen.mask.astype(np.float32)
    return question("mask_own", layer=chosen.flat.plain(), mask=mask, causal=chosen.causal)


def show_own(chosen: Chosen, reply: Reply) -> None:
    st.markdown(sentence(chosen, reply))
    if reply.found:
        scores, full = reply["scores"], reply["full"]
        maps = allowed_only(scores, np.broadcast_to(allowed(chosen), full)[: scores.shape[0], : scores.shape[1]])
        one = Case(f"output off by {apart(reply['apart'])}", "from the one without a mask", maps)
        part = drawn_of(scores.shape, full)
        show_scene(cases([[one]], f"{one.title}: {one.note}. {part}".strip()), chosen.drawn_by, key="mask_yours")
        if part:
            st.caption(part)
    st.caption(state_line(reply, "Weights (Keras's attention_scores) of the real layer; hatched: may not look."))


def allowed(chosen: Chosen) -> np.ndarray:
    """What mask and triangle let look together, to be spread over (B, h, T, S). Only for a layer that is computed."""
    queries, keys = chosen.flat.query_shape[1], chosen.flat.value_shape[1]
    mask = np.ones((queries, keys), bool) if chosen.mask is None else chosen.mask
    mask = mask[:, None] if mask.ndim == 3 else mask
    return mask & np.tril(np.ones((queries, keys), bool)) if chosen.causal else mask


def pairs(chosen: Chosen) -> tuple[int, int]:
    """Of all samples together: pairs of query and key that may look, and queries that may look nowhere. A mask of lengths may
    stand for more pairs than fit into memory: counted one line a sample."""
    batch, queries, keys = chosen.flat.query_shape[0], chosen.flat.query_shape[1], chosen.flat.value_shape[1]
    if chosen.mask is not None and chosen.mask.ndim == 2:
        mask = allowed(chosen)
        return batch * int(mask.sum()), batch * int((~mask.any(axis=-1)).sum())
    lengths = [keys] * batch if chosen.mask is None else [int(length) for length in chosen.mask[:, 0].sum(axis=-1)]
    return sum(under(queries, length, chosen.causal) for length in lengths), queries * lengths.count(0)


def under(queries: int, keys: int, causal: bool) -> int:
    """Pairs of a whole rectangle, or of the triangle that starts at its top left: 1 + 2 + … up to `keys` a query."""
    if not causal:
        return queries * keys
    steps = min(queries, keys)
    return steps * (steps + 1) // 2 + (queries - steps) * keys


def written(chosen: Chosen) -> str:
    """The call as it is typed."""
    arguments = [] if chosen.mask is None else [f"attention_mask=({', '.join(map(str, chosen.mask.shape))})"]
    arguments += ["use_causal_mask=True"] if chosen.causal else []
    return f"layer(query, value, key{''.join(f', {argument}' for argument in arguments)})"


def told(chosen: Chosen) -> str:
    batch, queries, keys = chosen.flat.query_shape[0], chosen.flat.query_shape[1], chosen.flat.value_shape[1]
    may, whole = pairs(chosen)[0], batch * queries * keys
    if may == whole:
        none = chosen.mask is None and not chosen.causal
        return f"{'No mask' if none else 'The mask leaves nothing out'}: every query sees {all_of(keys, 'key')}."
    return f"{may:,} of {counted(whole, 'pair')} may look."


def left_out(chosen: Chosen) -> str:
    """Why there is no mask although one was chosen; "" otherwise."""
    if chosen.mask is not None or chosen.attention_mask == "none":
        return ""
    if chosen.attention_mask == "custom":
        return f"A mask is typed up to {MOST_SIDE} × {MOST_SIDE}; here all may look."
    return f"A mask of lengths is made for up to {MOST_MASK:,} keys of all samples together; here all may look."


def sentence(chosen: Chosen, reply: Reply) -> str:
    empty = pairs(chosen)[1]
    said = "" if chosen.mask is None else f"The mask has the shape {shape(chosen.mask.shape)}: {KINDS[chosen.attention_mask]}. "
    if empty:
        said += f"**{counted(empty, 'query')} may look nowhere**: see *empty_row*. "
    if why := left_out(chosen):
        said += f"{why} "
    said = f"{code(written(chosen))}  \n{said}"
    return said + code(reply.why) if reply.state == "refused" else said


KINDS = {"padding": "(B, 1, S), from one length a sample", "custom": "(T, S), the same for all samples and heads"}


def show_squares(mask: np.ndarray) -> None:
    """Squares to click. The field that holds the mask is what is changed; this chart has no state of its own."""
    st.plotly_chart(
        clickable_mask(mask), key="mask_squares", alt=mask_alt(mask), width="content", on_select=lambda: _flip(mask),
        selection_mode="points", config={"displayModeBar": False},
    )  # fmt: skip


def _flip(mask: np.ndarray) -> None:
    chosen = st.session_state["mask_squares"]["selection"]["point_indices"]
    changed = mask.copy()
    for place in chosen[:1]:
        changed.flat[place] = not changed.flat[place]
    if len(chosen):
        set_value("mask_cells", write_cells(changed))
