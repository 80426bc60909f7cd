"""The choice of a model and of its heads on the page Models, and the fields for a visitor's own `config.json`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import quoted
from components.app.controls import control, exact_number, hidden, slider_with_stops, value_ahead
from components.app.stale_widget_values import set_value
from components.app.visit import visit
from components.pages.models import BY_CODE, FIRST_MODEL, MODEL_HEADS, OWN_CONFIG, THIS_LAYER
from components.widgets.refusal import config_or_end
from components.widgets.upload import show_uploader
from headcount.config import Config, divisors
from headcount.files.tensors import UnreadableFile
from headcount.models.attention import MAX_HEADS, Attention, BadHeads
from headcount.models.conventions import head_counts
from headcount.models.entry import Entry, entries
from headcount.models.model import Group, Model
from headcount.models.reading import parse, read_config
from headcount.text_bounds import MAX_CONFIG_FIELD, MAX_CONFIG_NAME, MAX_CONFIG_TEXT


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The chosen model. `published`: the model with its own heads. `model`: the model with the chosen `heads`.
    - `refused`: why these heads are impossible, or None. If they are impossible, `model` is `published`.
    - `entry`: the model's row in the table. None for the visitor's `config` and for the layer of the other pages."""

    name: str
    entry: Entry | None
    published: Model
    model: Model
    heads: int
    refused: BadHeads | None
    config: Mapping[str, object] | None = None

    @property
    def moved(self) -> bool:
        return self.model.groups != self.published.groups


def select_model() -> tuple[ModelChoice, tuple[int, int], DeltaGenerator]:
    """Draws the page's controls in the sidebar: model, heads, key/value heads, tokens and sequences. Returns the choice, the pair
    (tokens, sequences), and the container for the visitor's own configuration."""
    with st.sidebar:
        slug = control(BY_CODE["model"], on_change=as_published)
        config_place, middle, right = (st.container() for _ in range(3))
        with hidden("model_layers_choice", unless=slug == THIS_LAYER):
            layers = control(BY_CODE["model_layers"])
        below = st.container()
    config = visit().config if slug == OWN_CONFIG else None
    name, entry, published = _published(slug, layers, config)
    attention = published.attention
    counts, further = published.whole, value_ahead(BY_CODE["further"])
    acts = counts and further != "all-models"
    with below, hidden("load_choice", unless=acts):
        context, sequences = (control(BY_CODE[code]) for code in ("context", "sequences"))
        if 0 < published.positions < context:
            context = published.positions
            st.caption(f"T is {context:,} here: {name} has positions for {context:,} tokens.")
    with middle, hidden("model_heads_choice", unless=counts):
        heads = _count("model_heads", "Heads h", attention.heads, head_counts(attention))
    # If there are as many key/value heads as heads, they follow the heads, until another number of them is chosen.
    usual = heads if attention.kv_heads == attention.heads else attention.kv_heads
    with right, hidden("model_kv_heads_choice", unless=counts and (not attention.kv_follow or slug == THIS_LAYER)):
        least = divisors(heads) if heads <= MAX_HEADS else []
        kv_heads = _count("model_kv_heads", "Key/value heads", min(usual, MAX_HEADS), least)
    show_how_read(None if config is None else published)
    if not counts:
        return ModelChoice(name, entry, published, published, attention.heads, None, config), (context, sequences), config_place
    if slug == THIS_LAYER and kv_heads != heads:
        published = replace(published, groups=(replace(published.groups[0], attention=replace(attention, kv_follow=False)),))
    kv_heads = heads if published.attention.kv_follow else kv_heads
    model, refused = moved(published, heads, kv_heads)
    return ModelChoice(name, entry, published, model, heads, refused, config), (context, sequences), config_place


def _published(slug: str, layers: int, config: Mapping[str, object] | None) -> tuple[str, Entry | None, Model]:
    """The chosen model's name, its row in the table (None if it is not there), and the model with its own heads."""
    if slug == THIS_LAYER:
        shared = st.session_state["settings"]
        return "This layer", None, model_of(config_or_end(shared), layers, shared.paper)
    if config is not None:
        return "Your configuration", None, read_config(config)
    entry = entries()[slug if slug != OWN_CONFIG else FIRST_MODEL]
    return entry.slug, entry, entry.model


def model_of(layer: Config, layers: int, tied: bool) -> Model:
    """A model of attention alone: this layer, `layers` times. `tied`: whether the heads divide d_model among them, as in the
    paper. Without a causal mask, a sliding window reaches to both sides."""
    heads, window = layer.num_heads, layer.sliding_window or 0
    attention = Attention(
        layer.d_model, heads, heads, layer.key_dim, layer.value_dim, tied, True, "qkvo" if layer.use_bias else "",
        refusal=" " if tied else "", gate=layer.use_gate,
    )  # fmt: skip
    seen = window if layer.mask == "causal" else max(2 * window - 1, 0)
    return Model("", (Group(layers, attention, "self", sliding=layers if window else 0, window=seen),))


