"""The blog's observation: one total for every divisor, what is refused, and why others read other numbers."""

import streamlit as st

from mha.published import blog
from mha.published.model import Model


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
    lines = ["| transformers | words | positions | types | parameters |", "|:--|--:|--:|--:|--:|"]
    for name, model in blog.variants():
        rows = [part.label.rsplit(" ", 3)[1] for part in model.before[:3]]
        lines.append(f"| {name} | {' | '.join(rows)} | **{model.total:,}** |")
    return "\n".join(lines)
