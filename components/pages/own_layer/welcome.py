"""What the page takes, what it promises, and a file to try it with."""

import streamlit as st

from components.settings import Settings
from components.widgets.trace import trace_of
from mha.loading.npy import as_npz, by_name
from mha.loading.tensors import MOST_FILE

MEGABYTES = MOST_FILE >> 20
HEADS = "the number of heads"
#: Who writes it, the file, how its arrays are called, and what the file leaves open.
TAKEN = (
    ("Keras", "`.keras`, `.weights.h5`", "`…/query_dense/vars/0`, `query/kernel`, …", "nothing"),
    ("PyTorch `nn.MultiheadAttention`", "`.safetensors`", "`in_proj_weight`, `out_proj.weight`, …", HEADS),
    ("BERT, RoBERTa, ViT", "`.safetensors`", "`attention.self.query.weight`, …", HEADS),
    ("GPT-2", "`.safetensors`", "`c_attn.weight` (query, key and value packed), `c_proj.weight`", HEADS),
    ("four Linear layers", "`.safetensors`", "`q_proj.weight`, `k_proj.weight`, `v_proj.weight`, `o_proj.weight`", HEADS),
    ("NumPy", "`.npz`", "`w_q`, `b_q`, … (width, heads, size), or any of the names above", "nothing"),
)
ONE_LAYER = '''
# One layer of a model that is larger than {most} MB, as a file of its own (PyTorch):
from safetensors.torch import save_file

layer = model.encoder.layer[0].attention  # BERT; GPT-2: model.h[0].attn; nn.MultiheadAttention: the module itself
save_file({{f"attention.{{name}}": array.contiguous() for name, array in layer.state_dict().items()}}, "layer.safetensors")
'''


def show_taken(settings: Settings) -> None:
    """The table of what is understood, and the present layer as a file."""
    lines = ["| written by | file | arrays are called | left open |", "|:--|:--|:--|:--|"]
    st.markdown("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in TAKEN)]))
    cfg = settings.config()
    if cfg is not None and (trace := trace_of(cfg)) is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("No file at hand? Take the layer that is shown now, and drop it:", width="content")
            st.download_button(
                "layer.npz", lambda: as_npz(by_name(trace.params)), "layer.npz", "application/octet-stream", on_click="ignore",
                icon=":material/download:",
            )  # fmt: skip


def show_promise() -> None:
    """What becomes of the file, and what to do with a large model."""
    st.caption(
        "Only arrays are read, by a process that ends afterwards; nothing in a file is run, no model is loaded, no pickle "
        "opened. The file stays in this server's memory for this visit, is seen by nobody else, and is gone when you leave."
    )
    with st.expander(f"A model of more than {MEGABYTES} MB"):
        st.code(ONE_LAYER.format(most=MEGABYTES).strip(), language="python")
