"""The shared settings: widgets bound to the address, which become Settings.

Every whole number has two widgets with one value: the number field is bound to the address and holds it; the slider
is a remote control without a value of its own. It writes to the field when it is moved (a callback on a widget that is
mounted: then Streamlit keeps the address right, measured in Chromium). When the field takes another value by itself, a new
slider stands in its place: a browser that has not heard of the change yet goes on reporting the old slider, by its old
name, and cannot turn the field back (setting the same slider from here was overruled by such late reports, under load).
"""

import time
from collections.abc import MutableMapping
from dataclasses import dataclass

import streamlit as st

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


#: Of a number beside its slider.
FIELD_PX = 84
#: Seconds after a slider's move in which the field's old value counts as a late report of the browser, not as typed.
LATE = 1.5


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


@dataclass(frozen=True, slots=True)
class Move:
    """A slider's move: the value it went to, what the field held before, and when (seconds of a clock that only runs on)."""

    to: int
    before: frozenset[int]
    at: float


def _pick(code: str, remote: str) -> None:
    state = st.session_state
    if remote != f"{code}_stop_{state[f'{code}_remote'][0]}":
        return  # a slider that has been replaced: the browser has not heard of it yet, and reports it once more
    last = state.get(f"{code}_move")
    before = last.before if last and time.monotonic() - last.at < LATE else frozenset()
    state[f"{code}_move"] = Move(state[remote], before | {state[code]}, time.monotonic())
    state[code] = state[remote]


def undo_late_report(code: str, state: MutableMapping[str, object]) -> None:
    """Right after a move the browser may still report what the field held before (under load, with the next press or a look for
    Keras's answer): that is no typing, and the move holds."""
    move = state.get(f"{code}_move")
    if move and state.get(code) in move.before - {move.to} and time.monotonic() - move.at < LATE:
        state[code] = move.to


def remote_of(code: str, value: int, state: MutableMapping[str, object]) -> str:
    """The key of the slider that stands at `value`: the last one, or where that has been left behind, the next.

    Its value at birth is kept beside its number: Streamlit may have forgotten the slider where the browser has not.
    """
    number, at_birth = state.setdefault(f"{code}_remote", (0, value))
    if state.get(f"{code}_stop_{number}", at_birth) != value:
        number += 1
        state[f"{code}_remote"] = number, value
    return f"{code}_stop_{number}"


def _size(code: str) -> int:
    """Slider and exact field, side by side."""
    name, state = BY_CODE[code], st.session_state
    if (moved := state.pop(f"{code}_moved", None)) is not None:
        state[code] = moved
    undo_late_report(code, state)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        left = st.container(key=f"{code}_stop")
        value = _number(name, label_visibility="collapsed", width=FIELD_PX)
    with left:
        remote = remote_of(code, value, state)
        stops = stops_of(code, value)
        shown = st.select_slider(name.label, stops, value, key=remote, on_change=_pick, args=(code, remote), help=name.help)
    if shown != value:  # moved while a server was lost: the one that took over knew of no callback to call yet
        state[f"{code}_moved"] = shown
        st.rerun()
    return value


def _choice(label: str, options: tuple[str, ...], key: str, help: str, **kwargs) -> str:
    """One of few words; the first is the default."""
    return st.segmented_control(
        label, options, default=options[0], key=key, bind="query-params", required=True, width="stretch", help=help, **kwargs
    )


def _flip() -> None:
    """The switch to Keras's way keeps the layer that is shown: its head sizes stay, and only then can move on their own."""
    state = st.session_state
    if state["split"] == "free":
        size = max(1, min(state["d_model"] // state["num_heads"], BY_CODE["key_dim"].most))
        state["key_dim"] = state["value_dim"] = size


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
