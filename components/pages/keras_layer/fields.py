"""The widgets that only the page of the Keras layer has, all bound to the address."""

import re
from dataclasses import dataclass

import numpy as np
import streamlit as st

from components.pages.keras_layer.keys import SETTINGS
from components.streamlit.address import quoted
from components.streamlit.hidden import hidden
from mha.settings import Text, Whole, Word, by_code

WORDS = by_code([setting for setting in SETTINGS if isinstance(setting, Word)])
NUMBERS = by_code([setting for setting in SETTINGS if isinstance(setting, Whole)])
TEXTS = by_code([setting for setting in SETTINGS if isinstance(setting, Text)])


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
    """Fields that the part on the screen does not use are hidden."""
    with st.container(key="sizes", horizontal=True, gap="small", vertical_alignment="bottom"):
        batch = _number("batch", width=FIELD_PX)
        shapes = {key: _text(key, example, st, width=FIELD_PX) for key, example in EXAMPLES.items()}
    masks, groups = part == "masks", part == "groups"
    with hidden("cases", unless=masks):
        case = _words("mask_case", label_visibility="collapsed")
    with hidden("masks", unless=(masks and case == "yours") or part == "code"):
        left, right = st.columns([3, 5], vertical_alignment="bottom")
        with left:
            kind = _words("attention_mask")
        with right:
            padding, custom = (hidden(f"{word}_field", unless=kind == word) for word in ("padding", "custom"))
        lengths = _text("lengths", "6,4", padding)
        cells = _text("mask_cells", "100000,110000,111000", custom)
    with hidden("kv_heads", unless=groups):
        kv_heads = _number("num_kv_heads", width=240)
    return Fields(
        batch=batch, **shapes, mask_case=case, attention_mask=kind, lengths=lengths, mask_cells=cells, num_kv_heads=kv_heads
    )


#: So that six stand in a row beside the sidebar, and two on a phone.
FIELD_PX = 136
#: Texts of the first row, with what may stand there.
EXAMPLES = {
    "input_shape": "6,16 or 3,4,16", "key_width": "d_model", "value_width": "d_model", "output_shape": "d_model, or 7,2",
    "attention_axes": "all, or 1 or 1,2",
}  # fmt: skip


def _words(key: str, **more) -> str:
    known = WORDS[key]
    more |= {"default": known.default, "bind": "query-params", "required": True, "help": known.help or None}
    return st.segmented_control(known.label, known.choices, key=key, **more)


def _number(key: str, width: int) -> int:
    known = NUMBERS[key]
    return st.number_input(
        known.label, known.least, known.most, known.default, key=key, width=width, bind="query-params", help=known.help or None
    )


def _text(key: str, example: str, place, **more) -> str:
    known = TEXTS[key]
    more |= {"max_chars": known.most, "placeholder": example, "help": known.help or None}
    return place.text_input(known.label, key=key, bind="query-params", **more)


MOST_SIZE = 4096
#: The longest side of a mask that is typed or clicked.
MOST_SIDE = 32


class Unreadable(ValueError):
    """Names the field, what is allowed and what came."""


def whole_numbers(key: str, text: str, least: int, most: int, count: tuple[int, int]) -> tuple[int, ...]:
    """Numbers separated by commas, spaces or ×, brackets around them or not; () for an empty text."""
    plain = text.strip().strip("()[]").strip().rstrip(",")
    if not plain:
        return ()
    words = re.split(r"\s*[,;×x]\s*|\s+", plain)
    fits = len(words) <= 64 and all(re.fullmatch(r"[-−]?[0-9]{1,5}", word) for word in words)
    numbers = [int(word.replace("−", "-")) for word in words] if fits else []
    if not fits or not count[0] <= len(numbers) <= count[1] or not all(least <= number <= most for number in numbers):
        how_many = f"{count[0]} to {count[1]} whole numbers" if count[1] > 1 else "a whole number"
        separated = " separated by commas" if count[1] > 1 else ""
        raise Unreadable(f"**{key}** must be {how_many} from {least} to {most}{separated}, got {quoted(text)}.")
    return tuple(numbers)


def read_input_shape(text: str) -> tuple[int, ...]:
    """Positions and width, without the batch, as in `keras.Input(shape=…)`."""
    return whole_numbers("input_shape", text, 1, MOST_SIZE, (1, 4))


def read_width(key: str, text: str) -> int | None:
    """One number; None for an empty text."""
    return next(iter(whole_numbers(key, text, 1, MOST_SIZE, (1, 1))), None)


def read_output_shape(text: str) -> tuple[int, ...]:
    return whole_numbers("output_shape", text, 1, MOST_SIZE, (1, 3))


def read_axes(text: str) -> tuple[int, ...]:
    return whole_numbers("attention_axes", text, -5, 5, (1, 3))


def read_lengths(text: str, batch: int, keys: int) -> tuple[int, ...]:
    """How many keys of each sample are real. Left out: all of them, one less, … one for each sample."""
    given = whole_numbers("lengths", text, 0, 512, (1, 64))[:batch]
    default = tuple(max(1, keys - 2 * sample) for sample in range(batch))
    return tuple(min(length, keys) for length in given) + default[len(given) :]


def read_cells(text: str, queries: int, keys: int) -> np.ndarray:
    """A mask (T, S) of rows of 0 and 1 separated by commas; what is not written is 1. ValueError says what is allowed."""
    mask = np.ones((queries, keys), bool)
    rows = [row for row in re.split(r"[\s,;/]+", text.strip()) if row]
    if any(not re.fullmatch(r"[01]+", row) for row in rows):
        raise Unreadable(f"**mask_cells** must be rows of 0 and 1 separated by commas, got {quoted(text)}.")
    for row, letters in zip(range(queries), rows, strict=False):
        values = [letter == "1" for letter in letters[:keys]]
        mask[row, : len(values)] = values
    return mask


def write_cells(mask: np.ndarray) -> str:
    """The text of a mask; "" where all is allowed."""
    return "" if mask.all() else ",".join("".join("1" if cell else "0" for cell in row) for row in mask)