def moved(published: Model, heads: int, kv_heads: int) -> tuple[Model, BadHeads | None]:
    """The model with these heads and key/value heads, and None. If they are impossible, `published` and the reason."""
    try:
        return published.with_heads(heads, kv_heads), None
    except BadHeads as refused:
        return published, refused


def reset_heads() -> None:
    visit().reset.update(MODEL_HEADS)


def as_published() -> None:
    """Callback of the choice of a model: resets the sliders to the model's own heads."""
    reset_heads()
    st.session_state["config_fault"] = None  # it was about a configuration


def _count(key: str, label: str, own_count: int, stops: list[int]) -> int:
    """Draws a slider with `stops` and a field for any number of heads. Returns the chosen number."""
    usual = f"The default is {own_count:,}. You can type other numbers in the field below."
    value = slider_with_stops(key, label, stops, 1, MAX_HEADS, own_count, usual)
    exact_number(key, label, 1, MAX_HEADS, own_count, value, label_visibility="collapsed")
    return value


EXAMPLE = """{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
 "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256, "tie_word_embeddings": true}"""


def read_text(text: str | bytes) -> tuple[Mapping[str, object], str]:
    """The configuration in a `config.json`, and "". If the text is unreadable, {} and a sentence that says why."""
    config: Mapping[str, object] = {}
    try:
        read_config(config := parse(text))
    except UnreadableFile as fault:
        return {}, fault.said(quoted)
    except BadHeads as refused:
        raised = refused.raised.strip()
        return {}, f"{refused} transformers raises `{raised}`." if raised else f"{refused}"
    return config, ""


def name_of(config: Mapping[str, object]) -> str:
    """The name of a configuration for a link: the model's name, else its class, else its family, else "config.json"."""
    classes = config.get("architectures")
    named = cast(list[object], classes) if isinstance(classes, list) else []
    names = (config.get("_name_or_path"), *named, config.get("model_type"))
    return next((name for name in names if isinstance(name, str) and name.strip()), "config.json")[:MAX_CONFIG_NAME]


def _take(text: str | bytes) -> None:
    """Makes a configuration the chosen model, or keeps the error. The address gets the configuration's name, not its text."""
    config, fault = read_text(text)
    st.session_state["config_fault"] = fault
    if not fault:
        visit().config = config
        set_value("config_name", name_of(config))
        set_value("model", OWN_CONFIG)
        reset_heads()


def _pasted() -> None:
    if text := st.session_state["config_text"].strip():
        _take(text)
    else:
        st.session_state["config_fault"] = None


def _uploaded() -> None:
    if (file := st.session_state["config_file"]) is not None:
        _take(file.getvalue())


def show_configuration() -> None:
    """Draws a button that opens the fields for pasting or uploading a configuration. The last error is below the fields."""
    with hidden("config_name"):
        control(BY_CODE["config_name"])
    with st.popover("Your own", icon=":material/data_object:", width="stretch", help="Paste or upload a `config.json`."):
        st.text_area(
            "Paste a Hugging Face `config.json`", key="config_text", height=170, on_change=_pasted, placeholder=EXAMPLE,
            persist_state="session", width=560,
            help="The app reads the sizes and the kind of model. The server forgets the text when your visit ends.",
            max_chars=MAX_CONFIG_FIELD,
        )  # fmt: skip
        st.caption(f"At most {MAX_CONFIG_TEXT:,} characters.")  # the field itself says nothing of a paste that it refuses
        st.button("Read it", on_click=_pasted)
        show_uploader("Or upload the file", "json", key="config_file", on_change=_uploaded)
        if fault := st.session_state.get("config_fault"):
            st.warning(fault, icon=":material/error:")


def show_how_read(model: Model | None) -> None:
    """Shows what is wrong with the last configuration, or that a link has only its name. Says which model is shown."""
    state = st.session_state
    slug, fault = state.get("model"), state.get("config_fault")
    if fault:
        still = "The last good configuration stays on screen." if model is not None else f"{slug} stays on screen."
        if model is None and slug == OWN_CONFIG:
            still = f"Until one can be read, {FIRST_MODEL} is shown, the first of the table."
        st.warning(f"{fault} {still}", icon=":material/error:")
    elif model is None and slug == OWN_CONFIG:
        name = state.get("config_name") or st.query_params.get("config_name", "")
        named = f"A link keeps the name of a configuration ({quoted(name)}), not its text. " if name else ""
        st.info(f"{named}Paste or upload one under **Your own** to see its model. Until then the first of the table is shown.")
