"""The page Your own layer: a visitor drops a file and picks an attention layer from it. Before that, an example is shown."""

from dataclasses import replace

import streamlit as st

from components.address import quoted
from components.app.controls import control, hidden
from components.app.session import PROBLEM, visitor_layer
from components.app.upload_limits import UploadLimits
from components.pages.own_layer import LAYER_OF_FILE, intake
from components.pages.own_layer.intake import Problem
from components.symbols import set_symbols
from components.widgets.banner import title_of
from components.widgets.images import show_diagram, show_image
from components.widgets.links import link_to
from components.widgets.tables import markdown_table
from components.widgets.trace import trace_of
from components.widgets.upload import show_uploader
from headcount import Config, Trace
from headcount.export.figures import FIGURES
from headcount.export.request import Request
from headcount.export.style import THEMES
from headcount.export.thumbnail import thumbnail
from headcount.files import fit
from headcount.files.contents import is_json
from headcount.files.report import LayerInFile, Report
from headcount.files.tensors import MAX_FILE, UnreadableFile
from headcount.layer import Origin, VisitorLayer
from headcount.models.attention import Attention
from headcount.names import BY_CODE, LABELS, counted, heads_in_words
from headcount.settings import NUMBERS
from headcount.stage.pictures.published import matrices

MEGABYTES = MAX_FILE >> 20
#: File endings that the uploader accepts. Files of the last five cannot be read, but get a sentence that says what to do.
ENDINGS = ("keras", "h5", "safetensors", "npz", "json", "npy", "pt", "pth", "bin", "onnx", "gguf")
#: The most table rows that are shown without scrolling, the height in pixels of a longer table, and the most unused arrays named.
ROWS, TALL, LEFT_OUT = 8, 330, 3
#: The pages that show the layer, with their titles. A figure has the same name as its page.
PAGES = {"heads": "Heads", "projections": "Projections", "attention": "Attention", "concatenation": "Concatenation"}


def headline(layer: VisitorLayer | None) -> str:
    if layer is None:
        return "Drop a file: your layer will look like this."
    if layer.flat is None:
        layers = counted(len(layer.report.entries), "attention layer")
        return f"{layers} found; layer {layer.number + 1} cannot be shown."
    sizes = layer.sizes
    return f"{heads_in_words(layer.num_heads)}, {sizes.query_width} wide: your layer has {counted(sizes.count, 'parameter')}."


def show_problems() -> None:
    if count := sum(map(intake.is_lost, st.session_state.get(intake.FILE) or ())):
        them, most = ("it" if count == 1 else "them"), UploadLimits.of_environment()
        st.warning(
            f"The server does not have {counted(count, 'file')} of this list: take {them} out (×) and drop {them} once more. "
            f"It keeps {most.session_files} files of {most.session_bytes >> 20} MB together for you, "
            f"{most.server_bytes >> 20} MB for all visitors, and none when it is started anew.",
            icon=":material/upload_file:",
        )
    layer, problem = visitor_layer(), st.session_state.get(PROBLEM)
    if isinstance(problem, Problem):
        still = layer and problem.refused and f" Still {'shown' if layer.flat else 'counted'}: {title_of(layer)}."
        st.warning(f"{quoted(problem.file)}: {problem.sentence}{still or ''}", icon=":material/upload_file:")


def show_example() -> None:
    """Shows an example layer in the same way as a visitor's layer."""
    with hidden("layer"):
        control(LAYER_OF_FILE)
    try:
        layer = intake.example()
    except UnreadableFile:  # many files are being read; the field is there all the same
        return
    says = heads_in_words(layer.num_heads)
    with st.container(horizontal=True, vertical_alignment="center"):
        example = f"This example is the trained layer with which the app begins. Its `config.json` says {says}."
        st.markdown(example, width="stretch")
        st.button("Show the example on every page", key="take_example", on_click=intake.take_example)
    cfg = layer.config(**{key: value for key, value in layer.settings().items() if key in ("query_len", "key_len")})
    show_layer(layer, cfg, trace_of(Origin(layer), cfg))


