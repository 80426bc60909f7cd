"""Shows what the app found in a pasted text, such as a layer in code, a configuration, an error or a shape (headcount/pasted)."""

from collections.abc import Sequence

import streamlit as st

from components.app.stale_widget_values import set_value
from components.page import address
from components.pages.questions import FIND
from components.symbols import set_symbols
from headcount.models.reading import MAX_SIZE
from headcount.names import begun, counted, noun
from headcount.pasted.finding import Finding, place
from headcount.pasted.read import read_pasted
from headcount.text_bounds import MAX_PASTED_FIELD

#: The most fields for numbers that a pasted text leaves open, and the session's key for the names of these numbers by text.
MOST_ASKED, ASKED = 4, "pasted_asked"


def paste_field() -> str:
    """Draws the button that opens a field for a longer text. Returns the text in the field."""
    with st.popover("Paste", icon=":material/content_paste:"):
        text = st.text_area(
            "Code, an error message, a `config.json` or shapes", key="pasted", height=260, width=620, max_chars=MAX_PASTED_FIELD,
            persist_state="session", on_change=set_value, args=(FIND.code, ""),
            help="The app does not run your text. The server forgets it when your visit ends.",
            placeholder="layers.MultiHeadAttention(num_heads=8, key_dim=512)",
        )  # fmt: skip
        st.button("Read it", key="read_pasted")
    return text.strip()


def findings_of(text: str) -> list[Finding]:
    """The findings in a text, completed with numbers that the visitor has entered. The fields for these numbers stay until the
    text changes."""
    asked = st.session_state.get(ASKED, {}).get(text, ())
    found = read_pasted(text, {name: size for name in asked if (size := st.session_state.get(f"known {name}"))})
    names = dict.fromkeys((*asked, *(name for one in found for name in one.asks)))
    st.session_state[ASKED] = {text: [*names][:MOST_ASKED]}
    return found


def read_as(found: Sequence[Finding]) -> str:
    slips = sum(one.slip for one in found)
    if found[0].line:
        return f"{counted(len(found), 'call')} of attention, {slips or 'none'} {noun(slips or 1, 'looks', 'look')} like a slip."
    return found[0].title if len(found) == 1 else f"{counted(len(found), 'reading')} of one shape."


def show_findings(found: Sequence[Finding]) -> None:
    """Shows each finding with its links, and fields for the numbers that the text leaves open."""
    for one in found:
        where, to = f"Line {one.line}: " if one.line else "", place(one.layer) if one.layer else None
        title = f"**{where}{one.title}**  \n" if len(found) > 1 or where else ""
        links = [f"[See this layer]({address(*to)})"] if to else []
        links += [f"[Met in {one.thread}](https://github.com/{one.thread.replace('#', '/issues/')})"] if one.thread else []
        icon = ":material/error: " if one.slip else ""
        st.markdown(set_symbols(f"{icon}{title}{one.says}") + f"  \n{' · '.join(links)}")
    (asked,) = st.session_state[ASKED].values()
    if asked:
        with st.container(horizontal=True, key="pasted_asks"):
            for name in asked:
                label = begun(name) if " " in name else f"`{name}`"
                st.number_input(label, 1, MAX_SIZE, None, key=f"known {name}", width=270)
