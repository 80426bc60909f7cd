"""The layer as a script: choose a library, see what it will print, copy it or take it away."""

import numpy as np
import streamlit as st

from mha.codegen import LIBRARIES, WEIGHTS_FILE, Settings, Unwritable, expected, printed, write
from mha.loading.npy import as_npz

#: The libraries by their names in the address.
NAMES = {library.lower(): library for library in LIBRARIES}
NEEDS = {"keras": "`keras` and a backend", "pytorch": "`torch` and `numpy`", "numpy": "`numpy`"}


def show_code(settings: Settings, output: np.ndarray | None) -> bool:
    """The script for the chosen library and what it prints. `output`: the real layer's; while it is not known, the formula's.
    Gives back whether a printout is shown."""
    left, right = st.columns([2, 5], vertical_alignment="center")
    with left:
        name = st.segmented_control(
            "Library", list(NAMES), default="keras", key="library", bind="query-params", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
    try:
        script = write(settings, NAMES[name])
    except Unwritable as error:
        st.info(str(error))
        return False
    text = expected(settings) if output is None else printed(settings, output)
    with right:
        numbers = "X from the seed, your own weights from a file" if settings.from_file else "this page's numbers from the seed"
        does = f", takes {numbers}, and prints the same" if text else f" and takes {numbers}"
        st.markdown(f"A complete script: it needs {NEEDS[name]}{does}.")
    if text:
        shown = [line for line in text.splitlines() if "scores" in script or not line.startswith("scores")]
        st.code("\n".join(shown), language=None)
    st.code(script, language="python")
    with st.container(horizontal=True):
        _hand_out(f"headcount_{name}.py", script, "text/x-python")
        if (given := settings.layer.given) is not None:
            _hand_out(WEIGHTS_FILE, as_npz(given), "application/octet-stream")
    return bool(text)


def _hand_out(name: str, data: str | bytes, mime: str) -> None:
    st.download_button(name, data, name, mime, on_click="ignore", icon=":material/download:")
