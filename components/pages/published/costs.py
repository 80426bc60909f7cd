"""What the choice costs to run: for a context and a batch, and against each size."""

import streamlit as st

from components.figures.pictures.published import costs
from components.figures.pictures.published.style import bytes_in_words, short
from components.pages.published import keys
from components.widgets.chart import show_chart
from components.widgets.tables import markdown_table
from mha.names import counted, heads_in_words
from mha.published.conventions import beside, convention
from mha.published.cost import MOST_CONTEXT, MOST_SEQUENCES, Cost, cost, expanded_bytes
from mha.published.model import Model

#: What holds of every model; the sentence above it is about the one on the screen.
EXPLAINED = r"""
- **Projections** cost one multiply-add for each weight and token: what is true of the parameters is true of them.
- **Scores and weighting** cost T · S · h · $d_k$ and T · S · h · $d_v$: with $d_k = d_{model}/h$, heads cancel out.
- **Score maps** are h · T · S numbers in each layer: here one more head always costs, unless the kernel never writes them down.
- **The cache** holds $h_{kv} \cdot (d_k + d_v)$ numbers for each token and layer, or the latent: query heads are not in it.
"""


def choose_load() -> tuple[int, int]:
    """Tokens of a sequence, and sequences."""
    st.header("What the choice costs to run")
    left, middle, _ = st.columns([2, 2, 5], gap="medium")
    context = left.number_input("Context T (tokens)", 1, MOST_CONTEXT, keys.CONTEXT, key="context", bind="query-params")
    return context, middle.number_input("Sequences B", 1, MOST_SEQUENCES, 1, key="sequences", bind="query-params")


def show_costs(model: Model, context: int, sequences: int) -> None:
    """The numbers, what heads do and do not cost, the curves."""
    left, right = st.columns([6, 5], gap="large")
    with left:
        st.markdown(table(model, cost(model, context, sequences), context))
    with right:
        st.markdown(heads_sentence(model, context, sequences))
        st.markdown(EXPLAINED)
        st.caption(
            "All layers; every cell of the score maps is counted, causal kernels skip up to half. Encoder and decoder read "
            "T tokens each. Bytes in bf16."
        )
    swept = costs.sweeps(model, context, sequences)
    show_chart(costs.draw(swept), "costs", costs.alt(swept))


def table(model: Model, made: Cost, context: int) -> str:
    """Markdown: every cost, exact and readable."""
    rows = [
        ("Q, K, V projections", short(made.projections), f"{made.projections:,}"),
        ("scores QKᵀ", short(made.scores), f"{made.scores:,}"),
        ("weights · V", short(made.weighting), f"{made.weighting:,}"),
        ("$W_O$", short(made.output), f"{made.output:,}"),
        ("**multiply-adds**", f"**{short(made.multiply_adds)}**", f"{made.multiply_adds:,}"),
        ("score memory h·T·S, one layer", bytes_in_words(made.score_bytes), f"{made.score_bytes:,} B"),
    ]
    if made.token_bytes:
        rows.append(("cache, one more token", bytes_in_words(made.token_bytes), f"{made.token_bytes:,} B"))
        if made.late_token_bytes != made.token_bytes:
            rows.append(("… beyond the window", bytes_in_words(made.late_token_bytes), f"{made.late_token_bytes:,} B"))
        a = model.attention
        if a.latent:
            wide = expanded_bytes(a, model.groups[0].layers)
            rows.append(("… if every head kept its own", bytes_in_words(wide), f"{wide:,} B"))
        tokens = counted(context, "token")
        rows.append((f"**cache, {tokens}**", f"**{bytes_in_words(made.cache_bytes)}**", f"{made.cache_bytes:,} B"))
    else:
        rows.append(("cache", "none", "all tokens at once"))
    return markdown_table(("what", "size", "exactly"), rows, right=(1, 2))


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
    return f"**{heads_in_words(heads)} instead of {model.attention.heads}**: {said}.{free}"
