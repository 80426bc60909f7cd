"""The ledger: every component of the model with its count, and the sum."""

import streamlit as st

from components.chart import show_chart
from components.figures.published import whole
from mha.names import counted, noun
from mha.published.model import Model


def show_whole(model: Model) -> None:
    """One bar for the model, one row for each component, the sum below."""
    if model.total is None:
        st.header("The ledger: attention only")
    else:
        st.header(f"The ledger: {counted(model.total, 'parameter')}, {model.share:.1%} of them in attention")
        show_chart(whole.draw(model), "whole_model", whole.alt(model))
    st.markdown(table(model))
    st.caption(said(model))


def table(model: Model) -> str:
    """Markdown: component, one of them, how many, all of them."""
    lines = ["| component | each | × | parameters |", "|:--|--:|--:|--:|"]
    for part in model.ledger():
        times = f"{part.times:,}" if part.times > 1 else ""
        name = f"**{_spelt(part.label)}**" if part.kind == "attention" else part.label
        lines.append(f"| {name} | {part.each:,} | {times} | {part.count:,} |")
    lines.append(f"| attention in all | | {model.modules:,} | {model.attention_total:,} |")
    if model.total is not None:
        lines.append(f"| **sum** | | | **{model.total:,}** |")
    return "\n".join(lines)


def _spelt(label: str) -> str:
    """W_Q as a formula."""
    return ", ".join(f"${w[0]}_{{{w[2:]}}}$" if w[1:2] == "_" else w for w in label.split(", "))


def said(model: Model) -> str:
    """What the sum is the sum of."""
    by = f" Counted as {model.counted_as}." if model.counted_as else ""
    norms = " Norms, sinks and relative biases inside attention are apart from them." if model.extras else ""
    own = noun(model.modules, "its", "their")
    return (
        f"{counted(model.modules, 'attention module')}, {counted(model.projections, 'parameter')} in {own} projections."
        f"{norms}{by}"
    )
