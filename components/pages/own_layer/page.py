"""The page on which a file is dropped and a layer picked from it."""

import streamlit as st

from components.address import quoted
from components.app.controls import control
from components.app.session import PROBLEM, visitor_layer
from components.app.upload_limits import Limits
from components.pages.own_layer import LAYER_OF_FILE, intake
from components.pages.own_layer.intake import Problem
from components.settings import Settings
from components.symbols import set_symbols
from components.widgets.banner import title_of
from components.widgets.downloads import Download, show_downloads
from components.widgets.tables import markdown_table
from components.widgets.trace import trace_of
from components.widgets.upload import show_uploader
from headcount.files import fit
from headcount.files.formats import as_npz
from headcount.files.report import LayerInFile, Report
from headcount.files.tensors import MAX_FILE, UnreadableFile
from headcount.layer import SEED, VisitorLayer
from headcount.names import counted, heads_in_words

#: The last of them are refused in a sentence that helps.
ENDINGS = ("keras", "h5", "safetensors", "npz", "json", "npy", "pt", "pth", "bin", "onnx", "gguf")
#: Rows of the table that are shown without scrolling, and their height in pixels.
ROWS, TALL = 8, 330
PAGES = (
    ("heads", "Heads: cut into other numbers of heads"),
    ("projections", "Projections: X times each head's slice"),
    ("attention", "Attention: what each head looks at"),
    ("concatenation", "Concatenation: what W_O mixes"),
)


def headline(layer: VisitorLayer | None) -> str:
    """Headline about the layer that is shown, or the file that could be dropped."""
    if layer is None:
        return f"Drop a file of up to {MEGABYTES} MB, and every page shows its weights."
    if layer.flat is None:
        layers = counted(len(layer.report.entries), "attention layer")
        return f"{layers} found; layer {layer.number + 1} cannot be shown."
    sizes = layer.sizes
    return f"{heads_in_words(layer.num_heads)}, {sizes.query_width} wide: your layer has {counted(sizes.count, 'parameter')}."


def drop() -> None:
    """The uploader, and what was wrong with the last file."""
    show_uploader(
        "A file with an attention layer: .keras, .weights.h5, .safetensors or .npz; with its `config.json`, and an X (.npy)",
        ENDINGS, accept_multiple_files=True, key=intake.FILE, on_change=intake.take_file, max_upload_size=MEGABYTES,
        help="Keras, PyTorch, models of transformers, timm and diffusers, or NumPy arrays (`W_Q`, `W_K`, …). Weights rarely say "
        "how many heads they are cut into; the `config.json` beside them does. X is an array of (positions, width); without "
        "one X is drawn from the seed. A `.pt` is not opened: the page says what to do.",
    )  # fmt: skip
    if count := sum(map(intake.is_lost, st.session_state.get(intake.FILE) or ())):
        them, most = ("it" if count == 1 else "them"), Limits.of_environment()
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


def show_layers(layer: VisitorLayer) -> None:
    """The file's layers, one in each row, and the field that picks one."""
    report = layer.report
    if report.entries:
        table = st.container(height=TALL if len(report.entries) > ROWS else "content", border=False)
        table.markdown(table_of(report, layer.number))
        if report.unused:
            st.caption(f"The `config.json` was not used: {UnreadableFile(*report.unused).said(quoted)}")
        left, right = st.columns([1, 4], vertical_alignment="center")
        number = control(LAYER_OF_FILE, left, on_change=intake.pick_layer)
        with right:
            if number > len(report.entries):
                st.caption(f"There are {len(report.entries)}; showing layer {layer.number + 1}.")
            if layer.entry.why_not:
                why_not = UnreadableFile(layer.entry.why_not, *layer.entry.named).said(quoted)
                st.info(f"Layer {layer.number + 1} cannot be shown here. {set_symbols(why_not)}")
            elif layer.flat is not None and not layer.says_heads:
                counts = ", ".join(map(str, fit.head_counts(layer.sizes)))
                st.caption(
                    "The file does not say how many heads: that is in the program, not in the weights. "
                    f"Set **Heads** in the sidebar, or drop the `config.json` with it. What divides: {counts}."
                )
            if layer.flat is not None and not layer.sizes.said:
                st.caption(set_symbols(
                    "Nothing here says whether scores depend on positions (rotary, biases by distance), whether they are divided "
                    "by √d_k, and whether a position sees those after it: weights never do, a `config.json` of a family that is "
                    "known here does. Positions add nothing, scores are divided, and the mask is the one in the sidebar."
                ))  # fmt: skip
            arrays = BIASES if layer.flat is None or not layer.sizes.biases else layer.flat
            if missing := [BIASES[key] for key in BIASES if key not in arrays]:
                st.caption(f"The file has no {', no '.join(missing)}; zeros stand in.")
    if report.others:
        some = ", ".join(f"{quoted(name)} ({size:,})" for name, size in report.unknown)
        rest = f" and {report.others - len(report.unknown):,} more" if report.others > len(report.unknown) else ""
        st.caption(f"Arrays of the file that are neither drawn nor counted here ({report.others:,}): {some}{rest}.")


