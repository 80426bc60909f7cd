"""The quiet row of a page's words: each, pointed at or tapped, says what it is and where the walk shows it."""

import re
from functools import cache
from html import escape

import streamlit as st

from lessons.glossary import GLOSSARY, ON_PAGE, step_of


def lowered(text: str) -> str:
    """Text whose `_{…}` is lowered, as HTML."""
    return re.sub(r"_\{(\w+)\}", r"<sub>\1</sub>", escape(text, quote=False))


@cache
def row(page: str) -> str:
    """One element for all of them, as HTML; "" on a page that has none."""
    words = "".join(
        f'<span tabindex="0">{lowered(word)}<span role="tooltip">{lowered(GLOSSARY[word])} '
        f'<a href="./?present=1&amp;step={step_of(word)}">Show it</a></span></span> '
        for word in ON_PAGE.get(page, ())
    )
    return words and f'<p class="glossary">{words}</p>'


def show_words(page: str) -> None:
    if html := row(page):
        st.html(html)
