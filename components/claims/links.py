"""The way from a claim or question to the page that shows it, set to its sizes."""

from urllib.parse import urlencode

import streamlit as st

from mha.claims import See

TITLES = {
    "heads": "Heads and parameters", "projections": "Projections", "attention": "Attention", "concatenation": "Concatenation",
    "keras_layer": "The Keras layer", "published_models": "Published models",
}  # fmt: skip

START = "heads"


def in_words(see: See) -> str:
    """The settings as they stand in the address."""
    return ", ".join(f"{key} = {value}" for key, value in see.query.items())


def address_of(see: See) -> str:
    """Relative to the pages, so that it holds wherever the app is served."""
    page = "." if see.page == START else see.page
    return f"{page}?{urlencode(see.query)}" if see.query else page


def link_to(see: See) -> None:
    """Opens the page in a tab of its own, with exactly these settings: in this tab the shared controls would keep theirs."""
    st.link_button(
        f"See it on {TITLES[see.page]}", address_of(see), icon=":material/open_in_new:",
        help=f"In a new tab, with {in_words(see) or 'the settings that every page starts with'}.",
    )  # fmt: skip
