"""Draws the sidebar's controls for the shared settings, and returns their values as Settings. The address has the same values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from components.app.stale_widget_values import apply_pending, set_value, show_value
from components.app.visit import visit
from components.settings import Settings
from components.symbols import set_symbols
from headcount import settings
from headcount.names import BY_CODE, heads_in_words
from headcount.settings import HEAD_SIZES, STOPS, FreeText, Number, Setting, Switch, Whole, Word, heads_stops

#: Heading of the group of number fields, one for each slider, in which its exact number can be typed.
EXACT = "Exact sizes"
#: A choice among more words than this is drawn as a list, not as a row of buttons.
MAX_BUTTONS = 8


def hidden(key: str, unless: bool = False, **layout) -> DeltaGenerator:
    """A container that the style sheet hides (assets/style.css). `unless`: whether the container is visible after all. Streamlit
    (1.67) forgets a bound widget that is not drawn: its value and its key in the address
    (tests/app/test_streamlit_contract.py)."""
    return st.container(key=key if unless else f"hide_{key}", **layout)


def slider_label(code: str) -> str:
    return f"{BY_CODE[code].label} `{code}`"


def slider_with_stops(key: str, label: str, stops: Sequence[int], least: int, most: int, default: int, help: str) -> int:
    """Draws a slider that offers a few whole numbers (`stops`), and returns the chosen number. Streamlit (1.67) accepts only
    offered numbers (tests/app/test_streamlit_contract.py). So a valid number in the address is offered, too."""
    ours, usual = visit(), visit().usual
    not_chosen = usual.get(key, default) != default and st.session_state.get(key) == usual[key]  # so it follows its default
    if key in ours.reset or not_chosen:
        show_value(key, default)
    ours.reset.discard(key)
    usual[key] = default
    return _stop_slider(key, label, stops, least, most, default, help=help)


def _stop_slider(key: str, label: str, stops: Iterable[int], least: int, most: int, default: int, **more: Any) -> int:
    """Draws Streamlit's slider and returns the chosen number. It offers `stops`, the default, and the numbers of `_between`."""
    options = sorted({*stops, default, *_between(key, least, most)})
    return st.select_slider(label, options, default, key=key, bind="query-params", **more)


def exact_number(key: str, label: str, least: int, most: int, default: int, value: int, **layout) -> None:
    """Draws a field in which the slider `key` gets an exact number. `value`: the slider's present number."""
    typed = f"{key}_typed"
    if st.session_state.get(typed) != value:
        show_value(typed, value)
    visit().in_field[key] = value
    st.number_input(label, least, most, default, key=typed, on_change=_take, args=(key,), **layout)


def _between(key: str, least: int, most: int) -> set[int]:
    """The slider's numbers in the session and in the address, if allowed. After the browser's Back the two may differ."""
    known = {str(st.session_state.get(key)), st.query_params.get(key, "")}
    return {int(text) for text in known if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most}


def _take(key: str) -> None:
    """Callback of a field of `exact_number`: sets the slider to the typed number. Ignores a stale value."""
    apply_pending()
    if (number := st.session_state[f"{key}_typed"]) != visit().in_field[key]:
        set_value(key, number)


def control(setting: Setting, place: DeltaGenerator | None = None, **more) -> Any:
    """Draws a setting's widget, bound to the address, and returns its value. `more`: further arguments for the widget."""
    if place is not None:
        with place:
            return control(setting, **more)
    label = setting.label or setting.code
    more = {"key": setting.code, "bind": "query-params", "help": set_symbols(setting.help) or None} | more
    if isinstance(setting, Switch):
        return st.toggle(label, setting.default, **more)
    if isinstance(setting, FreeText):
        return st.text_input(label, setting.default, max_chars=setting.most + setting.spare, **more)
    if isinstance(setting, Word) and len(setting.choices) > MAX_BUTTONS:
        return st.selectbox(label, setting.choices, setting.choices.index(setting.default), **more)
    if isinstance(setting, Word):
        return st.segmented_control(
            label, setting.choices, default=setting.default, required=True, format_func=setting.format, **more
        )
    if isinstance(setting, Whole) and setting.code in STOPS:
        stops, label = more.get("stops", STOPS[setting.code]), slider_label(setting.code)
        return slider_with_stops(setting.code, label, stops, setting.least, setting.most, setting.default, more["help"])
    if isinstance(setting, (Whole, Number)):
        more.setdefault("placeholder", setting.default_label or None)
        return st.number_input(label, setting.least, setting.most, setting.default, **more)
    raise TypeError(f"there is no widget for {setting!r}")


