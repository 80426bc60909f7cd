"""The model on the screen: which one, with how many heads; and a visitor's own `config.json`, whose last good version stays."""

import json
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.pages.published import settings
from components.streamlit.address import quoted
from components.streamlit.controls import back_to_default, control, exact_number, slider_with_stops
from components.streamlit.hidden import hidden
from components.streamlit.stale_widget_values import set_value
from mha.config import divisors
from mha.published.attention import MOST_HEADS, Attention, Refused
from mha.published.conventions import head_counts
from mha.published.fields import FieldValue, UnreadableConfig
from mha.published.model import Model
from mha.published.reading import MOST_TEXT, known, parse, read_config, read_fields
from mha.published.table import Entry, entries


@dataclass(frozen=True, slots=True)
class Selection:
    """`published`: as it is; `model`: with its heads moved, or as published where that is `refused`. `entry` None: the visitor's
    own configuration. `heads`: the number that was chosen."""

    name: str
    entry: Entry | None
    published: Model
    model: Model
    heads: int
    refused: Refused | None

    @property
    def moved(self) -> bool:
        return self.model != self.published


def select_model() -> tuple[Selection, DeltaGenerator]:
    """Chooser, sliders for heads and key/value heads; and the place between them, for the visitor's own configuration."""
    left, config_place, middle, right = st.columns([3, 2, 4, 4], gap="small", vertical_alignment="bottom")
    slug = control(settings.BY_CODE["model"], left, on_change=as_published)
    configured = read_address() if slug == settings.OWN else None
    entry = entries()[slug if slug != settings.OWN else settings.MODELS[0]]
    published = configured or entry.model
    attention = published.attention
    with middle:
        heads = _count("model_heads", "Heads h", attention.heads, head_counts(attention))
    with right, hidden("model_kv_heads_choice", unless=not attention.kv_follow):
        least = divisors(heads) if heads <= MOST_HEADS else []
        kv_heads = _count("model_kv_heads", "Key/value heads", attention.kv_heads, least)
    show_how_read(configured)
    model, refused = _moved(published, attention, heads, kv_heads)
    name, shown = ("Your configuration", None) if configured else (entry.slug, entry)
    return Selection(name, shown, published, model, heads, refused), config_place


def _moved(published: Model, attention: Attention, heads: int, kv_heads: int) -> tuple[Model, Refused | None]:
    try:
        return published.with_heads(heads, None if attention.kv_follow else kv_heads), None
    except Refused as refused:
        return published, refused


def reset_heads() -> None:
    for key in settings.HEADS:
        back_to_default(key)


def as_published() -> None:
    """Another model starts with its own heads."""
    reset_heads()
    st.session_state["config_fault"] = None  # it was about a configuration


def _count(key: str, label: str, own_count: int, stops: list[int]) -> int:
    """Slider over the counts that make a layer, and a field that takes any. Not chosen: the model's own count."""
    published = f"Published: {own_count}. The field beside it takes any number."
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        value = slider_with_stops(key, label, stops, 1, MOST_HEADS, own_count, published)
        exact_number(key, label, 1, MOST_HEADS, own_count, value, label_visibility="collapsed", width=96)
        return value


#: Fields that the sentences below the chooser name, each.
MOST_NAMED = 12
EXAMPLE = """{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
 "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256, "tie_word_embeddings": true}"""


def read_text(text: str) -> tuple[str | None, str | None]:
    """The few fields that make the model, as JSON, or why there is none, in a sentence. One of the two is None."""
    try:
        model, used = read_fields(parse(text))
    except UnreadableConfig as fault:
        return None, _sentence(fault)
    except Refused as refused:
        raised = refused.raised.strip()
        return None, f"{refused} transformers raises `{raised}`." if raised else f"{refused}"
    small = json.dumps(used, separators=(",", ":"))
    if len(small) > settings.MOST_CONFIG or not _same(read_config(json.loads(small)), model):
        return None, f"The fields that are needed make {len(small):,} characters; at most {settings.MOST_CONFIG:,} are kept."
    return small, None


def _same(one: Model, other: Model) -> bool:
    """Whether all that is counted is the same."""
    return (one.groups, one.total, one.counted_as) == (other.groups, other.total, other.counted_as)


def _sentence(fault: UnreadableConfig) -> str:
    value = "" if fault.actual is None else f", found {quoted(fault.actual)}"
    return f"**{fault.field}** {fault.allowed}{value}."


