"""The model on the screen: which one, with how many heads; and a visitor's own `config.json`, whose last good version stays."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import quoted
from components.app.controls import back_to_default, control, exact_number, hidden, slider_with_stops, value_ahead
from components.app.stale_widget_values import set_value
from components.page_settings import BY_CODE, FIRST_MODEL, MAX_CONFIG, MODEL_HEADS, OWN_CONFIG, THIS_LAYER
from components.symbols import escape_markdown
from components.widgets.refusal import config_or_end
from components.widgets.upload import show_uploader
from mha.config import Config, divisors
from mha.files.tensors import UnreadableFile
from mha.models import real_class
from mha.models.attention import MAX_HEADS, Attention, Refused
from mha.models.conventions import head_counts
from mha.models.model import Group, Model
from mha.models.reading import MAX_TEXT, parse, read_config
from mha.models.table import Entry, entries
from mha.names import heads_in_words

#: Characters that the browser lets one paste: more than are read, so that what is too long is refused in a sentence, and so few
#: that they fit into one message to the server at up to four bytes each (server.maxWidgetStateSize, 2 MB). A longer message ends
#: the connection, and the browser connects again and sends it again.
MAX_PASTED = 400_000


@dataclass(frozen=True, slots=True)
class Selection:
    """`published`: as it is; `model`: with its heads moved, or as published where that is `refused`. `entry` None: the visitor's
    own configuration, `config`, or own layer. `heads`: the number that was chosen."""

    name: str
    entry: Entry | None
    published: Model
    model: Model
    heads: int
    refused: Refused | None
    config: Mapping[str, object] | None = None

    @property
    def moved(self) -> bool:
        return self.model.groups != self.published.groups


def select_model() -> tuple[Selection, tuple[int, int], DeltaGenerator]:
    """Draws the sidebar: chooser, sliders for heads and key/value heads, and below them tokens and sequences (returned as a
    pair); and the place for the visitor's own configuration."""
    with st.sidebar:
        slug = control(BY_CODE["model"], on_change=as_published)
        config_place, middle, right = (st.container() for _ in range(3))
        with hidden("model_layers_choice", unless=slug == THIS_LAYER):
            layers = control(BY_CODE["model_layers"])
        below = st.container()
    config = read_address() if slug == OWN_CONFIG else None
    name, entry, published = _published(slug, layers, config)
    attention = published.attention
    acts = any(group.cache for group in published.groups) or value_ahead(BY_CODE["further"]) != "all-models"
    with below, hidden("load_choice", unless=acts):
        context, sequences = (control(BY_CODE[code]) for code in ("context", "sequences"))
        if 0 < published.positions < context:
            context = published.positions
            st.caption(f"T is {context:,}: {name} has positions for no more tokens.")
    with middle:
        heads = _count("model_heads", "Heads h", attention.heads, head_counts(attention))
    # Key/value heads that are as many as heads stay so: a multi-head model becomes a grouped one only where that is chosen.
    usual = heads if attention.kv_heads == attention.heads else attention.kv_heads
    with right, hidden("model_kv_heads_choice", unless=not attention.kv_follow or slug == THIS_LAYER):
        least = divisors(heads) if heads <= MAX_HEADS else []
        kv_heads = _count("model_kv_heads", "Key/value heads", min(usual, MAX_HEADS), least)
    show_how_read(None if config is None else published)
    if slug == THIS_LAYER and kv_heads != heads:
        published = replace(published, groups=(replace(published.groups[0], attention=replace(attention, kv_follow=False)),))
    kv_heads = heads if published.attention.kv_follow else kv_heads
    model, refused = moved(published, config, heads, kv_heads)
    return Selection(name, entry, published, model, heads, refused, config), (context, sequences), config_place


