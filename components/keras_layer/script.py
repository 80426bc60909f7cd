"""The layer, its mask and its numbers as a script in Keras, PyTorch or NumPy."""

import numpy as np
import streamlit as st

from components.codegen import show_code
from components.keras_layer.chosen import Chosen
from components.keras_layer.words import state_line
from mha.codegen import Settings
from mha.keras_question import Question, question


def ask(chosen: Chosen) -> Question:
    mask = None if chosen.mask is None else chosen.mask.astype(np.float32)
    return question("mask_own", layer=chosen.layer.plain(), mask=mask, causal=chosen.causal)


def show(chosen: Chosen, asked: Question, reply: dict | None) -> None:
    output = None if reply is None or "error" in reply else reply["output"]
    show_code(Settings(chosen.layer, chosen.causal, chosen.mask), output)
    if reply is not None and "error" in reply:
        st.info(f"The real layer refuses this call: `{reply['error']}`")
    st.caption(state_line(asked, reply, "What is printed is the answer of the real layer that this page runs, to four decimals."))
