"""The field, and what is found."""

import re
from urllib.parse import quote

import streamlit as st

from components.address import quoted
from components.pages.find.entries import index
from components.pages.find.ranking import Item
from components.pages.find.settings import FIND
from components.streamlit.controls import control
from components.symbols import escape_markdown, set_symbols
from mha.names import counted

MOST_SHOWN = 15
#: What would end a link's words.
BRACKETS, ESCAPED = re.compile(r"([\[\]])"), r"\\\1"
EXAMPLES = ("1,050,624", "key_dim", "(None, 6, 8)", "is_causal", "why divide by √d_k", "Llama-3-8B")


def field() -> str:
    """What is looked for."""
    return control(FIND, label_visibility="collapsed", placeholder="1,050,624 · key_dim · (None, 6, 8) · is_causal").strip()


def headline(query: str, hits: list[Item]) -> str:
    """How much there is, or was found."""
    if not query:
        return f"{len(index().items):,} pages, questions, claims, settings and models: what are you looking for?"
    return f"{counted(len(hits), 'place')} to look, the best first." if hits else "Nothing here has that."


def show(query: str, hits: list[Item]) -> None:
    """A line for each, with what kind of thing it is; or what could be tried."""
    if hits:
        lines = [f"- **{hit.kind}** · [{set_symbols(BRACKETS.sub(ESCAPED, hit.name))}]({hit.address})" for hit in hits]
        if hits[0].answer:
            lines[0] += f"  \n{set_symbols(hits[0].answer)}"
        st.markdown("\n".join(lines))
        return
    if query:
        st.markdown(
            f"No page, question, claim, setting, step or model has {quoted(query)}. Fewer words may help, a name as Keras spells "
            "it, or a number or a shape as it is printed."
        )
    tries = " · ".join(f"[{escape_markdown(example)}](./find?find={quote(example, safe='')})" for example in EXAMPLES)
    st.markdown(f"For example: {tries}")
