"""The editor of the visitor's own numbers, called typed numbers: X as a table, and the weights by a rule."""

import re

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import quoted
from components.app.controls import control, hidden, value_ahead
from components.app.stale_widget_values import apply_pending, set_value
from headcount import Config
from headcount.names import heads_in_words
from headcount.settings import NUMBERS, RULE, TYPED, X
from headcount.text_bounds import MAX_X_FIELD
from headcount.typed import Typed, Unreadable, has_decimal_commas, read_x, spell_table, typed_of

#: Keys of the session: the text of the field for X, and the address's text for which it was written. Then the
#: error of the last input, and whether its commas were decimal ones. Last, the values of TYPED when they were last drawn.
X_AREA, SHOWN, FAULT, COMMAS, KEPT = "x_area", "typed_shown", "typed_fault", "typed_commas", "typed_kept"


def typed_ahead() -> Typed:
    """The typed numbers, read from their fields, or from the address before the fields are drawn. Raises Unreadable, which says
    what is wrong."""
    value = st.session_state.get(X.code)  # the address has it also where it is too long
    return typed_of(value if isinstance(value, str) else st.query_params.get(X.code, ""), value_ahead(RULE))


def take_sizes(typed: Typed) -> None:
    """Callback: sets the shared sizes to those of the typed numbers, unless the present layer already fits them."""
    cfg: Config | None = st.session_state["settings"].config()
    if cfg is None or typed.why_not(typed.config(cfg)):
        for key, value in typed.sizes(cfg or Config()).items():
            set_value(key, value)


def on_numbers() -> None:
    """Callback of the field that chooses trained, random or typed numbers. If typed ones are chosen, restores those typed
    before, and sets the shared sizes to theirs."""
    apply_pending()
    state = st.session_state
    if state.get(NUMBERS.code) != "typed":  # None if the visitor has left the page meanwhile
        return
    for code, value in state.get(KEPT, {}).items():
        if code not in state:
            set_value(code, value)
    try:
        take_sizes(typed_ahead())
    except Unreadable:
        return


def _take() -> None:
    """Callback: puts the text of the field for X into the address and sets the sizes, or remembers why it cannot be read."""
    apply_pending()
    state = st.session_state
    text = state[X_AREA] or ""
    try:
        x = read_x(text)
        spelt = spell_table(x) if text.strip() else ""
        typed = typed_of(spelt, value_ahead(RULE))
    except Unreadable as fault:
        state[FAULT] = fault
        return
    state.pop(FAULT, None)
    state[COMMAS] = has_decimal_commas(text)
    set_value(X.code, spelt)
    take_sizes(typed)


def editor_fields() -> DeltaGenerator:
    """Draws the button that opens the editor, and the editor's fields. A hidden field keeps X in the address. Returns the
    editor's container."""
    state = st.session_state
    with hidden("typed_texts"):
        text = control(X)
    if state.get(SHOWN) != text or X_AREA not in state:
        state[SHOWN], state[X_AREA] = text, _readable(text)
        state.pop(FAULT, None)
    place = st.popover("Edit the numbers", icon=":material/edit:", key="typed_editor")
    with place:
        st.text_area(
            "X, a row for each position", key=X_AREA, height=130, max_chars=MAX_X_FIELD, on_change=_take, width=520,
            help="Typed, or pasted from a spreadsheet: spaces, tabs, commas or semicolons between the numbers. Where a tab, a "
            "semicolon or a space separates, 1,5 is one and a half.",
        )  # fmt: skip
        control(RULE)
        _say(state.get(FAULT), BEFORE)
        st.button("Show them", on_click=_take)
    state[KEPT] = {setting.code: state[setting.code] for setting in TYPED if setting.code in state}
    return place


def finish_editor(place: DeltaGenerator, cfg: Config, typed: Typed) -> None:
    """Shows the size of X below the editor's fields. `place`: the editor's container; `cfg`: the shown layer."""
    with place:
        st.caption(f"X: {len(typed.x)} × {len(typed.x[0])}, {heads_in_words(cfg.num_heads)}. The address keeps every number.")
        if st.session_state.get(COMMAS):
            st.caption("Decimal commas were read as points.")


def _readable(x: str) -> str:
    """The address's text of X as the field shows it, with a line for each row. A text that cannot be read is unchanged."""
    try:
        return spell_table(read_x(x), "\n")
    except Unreadable:
        return x


BEFORE = "The numbers before it are still shown."


def say_fault(fault: Unreadable | None) -> None:
    """Shows the error of the numbers in the address (`fault`), and the error of those that were typed last, if there are any."""
    _say(fault, "The example is shown.")
    _say(st.session_state.get(FAULT), BEFORE)


def _say(wrong: Unreadable | None, still: str) -> None:
    """Shows an error with its field in bold and the visitor's text quoted. `still`: a sentence to add, on what is shown now."""
    if wrong is not None:
        got = f", got {quoted(wrong.raw)}" if wrong.raw else ""
        sentence = re.sub(r"^(\w+)", r"**\1**", wrong.sentence)
        st.warning(f"{sentence}{got}. {still}", icon=":material/error:")
