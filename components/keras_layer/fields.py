"""The widgets that only the page of the Keras layer has, all bound to the address."""

from dataclasses import dataclass

import streamlit as st

from components.keras_layer.keys import ATTENTION_MASKS, MASK_CASES, NUMBERS, PARTS, TEXTS

HELP = {
    "batch": "B: samples in one call.",
    "input_shape": "Positions and width without the batch, as in `keras.Input(shape=…)`: two numbers are rank 3, `3,4,16` is "
    "rank 4. Empty: T and d_model of the sidebar.",
    "key_width": "Last axis of the key. Empty: as wide as the query.",
    "value_width": "Last axis of the value. Empty: as wide as the query.",
    "output_shape": "Empty: as wide as the query. One number or several.",
    "attention_axes": "Which axes of the input attend; 0 is the batch. Empty: all axes of positions.",
    "attention_mask": "Keras's argument of the call. `use_causal_mask` is the sidebar's mask; Keras joins the two by *and*.",
    "lengths": "One number for each sample: so many of its keys are real, the rest is padding.",
}


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
    return _words("Part", PARTS, "part", label_visibility="collapsed", width="stretch")


def draw_fields(part: str) -> Fields:
    """Fields that the part on the screen does not use are hidden, not left out: one that is not mounted loses its place in the
    address."""
    with st.container(key="sizes", horizontal=True, gap="small", vertical_alignment="bottom"):
        batch = _number("batch", "Batch (B)", width=FIELD_PX)
        shapes = [_text(key, key, example, st, width=FIELD_PX) for key, example in EXAMPLES.items()]
    masks, groups = part == "masks", part == "groups"
    with st.container(key="cases" if masks else "hide_cases"):
        case = _words("Case", MASK_CASES, "mask_case", label_visibility="collapsed")
    with st.container(key="masks" if (masks and case == "yours") or part == "code" else "hide_masks"):
        left, right = st.columns([3, 5], vertical_alignment="bottom")
        with left:
            kind = _words("attention_mask", ATTENTION_MASKS, "attention_mask", help=HELP["attention_mask"])
        with right:
            padding, custom = (
                st.container(key=f"{'' if kind == word else 'hide_'}{word}_field") for word in ("padding", "custom")
            )
        lengths = _text("lengths", "Real keys of each sample", "6,4", padding)
        cells = _text("mask_cells", "Who may look: rows of 1 and 0; or click below", "100000,110000,111000", custom)
    with st.container(key="kv_heads" if groups else "hide_kv_heads"):
        kv_heads = _number("num_kv_heads", "Key/value heads (num_kv_heads)", width=240)
    return Fields(batch, *shapes, case, kind, lengths, cells, kv_heads)


#: So that six stand in a row beside the sidebar, and two on a phone.
FIELD_PX = 136
#: Texts of the first row, with what may stand there.
EXAMPLES = {
    "input_shape": "6,16 or 3,4,16", "key_width": "d_model", "value_width": "d_model", "output_shape": "d_model, or 7,2",
    "attention_axes": "all, or 1 or 1,2",
}  # fmt: skip


def _words(label: str, options: tuple[str, ...], key: str, **more) -> str:
    return st.segmented_control(label, options, default=options[0], key=key, bind="query-params", required=True, **more)


def _number(key: str, label: str, **more) -> int:
    least, most, default = NUMBERS[key]
    return st.number_input(label, least, most, default, key=key, bind="query-params", help=HELP.get(key), **more)


def _text(key: str, label: str, example: str, place, **more) -> str:
    more |= {"max_chars": TEXTS[key], "placeholder": example, "help": HELP.get(key)}
    return place.text_input(label, key=key, bind="query-params", **more)
