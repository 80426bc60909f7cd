"""The sections below the chosen model: a table of all models, the model's ledger, or its costs. Also the chart of all models."""

import csv
import io
from collections.abc import Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.app.controls import control, hidden
from components.app.runtime import reported
from components.app.stale_widget_values import set_value
from components.pages.models import BY_CODE, about
from components.pages.models.selection import ModelChoice, reset_heads
from components.widgets.chart import clicked, show_chart
from components.widgets.downloads import Download, show_downloads
from components.widgets.images import show_diagram
from components.widgets.tables import markdown_table, show_sortable
from components.widgets.time import show_time
from headcount.models.conventions import CONVENTIONS, convention
from headcount.models.conventions import sharing as kind_of_sharing
from headcount.models.cost import Cost, cost, expanded_bytes
from headcount.models.entry import BLOG_MODEL, Entry, entries, row
from headcount.models.model import Model
from headcount.names import counted, heads_in_words, listed
from headcount.stage.pictures.published import bars, plane, sharing, sweeps
from headcount.stage.text import bytes_in_words, compact


def show_further(selection: ModelChoice, context: int, sequences: int) -> None:
    """Draws the choice of a section, and the chosen section. The search field of the table of all models is hidden in other
    sections, so that the address keeps the search."""
    which = control(BY_CODE["further"], label_visibility="collapsed")
    with hidden("all_models_choice", unless=which == "all-models"):
        rows = choose_rows()
    model = selection.model
    if which == "all-models":
        show_every(rows)
    elif not model.whole:
        what = "The ledger" if which == "ledger" else "Costs"
        st.info(f"{what} cannot be had from this file: it does not say all that its class does.")
    elif which == "ledger":
        show_ledger(selection, context, sequences)
    else:
        show_costs(selection, context, sequences)


#: Columns of the models' table and of the CSV, with their headings.
COLUMNS = {
    "model": "model", "convention": "convention", "sharing": "kind", "layers": "layers", "d_model": "width", "h": "heads",
    "h_kv": "key/value heads", "d_k": "key size", "d_v": "value size", "inner": "heads × key size", "biases": "biases",
    "changed": "other changes", "per_module": "per module",
    "attention": "all attention", "total": "whole model", "share": "attention’s share", "cache": "cache, bytes a token",
    "counted": "counted as", "published": "published", "source": "source",
}  # fmt: skip


def matching(words: str) -> list[Entry]:
    wanted = words.lower().split()
    return [entry for entry in entries().values() if all(word in _text(entry) for word in wanted)]


def _text(entry: Entry) -> str:
    model = entry.model
    kinds = CONVENTIONS[convention(model.attention)], kind_of_sharing(model.attention)
    return " ".join((entry.slug, entry.name, model.model_type, entry.source, *kinds, entry.row)).lower()


def as_csv(chosen: Iterable[Entry]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row(entry.slug) for entry in chosen)
    return out.getvalue()


def choose_rows() -> list[Entry]:
    """Draws the search field and the download of the table of models. Returns the models that match the search."""
    st.header(f"{len(plane.published())} published models, and variants from the Transformer paper and a blog")
    left, right = st.columns([4, 1], vertical_alignment="bottom", gap="medium")
    chosen = matching(control(BY_CODE["search"], left, placeholder="llama, GQA, 7B, own width …"))
    with right:
        none = None if chosen else "No model fits. Take a word away."
        write = lambda: as_csv(chosen).encode()  # noqa: E731
        file = Download("CSV", "published_models.csv", "text/csv", write, off=none, marked=True)
        show_downloads("table", [file])
    return chosen


def show_every(chosen: list[Entry]) -> None:
    """Shows a sortable table of models. A press on a name opens that model."""
    if not chosen:
        st.info("No model fits. Take a word away.")
        return
    rows = [[cell(value) for value in row(entry.slug).values()] for entry in chosen]
    show_sortable("every_model", "Published models", [*COLUMNS.values()], rows, lambda: _open(reported("every_model", "row")))
    st.caption(
        "Press a heading to sort the table, or a name to see that model above. The column “per module” counts the projections of "
        "one attention module, with biases. “All attention” counts all attention modules, with norms, sinks and relative biases. "
        "The cache column counts bytes in bf16, and includes cross-attention."
    )


def cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.0%}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _open(slug: object) -> None:
    if isinstance(slug, str) and slug in entries():
        set_value("model", slug)
        reset_heads()


def show_plane(selection: ModelChoice, tables: DeltaGenerator) -> None:
    """Shows a chart with a dot for each model: d_model against the width of all heads together. A press on a dot opens its model.
    If several models share the dot, another press opens the next one. `tables`: the container for the chart's numbers."""
    models = plane.published()
    st.markdown(f"**{plane.counted(models)}**")
    st.caption(
        "Each dot is a model; a large dot is several. Red dots are off the line: “×2” is twice the width. If a model’s dot is "
        "hollow, more heads change its parameter count."
    )
    figure, alt = plane.draw(models, selection.name)
    press = lambda: _open(plane.pressed(models, clicked("widths"), selection.name))  # noqa: E731
    show_chart((figure, alt), "widths", press, tables=tables)