def value_ahead(setting: Setting) -> Any:
    """The value that a setting's widget will have later in this run: from the session, from the address, or else the default."""
    value = st.session_state.get(setting.code)
    value = setting.convert(st.query_params.get(setting.code, "")) if value is None else value
    return value if setting.is_valid(value) else setting.default


def for_this_layer(setting: Whole, head: int, num_heads: int) -> int:
    """Returns the chosen `head` (from 1). If the layer has fewer heads, shows a warning and returns the setting's default."""
    if head <= num_heads:
        return head
    which = setting.default_label or setting.default
    st.warning(
        f"**{setting.code}** must be a whole number from {setting.least} to {num_heads} in a layer with "
        f"{heads_in_words(num_heads)}, got `{head}`; showing {which}."
    )
    return setting.default


def head_size(setting: Setting[int], follows: int | None, whole: bool, keras: bool) -> int:
    """Draws the slider of a head's key or value size, and returns the size. `follows`: d_model // h, at least 1, if the switch
    says the paper's convention, else None. `whole`: False disables the slider. `keras`: whether the page always has Keras's
    convention; on other pages, a move of the slider changes to that convention."""
    code, state = setting.code, st.session_state
    tied = None if keras else follows
    default = setting.default if follows is None else follows
    followed = visit().followed
    before, followed[code] = followed.get(code), follows  # first: a run may be cut short once the value is set
    if code not in state and tied is not None and code in st.query_params:
        del st.query_params[code]  # in the paper's convention, a head size in a link means nothing
        st.rerun()  # a widget takes its first value from the address where a run begins (address.restore_query)
    elif code in state and tied not in (None, state[code]):
        show_value(code, tied)
    elif code in state and before != follows and visit().moved != code and not keras:
        show_value(code, state[code])  # the default is new: Streamlit (1.67) updates the address only when a value is set
    name, moved = BY_CODE[code], None if keras else _own_size
    more = {"help": set_symbols(setting.help), "disabled": not whole, "on_change": moved, "args": (code,)}
    size = _stop_slider(code, slider_label(code), STOPS[code], name.least, name.most, default, **more)
    if tied not in (None, size):  # the browser reports the size of a server that died; from here on the state has it
        st.rerun()
    return size


def _own_size(code: str) -> None:
    """Callback of a head size's slider: changes from the paper's convention to Keras's. Ignores a stale value."""
    apply_pending()
    if st.session_state["split"] == "paper" and st.session_state[code] != visit().followed.get(code):
        set_value("split", "free")
        visit().moved = code


