"""A part of the page The Keras layer: the layer as a script in Keras, PyTorch or NumPy, with the script's output."""

from contextlib import suppress

import streamlit as st

from components.app.controls import control
from components.pages.keras_layer import BY_CODE
from components.pages.keras_layer.reply_text import code, state_line
from components.pages.keras_layer.selection import LayerChoice
from components.widgets.downloads import Download, show_downloads
from headcount.codegen import LIBRARIES, WEIGHTS_FILE, KerasCall, Unwritable, expected, printed, write
from headcount.files.formats import as_npz
from headcount.keras.layer import count_of
from headcount.keras.question import KerasQuestion, Reply, question
from headcount.names import counted


def headline(selection: LayerChoice) -> str:
    counts = []
    for library in LIBRARIES:
        with suppress(Unwritable):
            counts.append(f"{len(write(settings_of(selection), library).splitlines())} lines of {library}")
    return f"This layer ({counted(count_of(selection.layer), 'parameter')}) takes {' or '.join(counts)}."


def settings_of(selection: LayerChoice) -> KerasCall:
    return KerasCall(selection.layer, selection.causal, selection.training)


def question_of(selection: LayerChoice) -> KerasQuestion:
    causal, training = selection.causal, selection.training
    return question("layer_output", layer=selection.layer.plain(), causal=causal, training=training)


NAMES = {library.lower(): library for library in LIBRARIES}
NEEDS = {"keras": "`keras` and a backend", "pytorch": "`torch` and `numpy`", "numpy": "`numpy`"}


def show(selection: LayerChoice, reply: Reply) -> None:
    """Shows the chosen library's script and its output, if known. Until the real layer answers, formulas give the output."""
    if reply.state == "refused":
        st.info(f"Keras refuses this call, and so will the script in Keras: {code(reply.why)}")
    settings, text = settings_of(selection), ""
    left, right = st.columns([2, 5], vertical_alignment="center")
    name = control(BY_CODE["library"], left, label_visibility="collapsed")
    try:
        script = write(settings, NAMES[name])
    except Unwritable as error:
        st.info(str(error))
    else:
        # Keras draws for itself which weights dropout drops. The script in NumPy drops those of this page's pictures.
        if reply.answered and (not settings.drops or name == "keras"):
            text = printed(settings, reply["output"])
        elif not settings.drops or name != "keras":
            text = expected(settings)
        weights = settings.layer.weights
        numbers = "this page's numbers from the seed" if weights is None else "X from the seed, your own weights from a file"
        does = f", takes {numbers}, and prints this page's results" if text else f" and takes {numbers}"
        right.markdown(f"This complete script needs {NEEDS[name]}{does}.")
        if text:
            st.code(text, language=None)
        st.code(script, language="python")
        with st.container(horizontal=True):
            script_file = f"headcount_{name}.py"
            files = [Download(script_file, script_file, "text/x-python", script.encode(), marked=True)]
            if weights is not None:
                files.append(Download(WEIGHTS_FILE, WEIGHTS_FILE, "application/octet-stream", as_npz(weights), marked=True))
            show_downloads("script", files)
    confirmed = "What is printed is the answer of the real layer that this page runs, to four decimals."
    if settings.drops:
        confirmed = "In training Keras draws which weights it drops; NumPy drops those of this app's pictures."
    st.caption(state_line(reply, confirmed if text else "The real layer takes this call."))
