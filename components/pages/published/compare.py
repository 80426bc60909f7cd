"""Two models side by side at one scale."""

import streamlit as st

from components.figures.pictures.published import matrices
from components.figures.pictures.published.style import bytes_in_words
from components.pages.published import keys
from components.pages.published.chosen import Chosen
from components.widgets.chart import show_chart
from components.widgets.tables import markdown_table
from mha.published.conventions import SHARING, convention, sharing
from mha.published.cost import token_bytes
from mha.published.model import Model
from mha.published.table import entries


def choose_other() -> str:
    """The slug of the other model."""
    st.header("Two models at one scale")
    return st.selectbox("Compare with", keys.COMPARED, key="compare", bind="query-params", width=320)


def show_comparison(chosen: Chosen, slug: str) -> None:
    """The model on the screen beside another one: one module's matrices, and the numbers."""
    there = entries()[slug].model
    st.markdown(ratio(chosen.name, chosen.model, slug, there))
    rows = [
        row for name, model in ((chosen.name, chosen.model), (slug, there))
        for row in matrices.rows_of(name, model.attention, model.attention)
    ]  # fmt: skip
    left, right = st.columns([1, 1], gap="large")
    with left:
        show_chart(matrices.draw(rows, high=300, verdicts=False), "compared", matrices.alt(rows))
    with right:
        st.markdown(table(chosen.name, chosen.model, slug, there))


def ratio(name: str, here: Model, other: str, there: Model) -> str:
    """How many times the attention parameters of the other."""
    if name == other and here == there:
        return f"{name} twice: choose another model, or move its heads above."
    (less, small), (more, large) = sorted(((here.attention_total, name), (there.attention_total, other)))
    return f"One attention module of each, at one scale. In all, {large} has **{more / less:,.3g} ×** the attention of {small}."


def facts(model: Model) -> dict[str, str]:
    """What is compared, in words."""
    a = model.attention
    cache = sum(token_bytes(group) for group in model.groups)
    return {
        "convention": convention(a), "heads share": SHARING[sharing(a)], "layers": model.layers,
        "d_model": f"{a.d_model:,}", "h, h_kv": f"{a.heads}, {a.kv_heads}", "d_k, d_v": f"{a.d_k}, {a.d_v}",
        "h · d_k": f"{a.inner:,}", "parameters, one module": f"{a.count:,}", "all attention": f"{model.attention_total:,}",
        "whole model": "not counted" if model.total is None else f"{model.total:,}",
        "attention's share": "not counted" if model.share is None else f"{model.share:.1%}",
        "cache for a token, bf16": bytes_in_words(cache) if cache else "none",
    }  # fmt: skip


def table(name: str, here: Model, other: str, there: Model) -> str:
    """Markdown, one row for each fact."""
    rows = zip(facts(here).items(), facts(there).values(), strict=True)
    return markdown_table(("fact", name, other), [(key, f"{one}", f"{two}") for (key, one), two in rows], right=(1, 2))
