"""The model on the screen: which one, and with how many heads."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.pages.published import configuration, keys
from components.streamlit.controls import back_to_default, number_with_stops
from components.streamlit.hidden import hidden
from mha.config import divisors
from mha.published.attention import MOST_HEADS, Attention, Refused
from mha.published.conventions import head_counts
from mha.published.model import Model
from mha.published.table import Entry, entries


@dataclass(frozen=True, slots=True)
class Chosen:
    """`published`: as it is; `model`: with its heads moved, or as published where that is `refused`. `entry` None: the visitor's
    own configuration."""

    name: str
    entry: Entry | None
    published: Model
    model: Model
    asked: int
    refused: Refused | None

    @property
    def moved(self) -> bool:
        return self.model != self.published


def choose_model() -> tuple[Chosen, DeltaGenerator]:
    """Chooser, sliders for heads and key/value heads; and the place between them, for the visitor's own configuration."""
    left, beside, middle, right = st.columns([3, 2, 4, 4], gap="small", vertical_alignment="bottom")
    with left:
        slug = st.selectbox(
            "Model", keys.MODELS, key="model", bind="query-params", on_change=as_published,
            help="Type to search. The last one is your own configuration.",
        )  # fmt: skip
    configured = configuration.configured() if slug == keys.OWN else None
    entry = entries()[slug if slug != keys.OWN else keys.MODELS[0]]
    published = configured or entry.model
    attention = published.attention
    with middle:
        heads = _count("model_heads", "Heads h", attention.heads, head_counts(attention))
    with right, hidden("model_kv_heads_choice", unless=not attention.kv_follow):
        least = divisors(heads) if heads <= MOST_HEADS else []
        kv_heads = _count("model_kv_heads", "Key/value heads h_kv", attention.kv_heads, least)
    configuration.say_how_read(configured)
    model, refused = _moved(published, attention, heads, kv_heads)
    name, shown = ("Your configuration", None) if configured else (entry.slug, entry)
    return Chosen(name, shown, published, model, heads, refused), beside


def _moved(published: Model, attention: Attention, heads: int, kv_heads: int) -> tuple[Model, Refused | None]:
    try:
        return published.with_heads(heads, None if attention.kv_follow else kv_heads), None
    except Refused as refused:
        return published, refused


def as_published() -> None:
    """Another model starts with its own heads."""
    for key in keys.HEADS:
        back_to_default(key)
    st.session_state["config_fault"] = None  # it was about a configuration


def _count(key: str, label: str, own_count: int, stops: list[int]) -> int:
    """Slider over the counts that make a layer, and a field that takes any. Not chosen: the model's own count."""
    published = f"Published: {own_count}. The field beside it takes any number."
    return number_with_stops(key, label, stops, 1, MOST_HEADS, own_count, published, width=96)
