"""From the settings to the layer that the page builds: widgets that only this page has, and what they make of the shared ones."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from components.keras_layer.keys import ATTENTION_MASKS, MASK_CASES, NUMBERS, PARTS, TEXTS
from components.keras_layer.reading import (
    MOST_SIDE,
    Unreadable,
    read_axes,
    read_cells,
    read_input_shape,
    read_lengths,
    read_output_shape,
)
from components.refusal import refuse
from components.settings import Settings
from components.shell import PageEnds
from mha.keras_grouped import GroupedLayer
from mha.keras_layer import KerasLayer

HELP = {
    "batch": "B: samples in one call.",
    "input_shape": "Positions and width without the batch, as in `keras.Input(shape=…)`: two numbers are rank 3, `3,4,16` is "
    "rank 4. Empty: T and d_model of the sidebar.",
    "key_width": "Last axis of the key input. 0: as wide as the query.",
    "value_width": "Last axis of the value input. 0: as wide as the query.",
    "output_shape": "Empty: as wide as the query. One number or several.",
    "attention_axes": "Which axes of the input attend, 0 is the batch. Empty: all axes of positions.",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the page shows: the layer, the mask it is called with (None: none), and the grouped layer beside it."""

    layer: KerasLayer
    causal: bool
    attention_mask: str
    mask: np.ndarray | None
    mask_case: str
    num_kv_heads: int
    drawn_by: str

    @property
    def batch(self) -> int:
        return self.layer.query_shape[0]

    @property
    def flat(self) -> KerasLayer:
        """The layer on inputs of rank 3: all positions in one row, where it has more axes of them."""
        if self.layer.rank == 3 and self.layer.axes == (1,):
            return self.layer
        rows = [(shape[0], int(np.prod(shape[1:-1])), shape[-1]) for shape in
                (self.layer.query_shape, self.layer.value_shape, self.layer.key_shape)]  # fmt: skip
        return replace(self.layer, query_shape=rows[0], value_shape=rows[1], key_shape=rows[2], attention_axes=())

    def grouped(self, num_kv_heads: int) -> GroupedLayer:
        flat = self.flat
        return GroupedLayer(
            flat.num_heads, num_kv_heads, flat.key_dim, flat.query_shape[1], flat.value_shape[1], flat.query_shape[2],
            flat.key_shape[2], flat.value_shape[2], 1, flat.use_bias, flat.seed,
        )  # fmt: skip


def chosen_part() -> str:
    return st.segmented_control(
        "Part", PARTS, default=PARTS[0], key="part", bind="query-params", required=True, label_visibility="collapsed",
        width="stretch",
    )  # fmt: skip


def number(key: str, label: str, **more) -> int:
    least, most, default = NUMBERS[key]
    return st.number_input(label, least, most, default, key=key, bind="query-params", help=HELP.get(key), **more)


def text(key: str, label: str, example: str, **more) -> str:
    return st.text_input(
        label, key=key, bind="query-params", max_chars=TEXTS[key], placeholder=example, help=HELP.get(key), **more
    )


def read(reader, *arguments, default=()):
    """What was typed as numbers; a sentence on the page, and the default, where it is none."""
    try:
        return reader(*arguments)
    except Unreadable as error:
        st.warning(str(error))
        return default


def choose(settings: Settings, part: str) -> Chosen:
    """The fields of this page, and what they and the sidebar describe together.

    Fields that the part on the screen does not use are hidden, not left out: one that is not mounted loses its place in the
    address.
    """
    with st.container(key="sizes"):
        fields = st.columns([2, 3, 2, 2, 3, 3], vertical_alignment="bottom", gap="small")
        with fields[0]:
            batch = number("batch", "Batch (B)")
        with fields[1]:
            typed = text("input_shape", "input_shape", "6,16 or 3,4,16")
        with fields[2]:
            key_width = number("key_width", "Key width")
        with fields[3]:
            value_width = number("value_width", "Value width")
        with fields[4]:
            output = text("output_shape", "output_shape", "d_model, or 7,2")
        with fields[5]:
            axes = text("attention_axes", "attention_axes", "all, or 1 or 1,2")
    shape = read(read_input_shape, typed)
    sizes = settings.sizes | ({"d_model": shape[-1]} if shape else {})
    cfg = replace(settings, sizes=sizes).config()
    if cfg is None:
        refuse(replace(settings, sizes=sizes))
        raise PageEnds
    width = sizes["d_model"]
    positions = shape[:-1] or (cfg.query_len,)
    crosses = len(positions) == 1 and cfg.query_len != cfg.key_len
    keys = (cfg.key_len,) if crosses else positions
    if shape:
        told = " × ".join(map(str, positions))
        st.caption(f"Positions {told} and d_model {width} come from input_shape here, not from the sidebar.")
    layer = KerasLayer(
        cfg.num_heads, cfg.key_dim, cfg.value_dim, (batch, *positions, width), (batch, *keys, value_width or width),
        (batch, *keys, key_width or width), read(read_output_shape, output), read(read_axes, axes), cfg.use_bias, cfg.seed,
    )  # fmt: skip
    return Chosen(layer, cfg.mask == "causal", *_mask(layer, part), _kv_heads(cfg.num_heads, part), settings.drawn_by)


def _mask(layer: KerasLayer, part: str) -> tuple[str, np.ndarray | None, str]:
    queries, keys = (int(np.prod(shape[1:-1])) for shape in (layer.query_shape, layer.key_shape))
    with st.container(key="cases" if part == "masks" else "hide_cases"):
        case = st.segmented_control(
            "Case", MASK_CASES, default=MASK_CASES[0], key="mask_case", bind="query-params", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
    with st.container(key="masks" if part == "masks" and case == "yours" else "hide_masks"):
        left, right = st.columns([3, 4], vertical_alignment="bottom")
        with left:
            kind = st.segmented_control(
                "attention_mask", ATTENTION_MASKS, default="none", key="attention_mask", bind="query-params", required=True,
                help="Keras's argument of the call. `use_causal_mask` is the sidebar's mask; Keras joins the two by *and*.",
            )  # fmt: skip
        with right:
            with st.container(key="lengths_field" if kind == "padding" else "hide_lengths"):
                lengths = text("lengths", "Real keys of each sample", "6,4")
            with st.container(key="cells_field" if kind == "custom" else "hide_cells_field"):
                cells = text("mask_cells", "Who may look: rows of 1 and 0, or click below", "100000,110000,111000")
    if kind == "padding":
        real = read(read_lengths, lengths, layer.query_shape[0], keys, default=(keys,) * layer.query_shape[0])
        return kind, np.arange(keys) < np.array(real)[:, None, None], case
    if kind == "custom" and max(queries, keys) > MOST_SIDE:
        st.caption(f"A mask is typed up to {MOST_SIDE} × {MOST_SIDE}; here all may look.")
    elif kind == "custom":
        return kind, read(read_cells, cells, queries, keys, default=np.ones((queries, keys), bool)), case
    return kind, None, case


def _kv_heads(num_heads: int, part: str) -> int:
    """The largest divisor of h that is not above what was chosen; said where it is another."""
    with st.container(key="kv_heads" if part == "groups" else "hide_kv_heads"):
        wanted = number("num_kv_heads", "Key/value heads (num_kv_heads)", width=240)
        made = next(kv for kv in range(min(wanted, num_heads), 0, -1) if num_heads % kv == 0)
        if made != wanted:
            st.caption(f"{wanted} key/value heads do not divide {num_heads} query heads; showing {made}.")
    return made