def draw_controls(shown: bool = True, keras: bool = False) -> Settings:
    """Draws the shared controls in the sidebar, and returns their values. `shown`: False hides the controls; the values stay.
    `keras`: whether the page is about Keras's layer; the visitor then cannot change the convention."""
    left = {setting.code: setting for setting in settings.SHARED}
    values: dict[str, Any] = {}

    def put(code: str, **more) -> None:
        setting = left.pop(code)
        values[code] = control(setting, **({"width": "stretch"} if isinstance(setting, Word) else {}), **more)

    with st.sidebar, hidden("lab", unless=shown):
        switch = left["split"]
        if keras:
            more = {"default": settings.SPLITS[1], "format_func": switch.format, "disabled": True, "width": "stretch"}
            more["help"] = "This page always shows Keras's layer. The other pages keep the choice that you make there."
            with st.container(key="switch_here"):
                st.segmented_control(switch.label, settings.SPLITS, **more)
        with hidden("switch", unless=not keras):
            put("split")
        put("d_model")
        chosen = values["split"] == "paper"
        put("num_heads", stops=heads_stops(values["d_model"], chosen))
        width, heads, paper = values["d_model"], values["num_heads"], chosen and not keras
        follows = max(1, width // heads) if chosen else None
        for code in HEAD_SIZES:
            values[code] = head_size(left.pop(code), follows, not paper or width % heads == 0, keras)
        st.caption(_head_sizes(width, heads, paper))
        visit().numbers = st.container()
        if not st.session_state.get("more", False) and _changed(left.values()):
            # With `expanded`, it would be another expander (1.67), and text that is being typed would be lost.
            st.session_state["more"] = st.session_state["more_box"] = True
        box = st.expander("More", on_change="rerun", key="more_box")
        if stays_drawn("more_drawn", left.values(), bool(box.open)):
            with box:
                _draw_more(put, left, values, shown, HEAD_SIZES if paper else ())
    return Settings({setting.code: values.get(setting.code, setting.default) for setting in settings.SHARED}, keras)


def _draw_more(
    put: Callable[..., None], left: Mapping[str, Setting], values: Mapping[str, Any], shown: bool, following: tuple[str, ...]
) -> None:
    """Draws the controls under More. `put`: draws the setting with a given code; `left`: the settings that are not drawn yet.
    `values`: the values so far. `following`: codes of the sizes without an exact field, because other sizes determine them."""
    with st.container(key="lengths_row", horizontal=True, gap="small"):
        put("query_len")
        put("key_len")
    put("mask")
    with st.container(key="seed_row", horizontal=True, gap="small", vertical_alignment="bottom"):
        put("seed")
        put("use_bias")
    for setting in [one for one in left.values() if not one.group]:  # all others, in the order of the table
        put(setting.code)
    if shown and _opened(EXACT):
        st.caption(f"**{EXACT}**")
        for one in settings.SHARED:
            if isinstance(one, Whole) and one.code in STOPS and one.code not in following:
                exact_number(one.code, one.label or one.code, one.least, one.most, one.default, values[one.code])
    for group in dict.fromkeys(setting.group for setting in left.values() if setting.group):
        grouped = [setting for setting in left.values() if setting.group == group]
        if stays_drawn(group, grouped) or (shown and _opened(group)):
            st.caption(f"**{group}**")
            for setting in grouped:
                put(setting.code)


def _opened(group: str) -> bool:
    """Whether a group of controls is open. If the group is closed, draws the button that opens the group."""
    if not st.session_state.get(group, False):
        st.button(group, key=f"open {group}", type="tertiary", on_click=st.session_state.update, args=({group: True},))
    return st.session_state.get(group, False)


def _changed(inside: Iterable[Setting]) -> dict[Setting, Any]:
    """The settings of `inside`, with their values, that the session or the address sets to another value than the default."""
    spoken = {*visit().begun_with, *st.query_params}
    return {setting: value for setting in inside if setting.code in spoken and (value := value_ahead(setting)) != setting.default}


def stays_drawn(key: str, inside: Iterable[Setting], seen: bool = False) -> bool:
    """Whether a group of controls is drawn. The group stays drawn once it was `seen`, or once a setting differed from its
    default. If a callback sets a widget that is not drawn yet, Streamlit (1.67) does not change the address
    (tests/app/test_sidebar.py). So this function puts such values into the address."""
    state = st.session_state
    if not state.get(key, False):
        changed = _changed(inside)
        for setting, value in changed.items():
            if setting.code not in st.query_params:
                with suppress(StreamlitAPIException):  # a widget of the last page still holds the key (address.restore_query)
                    st.query_params[setting.code] = setting.format(value)
        state[key] = seen or bool(changed)
    return state[key]


def _head_sizes(d_model: int, num_heads: int, paper: bool) -> str:
    if not paper:
        return "As in Keras, both head sizes stay as they are when the number of heads changes."
    visit().moved = ""
    if d_model % num_heads:
        return f"Both head sizes would be {d_model} / {num_heads}, which is not a whole number."
    return f"Both head sizes are {d_model} / {num_heads} = {d_model // num_heads}. To choose them, switch to Keras."
