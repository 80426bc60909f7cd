"""The call: what it takes, in which order, and what comes out; right and wrong forms, each run."""

import streamlit as st

from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.words import apart, outcome, shape, state_line, sums
from components.widgets.tables import markdown_table
from mha.keras.question import Question, Reply, question


def headline(chosen: Chosen) -> str:
    return f"layer(query, value, key): one tensor {shape(chosen.layer.result_shape)}. With scores: two."


def ask(chosen: Chosen) -> Question:
    return question("call_forms", layer=chosen.layer.plain())


def show(chosen: Chosen, reply: Reply) -> None:
    layer, found = chosen.layer, reply.part
    sizes = f"num_heads={layer.num_heads}, key_dim={layer.key_dim}"
    st.markdown("**Scores are asked for in the call**, not in the constructor; then the layer returns a tuple (output, scores).")
    rows = [
        ("✗", f"`MultiHeadAttention({sizes}, return_attention_scores=True)`", outcome(found("constructor"), "layer")),
        ("✓", "`layer(query, value, key)`", outcome(found("one"), "shape", lambda sizes: f"one tensor {shape(sizes)}")),
        ("✓", "`output, scores = layer(query, value, key, return_attention_scores=True)`", pair(found("pair"), len(layer.axes))),
        ("✗", "`scores, output = layer(query, value, key, return_attention_scores=True)`", swapped(found("swapped"))),
    ]
    st.markdown(markdown_table(("works", "written", "what comes out"), rows))
    st.markdown("**The order is (query, value, key)**: the value comes second. Names avoid the question.")
    distance = lambda reference: lambda off: f"off by **{apart(off)}** from {reference}"  # noqa: E731
    without = found("without_key")
    rows = [
        ("✓", "`layer(query, value, key)`", outcome(found("one"), "shape", lambda _: "the output")),
        ("✓", "`layer(query=query, key=key, value=value)`", outcome(found("named"), "apart", distance("it"))),
        ("✗", "`layer(query, key, value)`", outcome(found("key_second"), "apart", distance("it"))),
        (
            "✗" if without.state == "refused" else "✓",
            "`layer(query, value)`, the key is then the value",
            outcome(without, "apart", distance("`layer(query, value, value)`")),
        ),
    ]
    st.markdown(markdown_table(("works", "written", "what comes out"), rows))
    if layer.key_shape[-1] != layer.value_shape[-1]:
        widths = f"{layer.key_shape[-1]} wide and the value {layer.value_shape[-1]}"
        st.caption(f"The key is {widths}: neither can stand in the other's place.")
    st.caption(state_line(reply, "Query, value and key are three different draws here. Off by: largest absolute difference."))


def pair(found: Reply, axes: int) -> str:
    if not found.found:
        return outcome(found, "shapes")
    (output, scores), (low, high) = found["shapes"], found["row_sums"]
    rows = "each row sums" if axes == 1 else f"for each query the last {axes} axes together sum"
    return f"output {shape(output)}; scores {shape(scores)}, {rows} to {sums(low, high, 3)}"


def swapped(found: Reply) -> str:
    if not found.found:
        return outcome(found, "shape")
    low, high = found["row_sums"]
    return f"no error. “scores” is {shape(found['shape'])}, its rows sum to {sums(low, high, 2)}: it is the output"
