"""Four parts of the page The Keras layer: the layer's variables, its shapes, ways to call it, and an input of rank 2."""

from dataclasses import replace

import streamlit as st

from components.pages.keras_layer.reply_text import apart, not_answered, outcome, shape, state_line, sums
from components.pages.keras_layer.selection import LayerChoice
from components.widgets.images import show_diagram
from components.widgets.tables import markdown_table
from headcount.keras.layer import KerasLayer, count_of, obstacles, torch_place, variables
from headcount.keras.question import KerasQuestion, Reply, question, several
from headcount.names import LABELS, counted, heads_in_words, noun
from headcount.stage.pictures import keras_call


def show_call_drawn(layer: KerasLayer, part: str) -> None:
    """Draws a schematic of the layer's call. The part "variables" adds bars of parameter counts; "code" has no drawing."""
    if part != "code":
        bars = keras_call.with_twice_the_heads(layer) if part == "variables" else []
        show_diagram(keras_call.call(layer, bars, part), "keras_call")


def variables_headline(selection: LayerChoice) -> str:
    (_, layer), (_, double) = keras_call.with_twice_the_heads(selection.layer)
    one, two, has = heads_in_words(layer.num_heads), heads_in_words(double.num_heads), noun(layer.num_heads, "has", "have")
    return f"{one} with key_dim {layer.key_dim} {has} {counted(count_of(layer), 'parameter')}, {two} {count_of(double):,}."


def variables_question(selection: LayerChoice) -> KerasQuestion:
    return question("layer_facts", layer=selection.layer.plain())


def show_variables(selection: LayerChoice, reply: Reply) -> None:
    """Shows the layer's variables, and whether the real layer has the same ones. Before it is built, a layer has none."""
    layer, before = selection.layer, reply.part("before")
    st.caption(state_line(reply, verdict(layer, reply) if reply.answered else ""))
    rows = []
    for variable in variables(layer):
        place, torch_shape = torch_place(layer, variable)
        einsum = f"`{variable.einsum}`" if variable.einsum else ""
        rows.append((f"${LABELS[variable.name]}$", f"`{variable.path}`", einsum, f"`{place}`", shape(torch_shape)))
    with st.expander("The same arrays in Keras's code and in PyTorch", type="compact"):
        st.markdown(markdown_table(("variable", "Keras", "einsum", "PyTorch", "shape in PyTorch"), rows))
        if reasons := obstacles(layer):
            st.markdown(f"`nn.MultiheadAttention` cannot be this layer: {'; '.join(reasons)}. "
                        f"{'Five' if layer.use_gate else 'Four'} `nn.Linear` can.")  # fmt: skip
    rows = [
        ("`len(layer.weights)`", outcome(before, "variables"), str(len(variables(layer)))),
        ("`layer.count_params()`", outcome(before.part("counted"), "count", "{:,}".format), f"{count_of(layer):,}"),
    ]
    st.header("Until it is built, the layer has no variables")
    st.markdown(markdown_table(("what", "before build", "after build"), rows))


def arguments(layer: KerasLayer, part: str) -> str:
    """A text with the constructor's call and the input's shape. The part "variables" adds the weight matrices that are built."""
    call = f"num_heads={layer.num_heads}, key_dim={layer.key_dim}"
    call += f", value_dim={layer.value_dim}" * (layer.value_dim != layer.key_dim)
    call += f", output_shape={shape(layer.output_shape)}" * bool(layer.output_shape)
    call += f", attention_axes={shape(layer.attention_axes)}" * bool(layer.attention_axes)
    call += ", use_bias=False" * (not layer.use_bias)
    call += ", use_gate=True" * layer.use_gate
    call += f", sliding_window={layer.sliding_window}" * (layer.sliding_window is not None)
    call += f", dropout={layer.dropout}" * (layer.dropout > 0)
    layer_of_call, sizes = f"`MultiHeadAttention({call})`", f"an input of shape {shape(layer.query_shape)}"
    if not one_input(layer):
        query, key, value = map(shape, (layer.query_shape, layer.key_shape, layer.value_shape))
        sizes = f"a query of shape {query}, a key {key} and a value {value}"
    if part != "variables":
        return f"The layer is {layer_of_call}, called on {sizes}."
    number, biases = "five" if layer.use_gate else "four", " and their biases" if layer.use_bias else ""
    return (
        f"{layer_of_call} on {sizes} builds {number} weight matrices (Keras's kernels){biases}. Each head has its own slice of "
        "each matrix: twice the heads make twice the slices."
    )


def one_input(layer: KerasLayer) -> bool:
    """Whether query, key and value have the same shape. The page then treats them as a single input."""
    return layer.query_shape == layer.key_shape == layer.value_shape


def verdict(layer: KerasLayer, reply: Reply) -> str:
    """A sentence that says whether the real layer has the same variables, einsums and parameter count as the formulas."""
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


MORE_KEYS = 3


