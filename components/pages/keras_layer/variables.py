"""Every variable of the layer: Keras's path, shape and einsum, and where PyTorch keeps the same numbers."""

import streamlit as st

from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.words import outcome, shape, state_line
from components.widgets.tables import markdown_table
from mha.keras.layer import KerasLayer, count_of, obstacles, torch_place, variables
from mha.keras.question import Question, Reply, question
from mha.names import LABELS, counted, heads_in_words


def headline(chosen: Chosen) -> str:
    layer = chosen.layer
    heads = heads_in_words(layer.num_heads)
    return f"{heads} of {layer.key_dim} in Keras: {len(variables(layer))} variables, {counted(count_of(layer), 'parameter')}."


def ask(chosen: Chosen) -> Question:
    return question("layer_facts", layer=chosen.layer.plain())


def show(chosen: Chosen, reply: Reply) -> None:
    layer, rows = chosen.layer, variables(chosen.layer)
    st.markdown(markdown_table(("what", "before build", "after build"), _before_and_after(layer, reply)))
    lines = []
    for number, row in enumerate(rows):
        place, torch_shape = torch_place(layer, row.name)
        lines.append((
            str(number), f"${LABELS[row.name]}$", f"`{row.path}`", shape(row.shape), f"`{row.einsum}`" if row.einsum else "",
            f"{row.count:,}", f"`{place}`", shape(torch_shape),
        ))  # fmt: skip
    lines.append(("", "", "**total**", "", "", f"**{count_of(layer):,}**", "", ""))
    heads = ("no.", "variable", "Keras", "shape", "einsum", "parameters", "PyTorch", "shape there")
    st.markdown(markdown_table(heads, lines, right=(0, 5)))
    if found := obstacles(layer):
        st.markdown(f"`nn.MultiheadAttention` cannot be this layer: {'; '.join(found)}. Four `nn.Linear` can.")
    st.caption(state_line(reply, verdict(layer, reply) if reply.found else ""))


def _before_and_after(layer: KerasLayer, reply: Reply) -> list[tuple[str, str, str]]:
    before = reply.part("before")
    return [
        ("`len(layer.weights)`", outcome(before, "variables"), str(len(variables(layer)))),
        ("`layer.count_params()`", outcome(before.part("counted"), "count", "{:,}".format), f"{count_of(layer):,}"),
    ]


def verdict(layer: KerasLayer, reply: Reply) -> str:
    """Whether the real layer is what the formula says: names and shapes in order, einsums, count."""
    rows = variables(layer)
    same = {
        "names and shapes": reply["variables"] == [[row.path, list(row.shape)] for row in rows],
        "einsums": reply["einsums"] == [row.einsum for row in rows if row.einsum],
        "count": reply["count"] == count_of(layer),
    }
    name = f"Keras {reply['keras_version']}"
    if all(same.values()):
        return f"✓ {name} built this layer: names, shapes, einsums and order the same, {reply['count']:,} by count_params()."
    wrong = " and ".join(what for what, is_same in same.items() if not is_same)
    return f"✗ {name} built a layer with other {wrong}: {reply['count']:,} by count_params()."