def show_ledger(selection: ModelChoice, context: int, sequences: int) -> None:
    model = selection.model
    left, right = st.columns([6, 5], gap="large")
    with left:
        if model.total is None:
            st.header("The ledger: attention only")
        else:
            st.header(f"The ledger: {counted(model.total, 'parameter')}, {model.share:.1%} of them in attention")
            show_chart(bars.draw_parts(model), "whole_model")
        st.markdown(about.ledger_table(model))
        st.caption(f"{about.summed_sentence(model)} {about.source(selection)}")
    with right:
        st.header("What changes with the heads")
        show_sweep(model, context, sequences)
        show_diagram(sharing.draw(model.attention), "sharing")
        st.caption(sharing.sentence(model.attention))
        if selection.entry and selection.entry.slug == BLOG_MODEL:
            about.show_observation(model)


EXPLAINED = r"""
- **Projections** cost one multiply-add for each weight and token. More heads change that only if they change the parameter count.
- **Scores** cost T · S · h · $d_k$ multiply-adds, and **weights · V** cost T · S · h · $d_v$. If $d_k = d_v = d_{model}/h$, the
  number of heads h cancels out.
- **Score maps** have h · T · S numbers in each layer. One more head costs memory, unless a fused kernel stores no map.
- **The cache** holds $h_{kv} \cdot (d_k + d_v)$ numbers for each token and layer. More query heads change it only if
  they change $d_k$ or $h_{kv}$. In latent attention the cache instead holds a short summary and a rotary key of each token.
"""


def show_sweep(model: Model, context: int, sequences: int) -> None:
    swept = sweeps.sweep(model, context, sequences)
    st.markdown(heads_sentence(model, swept))
    show_chart(sweeps.draw(swept, model.attention.heads), "sweep")


def show_costs(selection: ModelChoice, context: int, sequences: int) -> None:
    model = selection.model
    st.header("What this model costs to run")
    st.markdown(about.memory_table(model, context, sequences))
    left, right = st.columns([6, 5], gap="large")
    left.markdown(cost_table(model, cost(model, context, sequences), context))
    with right:
        show_sweep(model, context, sequences)
    st.markdown(EXPLAINED)
    show_time(model.attention.heads)
    st.caption(
        "Multiply-adds and cache are counted over all layers. Masked cells of the score maps count, too; cells outside a layer’s "
        "window do not. A fused kernel with a causal mask skips up to half of the cells. 1 multiply-add = 2 FLOPs; softmax, "
        "biases and norms are not counted. An encoder and a decoder read T tokens each. Bytes are counted in bf16."
    )


def cost_table(model: Model, costs: Cost, context: int) -> str:
    rows = [
        ("Q, K, V projections", compact(costs.projections), f"{costs.projections:,}"),
        ("scores QKᵀ", compact(costs.scores), f"{costs.scores:,}"),
        ("weights · V", compact(costs.weighting), f"{costs.weighting:,}"),
        ("$W_O$", compact(costs.output), f"{costs.output:,}"),
        ("**multiply-adds**", f"**{compact(costs.multiply_adds)}**", f"{costs.multiply_adds:,}"),
        ("score memory h·T·S, one layer", bytes_in_words(costs.score_bytes), f"{costs.score_bytes:,} B"),
    ]
    if costs.token_bytes:
        rows.append(("cache, one more token", bytes_in_words(costs.token_bytes), f"{costs.token_bytes:,} B"))
        if costs.late_token_bytes != costs.token_bytes:
            rows.append(("… beyond the window", bytes_in_words(costs.late_token_bytes), f"{costs.late_token_bytes:,} B"))
        a = model.attention
        if a.latent:
            wide = expanded_bytes(a, model.groups[0].layers)
            rows.append(("… if every head kept its own", bytes_in_words(wide), f"{wide:,} B"))
        tokens = counted(context, "token")
        rows.append((f"**cache, {tokens}**", f"**{bytes_in_words(costs.cache_bytes)}**", f"{costs.cache_bytes:,} B"))
    else:
        rows.append(("cache", "none", "all tokens at once"))
    return markdown_table(("attention in one pass", "size", "exact number"), rows, right=(1, 2))


def heads_sentence(model: Model, swept: sweeps.Sweep) -> str:
    """A sentence about the costs with about half as many heads. For a model with one head, it is about two heads."""
    now = model.attention.heads
    wanted = now / 2 if now > 1 else 2
    heads = min((h for h in swept if h != now), key=lambda h: abs(h - wanted), default=None)
    if heads is None:
        return "This model can have no other number of heads."
    changes = []
    for name, count in swept[now].items():
        if count == swept[heads][name]:
            changes += [f"the same {name}"] if count else []
        else:
            changes.append(f"**{swept[heads][name] / count:.3g} ×** the {name}")
    free = " More heads make more attention maps, not more multiply-adds." if convention(model.attention) == "invariant" else ""
    return f"**{heads_in_words(heads)} instead of {now}** would mean {listed(changes)}.{free}"
