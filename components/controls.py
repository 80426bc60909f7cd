"""The shared settings: widgets bound to the address, which become Settings."""

from collections.abc import Sequence

import streamlit as st

from components.late_reports import set_value, settle
from components.settings import DEFAULTS, DRAWERS, SEED_MOST, SPLITS, Settings
from mha.names import BACKENDS, BY_CODE, MASKS, Name

SPLIT_HELP = (
    "**paper**: d_k = d_v = d_model / h, as in the paper, PyTorch and Hugging Face. "
    "**free**: each head has its own key_dim and value_dim, as in Keras."
)
DRAWERS_HELP = (
    "**stage**: blocks glide, cells light up and explain themselves. "
    "**plotly**: the same picture with zoom, values under the pointer, and a file to take away."
)

#: Stops of the sliders: what people use, evenly spread to the eye. Anything between is typed.
STOPS = {
    "d_model": (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096),
    "num_heads": (1, 2, 4, 8, 16, 32, 64, 128, 256),
    "key_dim": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512),
    "value_dim": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512),
}


#: Of a number's field beside its slider.
FIELD_PX = 84


def stops_of(code: str, value: int) -> list[int]:
    """A slider's stops, and the typed value between them."""
    return sorted({*STOPS[code], value})


def stops_beside(code: str, value: int) -> list[int]:
    """The stops to the left and to the right."""
    stops = stops_of(code, value)
    here = stops.index(value)
    return [*stops[max(here - 1, 0) : here], *stops[here + 1 : here + 2]]


def _number(name: Name, **kwargs) -> int:
    return st.number_input(name.label, name.least, name.most, DEFAULTS[name.code], key=name.code, bind="query-params", **kwargs)


def number_with_stops(
    key: str, label: str, stops: Sequence[int], least: int, most: int, default: int, help: str, width: int = FIELD_PX
) -> int:
    """One whole number: a slider with stops, bound to the address, holds it; a field beside it shows it and takes any other."""
    state, typed, usual = st.session_state, f"{key}_typed", f"{key}_default"
    not_chosen = state.get(usual, default) != default and state.get(key) == state[usual]  # so it follows its default
    if state.pop(f"{key}_reset", False) or not_chosen:
        set_value(key, default)
    state[usual] = default
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        options = sorted({*stops, default, *_between(key, least, most)})
        value = st.select_slider(label, options, default, key=key, bind="query-params", help=help)
        if state.get(typed) != value:
            set_value(typed, value)
        state[f"{key}_shown"] = value
        hidden = {"label_visibility": "collapsed", "width": width}
        st.number_input(label, least, most, default, key=typed, on_change=_take, args=(key,), **hidden)  # emptied: the default
    return value


def _between(key: str, least: int, most: int) -> set[int]:
    """The present value, and the one in the browser's address (Back, or not yet heard of a change), where they are no stops."""
    known = {str(st.session_state.get(key)), st.query_params.get(key, "")}
    return {int(text) for text in known if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most}


def _take(key: str) -> None:
    """The number in the field becomes the slider's, unless it only is what a late report says."""
    settle()
    if (number := st.session_state[f"{key}_typed"]) != st.session_state[f"{key}_shown"]:
        set_value(key, number)


def back_to_default(key: str) -> None:
    """In a callback: the number will be drawn at its default, whatever that is by then."""
    st.session_state[f"{key}_reset"] = True


def _size(code: str) -> int:
    name = BY_CODE[code]
    return number_with_stops(code, name.label, STOPS[code], name.least, name.most, DEFAULTS[code], name.help)


def _choice(label: str, options: tuple[str, ...], key: str, help: str, **kwargs) -> str:
    """One of few words; the first is the default."""
    return st.segmented_control(
        label, options, default=options[0], key=key, bind="query-params", required=True, width="stretch", help=help, **kwargs
    )


def _flip() -> None:
    """The switch to Keras's way keeps the layer that is shown: its head sizes stay, and only then can move on their own."""
    settle()
    state = st.session_state
    if state["split"] == "free":
        size = max(1, min(state["d_model"] // state["num_heads"], BY_CODE["key_dim"].most))
        set_value("key_dim", size)
        set_value("value_dim", size)


def draw_controls(shown: bool = True) -> Settings:
    """All shared controls, in the sidebar. They are drawn by the frame, so they keep their values over pages.

    Where they are not `shown` they are hidden rather than left out: a widget that is not mounted loses its place in the address.
    """
    with st.sidebar, st.container(key="lab" if shown else "lab_hidden"):
        split = _choice("Head sizes", SPLITS, "split", SPLIT_HELP, on_change=_flip)
        sizes = {"d_model": _size("d_model"), "num_heads": _size("num_heads")}
        with st.container(key="head_sizes_hidden" if split == "paper" else "head_sizes"):
            sizes |= {"key_dim": _size("key_dim"), "value_dim": _size("value_dim")}
        if split == "paper":
            st.caption(_follows(sizes["d_model"], sizes["num_heads"]))
        with st.container(horizontal=True, gap="small"):
            for code in ("query_len", "key_len"):
                sizes[code] = _number(BY_CODE[code], help=BY_CODE[code].help)
        mask = _choice("Mask", MASKS, "mask", "Causal: query t sees keys 1 … t. Keras: `use_causal_mask`.")
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            seed = st.number_input(
                "Seed", 0, SEED_MOST, 0, key="seed", bind="query-params", help="All weights and inputs come from it."
            )
            use_bias = st.toggle("Biases", True, key="use_bias", bind="query-params")
        backend = _choice("Computed by", BACKENDS, "backend", "The same table of steps in NumPy or in TensorFlow.")
        drawn_by = _choice("Drawn by", DRAWERS, "drawn_by", DRAWERS_HELP)
    return Settings(sizes, split, mask, use_bias, seed, backend, drawn_by)


def _follows(d_model: int, num_heads: int) -> str:
    if d_model % num_heads:
        return f"d_k = d_v = {d_model} / {num_heads} is not a whole number."
    size, most = d_model // num_heads, BY_CODE["key_dim"].most
    limit = f" (free sizes end at {most})" if size > most else ""
    return f"d_k = d_v = d_model / h = {d_model} / {num_heads} = **{size}**{limit}"
