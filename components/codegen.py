"""The layer as a script: choose a library, copy it or take it away, see what it will print."""

import numpy as np
import streamlit as st

from mha.codegen import LIBRARIES, Settings, Unwritable, printed, write

#: The libraries by their names in the address.
NAMES = {library.lower(): library for library in LIBRARIES}
HELP = {
    "keras": "Runs with `pip install keras` and a backend.",
    "pytorch": "Runs with `pip install torch numpy`.",
    "numpy": "Runs with `pip install numpy`: the formula itself.",
}


def show_code(settings: Settings, output: np.ndarray | None) -> None:
    """The script for the chosen library, and below it what it prints. `output`: the real layer's; None while it is not known."""
    name = st.segmented_control(
        "Library", list(NAMES), default="keras", key="library", bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    try:
        script = write(settings, NAMES[name])
    except Unwritable as error:
        st.info(str(error))
        return
    st.code(script, language="python")
    left, right = st.columns([1, 4], vertical_alignment="center")
    with left:
        st.download_button(
            f"headcount_{name}.py", script, f"headcount_{name}.py", "text/x-python", on_click="ignore", icon=":material/download:"
        )
    with right:
        st.caption(HELP[name])
    if output is not None:
        st.markdown("It prints, as the real layer just did:")
        text = printed(settings, output)
        if "scores" not in script:
            text = "\n".join(line for line in text.splitlines() if not line.startswith("scores"))
        st.code(text, language=None)
