"""The notice at the top of pages that says whose weights are shown. It appears if the visitor has a layer from a file."""

import streamlit as st

from components.address import quoted
from components.app.session import follow, let_go
from components.settings import Settings
from headcount import Config
from headcount.layer import VisitorLayer
from headcount.names import heads_in_words


def title_of(layer: VisitorLayer) -> str:
    """The names of a visitor's layer and of its file as a Markdown phrase, such as "`attention` of `model.keras`"."""
    return f"{quoted(layer.entry.name)} of {quoted(layer.file)}"


def show_banner(layer: VisitorLayer | None, settings: Settings, shown: bool = True) -> None:
    """Shows whose weights the page has, if the visitor's layer is from a file. `shown`: whether this page can show that layer."""
    if layer is None or layer.flat is None:
        return
    cfg = settings.config()
    away = shown and (cfg is None or layer.standing(cfg) == "away")
    with st.container(key="whose_weights", horizontal=True, vertical_alignment="center", gap="small"):
        files = f"Files of {title_of(layer)}: below its pictures."
        seeded = f"**Your layer** is not shown here, so that a link gives the same. {files}"
        st.markdown(f":material/folder_special: {weights_sentence(layer, cfg) if shown else seeded}", width="content")
        if away:
            st.button("Back to its sizes", on_click=follow, key="own_back", type="secondary")
        st.button("Let go of it", on_click=let_go, key="own_let_go", type="tertiary")


def weights_sentence(layer: VisitorLayer, cfg: Config | None) -> str:
    """Sentences that say whose weights are shown, which of the layer's heads are shown, and where X comes from."""
    if cfg is None or (standing := layer.standing(cfg)) == "away":
        own = layer.config()
        heads, biases = heads_in_words(own.num_heads), "with biases" if own.use_bias else "without biases"
        gate = " and a gate" if own.use_gate else ""
        sizes = f"{own.d_model} wide, {heads} with d_k = {own.key_dim} and d_v = {own.value_dim}, {biases}{gate}"
        return f"The **seeded layer** is shown: these are not the sizes of {title_of(layer)}, {sizes}."
    before = f" instead of {layer.num_heads}" if layer.says_heads else "; the file does not say how many"
    parts = {
        "whole": "",
        "recut": f", cut into {heads_in_words(cfg.num_heads)}{before}",
        "first": f", the first {cfg.num_heads} of its {heads_in_words(layer.num_heads)}",
    }
    brought = f"X from {quoted(layer.x_file)}"
    x = brought if layer.brings_input(cfg) else f"X from seed {cfg.seed}"
    sizes, besides = layer.sizes, ""
    if sizes.shared > 1:
        besides = f" {sizes.shared} heads share each key and value: drawn, and counted, with each of them."
    if sizes.switches:
        its = sizes.switches
        on = {"rotary positions": its.rotary != "none", "ALiBi": its.alibi, "a soft cap": its.soft_cap,
              "a norm of queries and keys": its.qk_norm != "none"}  # fmt: skip
        words = " and ".join(word for word, there in on.items() if there)
        besides += f" It has {words}, which [Attention](./attention) and [Concatenation](./concatenation) show."
    if sizes.cross:
        besides += " It is cross-attention: in its model keys and values come from another sequence; here both are X."
    return f"Weights: **your layer** {title_of(layer)}{parts[standing]}. {x}.{besides}"
