"""The quiet row of a page's words: each, pointed at or tapped, says what it is and where the walk shows it."""

from functools import cache

import streamlit as st

from headcount.stage.text import as_html
from lessons.glossary import GLOSSARY, ON_PAGE, step_of


@cache
def row(page: str) -> str:
    """One element for all of them, as HTML; "" on a page that has none."""
    words = "".join(
        f'<span tabindex="0">{as_html(word)}<span role="tooltip">{as_html(GLOSSARY[word])} '
        f'<a href="./?present=1&amp;step={step_of(word)}">Show it</a></span></span> '
        for word in ON_PAGE.get(page, ())
    )
    return words and f'<p class="glossary">{words}</p>'


def show_words(page: str) -> None:
    if html := row(page):
        st.html(html)
