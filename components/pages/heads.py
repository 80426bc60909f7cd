"""Sentences and tables of the start page, from the same numbers as its picture, and of the page about concatenation."""

from functools import lru_cache

import numpy as np
import streamlit as st

from components.app.session import shown
from components.app.stale_widget_values import apply_pending, set_value
from components.page_settings import THIS_LAYER
from components.symbols import set_symbols
from components.widgets.play import plain
from components.widgets.tables import markdown_table
from components.widgets.trace import trace_of
from headcount import Config, Trace, count_parameters, ledger
from headcount.cost import contrasts, multiply_adds
from headcount.names import BY_CODE, LABELS, counted, heads_in_words, noun
from headcount.reading import Reading
from headcount.stage.pictures import reader, start_page
from headcount.stage.pictures.reader import Reader
from headcount.stage.pictures.start_page import KERAS, PAPER
from headcount.stage.scene import Scene
from headcount.stage.text import as_html
from headcount.trained.sentence import Sentence
from headcount.trained.store import Broken
from headcount.variations import combined


def other_layer(cfg: Config, paper: bool) -> Config:
    """The layer with one head, or for one head with the next head count that is a layer; `cfg` itself where there is no other."""
    if cfg.num_heads > 1:
        return cfg.with_heads(1, paper=paper)
    most = BY_CODE["num_heads"].most
    following = next((h for h in range(2, most + 1) if not paper or cfg.d_model % h == 0), 1)
    return cfg.with_heads(following, paper=paper)


def reader_of(cfg: Config, sentence: Sentence) -> Reader | None:
    """The trained layer that reads the sentence; None where its file is not the one that was trained, which the page says."""
    try:
        return reader.reader(cfg, sentence)
    except Broken:
        return None


def scene(cfg: Config, trace: Trace | None, paper: bool, sentence: Sentence | None = None) -> Scene:
    """The layer among others in both conventions: trained ones with trained numbers, all others with drawn ones. Beside a
    visitor's own layer those that are not cuts of it have none. `sentence`: what a trained layer reads beside them."""
    here, layers = shown(), start_page.numbered(cfg, paper) if trace is not None else ()
    if here.own is not None:
        layers = [one for one in layers if here.same_weights(cfg, one)]
    kind = here.chosen.name if isinstance(here.chosen, Reading) else lambda one: here.layer(one) is None
    return start_page.draw(cfg, paper, start_page.numbers_of(layers, kind, trace_of), sentence and reader_of(cfg, sentence))


def show_lead(text: str) -> None:
    """The line below the headline; `_{…}` is lowered."""
    st.html(f'<p class="lead">{as_html(text)}</p>')


def choose_card(card: str) -> None:
    """A click on a card ("free 8"): the convention and the heads. A card of Keras's keeps its head sizes."""
    apply_pending()
    way, heads = card.split()
    if way in (PAPER, KERAS) and heads.isdigit() and 1 <= int(heads) <= BY_CODE["num_heads"].most:
        set_value("split", way)
        set_value("num_heads", int(heads))


def link_to_costs(cfg: Config) -> None:
    """What one pass costs, and the page of models with this layer at its length."""
    adds = counted(sum(multiply_adds(cfg).values()), "multiply-add")
    label = f"What it costs to run: {adds} for {counted(cfg.query_len, 'token')}"
    there = {"model": THIS_LAYER, "context": str(cfg.query_len), "further": "costs"}
    st.page_link("pages/models.py", label=label, query_params=there)


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


def show_contrast(here: Config, there: Config) -> None:
    """Shows both layers' quantities side by side, marked same or not. Last the outputs on the same input, both by NumPy (0 means
    0); not where one is too large, or where only one of them is a visitor's own layer."""
    size = lambda shape: f"{shape:,}" if isinstance(shape, int) else " × ".join(f"{n:,}" for n in shape)  # noqa: E731
    heads = ("quantity", heads_in_words(there.num_heads), heads_in_words(here.num_heads), "together")
    rows = [
        (set_symbols(row.what), size(row.there), size(row.here), "same" if row.same else "**changes**")
        for row in contrasts(here, there)
    ]
    one, other = (trace_of(cfg) if shown().same_weights(here, there) else None for cfg in (here, there))
    if one is not None and other is not None:
        difference = float(np.abs(one.output.values - other.output.values).max())
        same = "same" if difference == 0 else "**changes**"
        rows.append(("the output, largest difference", "", plain(difference), same))
    st.markdown(markdown_table(heads, rows, right=(1, 2)))


def show_instead(cfg: Config, trace: Trace, how: str) -> None:
    """Shows what "sum" or "mean" costs, and the concatenation that it equals."""
    (equal, apart), heads = combined(trace, how), cfg.num_heads
    share = "" if how == "sum" or heads == 1 else f" / {heads}"
    st.subheader(f"The {how} of the heads instead")
    st.markdown(
        f"{counted(cfg.value_dim, 'number')} for each token, whatever h is, and one block of $W_O$. It is the concatenation "
        f"whose {counted(heads, 'block')} of $W_O$ {noun(heads, 'is', 'are all')} $W_1^O{share}$: the outputs differ by "
        f"{equal:.0e}, which is rounding. The layer's own output differs by up to {apart:.2f}."
    )
    rows, count = heads * cfg.value_dim, count_parameters(cfg)
    block, whole = cfg.value_dim * cfg.d_model, rows * cfg.d_model
    table = [
        ("width before $W_O$", f"{rows:,}", f"{cfg.value_dim:,}"),
        ("numbers in $W_O$", f"{whole:,}", f"{block:,}"),
        ("of the layer", f"{count:,}", f"{count - whole + block:,}"),
        ("independent numbers that reach a token", f"{min(rows, cfg.d_model):,}", f"{min(cfg.value_dim, cfg.d_model):,}"),
        ("which head a number came from", "told by its column", "the only one" if heads == 1 else "lost"),
    ]
    st.markdown(markdown_table(("quantity", "concatenation", how), table, right=(1, 2)))
