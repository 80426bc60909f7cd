"""A small model in a folder of the server's, named when it is started (HEADCOUNT_MODEL=folder make run): a visitor types a
sentence, and the layer that is picked shows what it does with it."""

import os
import sys
from functools import cache
from pathlib import Path

import streamlit as st

from components.pages.own_layer import intake
from components.streamlit.address import quoted
from components.streamlit.session import WORDS_PROBLEM
from mha.loading.model import MOST_TOKENS, Model, open_model
from mha.loading.tensors import UnreadableFile

#: The variable that names the folder.
FOLDER = "HEADCOUNT_MODEL"
#: Characters of a sentence.
MOST_TEXT = 2000


@cache
def model_or_fault() -> Model | UnreadableFile | None:
    """None where no folder is named."""
    if not (folder := os.environ.get(FOLDER, "").strip()):
        return None
    try:
        return open_model(Path(folder).expanduser())
    except UnreadableFile as fault:
        return fault
    except OSError as fault:
        return UnreadableFile("A file in the folder cannot be read: {}.", fault.strerror or "no reason given")


def announce() -> None:
    """When the server starts: which model is there and how much memory it takes, or why there is none."""
    if (found := model_or_fault()) is not None:
        said = f"not used. {found}" if isinstance(found, UnreadableFile) else f"{found}."
        sys.stderr.write(f"{FOLDER}: {said}\n")


def show_model() -> None:
    """The field for a sentence; nothing where the server has no model."""
    found = model_or_fault()
    if found is None:
        return
    if isinstance(found, UnreadableFile):
        sentence = found.sentence.format(*map(quoted, found.names))
        st.error(f"The folder in `{FOLDER}` cannot be used. {sentence}", icon=":material/folder_off:")
        return
    st.text_input(
        f"Your sentence through {quoted(found.name)}", key=intake.WORDS, on_change=intake.read_words, args=(found,),
        max_chars=MOST_TEXT, placeholder="the letter was from her brother",
        persist_state="session",
        help=f"At most {MOST_TOKENS} tokens. The layer that is picked gets as X what the model makes of the words up to there.",
    )  # fmt: skip
    st.caption(f"{quoted(found.name)}: {str(found).removeprefix(f'{found.name}: ')}.")
    if (problem := st.session_state.get(WORDS_PROBLEM)) is not None:
        st.warning(problem.sentence.format(*map(quoted, problem.names)))