def _published(slug: str, layers: int, config: Mapping[str, object] | None) -> tuple[str, Entry | None, Model]:
    """What the chosen model is called, its row of the table if it has one, and the model as published."""
    if slug == THIS_LAYER:
        shared = st.session_state["settings"]
        return "This layer", None, model_of(config_or_end(shared), layers, shared.paper)
    if config is not None:
        return "Your configuration", None, counted(read_config(config), config)
    entry = entries()[slug if slug != OWN_CONFIG else FIRST_MODEL]
    return entry.slug, entry, entry.model


def model_of(layer: Config, layers: int, tied: bool) -> Model:
    """Attention of a model of `layers` such layers. `tied`: other heads share d_model, as in the paper's split. A window without
    a causal mask reaches to both sides."""
    heads, window = layer.num_heads, layer.sliding_window or 0
    attention = Attention(
        layer.d_model, heads, heads, layer.key_dim, layer.value_dim, tied, True, "qkvo" if layer.use_bias else "",
        refusal=" " if tied else "", gate=layer.use_gate,
    )  # fmt: skip
    seen = window if layer.mask == "causal" else max(2 * window - 1, 0)
    return Model("", (Group(layers, attention, "self", sliding=layers if window else 0, window=seen),))


def counted(model: Model, config: Mapping[str, object], heads: int | None = None, kv_heads: int | None = None) -> Model:
    """Adds what the real class holds, where it can be asked (seconds, the first time). Refused in the class's own words."""
    if real_class.interpreter() is None:
        return model
    with st.spinner("Asking transformers for the real class …", show_time=True):
        found = real_class.count(config, heads, kv_heads)
    if found is None:
        return model
    if found.refused and heads is not None:
        raise Refused(f"{heads_in_words(heads)}: the class refuses them.", found.refused)
    if found.refused:
        return replace(model, notes=(*model.notes, f"transformers builds no class of it: {escape_markdown(found.refused)}"))
    return replace(model, counted=found, counted_as=f"{found.name} of transformers {found.version}")


def moved(published: Model, config: Mapping[str, object] | None, heads: int, kv_heads: int) -> tuple[Model, Refused | None]:
    """The model with these heads; as published, and why, where there is none."""
    try:
        model = published.with_heads(heads, kv_heads)
        if model.groups == published.groups:
            return published, None
        if config is None or (real_class.interpreter() is not None and published.counted is None):  # no class, as it is
            return model, None
        return counted(model, config, heads, kv_heads), None
    except Refused as refused:
        return published, refused


def reset_heads() -> None:
    for key in MODEL_HEADS:
        back_to_default(key)


def as_published() -> None:
    """Callback: another model starts with its own heads."""
    reset_heads()
    st.session_state["config_fault"] = None  # it was about a configuration


def _count(key: str, label: str, own_count: int, stops: list[int]) -> int:
    """Slider over the counts that make a layer, and a field that takes any. Not chosen: the model's own count."""
    published = f"Published: {own_count}. The field below it takes any number."
    value = slider_with_stops(key, label, stops, 1, MAX_HEADS, own_count, published)
    exact_number(key, label, 1, MAX_HEADS, own_count, value, label_visibility="collapsed")
    return value


EXAMPLE = """{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
 "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256, "tie_word_embeddings": true}"""


#: Fields of a configuration that change no count: left out of what the address keeps.
WORDS = re.compile(
    r"_|id2label$|label2id$|task_specific|auto_map$|quantization|transformers_version$|torch_dtype$|bad_words|suppress"
)


def shortened(config: Mapping[str, object]) -> dict[str, object]:
    """The fields that may change a count; of the labels of a classifier their number."""
    short = {name: shortened(cast(Mapping[str, object], value)) if isinstance(value, Mapping) else value
             for name, value in config.items() if not WORDS.match(name)}  # fmt: skip
    if isinstance(labels := config.get("id2label"), Mapping) and "num_labels" not in short:
        short["num_labels"] = len(cast(Mapping[str, object], labels))
    return short