def read_address() -> Model | None:
    """The model that the address holds; None where it holds none that can be read (`config_fault` then says why)."""
    text = st.session_state.get("config_json") or st.query_params.get("config_json", "")
    if not text:
        return None
    try:
        if len(text) > settings.MOST_CONFIG:
            raise UnreadableConfig("config_json", f"must have at most {settings.MOST_CONFIG:,} characters", f"{len(text):,}")
        return read_config(parse(text))
    except (UnreadableConfig, Refused) as fault:
        why = _sentence(fault) if isinstance(fault, UnreadableConfig) else str(fault)
        st.session_state["config_fault"] = f"In the address: {why}"
        return None


def _take(text: str) -> None:
    """Read; if it can be, it is the model on the screen from now on."""
    small, fault = read_text(text)
    state = st.session_state
    state["config_fault"] = fault
    if small is not None:
        set_value("config_json", small)
        set_value("model", settings.OWN)
        reset_heads()


def _pasted() -> None:
    if text := st.session_state["config_text"].strip():
        _take(text)
    else:
        st.session_state["config_fault"] = None


def _uploaded() -> None:
    file = st.session_state["config_file"]
    if file is None:
        return
    if file.size > 4 * MOST_TEXT:
        st.session_state["config_fault"] = f"The file must have at most {MOST_TEXT:,} characters, found `{file.size:,} bytes`."
        return
    try:
        _take(file.getvalue().decode("utf-8-sig"))
    except UnicodeDecodeError:
        st.session_state["config_fault"] = "The file must be text in UTF-8, found `other bytes`."


def show_configuration() -> None:
    """The button behind which one is pasted or uploaded."""
    with hidden("config_json"):
        control(settings.BY_CODE["config_json"])
    with st.popover("Your own", icon=":material/data_object:", width="stretch", help="Paste or upload a `config.json`."):
        st.text_area(
            "Paste a Hugging Face `config.json`", key="config_text", height=170, on_change=_pasted, placeholder=EXAMPLE,
            persist_state="session", help="Only sizes are read; nothing is kept on the server.", width=560,
            max_chars=settings.MOST_PASTED,
        )  # fmt: skip
        # The field itself says nothing of a paste that it refuses.
        bounds = f"At most {MOST_TEXT:,} characters. The field refuses a text of more than {settings.MOST_PASTED:,}."
        st.caption(bounds)
        st.button("Read it", on_click=_pasted)
        st.file_uploader("Or upload the file", type="json", key="config_file", on_change=_uploaded)
        if fault := st.session_state.get("config_fault"):
            st.warning(fault, icon=":material/error:")


def show_how_read(model: Model | None) -> None:
    """Below the chooser: what is wrong with the last one, and what was assumed of the one on the screen (`model`)."""
    if fault := st.session_state.get("config_fault"):
        st.warning(f"{fault} {shown_instead(model)}", icon=":material/error:")
    elif model is None and st.session_state.get("model") == settings.OWN:
        st.info("Paste or upload one under **Your own** to see its model. Until then the first of the table is shown.")
    if model is not None:
        st.caption(how_read(model))


def shown_instead(model: Model | None) -> str:
    """What is on the screen while the last configuration cannot be read. `model`: the last one that could."""
    if model is not None:
        return "The last good configuration stays on screen."
    slug = st.session_state.get("model")
    if slug == settings.OWN:
        return f"Until one can be read, {settings.MODELS[0]} is shown, the first of the table."
    return f"{slug} stays on screen."


def how_read(model: Model) -> str:
    """Whether its family is known, every guess, and every field that is not followed, not known, or left out."""
    family = f"model_type `{model.model_type}`, read as transformers builds it" if known(model) else _assumed(model)
    sentences = [f"{family}{': ' if model.notes else ''}{'; '.join(model.notes)}."]
    if model.counted_as and not model.named:
        sentences.append(
            f"It does not say which class is built (`architectures` is not there), so its family's usual one is counted: "
            f"`{model.counted_as}`. Another has another head, or none."
        )
    if model.unfollowed:
        sentences.append(f"Not followed here: {_listed(model.unfollowed)}. The count could be another, so there is no total.")
    if model.ignored:
        sentences.append(f"transformers' class has no such field and builds the same without it: {_listed(model.ignored)}.")
    if model.defaults:
        sentences.append(f"Left out, so transformers' default: {_listed(model.defaults)}.")
    return " ".join(sentences)


def _assumed(model: Model) -> str:
    if model.unfollowed:
        return f"**Not exact**, model_type `{model.model_type}`"
    return "**Assumed**, family unknown"


def _listed(fields: tuple[FieldValue, ...]) -> str:
    """Names and values as code, no more than a few."""
    shown = ", ".join(f"{quoted(said.name)} = {quoted(said.value)}" for said in fields[:MOST_NAMED])
    more = len(fields) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
