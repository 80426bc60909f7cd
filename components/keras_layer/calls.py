"""The call: what it takes, in which order, and what comes out; right and wrong forms, each run."""

import streamlit as st

from components.keras_layer.chosen import Chosen
from components.keras_layer.words import WAITS, apart, outcome, shape, state_line, sums, table
from mha.keras_question import Question, question


def headline(chosen: Chosen) -> str:
    layer = chosen.layer
    return f"layer(query, value): one tensor {shape(layer.made_shape)}. With scores: two."


def ask(chosen: Chosen) -> Question:
    return question("call_forms", layer=chosen.layer.plain())


def show(chosen: Chosen, asked: Question, reply: dict | None) -> None:
    layer, found = chosen.layer, reply or dict.fromkeys(FORMS)
    sizes = f"num_heads={layer.num_heads}, key_dim={layer.key_dim}"
    st.markdown("**Scores are asked for in the call**, not in the constructor; then the layer returns a tuple (output, scores).")
    rows = [
        ("✗", f"`MultiHeadAttention({sizes}, return_attention_scores=True)`", outcome(found["constructor"], "made")),
        ("✓", "`layer(query, value, key)`", one(found["one"])),
        ("✓", "`output, scores = layer(query, value, key, return_attention_scores=True)`", pair(found["pair"])),
        ("✗", "`scores, output = layer(query, value, key, return_attention_scores=True)`", swapped(found["swapped"])),
    ]
    st.markdown(table(("works", "written", "what comes out"), rows))
    st.markdown("**The order is (query, value, key)**: the value comes second. Names avoid the question.")
    distance = lambda reference: lambda off: f"off by **{apart(off)}** from {reference}"  # noqa: E731
    rows = [
        ("✓", "`layer(query, value, key)`", WAITS if reply is None else "the output"),
        ("✓", "`layer(query=query, key=key, value=value)`", outcome(found["named"], "apart", distance("it"))),
        ("✗", "`layer(query, key, value)`", outcome(found["key_second"], "apart", distance("it"))),
        (
            "✓",
            "`layer(query, value)`, the key is then the value",
            outcome(found["without_key"], "apart", distance("`layer(query, value, value)`")),
        ),
    ]
    st.markdown(table(("works", "written", "what comes out"), rows))
    st.caption(
        state_line(asked, reply, "Query, value and key are three different draws here. Off by: largest absolute difference.")
    )


FORMS = ("constructor", "one", "pair", "swapped", "named", "key_second", "without_key")


def one(found: dict | None) -> str:
    return WAITS if found is None else f"one tensor {shape(found['shape'])}"


def pair(found: dict | None) -> str:
    if found is None:
        return WAITS
    output, scores = found["shapes"]
    low, high = found["row_sums"]
    return f"output {shape(output)}; scores {shape(scores)}, each row sums to {sums(low, high, 3)}"


def swapped(found: dict | None) -> str:
    if found is None:
        return WAITS
    low, high = found["row_sums"]
    return f"no error. “scores” is {shape(found['shape'])}, its rows sum to {sums(low, high, 2)}: it is the output"
