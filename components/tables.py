"""The ledger and the contrast of two head counts as plain tables."""

import streamlit as st

from components.symbols import set_symbols
from components.tracing import keras_client
from mha import Config, count_parameters, ledger
from mha.comparison import KerasAnswer
from mha.contrast import contrasts
from mha.cost import too_large
from mha.names import LABELS, heads_in_words


def shape_text(shape: int | tuple[int, ...]) -> str:
    return f"{shape:,}" if isinstance(shape, int) else " × ".join(f"{n:,}" for n in shape)


def show_ledger(cfg: Config, answer: KerasAnswer | None) -> None:
    """One row per variable, kernels before biases, and the total; beside it what the real layer counts."""
    rows = sorted(ledger(cfg), key=lambda row: row.is_bias)
    lines = ["| variable | Keras | shape | formula | with numbers | parameters |", "|:--|:--|:--|:--|:--|--:|"]
    lines += [
        f"| ${LABELS[row.name]}$ | `{row.path}` | ({', '.join(map(str, row.shape))}) | ${row.formula}$ "
        f"| {row.numbers} | {row.count:,} |"
        for row in rows
    ]
    for what, is_bias in (("kernels", False), ("biases", True)):
        lines.append(f"| | {what} | | | | {sum(row.count for row in rows if row.is_bias == is_bias):,} |")
    lines.append(f"| | **total** | | | | **{count_parameters(cfg):,}** |")
    st.markdown("\n".join(lines))
    st.caption(keras_count(cfg, answer, keras_client().state))


def keras_count(cfg: Config, answer: KerasAnswer | None, state: str) -> str:
    """What the real layer counts, beside the total."""
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
    layers = f"{heads_in_words(there.num_heads)} | {heads_in_words(here.num_heads)}"
    lines = [f"| quantity | {layers} | together |", "|:--|--:|--:|:--|"]
    for row in contrasts(here, there):
        mark = "same" if row.same else "**changes**"
        lines.append(f"| {set_symbols(row.what)} | {shape_text(row.there)} | {shape_text(row.here)} | {mark} |")
    if difference is not None:
        lines.append(f"| the output, largest difference | | {difference:.3f} | {'same' if difference == 0 else '**changes**'} |")
    st.markdown("\n".join(lines))