def shapes_headline(selection: LayerChoice) -> str:
    layer = selection.layer
    whose = "An input" if one_input(layer) else "A query"
    sizes = f"{whose} {shape((None, *layer.query_shape[1:]))} gives an output {shape((None, *layer.result_shape[1:]))}"
    if not layer.attends_positions:
        return f"{sizes}. attention_axes names no axis of positions."
    return f"{sizes} and scores {shape((None, *layer.score_shape[1:]))}."


def shape_cases(selection: LayerChoice) -> dict[str, KerasLayer]:
    """The layers to compare, by name: the layer itself, a layer with more keys than queries, and four layers on a grid of
    positions. Three of the four attend along a single axis. In the last layer that axis is the batch, which is wrong."""
    queries, keys, bare = selection.flat.query_shape[1], selection.flat.value_shape[1], selection.bare
    grid = bare.layer.with_positions((2, 3)).with_batch(max(2, bare.layer.query_shape[0]))
    return {
        "this layer": selection.layer,
        "more keys than queries": bare.flat.with_positions((queries,), (max(queries, keys) + MORE_KEYS,)),
        "rank 4": grid,
        **{f"rank 4, attention_axes={axis}": replace(grid, attention_axes=(axis,)) for axis in (1, 2, 0)},
    }


def shapes_question(selection: LayerChoice) -> KerasQuestion:
    *_, wrong = cases = [layer.plain() for layer in shape_cases(selection).values()]
    return several([*(question("layer_facts", layer=layer) for layer in cases), question("axes_leak", layer=wrong)])


def show_shapes(selection: LayerChoice, reply: Reply) -> None:
    """Shows the announced and the real shape of the scores for several inputs, and what attention along the batch does."""
    layers = shape_cases(selection)
    *replies, leaks = reply.parts(len(layers) + 1)
    st.markdown("`None` stands for the batch size, which is not known yet. No parameter's shape depends on the batch size.")
    st.markdown(
        "Before a call has numbers, Keras announces a symbolic shape for the scores. **That shape is wrong in some calls**: "
        "Keras 3 always announces (B, h, T, T)."
    )
    rows = [
        (name, f"{shape(case.query_shape)}, {shape(case.key_shape)}", *both(facts, "scores"), mark(facts))
        for (name, case), facts in zip(layers.items(), replies, strict=True)
    ]
    st.markdown(
        markdown_table(("call", "shapes of query and key", "announced scores", "real scores", "announced shape is"), rows)
    )
    leak = outcome(leaks, "leak", lambda leak: f"**{apart(leak)}**")
    st.markdown(
        "**A query sees only along the attended axes.** In a grid of 2 × 3 positions (rank 4) a query sees all 6. With "
        "`attention_axes=1` it sees only 2, with `attention_axes=2` only 3. Keras does not check whether an axis holds "
        "positions. With axis 0, the batch, samples see each other. If only the second sample changes, the first sample's "
        f"output changes, too. Largest change: {leak}."
    )
    announced = "Announced: `layer(keras.KerasTensor(…), return_attention_scores=True)`. Real: one call with numbers."
    st.caption(state_line(reply, announced))


def both(facts: Reply, what: str) -> tuple[str, str]:
    """The shape that Keras announces and the real shape, as two texts. If a shape is missing, the text says why."""
    return outcome(facts.part("symbolic"), what, shape), outcome(facts.part("real"), what, shape)


def mark(facts: Reply) -> str:
    """Whether Keras announces the right shape: "right" or "**wrong**". "" if Keras refused, WAITS or NOT_RUN without a reply."""
    symbolic, real = facts.part("symbolic"), facts.part("real")
    if symbolic.answered and real.answered:
        return "right" if symbolic["scores"][1:] == real["scores"][1:] else "**wrong**"
    return not_answered(facts) if facts.state not in ("answered", "refused") else ""


#: Arguments of Keras's layer that no page shows, and why; the others are settings (tests/layer/test_keras_formula.py).
LEFT_OUT = {
    ("attention_mask",): "the questions on masks say which shapes it may have, and what True means",
    ("flash_attention",):
        "it saves time and memory, but returns no scores. It works neither with dropout nor on TensorFlow",
    ("kernel_initializer", "bias_initializer"): "the numbers here come from a seed or from your file",
    ("kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint"):
        "they change training, not the output of a call",
    ("kwargs",): "the arguments that every Keras layer has, such as name and dtype",
    ("query_mask", "value_mask", "key_mask"):
        "Keras merges them into the attention mask, but replaces query_mask by the query tensor's own mask",
}  # fmt: skip


def call_headline(selection: LayerChoice) -> str:
    return f"layer(query, value, key) returns an output {shape(selection.layer.result_shape)}, and the scores on request."


def call_question(selection: LayerChoice) -> KerasQuestion:
    """The question to the real layer: what do several forms of the call return? With dropout, it also asks about training."""
    forms = question("call_forms", layer=selection.bare.layer.plain())
    drops = [question("dropout_calls", layer=selection.layer.plain())] if selection.layer.dropout else []
    return several([forms, *drops])


