"""The part of the page Concatenation about layers that add up or average the head outputs instead of concatenating them."""

import streamlit as st

from components.widgets.tables import markdown_table
from headcount import Config, Trace, count_parameters
from headcount.names import counted, noun
from headcount.variations import combined


def show_instead(cfg: Config, trace: Trace, how: str) -> None:
    """Shows the cost of a layer that takes the sum or the mean (`how`) of the head outputs, and the equal concatenation."""
    (equal, apart), heads = combined(trace, how), cfg.num_heads
    share = "" if how == "sum" or heads == 1 else f" / {heads}"
    st.subheader(f"The {how} of the heads instead")
    st.markdown(
        f"The {how} has {counted(cfg.value_dim, 'number')} for each token, whatever h is, and needs one block of $W_O$. It is "
        f"a concatenation whose {counted(heads, 'block')} of $W_O$ {noun(heads, 'is', 'are all')} $W_1^O{share}$: both outputs "
        f"differ only by rounding, {equal:.0e}. The layer's own output differs from them by up to {apart:.2f}."
    )
    rows, count = heads * cfg.value_dim, count_parameters(cfg)
    block, whole = cfg.value_dim * cfg.d_model, rows * cfg.d_model
    table = [
        ("width before $W_O$", f"{rows:,}", f"{cfg.value_dim:,}"),
        ("numbers in $W_O$", f"{whole:,}", f"{block:,}"),
        ("of the layer", f"{count:,}", f"{count - whole + block:,}"),
        ("independent numbers that reach a token", f"{min(rows, cfg.d_model):,}", f"{min(cfg.value_dim, cfg.d_model):,}"),
        ("which head a number came from", "told by its column", "the only one" if heads == 1 else "lost"),
    ]
    st.markdown(markdown_table(("quantity", "concatenation", how), table, right=(1, 2)))
