"""The ledger: every component of the model with its count, and the sum."""

import streamlit as st

from components.figures.pictures.published import whole
from components.widgets.chart import show_chart
from components.widgets.tables import markdown_table
from mha.names import counted, noun
from mha.published import blog
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
    rows = []
    for part in model.ledger():
        times = f"{part.times:,}" if part.times > 1 else ""
        name = f"**{_spelt(part.label)}**" if part.kind == "attention" else part.label
        rows.append((name, f"{part.each:,}", times, f"{part.count:,}"))
    rows.append(("attention in all", "", f"{model.modules:,}", f"{model.attention_total:,}"))
    if model.total is not None:
        rows.append(("**sum**", "", "", f"**{model.total:,}**"))
    return markdown_table(("component", "each", "×", "parameters"), rows, right=(1, 2, 3))


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


def show_observation(model: Model) -> None:
    """Below the ledger of the blog's own model."""
    totals = blog.totals(model)
    (total,) = set(totals.values())
    width = model.attention.d_model
    st.header(f"What the blog saw: {len(totals)} head counts, one number")
    st.markdown(
        f"All {len(totals)} divisors of {width} give **{total:,}**: h = {', '.join(map(str, totals))}. "
        f"No shape in the model mentions h. What does not divide is refused:"
    )
    st.code("\n".join(blog.raised(model, h) for h in blog.REFUSED), language=None, wrap_lines=True)
    st.markdown("The same class, three counts: the defaults of transformers changed, roberta-base has others. No heads in it.")
    st.markdown(variants_table())


def variants_table() -> str:
    """Vocabulary, positions, token types and total of each."""
    rows = []
    for name, model in blog.variants():
        sizes = [part.label.rsplit(" ", 3)[1] for part in (model.before or ())[:3]]
        rows.append((name, *sizes, f"**{model.total:,}**"))
    return markdown_table(("transformers", "words", "positions", "types", "parameters"), rows, right=(1, 2, 3, 4))
