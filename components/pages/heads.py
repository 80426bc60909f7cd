"""The start page's sentences and tables, from the same numbers as its picture."""

from functools import lru_cache

import numpy as np
import streamlit as st

from components.figures.pictures.heads import neighbours, side_by_side, widest_of
from components.figures.program import SHARED, joined
from components.figures.scene import Scene
from components.streamlit.runtime import component
from components.streamlit.session import shown
from components.streamlit.stale_widget_values import set_value
from components.streamlit.symbols import set_symbols
from components.widgets.tables import markdown_table
from components.widgets.trace import keras_client, trace_of
from mha import Config, Trace, count_parameters, ledger
from mha.assets import ASSETS
from mha.comparison import KerasAnswer
from mha.cost import contrasts, multiply_adds, too_large
from mha.names import BY_CODE, LABELS, counted, heads_in_words, noun

STRIP = joined(SHARED, ASSETS / "strip" / "strip.js")
STRIP_HTML = '<div class="strip" role="group" aria-label="Heads"><span>Heads</span><div class="row"></div></div>'
STRIP_CSS = (ASSETS / "strip" / "strip.css").read_text(encoding="utf-8")


@lru_cache(maxsize=256)
def other_layer(cfg: Config, paper: bool) -> Config:
    """With one head, or for one head with the next head count that is a layer; the layer itself where there is no other."""
    if cfg.num_heads > 1:
        return cfg.with_heads(1, paper=paper)
    most = BY_CODE["num_heads"].most
    following = next((h for h in range(2, most + 1) if not paper or cfg.d_model % h == 0), 1)
    return cfg.with_heads(following, paper=paper)


def scene(cfg: Config, trace: Trace | None, paper: bool) -> Scene:
    """The layer among its neighbours, from the numbers of the widest: one grid serves all that share them."""
    here = shown()
    others = [c for c in neighbours(cfg, paper) if here.same_weights(cfg, c)]
    widest = widest_of(others)
    return side_by_side(cfg, others, trace and (trace if widest == cfg else trace_of(widest)))


@lru_cache(maxsize=256)
def headline(cfg: Config, paper: bool) -> tuple[str, str]:
    """Title and the sentence that says what happens."""
    there = other_layer(cfg, paper)
    here_count, there_count = count_parameters(cfg), count_parameters(there)
    here = f"{heads_in_words(cfg.num_heads)}: {counted(here_count, 'parameter')}."
    title = f"{here} {heads_in_words(there.num_heads)}: {there_count:,}."
    if here_count == there_count:
        title = f"{heads_in_words(cfg.num_heads)} or {there.num_heads}: {counted(here_count, 'parameter')} either way."
    if there == cfg and cfg.d_model == 1:
        return here, "A layer of width 1 can only have one head."
    if there == cfg:
        most = BY_CODE["num_heads"].most
        return here, f"Of all head counts up to {most} only 1 divides {cfg.d_model}: the paper's split has nothing to compare."
    if paper:
        weights = cfg.d_model * cfg.d_model
        matrices, many = (5, "Five") if cfg.use_gate else (4, "Four")
        biases = f" and {counted(here_count - matrices * weights, 'bias', 'biases')}" if cfg.use_bias else ""
        return title, (
            f"Each matrix keeps its {cfg.d_model} × {cfg.d_model} = {weights:,} numbers, cut into more and narrower pieces: "
            f"$h \\cdot d_{{model}}/h$ is always {cfg.d_model}. {many} matrices{biases} are {here_count:,}."
        )
    per_head = (count_parameters(cfg) - count_parameters(there)) // (cfg.num_heads - there.num_heads)
    return title, (
        f"In Keras every head brings its own {cfg.d_model} × {cfg.key_dim} piece of each matrix: "
        f"one more head adds **{per_head:,}** {noun(per_head, 'parameter')}. In the paper the heads share a fixed width."
    )


