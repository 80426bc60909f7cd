"""All models: sort, filter, search, choose, take away as CSV."""

import csv
import io
from collections.abc import Iterable
from functools import cache

import streamlit as st

from components.figures.pictures.published import bars
from components.pages.published import keys
from components.streamlit.controls import back_to_default
from components.streamlit.late_reports import set_value
from components.widgets.chart import show_chart
from mha.published.conventions import CONVENTIONS, convention, sharing
from mha.published.cost import token_bytes
from mha.published.table import Entry, entries

#: Column of the table and of the CSV: its heading.
COLUMNS = {
    "model": "model", "convention": "convention", "sharing": "kind", "layers": "layers", "d_model": "d_model", "h": "h",
    "h_kv": "h_kv", "d_k": "d_k", "d_v": "d_v", "inner": "h·d_k", "biases": "biases", "per_module": "per module",
    "attention": "all attention", "total": "whole model", "share": "share", "cache": "cache B/token", "counted": "total from",
    "published": "published", "source": "source",
}  # fmt: skip


@cache
def row(slug: str) -> dict[str, object]:
    """One model's numbers, computed from its sizes, once."""
    entry = entries()[slug]
    model = entry.model
    a = model.attention
    biases = "".join(letter.upper() for letter in "qkvo" if letter in a.bias)
    return {
        "model": entry.slug, "convention": CONVENTIONS[convention(a)], "sharing": sharing(a), "layers": model.layers,
        "d_model": a.d_model, "h": a.heads, "h_kv": a.kv_heads, "d_k": a.d_k, "d_v": a.d_v, "inner": a.inner,
        "biases": biases or "none", "per_module": a.count, "attention": model.attention_total, "total": model.total,
        "share": model.share, "cache": sum(token_bytes(group) for group in model.groups) or None,
        "counted": "formula only" if entry.row == "formula only" else "own formula", "published": entry.published,
        "source": entry.source,
    }  # fmt: skip


def found(words: str, kind: str) -> list[Entry]:
    """The models of a convention (or all) in whose name, family, source or kind every word occurs."""
    wanted = words.lower().split()
    return [
        entry for entry in entries().values()
        if kind in (keys.ALL, convention(entry.model.attention)) and all(word in _text(entry) for word in wanted)
    ]  # fmt: skip


def _text(entry: Entry) -> str:
    model = entry.model
    return " ".join((entry.slug, entry.name, model.model_type, entry.source, sharing(model.attention), entry.row)).lower()


def as_csv(chosen: Iterable[Entry]) -> str:
    """Comma-separated, one header line, whole numbers as they are."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row(entry.slug) for entry in chosen)
    return out.getvalue()


def choose_rows() -> list[Entry]:
    """Search, convention, download; the rows that fit."""
    st.header(f"{sum(e.row == 'model' for e in entries().values())} published models, and rows of the paper's Table 3")
    left, middle, right = st.columns([3, 5, 2], vertical_alignment="bottom", gap="medium")
    with left:
        hint = "llama, GQA, 7B …"
        words = st.text_input("Search", key="search", bind="query-params", max_chars=keys.MOST_SEARCH, placeholder=hint)
    with middle:
        kind = st.segmented_control(
            "Convention", (keys.ALL, *CONVENTIONS), default=keys.ALL, key="convention", bind="query-params", required=True,
            help="; ".join(f"**{key}**: {label}" for key, label in CONVENTIONS.items()),
        )  # fmt: skip
    chosen = found(words, kind)
    with right:
        st.download_button(
            "CSV", lambda: as_csv(chosen), "published_models.csv", "text/csv", icon=":material/download:", width="stretch",
            disabled=not chosen, on_click="ignore",
        )  # fmt: skip
    return chosen


def show_every(chosen: list[Entry]) -> None:
    """The table, and the bars."""
    if not chosen:
        st.info("No model fits. Take a word away, or choose another convention.")
        return
    _table(chosen)
    models = [(entry.slug, entry.model) for entry in chosen]
    st.markdown("**All heads together, h · d_k, on d_model**, at one scale. Where the two differ, d_k is a choice of its own.")
    show_chart(bars.draw_widths(models), "widths", bars.widths_alt(models))


def _table(chosen: list[Entry]) -> None:
    rows = [row(entry.slug) for entry in chosen]
    number = st.column_config.NumberColumn
    long = ("d_model", "inner", "per_module", "attention", "total", "cache")
    kinds = COLUMNS | {key: number(COLUMNS[key], format="localized") for key in long}
    kinds["model"] = st.column_config.TextColumn("model", pinned=True)
    kinds["source"] = st.column_config.TextColumn("source", width="medium")
    kinds["share"] = st.column_config.ProgressColumn("share", format="percent", min_value=0, max_value=1)
    st.dataframe(
        {key: [one[key] for one in rows] for key in COLUMNS},
        hide_index=True, height=388, key="every_model", on_select=_open, selection_mode="single-row",
        column_config=kinds,
    )  # fmt: skip
    st.caption(
        "Click a heading to sort, the box before a row to see that model above. Attention: weights and biases of the projections "
        "of one module; “all attention” adds norms, sinks and relative biases inside it. Cache in bf16, cross-attention included."
    )


def _open() -> None:
    """The chosen row becomes the model on the screen."""
    state = st.session_state
    rows = state["every_model"]["selection"]["rows"]
    chosen = found(state.get("search") or "", state.get("convention") or keys.ALL)
    if rows and rows[0] < len(chosen):
        set_value("model", chosen[rows[0]].slug)
        for key in keys.HEADS:
            back_to_default(key)
