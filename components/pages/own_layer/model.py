"""A small model in a folder of the server's, named when it is started (HEADCOUNT_MODEL=folder make run): a visitor types a
sentence, and the layer that is picked shows what it does with it."""

import os
from functools import cache
from pathlib import Path

import streamlit as st

from components.address import quoted
from components.app.session import WORDS_PROBLEM
from components.pages.own_layer import intake
from mha.files.model import MAX_TOKENS, Model, open_model
from mha.files.tensors import UnreadableFile
from mha.layer import VisitorLayer

FOLDER = "HEADCOUNT_MODEL"
#: How far numbers of float32 may be apart that mean the same.
NEAR = 1e-4
MAX_TEXT = 2000


@cache
def model_or_fault() -> Model | UnreadableFile | None:
    """Reads the model in the server's folder; the fault where it cannot be read, None where no folder is named."""
    if not (folder := os.environ.get(FOLDER, "").strip()):
        return None
    try:
        with st.spinner("transformers reads the model in the server’s folder …", show_time=True):
            return open_model(Path(folder).expanduser())
    except UnreadableFile as fault:
        return fault
    except OSError as fault:
        return UnreadableFile("A file in the folder cannot be read: {}.", fault.strerror or "no reason given")


def show_model() -> None:
    """The field for a sentence; nothing where the server has no model."""
    found = model_or_fault()
    if found is None:
        return
    if isinstance(found, UnreadableFile):
        st.error(f"The folder in `{FOLDER}` cannot be used. {found.said(quoted)}", icon=":material/folder_off:")
        return
    st.text_input(
        f"Your sentence through {quoted(found.folder.name)}", key=intake.WORDS, on_change=intake.read_words, args=(found,),
        max_chars=MAX_TEXT, placeholder="the letter was from her brother",
        persist_state="session",
        help=f"At most {MAX_TOKENS} tokens. The layer that is picked gets as X what the model makes of the words up to there.",
    )  # fmt: skip
    st.caption(f"{quoted(found.folder.name)}: {quoted(found.title)}, run by this server in a process of its own.")
    if (problem := st.session_state.get(WORDS_PROBLEM)) is not None:
        st.warning(problem)


def show_judge(layer: VisitorLayer) -> None:
    """How near the pages' layer is to what transformers computed for the same words."""
    if layer.reading is None or layer.model is None or (away := layer.reading.furthest(layer.sizes)) is None:
        return
    if away > NEAR:
        st.warning(f"{layer.model.title} computes something else here: its numbers differ by up to {away:.1g}.")
    else:
        st.caption(f"{layer.model.title} gives the same maps and output for these words: they differ by {away:.0e} at most.")
