"""The tables below the start page's picture: a comparison of two layers, and the ledger with every variable of the layer."""

from functools import lru_cache

import numpy as np
import streamlit as st

from components.symbols import set_symbols
from components.widgets.links import link_to
from components.widgets.play import as_number
from components.widgets.tables import markdown_table
from components.widgets.trace import trace_of
from headcount import Config, count_parameters, ledger
from headcount.cost import contrasts, multiply_adds
from headcount.layer import Origin
from headcount.names import BY_CODE, LABELS, counted, heads_in_words


def other_layer(cfg: Config, paper: bool) -> Config:
    """The layer to compare `cfg` with. It has one head. If `cfg` itself has one head, the other layer has the next possible
    number of heads. If no other number is possible, returns `cfg`."""
    if cfg.num_heads > 1:
        return cfg.with_heads(1, paper=paper)
    most = BY_CODE["num_heads"].most
    following = next((h for h in range(2, most + 1) if not paper or cfg.d_model % h == 0), 1)
    return cfg.with_heads(following, paper=paper)


def link_to_costs(cfg: Config) -> None:
    adds = counted(sum(multiply_adds(cfg).values()), "multiply-add")
    label = f"What it costs to run: {adds} for {counted(cfg.query_len, 'token')}"
    link_to("models", label, model="this-layer", context=str(cfg.query_len), further="costs")


@lru_cache(maxsize=64)
def ledger_table(cfg: Config) -> str:
    """The layer's ledger as a Markdown table: weight matrices first, then biases, then totals."""
    variables = sorted(ledger(cfg), key=lambda row: row.is_bias)
    rows = [
        (f"${LABELS[row.name]}$", f"`{row.path}`", f"({', '.join(map(str, row.shape))})", f"${row.formula}$", row.numbers,
         f"{row.count:,}")
        for row in variables
    ]  # fmt: skip
    for what, is_bias in (("weights", False), ("biases", True)):
        rows.append(("", what, "", "", "", f"{sum(row.count for row in variables if row.is_bias == is_bias):,}"))
    rows.append(("", "**total**", "", "", "", f"**{count_parameters(cfg):,}**"))
    return markdown_table(("variable", "Keras", "shape", "formula", "with numbers", "parameters"), rows, right=[5])


def show_contrast(origin: Origin, here: Config, there: Config) -> None:
    """Shows a table that compares two layers. The outputs are compared, too, if the numbers of both layers have one source."""
    size = lambda shape: f"{shape:,}" if isinstance(shape, int) else " × ".join(f"{n:,}" for n in shape)  # noqa: E731
    heads = ("quantity", heads_in_words(there.num_heads), heads_in_words(here.num_heads), "compared")
    rows = [
        (set_symbols(row.what), size(row.there), size(row.here), "same" if row.same else "**changes**")
        for row in contrasts(here, there)
    ]
    one, other = (trace_of(origin, cfg) if origin.same_weights(here, there) else None for cfg in (here, there))
    if one is not None and other is not None:
        difference = float(np.abs(one.output.values - other.output.values).max())
        same = "same" if difference == 0 else "**changes**"
        rows.append(("largest difference between the two outputs", "", as_number(difference), same))
    st.markdown(markdown_table(heads, rows, right=(1, 2)))
