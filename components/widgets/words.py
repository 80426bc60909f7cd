"""Which numbers the pages of the layer show, drawn, trained on English or typed, and the words that a trained network reads."""

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from components.streamlit.address import quoted
from components.streamlit.controls import control, off_default, value_ahead
from components.streamlit.hidden import hidden
from components.streamlit.session import show_source, visitor_layer
from components.streamlit.stale_widget_values import set_value
from components.widgets.choosers import token_labels
from components.widgets.trace import trace_of
from components.widgets.typed import editor, example, on_numbers, say_fault, take_sizes, typed_ahead
from mha import Config
from mha.language import store
from mha.language.sentences import FIRST, SENTENCES, Example
from mha.language.text import read
from mha.names import counted, heads_in_words
from mha.reading import Reading, nearest
from mha.settings import HEAD, NETWORK_LAYER, NUMBERS, TOKENS, TYPED
from mha.typed import Typed, Unreadable

#: Unknown words that are written out.
FEW = 5


@dataclass(frozen=True, slots=True)
class Words:
    """What a page of the layer shows, known before its fields are drawn: the picture comes first.

    `chosen`: the fields' values. `reading`: what a trained network reads; None where numbers are drawn or a visitor's own.
    `typed`: what the visitor has typed, where that is asked for. `why_not`: why numbers are drawn where others are asked for.
    `fault`: what is wrong with the words, or with what was typed; then others are shown.
    """

    chosen: tuple[object, ...]
    reading: Reading | None = None
    typed: Typed | None = None
    why_not: str = ""
    fault: str | Unreadable = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of rows and columns; none where no network reads them."""
        return () if self.reading is None else self.reading.labels

    @property
    def layer(self) -> int:
        """The number of the network's layer; 0 where no network is shown."""
        return 0 if self.reading is None else self.reading.number


def _chosen() -> tuple[object, ...]:
    chosen = tuple(value_ahead(setting) for setting in (NUMBERS, NETWORK_LAYER, TOKENS))
    return chosen + tuple(value_ahead(setting) for setting in TYPED) if chosen[0] == "typed" else chosen


def read_words(cfg: Config) -> tuple[Config, Words]:
    """The layer that this page shows. From here on `trace_of` and the check line take the network's numbers, where trained ones
    are asked for and there are some for this layer; or those that were typed, where they have its sizes."""
    chosen = _chosen()
    if chosen[0] == "seed" or visitor_layer() is not None:
        return cfg, Words(chosen)
    if chosen[0] == "typed":
        return _read_typed(cfg, chosen)
    try:
        reading, fault = _read(value_ahead(TOKENS), int(value_ahead(NETWORK_LAYER)))
        show_source(reading)
        if reason := reading.why_not(cfg):
            return cfg, Words(chosen, why_not=reason)
        trained = reading.config(cfg)
        trace_of(trained)
    except store.Broken as error:
        show_source(None)
        return cfg, Words(chosen, why_not=str(error))
    return trained, Words(chosen, reading, fault=fault)


def _read_typed(cfg: Config, chosen: tuple[object, ...]) -> tuple[Config, Words]:
    fault: str | Unreadable = ""
    try:
        typed = typed_ahead()
    except Unreadable as error:
        typed, fault = example(), error
    here = typed.config(cfg)
    if reason := typed.why_not(here):
        return cfg, Words(chosen, typed=typed, why_not=reason, fault=fault)
    show_source(typed)
    return here, Words(chosen, typed=typed, fault=fault)


def _read(text: str, number: int) -> tuple[Reading, str]:
    """What is read, and why it is not `text`."""
    try:
        return Reading(read(text if text.strip() else FIRST), number), ""
    except ValueError as error:
        return Reading(read(FIRST), number), f"{error}; showing “{FIRST}”."


