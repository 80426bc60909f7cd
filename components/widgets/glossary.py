"""The row of terms below a page. Pointing at a term, or tapping it, shows its meaning and a link to a step of the walk."""

from functools import cache

import streamlit as st

from headcount.stage.text import as_html
from lessons.glossary import GLOSSARY, ON_PAGE, step_of


@cache
def row(page: str) -> str:
    """The terms of a page as one HTML element; "" if the page has no terms."""
    words = "".join(
        f'<span tabindex="0">{as_html(word)}<span role="tooltip">{as_html(GLOSSARY[word])} '
        f'<a href="./?present=1&amp;step={step_of(word)}">Show it</a></span></span> '
        for word in ON_PAGE.get(page, ())
    )
    return words and f'<p class="glossary">{words}</p>'


def show_words(page: str) -> None:
    if html := row(page):
        st.html(html)
