"""Shapes with None for the batch beside real ones, and where Keras says a wrong one."""

from dataclasses import replace

import streamlit as st

from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.words import absent, outcome, shape, state_line
from components.widgets.tables import markdown_table
from mha.keras.layer import KerasLayer, count_of
from mha.keras.question import Question, Reply, question, several

#: The example that people meet: an input (None, 6, 8), two heads of 8 or of 4.
EXAMPLES = tuple(KerasLayer(2, size, size, (2, 6, 8), (2, 6, 8)) for size in (8, 4))
MORE_KEYS = 3


def headline(chosen: Chosen) -> str:
    layer = chosen.layer
    sizes = f"{shape((None, *layer.query_shape[1:]))} in, {shape((None, *layer.result_shape[1:]))} out"
    if not layer.attends_positions:
        return f"{sizes}. attention_axes names no axis of positions."
    return f"{sizes}, scores {shape((None, *layer.score_shape[1:]))}."


def cases(chosen: Chosen) -> dict[str, KerasLayer]:
    """The layer itself, the same with more keys than queries, and on a grid of positions."""
    layer, flat = chosen.layer, chosen.flat
    longer = (max(flat.query_shape[1], flat.value_shape[1]) + MORE_KEYS,)
    grid = (layer.query_shape[0], 2, 3)
    return {
        "this layer": layer,
        "more keys than queries": replace(
            flat,
            value_shape=flat.value_shape[:1] + longer + flat.value_shape[2:],
            key_shape=flat.key_shape[:1] + longer + flat.key_shape[2:],
        ),
        "rank 4": replace(
            layer, query_shape=(*grid, layer.query_shape[-1]), value_shape=(*grid, layer.value_shape[-1]),
            key_shape=(*grid, layer.key_shape[-1]), attention_axes=(),
        ),
    }  # fmt: skip


def ask(chosen: Chosen) -> Question:
    return several([question("layer_facts", layer=layer.plain()) for layer in (*cases(chosen).values(), *EXAMPLES)])


def show(chosen: Chosen, reply: Reply) -> None:
    made = cases(chosen)
    found = reply.parts("results", len(made) + len(EXAMPLES))
    layer, own = chosen.layer, found[0]
    nameless = lambda sizes: shape((None, *sizes[1:]))  # noqa: E731
    rows = [(f"`{name}`", nameless(sizes), shape(sizes)) for name, sizes in
            (("query", layer.query_shape), ("value", layer.value_shape), ("key", layer.key_shape))]  # fmt: skip
    rows += [("output", *both(own, "output"), ), ("scores", *both(own, "scores"))]  # fmt: skip
    st.markdown("`None` is a batch whose size is not known yet. No parameter's shape has it in it.")
    st.markdown(markdown_table(("tensor", "symbolic", "real"), rows))
    st.markdown("**Where the symbolic shape of the scores is wrong.** Keras 3 always says (B, h, T, T).")
    lines = []
    for (name, case), facts in zip(made.items(), found, strict=False):
        lines.append((name, f"{shape(case.query_shape)}, {shape(case.key_shape)}", *both(facts, "scores"), mark(facts)))
    st.markdown(markdown_table(("call", "query, key", "symbolic scores", "real scores", "said"), lines))
    st.markdown("**An input (None, 6, 8)** leaves the size of a head open, and with it the count.")
    lines = []
    for example, facts in zip(EXAMPLES, found[len(made) :], strict=True):
        call = f"`MultiHeadAttention(num_heads={example.num_heads}, key_dim={example.key_dim})`"
        real = "`count_params()` " + outcome(facts, "count", lambda count: f"**{count:,}**")
        lines.append((call, "(None, 6, 8)", f"**{count_of(example):,}**", real))
    st.markdown(markdown_table(("call", "input", "by formula", "the real layer"), lines))
    st.caption(state_line(reply, "Symbolic: `layer(keras.KerasTensor(…), return_attention_scores=True)`. Real: one call."))


def both(facts: Reply, what: str) -> tuple[str, str]:
    """What Keras says of a shape, and what comes; its own words where it refuses."""
    return outcome(facts.part("symbolic"), what, shape), outcome(facts.part("real"), what, shape)


def mark(facts: Reply) -> str:
    """Whether what is said of the scores is what comes; nothing where one of the two is a refusal."""
    said, real = facts.part("symbolic"), facts.part("real")
    if said.found and real.found:
        return "right" if said["scores"][1:] == real["scores"][1:] else "**wrong**"
    return absent(facts) if facts.state not in ("found", "refused") else ""