def read_text(text: str | bytes) -> tuple[str | None, str | None]:
    """The fields that make the model, as JSON, or why there is none, in a sentence. One of the two is None."""
    config: Mapping[str, object] = {}
    try:
        config = parse(text)
        model = read_config(config)
    except UnreadableFile as fault:
        return None, fault.said(quoted) + _without_attention(config)
    except Refused as refused:
        raised = refused.raised.strip()
        return None, f"{refused} transformers raises `{raised}`." if raised else f"{refused}"
    small = json.dumps(shortened(config), separators=(",", ":"))
    if len(small) > MAX_CONFIG or read_config(json.loads(small)).groups != model.groups:
        return None, f"The fields that are needed make {len(small):,} characters; at most {MAX_CONFIG:,} are kept."
    return small, None


def _without_attention(config: Mapping[str, object]) -> str:
    """Says of a configuration whose attention cannot be read here what its class holds, where it can be asked."""
    found = real_class.count(shortened(config)) if config.get("model_type") else None
    if found is None or found.refused:
        return ""
    return f" {found.name} of transformers {found.version} holds {found.total:,} parameters, {found.attention:,} in attention."


def read_address() -> Mapping[str, object] | None:
    """The configuration that the address holds; None where it holds none that can be read (`config_fault` then says why)."""
    text = st.session_state.get("config_json") or st.query_params.get("config_json", "")
    if not text:
        return None
    _, fault = read_text(text)
    if len(text) > MAX_CONFIG:
        fault = f"config_json must have at most {MAX_CONFIG:,} characters, found {len(text):,}."
    if fault is None:
        return parse(text)
    st.session_state["config_fault"] = f"In the address: {fault}"
    return None


def _take(text: str | bytes) -> None:
    """Reads a configuration; if it can be read, it is the model on the screen from now on."""
    small, fault = read_text(text)
    state = st.session_state
    state["config_fault"] = fault
    if small is not None:
        set_value("config_json", small)
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
    """The button behind which one is pasted or uploaded."""
    with hidden("config_json"):
        control(BY_CODE["config_json"])
    with st.popover("Your own", icon=":material/data_object:", width="stretch", help="Paste or upload a `config.json`."):
        st.text_area(
            "Paste a Hugging Face `config.json`", key="config_text", height=170, on_change=_pasted, placeholder=EXAMPLE,
            persist_state="session", help="Only sizes are read; nothing is kept on the server.", width=560,
            max_chars=MAX_PASTED,
        )  # fmt: skip
        st.caption(f"At most {MAX_TEXT:,} characters.")  # the field itself says nothing of a paste that it refuses
        st.button("Read it", on_click=_pasted)
        show_uploader("Or upload the file", "json", key="config_file", on_change=_uploaded)
        if fault := st.session_state.get("config_fault"):
            st.warning(fault, icon=":material/error:")


def show_how_read(model: Model | None) -> None:
    """Says below the chooser what is wrong with the last one, and what stays on the screen; and of the one there (`model`) who
    counted it, or what would, and every guess."""
    slug, fault = st.session_state.get("model"), st.session_state.get("config_fault")
    if fault:
        still = "The last good configuration stays on screen." if model is not None else f"{slug} stays on screen."
        if model is None and slug == OWN_CONFIG:
            still = f"Until one can be read, {FIRST_MODEL} is shown, the first of the table."
        st.warning(f"{fault} {still}", icon=":material/error:")
    elif model is None and slug == OWN_CONFIG:
        st.info("Paste or upload one under **Your own** to see its model. Until then the first of the table is shown.")
    if model is None:
        return
    sentences: list[str] = []
    if model.counted:
        sentences.append(f"Counted by `{model.counted.name}` of transformers {model.counted.version}.")
        if not model.agrees:
            sentences.append("The shapes below, read from shared fields, **do not add up to what it holds**.")
    else:
        sentences.append("Attention is read from fields that configurations share. `make models` installs what counts it all.")
    if model.notes and not (model.counted and model.agrees):
        sentences.append(f"**Assumed**: {'; '.join(model.notes)}.")
    st.caption(" ".join(sentences))