def show_layer(layer: VisitorLayer, cfg: Config, trace: Trace | None) -> None:
    """Shows a visitor's layer: how its arrays were read, its weight matrices, and thumbnails of the pages that show it."""
    left, right = st.columns([4, 5], gap="large")
    left.container(key="own_read").markdown(read_from(layer))
    h, bias = cfg.num_heads, "".join(role[2] for role in layer.sizes.biases)
    sizes = Attention(
        cfg.d_model, h, -(-h // layer.sizes.shared), cfg.key_dim, cfg.value_dim, False, False, bias, gate=cfg.use_gate
    )
    weights = replace(sizes, bias="").count
    said = f"parameters: {weights:,} weights and {sizes.count - weights:,} biases"
    label, note = heads_in_words(h), f"width {cfg.d_model:,}, key size {cfg.key_dim:,}, value size {cfg.value_dim:,}"
    with right, st.container(key="own_drawn"):
        show_diagram(matrices.draw([matrices.Module(label, note, sizes.count, said, matrices.lines_of(sizes))]), "own_matrices")
        request = Request(cfg, cfg.follows_paper, ((NUMBERS.code, "seed"),), given=trace)
        with st.container(key="wall_own"):
            for name, title in PAGES.items():
                with st.container(key=f"thumb_{name}"):
                    if trace is not None:
                        show_image(thumbnail(FIGURES[name].draw(request), THEMES[st.context.theme.type or "light"]), title)
                    link_to(name, title)


def read_from(layer: VisitorLayer) -> str:
    """A Markdown table of the file's arrays with their shapes and roles, and the heads that a config.json names."""
    named = lambda role: ", ".join(LABELS.get(one, one) for one in (f"{role[0]}_{letter}" for letter in role[2:]))  # noqa: E731
    rows = [(quoted(name), f"{shape}".replace(" ", "\u00a0"), set_symbols(named(role))) for role, name, shape in layer.entry.read]
    rows += [(quoted(name), counted(size, "number"), "left out") for name, size in layer.report.unknown[:LEFT_OUT]]
    flat = all(len(shape) < 3 for *_, shape in layer.entry.read)  # else heads are an axis
    if flat and layer.says_heads and any(map(is_json, layer.files.values())):
        rows.append(("`config.json`", "", f"says {heads_in_words(layer.num_heads)}"))
    return markdown_table((quoted(layer.file), "shape", "read as"), rows)


def drop() -> None:
    show_uploader(
        "Your file with an attention layer (.keras, .weights.h5, .safetensors or .npz), and its `config.json`", ENDINGS,
        accept_multiple_files=True, key=intake.FILE, on_change=intake.take_file, max_upload_size=MEGABYTES,
    )  # fmt: skip


def show_layers(layer: VisitorLayer | None) -> None:
    """Shows the field that picks one of several layers, notes on what is missing in the file, and a table of the layers."""
    if layer is None:
        return
    report = layer.report
    if report.entries:
        if len(report.entries) > 1 or layer.flat is None:
            table = st.container(height=TALL if len(report.entries) > ROWS else "content", border=False)
            table.markdown(table_of(report, layer.number))
        if report.unused:
            st.caption(f"The `config.json` was not used: {UnreadableFile(*report.unused).said(quoted)}")
        with hidden("one_layer", unless=len(report.entries) > 1):
            number = control(LAYER_OF_FILE, on_change=intake.pick_layer, width=200)
        if number > len(report.entries):
            st.caption(f"There are {len(report.entries)}; showing layer {layer.number + 1}.")
        if layer.entry.why_not:
            why_not = UnreadableFile(layer.entry.why_not, *layer.entry.named).said(quoted)
            st.info(f"Layer {layer.number + 1} cannot be shown here. {set_symbols(why_not)}")
        elif layer.flat is not None and not layer.says_heads:
            counts = ", ".join(map(str, fit.head_counts(layer.sizes)))
            st.caption(
                "The weights do not say how many heads there are. Set **Heads** in the sidebar, or drop the `config.json` with "
                f"the file. These numbers of heads are possible: {counts}."
            )
        if layer.flat is not None and not layer.sizes.said:
            st.caption(set_symbols(
                "Weights do not say how positions change the scores, what divides the scores, and whether a position sees "
                "later ones. A `config.json` of a known family says it. Without one, positions add nothing, scores are divided "
                "by √d_k, and the mask is the one in the sidebar."
            ))  # fmt: skip
        arrays = BIASES if layer.flat is None or not layer.sizes.biases else layer.flat
        if missing := [BIASES[key] for key in BIASES if key not in arrays]:
            st.caption(f"The file has no {', no '.join(missing)}. Zeros are used instead.")
    if report.others > (LEFT_OUT if layer.flat is not None else 0):
        some = ", ".join(f"{quoted(name)} ({size:,})" for name, size in report.unknown)
        rest = f" and {report.others - len(report.unknown):,} more" if report.others > len(report.unknown) else ""
        st.caption(f"Arrays of the file that are neither drawn nor counted here ({report.others:,}): {some}{rest}.")


BIASES = {"b_q": "bias of the query", "b_k": "bias of the key", "b_v": "bias of the value", "b_o": "bias of the output"}


def table_of(report: Report, chosen: int) -> str:
    rows = [(f"{number + 1}", *_row(entry, number == chosen)) for number, entry in enumerate(report.entries)]
    return markdown_table(("no.", "layer", "heads", "parameters", "here"), rows, right=(0, 2, 3))


def _row(entry: LayerInFile, chosen: bool) -> tuple[str, ...]:
    name, mark = quoted(entry.name), "**shown**" if chosen and not entry.why_not else "" if not entry.why_not else "counts only"
    if (sizes := entry.sizes) is None:
        return name, "", "", "does not fit together"
    heads = "not said" if sizes.num_heads is None else f"{sizes.num_heads}"
    heads += f", {sizes.shared} share a key" * (sizes.shared > 1)
    return name + " (cross-attention)" * sizes.cross, heads, f"{sizes.count:,}", mark


#: Notes in Markdown: the names by which arrays are read, an X of the visitor's own, and a program that saves one layer.
NAMES = """
The app reads these names, alone or before `.weight`, `.bias` or `/kernel`:
- query, key, value: `q_proj`, `query`, `wq`, `W_query`, `W_Q`, `to_q`, `q_lin`, `linears.0`, `heads.0.query`, …
- all three in one: `in_proj`, `qkv`, `Wqkv`, `to_qkv`, `c_attn`; with a `config.json` also `query_key_value`, `qkv_proj`
- output: `o_proj`, `out_proj`, `Wo`, `W_O`, `dense`, `proj`, `c_proj`, `to_out.0`, `linears.3`, …
- by number: `arr_0` to `arr_7`, or to `arr_3` without biases, as `np.savez(file, *layer.get_weights())` saves a Keras layer

An array named `weight` is read in PyTorch's order, (out, in), and in a layer with GPT-2's `c_attn` as (in, out).
An array with a bare name such as `W_Q` is read as (in, out) or (in, heads, size), and `W_O` as (in, out) or
(heads, size, out).
Drop the model's `config.json` together with the weights.
It can tell the number of heads, the kind of positions, the sliding window, and what divides the scores.
"""
OWN_X = """
Drop an `.npy` file together with the weights, or after them.
It holds one array with the axes (positions, width) and at most {most} positions.
Without such a file, X is drawn from the seed.
"""
ONE_LAYER = """
# Saves one attention layer of a PyTorch model to a file of its own, for a model of more than {most} MB.
from safetensors.torch import save_file

# For BERT. For GPT-2, write layer = model.h[0].attn; for an nn.MultiheadAttention, layer = model.
layer = model.encoder.layer[0].attention
save_file({{f"attention.{{name}}": array.contiguous() for name, array in layer.state_dict().items()}}, "layer.safetensors")
"""


def show_notes() -> None:
    names, large, x = st.columns(3)
    names.expander("Names that the arrays may have").markdown(NAMES)
    large.expander(f"A model of more than {MEGABYTES} MB").code(ONE_LAYER.format(most=MEGABYTES).strip(), language="python")
    x.expander("An input X of your own").markdown(OWN_X.format(most=BY_CODE["query_len"].most))
    st.caption(
        "The app reads only arrays and settings: it runs nothing in a file, loads no model and opens no pickle. Your file stays "
        "in memory for this visit. No other visitor sees it, and it is gone when you leave."
    )
