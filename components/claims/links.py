"""The way from a claim or question to the page that shows it, set to its sizes."""

import streamlit as st

from mha.claims import See

TITLES = {
    "heads": "Heads and parameters", "projections": "Projections", "attention": "Attention", "concatenation": "Concatenation",
    "keras_layer": "The Keras layer",
}  # fmt: skip


def in_words(see: See) -> str:
    """The settings as they stand in the address."""
    return ", ".join(f"{key} = {value}" for key, value in see.query.items())


def link_to(see: See) -> None:
    """Opens the page with exactly these settings; all others are their defaults."""
    query = {key: str(value) for key, value in see.query.items()}
    st.page_link(
        f"pages/{see.page}.py", label=f"See it on **{TITLES[see.page]}**", icon=":material/arrow_forward:", query_params=query,
        help=in_words(see) or "With the settings that every page starts with.",
    )  # fmt: skip
