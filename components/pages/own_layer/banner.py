"""The small line that says whose weights are shown, on every page of the lab while a visitor's layer is there."""

import streamlit as st

from components.pages.own_layer.session import Own, own
from components.pages.own_layer.upload import follow, let_go
from components.settings import Settings
from components.streamlit.address import quoted
from mha import Config
from mha.names import heads_in_words


def show_banner(settings: Settings, shown: bool = True) -> None:
    """Nothing where there is no such layer. A button lets go of it, another goes back to its sizes. Not `shown`: this page only
    ever shows the seeded layer."""
    mine = own()
    if mine is None or mine.flat is None:
        return
    cfg = settings.config()
    away = shown and (cfg is None or mine.standing(cfg) == "away")
    with st.container(key="whose", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/folder_special: {sentence(mine, cfg) if shown else elsewhere(mine)}", width="content")
        if away:
            st.button("Back to its sizes", on_click=follow, key="own_back", type="secondary")
        st.button("Let go of it", on_click=let_go, key="own_let_go", type="tertiary")


def sentence(mine: Own, cfg: Config | None) -> str:
    """Whose weights the pages show at these sizes, and how much of them."""
    layer = f"{quoted(mine.entry.name)} of {quoted(mine.file)}"
    if cfg is None or (standing := mine.standing(cfg)) == "away":
        return f"The **seeded layer** is shown: these are not the sizes of {layer}, {sizes(mine)}."
    parts = {
        "whole": "",
        "recut": f", cut into {heads_in_words(cfg.num_heads)} instead of {mine.num_heads}",
        "first": f", the first {cfg.num_heads} of its {heads_in_words(mine.num_heads)}",
    }
    if standing == "recut" and not mine.says_heads:
        parts["recut"] = f", cut into {heads_in_words(cfg.num_heads)}; the file does not say how many"
    x = f"X from {quoted(mine.x_file)}" if mine.brings_input(cfg) else f"X from seed {cfg.seed}"
    return f"Weights: **your layer** {layer}{parts[standing]}. {x}."


def elsewhere(mine: Own) -> str:
    """What a page says that draws from the seed alone."""
    layer = f"{quoted(mine.entry.name)} of {quoted(mine.file)}"
    return f"The **seeded layer** is shown here, so that a link gives the same. Files of {layer}: below its pictures."


def sizes(mine: Own) -> str:
    """The layer's sizes in words."""
    cfg = mine.config()
    biases = "with biases" if cfg.use_bias else "without biases"
    heads = heads_in_words(cfg.num_heads)
    return f"{cfg.d_model} wide, {heads} with d_k = {cfg.key_dim} and d_v = {cfg.value_dim}, {biases}"
