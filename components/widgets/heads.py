"""The start page's picture of one layer with several head counts in both conventions, and the buttons of the picture."""

from functools import partial

import streamlit as st

from components.app.session import Shown
from components.app.stale_widget_values import apply_pending, set_value
from components.widgets.trace import trace_of
from headcount import Config, Trace
from headcount.layer import Origin
from headcount.names import BY_CODE, heads_in_words
from headcount.settings import heads_stops
from headcount.stage.pictures import reader, start_page
from headcount.stage.pictures.reader import Reader
from headcount.stage.pictures.start_page import KERAS, PAPER
from headcount.stage.scene import Scene
from headcount.stage.text import as_html
from headcount.trained.sentence import Sentence
from headcount.trained.store import Broken


def reader_of(cfg: Config, sentence: Sentence) -> Reader | None:
    """The part of the picture in which the trained layer reads the sentence. None if the layer's file is missing or damaged."""
    try:
        return reader.reader(cfg, sentence)
    except Broken:
        return None


def scene(cfg: Config, trace: Trace | None, paper: bool, origin: Origin, sentence: Sentence | None = None) -> Scene:
    """The scene of layers with several head counts. Without `trace`, no layer has numbers. With a visitor's layer, only layers
    with the same weights have numbers. With trained numbers, layers that are not trained have random numbers."""
    layers = start_page.numbered(cfg, paper) if trace is not None else ()
    if origin.own is not None:
        layers = [one for one in layers if origin.same_weights(cfg, one)]
    kind = origin.source.name if origin.source is not None else lambda one: origin.layer(one) is None
    numbers = start_page.numbers_of(layers, kind, partial(trace_of, origin))
    return start_page.draw(cfg, paper, numbers, sentence and reader_of(cfg, sentence))


def step_heads(shown: Shown) -> None:
    """Draws buttons for the next smaller and larger head count. On a phone, the slider is hidden in the menu."""
    heads, stops = shown.cfg.num_heads, heads_stops(shown.cfg.d_model, shown.settings.paper)
    with st.container(horizontal=True, vertical_alignment="center", key="heads_here"):
        _step("Fewer heads", ":material/remove:", [h for h in stops if h < heads][-1:])
        st.markdown(f"**{heads_in_words(heads)}**", width="content")
        _step("More heads", ":material/add:", [h for h in stops if h > heads][:1])


def _step(name: str, icon: str, there: list[int]) -> None:
    key = name.lower().replace(" ", "_")
    st.button(name, key=key, icon=icon, disabled=not there, on_click=set_value, args=("num_heads", *there))


def show_lead(text: str) -> None:
    """Shows the sentence below a page's headline. `_{…}` in the text becomes a subscript."""
    st.html(f'<p class="lead">{as_html(text)}</p>')


def choose_card(card: str) -> None:
    """Callback of a click on a card such as "free 8": sets the card's convention and head count."""
    apply_pending()
    way, heads = card.split()
    if way in (PAPER, KERAS) and heads.isdigit() and 1 <= int(heads) <= BY_CODE["num_heads"].most:
        set_value("split", way)
        set_value("num_heads", int(heads))
