"""The widgets that only the page of the Keras layer has, all bound to the address."""

from dataclasses import dataclass

import streamlit as st

from components.keras_layer.keys import SETTINGS
from mha.settings import by_code

BY_CODE = by_code(SETTINGS)


@dataclass(frozen=True, slots=True)
class Fields:
    """What was typed and chosen, as it is."""

    batch: int
    input_shape: str
    key_width: str
    value_width: str
    output_shape: str
    attention_axes: str
    mask_case: str
    attention_mask: str
    lengths: str
    mask_cells: str
    num_kv_heads: int


def chosen_part() -> str:
    return _words("part", label_visibility="collapsed", width="stretch")


def draw_fields(part: str) -> Fields:
    """Fields that the part on the screen does not use are hidden, not left out: one that is not mounted loses its place in the
    address."""
    with st.container(key="sizes", horizontal=True, gap="small", vertical_alignment="bottom"):
        batch = _number("batch", width=FIELD_PX)
        shapes = [_text(key, example, st, width=FIELD_PX) for key, example in EXAMPLES.items()]
    masks, groups = part == "masks", part == "groups"
    with st.container(key="cases" if masks else "hide_cases"):
        case = _words("mask_case", label_visibility="collapsed")
    with st.container(key="masks" if (masks and case == "yours") or part == "code" else "hide_masks"):
        left, right = st.columns([3, 5], vertical_alignment="bottom")
        with left:
            kind = _words("attention_mask")
        with right:
            padding, custom = (
                st.container(key=f"{'' if kind == word else 'hide_'}{word}_field") for word in ("padding", "custom")
            )
        lengths = _text("lengths", "6,4", padding)
        cells = _text("mask_cells", "100000,110000,111000", custom)
    with st.container(key="kv_heads" if groups else "hide_kv_heads"):
        kv_heads = _number("num_kv_heads", width=240)
    return Fields(batch, *shapes, case, kind, lengths, cells, kv_heads)


#: So that six stand in a row beside the sidebar, and two on a phone.
FIELD_PX = 136
#: Texts of the first row, with what may stand there.
EXAMPLES = {
    "input_shape": "6,16 or 3,4,16", "key_width": "d_model", "value_width": "d_model", "output_shape": "d_model, or 7,2",
    "attention_axes": "all, or 1 or 1,2",
}  # fmt: skip


def _words(key: str, **more) -> str:
    known = BY_CODE[key]
    more |= {"default": known.default, "bind": "query-params", "required": True, "help": known.help or None}
    return st.segmented_control(known.label, known.choices, key=key, **more)


def _number(key: str, **more) -> int:
    known = BY_CODE[key]
    more |= {"bind": "query-params", "help": known.help or None}
    return st.number_input(known.label, known.least, known.most, known.default, key=key, **more)


def _text(key: str, example: str, place, **more) -> str:
    known = BY_CODE[key]
    more |= {"max_chars": known.most, "placeholder": example, "help": known.help or None}
    return place.text_input(known.label, key=key, bind="query-params", **more)
