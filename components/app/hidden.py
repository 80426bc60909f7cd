"""Widgets that are not seen and yet drawn."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def hidden(key: str, unless: bool = False, **layout) -> DeltaGenerator:
    """A container whose widgets keep their values and their place in the address; it is seen only where `unless`.

    A bound widget that is not drawn loses both (Streamlit 1.67; tests/app/test_streamlit_contract.py
    `test_a_bound_widget_that_is_not_drawn_loses_its_place_in_the_address`). The rule is the first of assets/style.css.
    """
    return st.container(key=key if unless else f"hide_{key}", **layout)
