"""Links to other pages of the menu."""

import streamlit as st

from components.menu import PAGES


def link_to(name: str, label: str, icon: str | None = None, **query: str) -> None:
    """Draws a link to the page `name` with the settings `query`. Draws nothing if the menu has no such page."""
    for page in PAGES:
        if page.name == name:
            st.page_link(page.file, label=label, icon=icon, query_params=query or None)
