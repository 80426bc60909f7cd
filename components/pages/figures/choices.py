"""Which figure, and how it comes out: widgets bound to the address, which become a Request and a Look."""

from typing import Any

import streamlit as st

from components.export.figure import Figure
from components.export.figures import FIGURES
from components.export.look import FONTS, OWN, SIZES, THEMES, Look
from components.export.options import FEW, OPTIONS
from components.export.request import Request, chosen
from components.pages.figures.keys import HEIGHT, WIDTH
from components.settings import Settings
from components.widgets.choosers import for_this_layer
from components.widgets.downloads import base_of
from mha import Config
from mha.settings import HEAD, HEAD_OFF, Setting, Text, Whole, Word

PARTS = ("title", "caption", "stamp")
SIZE_HELP = " · ".join(f"**{name}**: {known.label}" for name, known in SIZES.items()) + f" · **{OWN}**: width and height as typed"


def chosen_figure() -> Figure:
    name = st.selectbox("Figure", list(FIGURES), key="figure", bind="query-params", filter_mode=None)
    st.caption(FIGURES[name].title)
    return FIGURES[name]


def chosen_request(figure: Figure, settings: Settings, cfg: Config) -> Request:
    """The layer of the shared settings, with what the figure's page lets one choose. What this figure does not read stays in the
    address, hidden: another figure may."""
    shown, hidden = st.container(), st.container(key="hide_options")
    values: dict[str, Any] = {}
    for key, option in OPTIONS.items():
        with shown if key in figure.options else hidden:
            values[key] = _control(option)
    for known in (HEAD, HEAD_OFF):
        if known.code in figure.options:
            values[known.code] = for_this_layer(known, values[known.code], cfg.num_heads)
    return Request(cfg, settings.paper, chosen({key: values[key] for key in figure.options}))


def _control(setting: Setting) -> int | str:
    key, label = setting.code, setting.label
    if isinstance(setting, Whole):
        return _number(setting)
    if isinstance(setting, Text):
        return st.text_input(label, key=key, bind="query-params", max_chars=setting.most)[: setting.most]
    if not isinstance(setting, Word):
        raise TypeError(f"there is no widget for {setting!r}")
    if len(setting.choices) > FEW:
        return st.selectbox(label, setting.choices, key=key, bind="query-params")
    return _one_of(label, setting.choices, key)


def _number(setting: Whole) -> int:
    least, most, default = setting.least, setting.most, setting.default
    return st.number_input(setting.label, least, most, default, key=setting.code, bind="query-params")


def _one_of(label: str, words: tuple[str, ...], key: str) -> str:
    return st.segmented_control(label, words, default=words[0], key=key, bind="query-params", required=True, width="stretch")


def chosen_look() -> Look:
    """Size, colours, type and what is written around the figure."""
    size = st.selectbox("Size", [*SIZES, OWN], key="size", bind="query-params", filter_mode=None, help=SIZE_HELP)
    with st.container(key="own_size" if size == OWN else "hide_own_size", horizontal=True):
        width, height = _number(WIDTH), _number(HEIGHT)
    theme = _one_of("Colours", tuple(THEMES), "theme")
    font = _one_of("Font", FONTS, "font")
    with st.container(horizontal=True):
        around = {part: st.toggle(part.capitalize(), True, key=f"with_{part}", bind="query-params") for part in PARTS}
    return Look(size=size, theme=theme, font=font, base=base_of(st.context.url), width=width, height=height, **around)