def words_bar(cfg: Config, words: Words, named: bool = False, measured: bool = True) -> tuple[str, ...]:
    """Whose numbers are shown, the words that are read and which layer reads them, in one line, and what is to be said of them.

    `named`: the picture has names at its rows in any case; `measured`: and says what its heads' names mean. Gives the words for
    rows and columns. Nothing is seen beside a visitor's own layer but the field for names.
    """
    trained, labels, own = words.reading is not None, words.labels, visitor_layer()
    tokens = () if own is None else own.labels(cfg)
    with st.container(key="words_bar", horizontal=True, vertical_alignment="center", gap="small"):
        with hidden("numbers_choice", unless=own is None):
            control(NUMBERS, label_visibility="collapsed", on_change=on_numbers)
        with hidden("tokens_choice", unless=trained or (named and not tokens)):
            text = control(TOKENS, label_visibility="collapsed", placeholder=FIRST if trained else "the cat sat on the mat")
        if trained or off_default([NETWORK_LAYER]):
            with hidden("network_layer_choice", unless=trained):
                control(NETWORK_LAYER, label_visibility="collapsed")
        if words.typed is not None:
            editor(cfg, words.typed)
        if trained:
            box = st.popover("Examples", key="examples", on_change="rerun")
            if box.open:
                with box:
                    for number, example in enumerate(SENTENCES, 1):
                        st.button(example.text, key=f"sentence_{number}", on_click=_show, args=(example,))
                        st.caption(in_one_line(example))
    if not trained and named:
        labels = tokens
        if not labels and own is not None and not text.strip():  # its X is random: no row is a "cat"
            labels = tuple(str(place) for place in range(1, max(cfg.query_len, cfg.key_len) + 1))
        labels = labels or token_labels(cfg, text)
    _say(cfg, words, named and measured)
    if _chosen() != words.chosen:  # Back: a field has taken another value from the address
        st.rerun()
    return labels


@lru_cache(maxsize=16)
def in_one_line(example: Example) -> str:
    """What the sentence shows, with the weight that the network gives there."""
    reading = Reading(read(example.text), example.layer)
    try:
        layer = reading.layer(reading.config(Config(example.d_model, example.heads)))
    except store.Broken:
        layer = None
    if layer is None:
        return example.shows
    row, key = (reading.sentence.words[place] for place in (example.row, example.key))
    weight = float(layer.trace().weights.values[0, example.head, example.row, example.key])
    return (
        f"{example.shows} “{row}” → “{key}” {weight:.2f}, head {example.head + 1} of {example.heads}, layer {example.layer}, "
        f"$d_{{model}}$ {example.d_model}"
    )


def _show(example: Example) -> None:
    """In a callback: the sentence, with the network, the layer and the head for which it was chosen."""
    sizes = {"d_model": example.d_model, "num_heads": example.heads}
    where = {NETWORK_LAYER.code: f"{example.layer}", HEAD.code: example.head + 1}
    for key, value in {TOKENS.code: example.text, **sizes, **where}.items():
        if key in st.session_state:  # not every page has a field for the head
            set_value(key, value)


def _say(cfg: Config, words: Words, named: bool) -> None:
    """Trained or random, and what that means; words that could not be read, or that the network does not know."""
    if visitor_layer() is not None:
        return
    if words.typed is not None:
        say_fault(words.fault if isinstance(words.fault, Unreadable) else None)
    elif isinstance(words.fault, str) and words.fault:
        st.warning(words.fault.replace(TOKENS.code, f"**{TOKENS.code}**", 1))
    if words.reading is not None:
        lines = [_of_network(words.layer)] if named else []
        if unknown := words.reading.unknown:
            some = ", ".join(map(quoted, unknown[:FEW])) + (f" and {len(unknown) - FEW} more" if len(unknown) > FEW else "")
            lines.append(f"\\* The network has no numbers for {some}: to it each is the same *unknown word*.")
        if lines:
            st.caption(" ".join(lines))
        return
    if words.typed is not None and not words.why_not:
        st.caption(f"Your own numbers: X as typed. {words.typed.in_words}")
        return
    if not words.why_not:
        st.markdown("Random numbers, drawn from the seed: **the pattern means nothing.**")
        return
    with st.container(key="untrained", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"Drawn from the seed, as {words.why_not}. **The pattern means nothing.**", width="content")
        if words.typed is not None:
            sizes = words.typed.sizes(cfg)
            label = f"Show d_model {sizes['d_model']} with {heads_in_words(sizes['num_heads'])}"
            st.button(label, on_click=take_sizes, args=(words.typed,), key="to_typed", type="tertiary")
        else:
            width, heads = nearest(cfg)
            label = f"Show d_model {width} with {counted(heads, 'head')}"
            st.button(label, on_click=_to_network, args=(cfg, width, heads), key="to_network", type="tertiary")


def _of_network(number: int) -> str:
    """What the maps are, in one line."""
    return (
        f"Layer {number} of a network that learned from novels to guess the next word. Above each map: what its head looks at, "
        "as [measured](./trained_heads?task=language) on other text."
    )


def _to_network(cfg: Config, width: int, heads: int) -> None:
    """The shared sizes become those of a network."""
    sizes = {"split": "paper", "d_model": width, "num_heads": heads, "use_bias": True, "key_len": cfg.query_len}
    for key, value in sizes.items():
        set_value(key, value)
