"""Which figure, and how it comes out: widgets bound to the address, which become a Request and a Look."""

import streamlit as st

from components.export.figure import Figure
from components.export.look import FONTS, OWN, SIZES, THEMES, Look
from components.export.options import OPTIONS, Choice, Count, Words
from components.export.registry import FIGURES
from components.export.request import Request, chosen
from components.settings import Settings
from components.takeaway.base import base_of
from components.takeaway.keys import NUMBERS
from mha import Config

PARTS = ("title", "caption", "stamp")
SIZE_HELP = " · ".join(f"**{name}**: {known.label}" for name, known in SIZES.items()) + f" · **{OWN}**: width and height as typed"


def chosen_figure() -> Figure:
    name = st.selectbox("Figure", list(FIGURES), key="figure", bind="query-params", filter_mode=None)
    st.caption(FIGURES[name].title)
    return FIGURES[name]


def chosen_request(figure: Figure, settings: Settings, cfg: Config) -> Request:
    """The layer of the shared settings, with what the figure's page lets one choose. What this figure does not read stays in the
    address, hidden: another figure may."""
    shown, hidden, values = st.container(), st.container(key="hide_options"), {}
    for key, option in OPTIONS.items():
        with shown if key in figure.options else hidden:
            values[key] = _control(key, option)
    return Request(cfg, settings.paper, chosen({key: values[key] for key in figure.options}))


def _control(key: str, option: Choice | Count | Words) -> int | str:
    if isinstance(option, Count):
        return st.number_input(option.label, option.least, option.most, option.default, key=key, bind="query-params")
    if isinstance(option, Choice) and not option.few:
        return st.selectbox(option.label, option.words, key=key, bind="query-params")
    if isinstance(option, Choice):
        return st.segmented_control(
            option.label, option.words, default=option.default, key=key, bind="query-params", required=True, width="stretch"
        )
    return st.text_input(option.label, key=key, bind="query-params", max_chars=option.most)[: option.most]


def _one_of(label: str, words: tuple[str, ...], key: str) -> str:
    return st.segmented_control(label, words, default=words[0], key=key, bind="query-params", required=True, width="stretch")


def chosen_look() -> Look:
    """Size, colours, type and what is written around the figure."""
    size = st.selectbox("Size", [*SIZES, OWN], key="size", bind="query-params", filter_mode=None, help=SIZE_HELP)
    with st.container(key="own_size" if size == OWN else "hide_own_size", horizontal=True):
        sides = {
            key: st.number_input(f"{key.capitalize()} in pixels", *NUMBERS[key], key=key, bind="query-params") for key in NUMBERS
        }
    theme = _one_of("Colours", tuple(THEMES), "theme")
    font = _one_of("Font", FONTS, "font")
    with st.container(horizontal=True):
        around = {part: st.toggle(part.capitalize(), True, key=f"with_{part}", bind="query-params") for part in PARTS}
    return Look(size=size, theme=theme, font=font, base=base_of(st.context.url), **sides, **around)
