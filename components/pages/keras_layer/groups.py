"""The part of the page The Keras layer about GroupQueryAttention: which query head reads which key/value head, and the counts."""

import streamlit as st

from components.pages.keras_layer.reply_text import apart, outcome, state_line
from components.pages.keras_layer.selection import LayerChoice
from headcount.config import divisors
from headcount.keras.layer import KerasLayer, count_of
from headcount.keras.question import KerasQuestion, Reply, question, several
from headcount.names import counted, heads_in_words

#: The most layers that the drawing compares by bars.
MOST_BARS = 5


def headline(selection: LayerChoice) -> str:
    one, full = selection.grouped(selection.num_kv_heads), selection.grouped(selection.layer.num_heads)
    heads = heads_in_words(one.num_heads).replace("head", "query head")
    shared = f"{one.kv_heads} key/value head{'s' if one.kv_heads > 1 else ''}"
    return f"{heads}, {shared}: {count_of(one):,} parameters; with {full.kv_heads} of each: {count_of(full):,}."


def question_of(selection: LayerChoice) -> KerasQuestion:
    one = selection.grouped(selection.num_kv_heads).plain()
    counts = [question("grouped_count", layer=layer.plain()) for layer in each_kind(selection)]
    return several([question("grouped_reads", layer=one), question("grouped_and_full", layer=one), *counts])


def each_kind(selection: LayerChoice) -> list[KerasLayer]:
    """The layers with every possible number of key/value heads, the largest number first."""
    return [selection.grouped(kv) for kv in divisors(selection.layer.num_heads)[::-1]]


def bars(selection: LayerChoice) -> list[tuple[str, KerasLayer]]:
    """Labels and layers for the drawing's bars: the chosen layer first, then those with other numbers of key/value heads."""
    layers = sorted(each_kind(selection), key=lambda layer: layer.kv_heads != selection.num_kv_heads)
    return [(counted(layer.kv_heads, "key/value head"), layer) for layer in layers[:MOST_BARS]]


def show(selection: LayerChoice, reply: Reply) -> None:
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
    by_formula = [head // one.group for head in range(one.num_heads)]
    if not facts.answered or -1 in facts["reads"]:
        how = "by formula"
    elif facts["reads"] == by_formula:
        how = "found in the real layer by changing one key kernel at a time"
        how += ", with two keys because one key has the weight 1" * (one.key_shape[1] == 1)
    else:
        how = f"by formula, but the real layer's query heads read {', '.join(str(head + 1) for head in facts['reads'])}"
    st.markdown(
        f"Query head $i$, counted from 0, reads key/value head $i$ // $(h / h_{{kv}})$ ({how}). "
        "Each query head keeps its own $W_Q$."
    )
    if all(count.answered for count in counts):
        said = ", ".join(f"{count['count']:,} with {layer.kv_heads}" for count, layer in zip(counts, layers, strict=True))
        st.markdown(f"`count_params()` of the real layer: {said}.")
    real_layer = outcome(full, "count", lambda count: f"{count:,} parameters, outputs {apart(full['apart'])} apart")
    st.markdown(f"With {counted(one.num_heads, 'key/value head')} it equals `MultiHeadAttention` of these sizes: {real_layer}.")
    st.caption(state_line(reply, "The real layer: `count_params()` of `keras.layers.GroupQueryAttention`, each built."))
