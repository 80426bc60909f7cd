"""The layer, its mask and its numbers as a script in Keras, PyTorch or NumPy."""

from contextlib import suppress

import numpy as np
import streamlit as st

from components.codegen import show_code
from components.keras_layer.chosen import Chosen
from components.keras_layer.words import state_line
from mha.codegen import LIBRARIES, Settings, Unwritable, write
from mha.keras_layer import count_of
from mha.keras_question import Question, question
from mha.names import counted


def headline(chosen: Chosen) -> str:
    """How long each library's script is."""
    counts = []
    for library in LIBRARIES:
        with suppress(Unwritable):
            counts.append(f"{len(write(settings_of(chosen), library).splitlines())} lines of {library}")
    return f"This layer, its mask and its {counted(count_of(chosen.layer), 'parameter')}: {', '.join(counts)}."


def settings_of(chosen: Chosen) -> Settings:
    return Settings(chosen.layer, chosen.causal, chosen.mask)


def ask(chosen: Chosen) -> Question:
    mask = None if chosen.mask is None else chosen.mask.astype(np.float32)
    return question("mask_own", layer=chosen.layer.plain(), mask=mask, causal=chosen.causal)


def show(chosen: Chosen, asked: Question, reply: dict | None) -> None:
    output = None if reply is None or "error" in reply else reply["output"]
    show_code(settings_of(chosen), output)
    if reply is not None and "error" in reply:
        st.info(f"The real layer refuses this call: `{reply['error']}`")
    st.caption(state_line(asked, reply, "What is printed is the answer of the real layer that this page runs, to four decimals."))
