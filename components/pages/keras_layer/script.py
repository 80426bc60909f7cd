"""The layer, its mask and its numbers as a script in Keras, PyTorch or NumPy."""

from contextlib import suppress

import numpy as np
import streamlit as st

from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.own_mask import left_out
from components.pages.keras_layer.words import code, state_line
from components.widgets.code import show_code
from mha.codegen import LIBRARIES, Settings, Unwritable, write
from mha.keras.layer import count_of
from mha.keras.question import Question, Reply, question


def headline(chosen: Chosen) -> str:
    """How long each library's script is."""
    counts = []
    for library in LIBRARIES:
        with suppress(Unwritable):
            counts.append(f"{len(write(settings_of(chosen), library).splitlines())} lines of {library}")
    return f"This layer, its mask and its {count_of(chosen.layer):,} parameters: {', '.join(counts)}."


def settings_of(chosen: Chosen) -> Settings:
    return Settings(chosen.layer, chosen.causal, chosen.mask)


def ask(chosen: Chosen) -> Question:
    mask = None if chosen.mask is None else chosen.mask.astype(np.float32)
    return question("mask_own", layer=chosen.layer.plain(), mask=mask, causal=chosen.causal)


def show(chosen: Chosen, reply: Reply) -> None:
    if why := left_out(chosen):
        st.caption(f"{why} The script has no mask.")
    if reply.state == "refused":
        st.info(f"Keras refuses this call, and so will the script in Keras: {code(reply.why)}")
    printed = show_code(settings_of(chosen), reply["output"] if reply.found else None)
    said = "What is printed is the answer of the real layer that this page runs, to four decimals."
    st.caption(state_line(reply, said if printed else "The real layer takes this call."))
