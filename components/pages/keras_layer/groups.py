"""GroupQueryAttention: fewer key/value heads, which query head reads which, and what that costs variable by variable."""

from functools import partial

import streamlit as st

from components.pages.keras_layer.reply_text import apart, outcome, state_line
from components.pages.keras_layer.selection import Selection
from components.stage.pictures.keras_layer import MAX_PANELS
from components.stage.pictures.keras_layer import groups as picture
from components.widgets.stage import show_scene
from components.widgets.tables import markdown_table
from mha.config import divisors
from mha.keras.layer import KerasLayer, count_of, variables
from mha.keras.question import Question, Reply, question, several
from mha.names import LABELS, counted, heads_in_words


def headline(selection: Selection) -> str:
    one, full = selection.grouped(selection.num_kv_heads), selection.grouped(selection.layer.num_heads)
    heads = heads_in_words(one.num_heads).replace("head", "query head")
    shared = f"{one.kv_heads} key/value head{'s' if one.kv_heads > 1 else ''}"
    return f"{heads}, {shared}: {count_of(one):,} parameters. {full.kv_heads} of each: {count_of(full):,}."


def question_of(selection: Selection) -> Question:
    one = selection.grouped(selection.num_kv_heads).plain()
    counts = [question("grouped_count", layer=layer.plain()) for layer in each_kind(selection)]
    return several([question("grouped_facts", layer=one), question("grouped_and_full", layer=one), *counts])


def each_kind(selection: Selection) -> list[KerasLayer]:
    """The layer with each number of key/value heads, the most first."""
    return [selection.grouped(kv) for kv in divisors(selection.layer.num_heads)[::-1]]


def show(selection: Selection, reply: Reply) -> None:
    if selection.layer.value_dim != selection.layer.key_dim or selection.layer.output_shape or selection.layer.rank != 3:
        st.caption("GroupQueryAttention has no value_dim, output_shape or attention_axes: each head is key_dim wide.")
    if selection.wanted_kv_heads != selection.num_kv_heads:
        heads = heads_in_words(selection.layer.num_heads).replace("head", "query head")
        why = f"{selection.wanted_kv_heads} key/value heads do not divide {heads}"
        st.caption(f"{why}; showing {selection.num_kv_heads}.")
    if selection.known is not None:
        st.caption("Grouped heads are drawn from the seed here, not from your own layer.")
    one = selection.grouped(selection.num_kv_heads)
    layers = each_kind(selection)
    facts, full, *counts = reply.parts(2 + len(layers))
    real = facts.answered and -1 not in facts["reads"]
    reads = facts["reads"] if real else [head // one.group for head in range(one.num_heads)]
    drawn = min(one.kv_heads, MAX_PANELS)
    readers = "; ".join(_readers(reads, kv) for kv in range(drawn))
    how = "found by changing one key kernel at a time" if real else "by formula, $i$ // $(h / h_{kv})$"
    if real and one.key_shape[1] == 1:
        how += " (with two keys here: with one every weight is 1)"
    st.markdown(f"Which query head reads which key/value head, {how}. Queries keep their own kernels.")
    if not one.too_large:
        part = f"Drawn: {drawn} of {one.kv_heads} key/value heads." if drawn < one.kv_heads else ""
        show_scene(partial(picture, one, reads, f"{readers}; {how}. {part}".strip()), key="groups")
        if part:
            st.caption(part)
    st.markdown(_counts(layers, one.kv_heads, counts))
    real_layer = outcome(full, "count", lambda count: f"{count:,} parameters, outputs {apart(full['apart'])} apart")
    st.markdown(f"With {counted(one.num_heads, 'key/value head')} it is `MultiHeadAttention` of the same sizes: {real_layer}.")
    st.caption(state_line(reply, "The real layer: `count_params()` of `keras.layers.GroupQueryAttention`, each built."))


def _readers(reads: list[int], kv: int) -> str:
    readers = [str(head + 1) for head, read in enumerate(reads) if read == kv]
    return f"key/value head {kv + 1} is read by query head{'s' if len(readers) > 1 else ''} {', '.join(readers)}"


def _counts(layers: list[KerasLayer], shown: int, counts: list[Reply]) -> str:
    """A column for each number of key/value heads, a row for each variable, its total by formula and by the real layer."""
    kinds = [one.kv_heads for one in layers]
    heads = ("variable", "Keras", *(f"$h_{{kv}}$ = {kind}" + " ◂" * (kind == shown) for kind in kinds))
    rows = []
    for number, row in enumerate(variables(layers[0])):
        counted = [f"{variables(one)[number].count:,}" for one in layers]
        rows.append((f"${LABELS[row.name]}$", f"`{row.path}`", *counted))
    rows.append(("", "**total**", *(f"**{count_of(one):,}**" for one in layers)))
    full = count_of(layers[0])
    rows.append(("", "of full multi-head", *(f"{count_of(one) / full:.0%}" for one in layers)))
    rows.append(("", "the real layer", *(outcome(count, "count", "{:,}".format) for count in counts)))
    return markdown_table(heads, rows, right=range(2, len(heads)))