def show_strip(cfg: Config, paper: bool) -> None:
    """The head counts of the picture as buttons, for phones, where the slider is in a closed sidebar (assets/style.css shows them
    there alone, and keeps them in sight)."""
    counts = " ".join(f"{layer.num_heads}" for layer in neighbours(cfg, paper))
    data = {"counts": counts, "at": cfg.num_heads}
    component("strip", STRIP, STRIP_HTML, STRIP_CSS)(key="heads_strip", data=data, height="content", on_go_change=_take_heads)


def _take_heads() -> None:
    """The head count of the button that was pressed."""
    heads = st.session_state["heads_strip"].get("go")
    if isinstance(heads, int) and 1 <= heads <= BY_CODE["num_heads"].most:
        set_value("num_heads", heads)


def output_difference(here: Config, there: Config) -> float | None:
    """Largest difference of the two outputs on the same input, both by NumPy: 0 means 0. None where one is too large, or where
    only one of them is a visitor's own layer."""
    if not shown().same_weights(here, there):
        return None
    one, other = trace_of(here), trace_of(there)
    return None if one is None or other is None else float(np.abs(one.output.values - other.output.values).max())


def cost_line(cfg: Config) -> str:
    """One pass, as the link to the page of costs has it."""
    adds = sum(multiply_adds(cfg).values())
    return f"What it costs to run: {counted(adds, 'multiply-add')} for {counted(cfg.query_len, 'token')}"


def shape_text(shape: int | tuple[int, ...]) -> str:
    return f"{shape:,}" if isinstance(shape, int) else " × ".join(f"{n:,}" for n in shape)


@lru_cache(maxsize=64)
def ledger_table(cfg: Config) -> str:
    """One row per variable, kernels before biases, and the total."""
    variables = sorted(ledger(cfg), key=lambda row: row.is_bias)
    rows = [
        (f"${LABELS[row.name]}$", f"`{row.path}`", f"({', '.join(map(str, row.shape))})", f"${row.formula}$", row.numbers,
         f"{row.count:,}")
        for row in variables
    ]  # fmt: skip
    for what, is_bias in (("kernels", False), ("biases", True)):
        rows.append(("", what, "", "", "", f"{sum(row.count for row in variables if row.is_bias == is_bias):,}"))
    rows.append(("", "**total**", "", "", "", f"**{count_parameters(cfg):,}**"))
    return markdown_table(("variable", "Keras", "shape", "formula", "with numbers", "parameters"), rows, right=[5])


def show_ledger(cfg: Config, answer: KerasAnswer | None) -> None:
    """The table, and below it the real layer's count."""
    st.markdown(ledger_table(cfg))
    st.caption(keras_count(cfg, answer, keras_client().state))


def keras_count(cfg: Config, answer: KerasAnswer | None, state: str) -> str:
    """The real layer's count, next to the total."""
    if answer is not None:
        same = "the same" if answer.count == count_parameters(cfg) else "not the same"
        return f"The real layer's `count_params()` says **{answer.count:,}**: {same}."
    if too_large(cfg):
        return "The real layer is not built at these sizes."
    if state in ("missing", "failed"):
        return "The real layer is not here to count; the line below says why."
    return "The real layer's `count_params()` is not known yet."


def show_contrast(here: Config, there: Config, difference: float | None) -> None:
    """Both layers' quantities, side by side, marked same or not; `difference`: of the two outputs, where computed."""
    heads = ("quantity", heads_in_words(there.num_heads), heads_in_words(here.num_heads), "together")
    rows = [
        (set_symbols(row.what), shape_text(row.there), shape_text(row.here), "same" if row.same else "**changes**")
        for row in contrasts(here, there)
    ]
    if difference is not None:
        same = "same" if difference == 0 else "**changes**"
        rows.append(("the output, largest difference", "", f"{difference:.3f}", same))
    st.markdown(markdown_table(heads, rows, right=(1, 2)))