def show_call(selection: LayerChoice, reply: Reply) -> None:
    """Shows right and wrong forms of the call, each with the real layer's result or error."""
    layer = selection.layer
    forms, *drops = reply.parts(2 if layer.dropout else 1)
    part, without = forms.part, forms.part("without_key")
    for training in drops:
        show_training(layer, training)
    sizes = f"num_heads={layer.num_heads}, key_dim={layer.key_dim}"

    def off(form: Reply, reference: str = "`layer(query, value, key)`") -> str:
        return outcome(form, "apart", lambda difference: f"off by **{apart(difference)}** from {reference}")

    st.markdown(
        "**You ask for scores in the call**, not in the constructor. The call then returns a tuple (output, scores). "
        "**The order is (query, value, key)**: the value comes second. Pass arguments by name to avoid mistakes."
    )
    rows = [
        ("✗", f"`MultiHeadAttention({sizes}, return_attention_scores=True)`", outcome(part("constructor"), "layer")),
        ("✓", "`layer(query, value, key)`", outcome(part("one"), "shape", lambda sizes: f"one tensor {shape(sizes)}")),
        ("✓", "`layer(query=query, key=key, value=value)`", off(part("named"))),
        ("✗", "`layer(query, key, value)`", off(part("key_second"))),
        (
            "✗" if without.state == "refused" else "✓", "`layer(query, value)`: the value is also the key",
            off(without, "`layer(query, value, value)`"),
        ),
        ("✓", "`output, scores = layer(query, value, key, return_attention_scores=True)`", pair(part("pair"), len(layer.axes))),
        ("✗", "`scores, output = layer(query, value, key, return_attention_scores=True)`", swapped(part("swapped"))),
    ]  # fmt: skip
    st.markdown(markdown_table(("works", "call", "result"), rows))
    if layer.key_shape[-1] != layer.value_shape[-1]:
        widths = f"{layer.key_shape[-1]} wide and the value {layer.value_shape[-1]}"
        st.caption(f"The key is {widths}: neither can stand in the other's place.")
    st.caption(state_line(forms, "Query, value and key are three different draws here. Off by: largest absolute difference."))
    with st.expander("Arguments that no page shows", type="compact"):
        parts = [f"{', '.join(f'`{name}`' for name in names)}: {why}." for names, why in LEFT_OUT.items()]
        st.markdown(" ".join(parts))


def show_training(layer: KerasLayer, reply: Reply) -> None:
    """Shows that dropout changes the attention weights that mix the values, but not those that the call returns."""
    st.markdown(
        f"**dropout={layer.dropout:g}** drops weights only where the call says `training=True`. Keras returns the weights "
        "*before* dropout; PyTorch's `nn.MultiheadAttention` returns them *after* it."
    )
    rows = []
    for training in (False, True):
        one = reply.part(str(training))
        rows.append((
            f"`training={training}`", outcome(one, "returned", lambda ends: sums(ends, 3)),
            outcome(one, "used", lambda ends: sums(ends, 3)), outcome(one, "dropped", "{:,}".format),
            outcome(one, "weights", "{:,}".format), outcome(one, "apart", apart),
        ))  # fmt: skip
    heads = ("call", "returned rows sum to", "rows that mix the values sum to", "set to 0", "of weights", "output off by")
    st.markdown(markdown_table(heads, rows, right=(3, 4)))


def pair(reply: Reply, axes: int) -> str:
    """A text about the shapes of output and scores. `axes`: the number of last axes over which a query's scores sum to 1."""
    if not reply.answered:
        return not_answered(reply)
    output, scores = reply["shapes"]
    rows = "each row sums" if axes == 1 else f"for each query the last {axes} axes together sum"
    return f"output {shape(output)}; scores {shape(scores)}, {rows} to {sums(reply['row_sums'], 3)}"


def swapped(reply: Reply) -> str:
    if not reply.answered:
        return not_answered(reply)
    rows = sums(reply["row_sums"], 2)
    return f"no error, but “scores” is the output: its shape is {shape(reply['shape'])}, and its rows sum to {rows}"


def show_rank_two(layer: KerasLayer, reply: Reply) -> None:
    """Shows what Keras does with an input without positions (rank 2): which layer it builds, and what a call returns."""
    sizes = (layer.query_shape[0], layer.query_shape[-1])
    st.markdown(
        f"Keras builds a layer for it all the same: called with `keras.Input(({sizes[1]},))` it has "
        f"{counted(count_of(layer), 'parameter')}. It works on inputs of rank 3 to 5: called with numbers of "
        f"{shape(sizes)} it says: {outcome(reply, 'output', shape)}"
    )
    st.caption(state_line(reply, "Add the positions to input_shape: `6,16` is six of them, `3,4,16` a grid of twelve."))
