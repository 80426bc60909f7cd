"""What the choice costs to run: for a context and a batch, and against each size."""

import streamlit as st

from components.chart import show_chart
from components.figures.published import costs
from components.figures.published.look import bytes_in_words, short
from components.published import keys
from mha.published.conventions import beside, convention
from mha.published.cost import MOST_CONTEXT, MOST_SEQUENCES, Cost, cost, expanded_bytes
from mha.published.model import Model


def show_costs(model: Model) -> None:
    """Fields, the numbers, the curves, what heads do and do not cost."""
    left, middle, right = st.columns([2, 2, 7], vertical_alignment="bottom", gap="medium")
    with left:
        context = st.number_input("Context T (tokens)", 1, MOST_CONTEXT, keys.CONTEXT, key="context", bind="query-params")
    with middle:
        sequences = st.number_input("Sequences B", 1, MOST_SEQUENCES, 1, key="sequences", bind="query-params")
    made = cost(model, context, sequences)
    with right:
        st.markdown(heads_sentence(model, context, sequences))
    left, right = st.columns([4, 7], gap="large")
    with left:
        st.markdown(table(model, made, context))
        st.caption(
            "All layers; every cell of the score maps is counted, causal kernels skip up to half. Encoder and decoder read "
            "T tokens each. Bytes in bf16."
        )
    with right:
        swept = costs.sweeps(model, context, sequences)
        show_chart(costs.draw(swept), "costs", costs.alt(swept))


def table(model: Model, made: Cost, context: int) -> str:
    """Markdown: every cost, exact and readable."""
    rows = [
        ("Q, K, V projections", f"{short(made.projections)}", f"{made.projections:,}"),
        ("scores QKᵀ", short(made.scores), f"{made.scores:,}"),
        ("weights · V", short(made.weighting), f"{made.weighting:,}"),
        ("W_O", short(made.output), f"{made.output:,}"),
        ("**multiply-adds**", f"**{short(made.multiply_adds)}**", f"{made.multiply_adds:,}"),
        ("score memory h·T·S, one layer", bytes_in_words(made.score_bytes), f"{made.score_bytes:,} B"),
    ]
    if made.token_bytes:
        rows.append(("cache, one token more", bytes_in_words(made.token_bytes), f"{made.token_bytes:,} B"))
        if made.late_token_bytes != made.token_bytes:
            rows.append(("… beyond the window", bytes_in_words(made.late_token_bytes), f"{made.late_token_bytes:,} B"))
        a = model.attention
        if a.latent:
            wide = expanded_bytes(a, model.groups[0].layers)
            rows.append(("… if every head kept its own", bytes_in_words(wide), f"{wide:,} B"))
        rows.append((f"**cache, {context:,} tokens**", f"**{bytes_in_words(made.cache_bytes)}**", f"{made.cache_bytes:,} B"))
    else:
        rows.append(("cache", "none", "all tokens at once"))
    return "\n".join(["| | | |", "|:--|--:|--:|", *(f"| {' | '.join(cells)} |" for cells in rows)])


def heads_sentence(model: Model, context: int, sequences: int) -> str:
    """What other heads would and would not cost here, measured on the model itself."""
    heads = beside(model)
    if heads is None:
        return "This model can have no other number of heads."
    here, there = cost(model, context, sequences), cost(model.with_heads(heads), context, sequences)
    pairs = {
        "multiply-adds": (here.multiply_adds, there.multiply_adds), "score memory": (here.score_bytes, there.score_bytes),
        "cache": (here.cache_bytes, there.cache_bytes),
    }  # fmt: skip
    said = ", ".join(
        f"{what} {'unchanged' if one == two else f'**{two / one:.3g} ×**'}" for what, (one, two) in pairs.items() if one
    )
    free = " Heads cost maps (h·T·S), not arithmetic." if convention(model.attention) == "invariant" else ""
    return f"**{heads} heads instead of {model.attention.heads}**: {said}.{free}"
