"""The editor of numbers that are typed: X as a table, the weights by a rule or as tables; and what is wrong with them."""

import re

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import quoted
from components.app.controls import control, hidden, value_ahead
from components.app.stale_widget_values import apply_pending, set_value
from mha import Config
from mha.names import heads_in_words
from mha.settings import ARRAYS, NUMBERS, RULE, TYPED, Setting, X
from mha.typed import Typed, Unreadable, has_decimal_commas, read_arrays, read_x, spell_arrays, spell_table, typed_of

#: Characters that the browser lets one paste into each of the two fields: more than are read, so that what is too long is
#: refused in a sentence.
MAX_PASTED = 20_000
#: Keys of the session state: the fields, what the address held when they were last written, what was wrong with the last paste,
#: whether commas were decimal ones, and what was typed last.
X_AREA, ARRAYS_AREA, SHOWN, FAULT, COMMAS, KEPT = (
    "x_area", "arrays_area", "typed_shown", "typed_fault", "typed_commas", "typed_kept",
)  # fmt: skip
PLACEHOLDER = "w_q\n1 0 1\n1 0 0\n0 0 1\n0 1 1\nb_q\n0.5 0 0"


def _raw(setting: Setting) -> str:
    """The text of a setting as the address has it, also where it is too long."""
    value = st.session_state.get(setting.code)
    return value if isinstance(value, str) else st.query_params.get(setting.code, "")


def typed_ahead() -> Typed:
    """Reads typed numbers from their fields, or the address, where they are not drawn. Unreadable says what is wrong with it."""
    return typed_of(_raw(X), value_ahead(RULE), _raw(ARRAYS))


def take_sizes(typed: Typed) -> None:
    """Callback: the shared sizes become those of the numbers, where they are others."""
    cfg: Config | None = st.session_state["settings"].config()
    if cfg is None or typed.why_not(typed.config(cfg)):
        for key, value in typed.sizes(cfg or Config()).items():
            set_value(key, value)


def on_numbers() -> None:
    """Callback of the field for whose numbers are shown: what was typed before comes back, and the sizes follow."""
    apply_pending()
    state = st.session_state
    if state.get(NUMBERS.code) != "typed":  # None where the page has been left meanwhile
        return
    for code, value in state.get(KEPT, {}).items():
        if code not in state:
            set_value(code, value)
    try:
        take_sizes(typed_ahead())
    except Unreadable:
        return


def _take() -> None:
    """Callback: what stands in the two fields goes into the address, or, where it cannot be read, a sentence says why."""
    apply_pending()
    state = st.session_state
    texts = state[X_AREA] or "", state[ARRAYS_AREA] or ""
    try:
        x, arrays = read_x(texts[0]), read_arrays(texts[1])
        spelt = spell_table(x) if texts[0].strip() else "", spell_arrays(arrays)
        typed = typed_of(spelt[0], value_ahead(RULE), spelt[1])
    except Unreadable as fault:
        state[FAULT] = fault
        return
    state.pop(FAULT, None)
    state[COMMAS] = any(has_decimal_commas(text) for text in texts)
    for setting, text in zip((X, ARRAYS), spelt, strict=True):
        set_value(setting.code, text)
    take_sizes(typed)


def editor_fields() -> DeltaGenerator:
    """The button behind which numbers are typed, with the fields that the address keeps. Gives what opens behind it."""
    state = st.session_state
    with hidden("typed_texts"):
        texts = control(X), control(ARRAYS)
    if state.get(SHOWN) != texts or X_AREA not in state:
        state[SHOWN] = texts
        state[X_AREA], state[ARRAYS_AREA] = _readable(*texts)
        state.pop(FAULT, None)
    place = st.popover("Edit the numbers", icon=":material/edit:", key="typed_editor")
    with place:
        st.text_area(
            "X, a row for each position", key=X_AREA, height=130, max_chars=MAX_PASTED, on_change=_take, width=520,
            help="Typed, or pasted from a spreadsheet: spaces, tabs, commas or semicolons between the numbers. Where a tab, a "
            "semicolon or a space separates, 1,5 is one and a half.",
        )  # fmt: skip
        control(RULE)
        with st.expander("Type single arrays"):
            st.text_area(
                "Each below its name; the rest follows the rule above", key=ARRAYS_AREA, height=150, max_chars=MAX_PASTED,
                on_change=_take, placeholder=PLACEHOLDER,
                help="Names as in the ledger: w_q, b_q, … w_o, b_o. A kernel is its flat matrix, d_model × (h·d_k), heads "
                "side by side; w_o has them below each other.",
            )  # fmt: skip
        _say(state.get(FAULT), BEFORE)
        st.button("Show them", on_click=_take)
    state[KEPT] = {setting.code: state[setting.code] for setting in TYPED if setting.code in state}
    return place


def finish_editor(place: DeltaGenerator, cfg: Config, typed: Typed) -> None:
    """Says below the fields what they hold, for the layer `cfg` that is shown."""
    with place:
        st.caption(f"X: {len(typed.x)} × {len(typed.x[0])}, {heads_in_words(cfg.num_heads)}. The address keeps every number.")
        if st.session_state.get(COMMAS):
            st.caption("Decimal commas were read as points.")


def _readable(x: str, arrays: str) -> tuple[str, str]:
    """The two texts as they stand in their fields: a line for each row; what cannot be read, as it is."""
    try:
        rows = spell_table(read_x(x), "\n")
        return rows, spell_arrays(read_arrays(arrays), "\n", "\n")
    except Unreadable:
        return x, arrays


BEFORE = "The numbers before it are still shown."


def say_fault(fault: Unreadable | None) -> None:
    """What is wrong with the address (`fault`), and with what was typed last."""
    _say(fault, "The example is shown.")
    _say(st.session_state.get(FAULT), BEFORE)


def _say(wrong: Unreadable | None, still: str) -> None:
    """The sentence, with the field in bold and the visitor's text quoted; nothing where nothing is wrong."""
    if wrong is not None:
        got = f", got {quoted(wrong.raw)}" if wrong.raw else ""
        sentence = re.sub(r"^(\w+)", r"**\1**", wrong.sentence)
        st.warning(f"{sentence}{got}. {still}", icon=":material/error:")