BIASES = {"b_q": "bias of the query", "b_k": "bias of the key", "b_v": "bias of the value", "b_o": "bias of the output"}


def table_of(report: Report, chosen: int) -> str:
    heads = ("no.", "layer", "heads", "inputs", "h·d_k", "h·d_v", "parameters", "here")
    rows = [(f"{number + 1}", *_row(entry, number == chosen)) for number, entry in enumerate(report.entries)]
    return markdown_table(heads, rows, right=(0, 2, 3, 4, 5, 6))


def _row(entry: LayerInFile, chosen: bool) -> tuple[str, ...]:
    name, mark = quoted(entry.name), "**shown**" if chosen and not entry.why_not else "" if not entry.why_not else "counts only"
    if entry.sizes is None:
        return name, "", "", "", "", "", "does not fit together"
    sizes = entry.sizes
    widths = " / ".join(dict.fromkeys(f"{n:,}" for n in (sizes.query_width, sizes.key_width, sizes.value_width)))
    heads = "not said" if sizes.num_heads is None else f"{sizes.num_heads}"
    if sizes.shared > 1:
        heads += f", {sizes.shared} share a key"
    name += " (cross-attention)" if sizes.cross else ""
    return name, heads, widths, f"{sizes.inner_k:,}", f"{sizes.inner_v:,}", f"{sizes.count:,}", mark


MEGABYTES = MAX_FILE >> 20
#: What a projection is called in a file, and what the names leave open.
READABLE = (
    ("query, key, value", "`q_proj`, `query`, `wq`, `W_query`, `W_Q`, `to_q`, `q_lin`, `linears.0`, `heads.0.query`, …"),
    ("the three in one", "`in_proj`, `qkv`, `Wqkv`, `to_qkv`, `c_attn`; with its `config.json` `query_key_value`, `qkv_proj`"),
    ("output", "`o_proj`, `out_proj`, `Wo`, `W_O`, `dense`, `proj`, `c_proj`, `to_out.0`, `linears.3`, …"),
    ("all, by number", "`np.savez(file, *layer.get_weights())` of Keras's layer: `arr_0` to `arr_7`, without biases to `arr_3`"),
)
ONE_LAYER = """
# One layer of a model that is larger than {most} MB, as a file of its own (PyTorch):
from safetensors.torch import save_file

layer = model.encoder.layer[0].attention  # BERT; GPT-2: model.h[0].attn; nn.MultiheadAttention: the module itself
save_file({{f"attention.{{name}}": array.contiguous() for name, array in layer.state_dict().items()}}, "layer.safetensors")
"""


def show_formats(settings: Settings) -> None:
    """How arrays may be called, and the present layer as a file."""
    st.markdown(markdown_table(("a layer's arrays", "are called, before `.weight`, `.bias`, `/kernel` or alone"), READABLE))
    st.caption(
        "`weight` is read as PyTorch has it, (out, in); a bare name such as `W_Q` as (in, out) or (in, heads, size). Heads, "
        "positions, window and scale stand in the model’s `config.json`: drop it together with the weights."
    )
    cfg = settings.config()
    if cfg is not None and (trace := trace_of(SEED, cfg)) is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("No file at hand? Take the layer that is shown now, and drop it:", width="content")
            write, kind = lambda: as_npz(trace.params.by_name), "application/octet-stream"
            show_downloads("layer", [Download("layer.npz", "layer.npz", kind, write, marked=True)])


def show_promise() -> None:
    """What happens to the file, and what to do with a large model."""
    st.caption(
        "Only arrays are read; nothing in a file is run, no model is loaded, no pickle opened. The file stays in memory for this "
        "visit, is seen by nobody else, and is gone when you leave."
    )
    with st.expander(f"A model of more than {MEGABYTES} MB"):
        st.code(ONE_LAYER.format(most=MEGABYTES).strip(), language="python")
