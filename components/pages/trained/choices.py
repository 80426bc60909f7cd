"""What can be chosen on the page of trained heads, each bound to the address."""

from dataclasses import dataclass
from random import randrange

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.pages.trained.keys import (
    DISHES,
    FIRST_DINNER,
    FIRST_GUEST,
    FIRST_HEADS,
    GUESTS,
    RECUTS,
    REMOVED,
    SENTENCE_HEADS,
    TASKS,
    TEMPERATURES,
)
from components.streamlit.late_reports import set_value
from components.widgets.choosers import for_this_layer
from mha.names import heads_in_words
from mha.trained.task import HEADS, TEST_COUNT


@dataclass(frozen=True, slots=True)
class Choice:
    """The page's settings. `off` is a head, 0-based, or None; `guest` and `dinner` are counted from 0."""

    task: str
    heads: int
    dinner: int
    guest: int
    off: int | None
    temperature: float
    recut: str
    dishes: str

    @property
    def cut(self) -> int:
        """For how many heads the matrices are cut now."""
        return self.heads if self.recut == "own" else int(self.recut)

    @property
    def head_off(self) -> int | None:
        """The head that is removed, where the network has it."""
        return self.off if self.off is not None and self.off < self.cut else None

    @property
    def changed(self) -> bool:
        """Whether the network shown is not the one that was trained."""
        return self.cut != self.heads or self.head_off is not None or self.temperature != 1.0


def choose(bar: DeltaGenerator, apart: DeltaGenerator) -> Choice:
    """All choices: what to look at in `bar`, what to change in `apart`. What another task needs is hidden, not left out: it would
    lose its place in the address."""
    with bar, st.container(key="trained", horizontal=True, vertical_alignment="bottom"):
        task = st.segmented_control(
            "Task", TASKS, default=TASKS[0], key="task", bind="query-params", required=True,
            help="dinner: a round table. sentence: who did what. facts: what a second layer adds.")
        with st.container(key="heads_choice" if task == "dinner" else "heads_choice_hidden", width=250):
            heads = st.select_slider(
                "Heads", HEADS, FIRST_HEADS, key="heads", bind="query-params", help="Each is a network of its own.")
        with st.container(key="sentence_heads_choice" if task == "sentence" else "sentence_heads_choice_hidden", width=250):
            _take_over_heads()
            sentence_heads = st.select_slider(
                "Heads", SENTENCE_HEADS, SENTENCE_HEADS[-1], key="sentence_heads", bind="query-params",
                help="Each is a network of its own; for sentences there are these.")
        name = "dinner_choices" if task == "dinner" else "dinner_choices_hidden"
        with st.container(key=name, horizontal=True, vertical_alignment="bottom", width="content"):
            guest = st.number_input(
                "Guest", 1, GUESTS, FIRST_GUEST, key="guest", bind="query-params", width=110, help="Or click one at the table.")
            dinner = st.number_input(
                f"Dinner (of {TEST_COUNT:,})", 1, TEST_COUNT, FIRST_DINNER, key="dinner", bind="query-params", width=140)
            st.button("Shuffle", on_click=_shuffle)
    with apart, st.container(key="apart" if task == "dinner" else "apart_hidden"):
        changes = _take_apart(heads)
    return Choice(task, sentence_heads if task == "sentence" else heads, dinner - 1, guest - 1, *changes)


def _take_over_heads() -> None:
    """A link from before sentences had head counts of their own: `task=sentence&heads=2`."""
    state, asked = st.session_state, st.query_params
    first = "sentence_heads" not in state and "sentence_heads" not in asked and asked.get("task") == "sentence"
    if first and str(asked.get("heads")) in map(str, SENTENCE_HEADS):
        state["sentence_heads"] = int(asked["heads"])


def _shuffle() -> None:
    set_value("dinner", 1 + randrange(TEST_COUNT))


def _take_apart(heads: int) -> tuple[int | None, float, str, str]:
    st.header(f"Take {heads_in_words(heads)} apart")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        removed = st.number_input(
            "Remove head", 0, HEADS[-1], 0, key="removed", bind="query-params", width=130,
            help="0: none. Its result is set to 0.")
        recut = st.select_slider(
            "Cut the trained matrices for", RECUTS, "own", key="recut", bind="query-params", width=230,
            help="heads. The same trained numbers, as if they belonged to another number of heads.")
        temperature = st.select_slider(
            "Scores times", TEMPERATURES, "1", key="temperature", bind="query-params", width=230,
            help="0: every seat gets the same. 16: almost only the best seat.")
        dishes = st.segmented_control(
            "Dishes", DISHES, default="own", key="dishes", bind="query-params", required=True,
            help="others: the same guests, every dish replaced. Do the maps move?")
        st.button("As trained", on_click=_as_trained)
    if removed > (heads if recut == "own" else int(recut)):
        removed = for_this_layer(REMOVED, removed, heads if recut == "own" else int(recut))
    return removed - 1 if removed else None, float(temperature), recut, dishes


def _as_trained() -> None:
    for key, value in {"removed": 0, "temperature": "1", "recut": "own", "dishes": "own"}.items():
        set_value(key, value)


def said_of(choice: Choice) -> str:
    """ "4 heads", and what was done to them: "4 heads (without head 2, scores times 0.5)"."""
    done = []
    if choice.cut != choice.heads:
        done.append(f"cut for {choice.cut}")
    if choice.head_off is not None:
        done.append(f"without head {choice.head_off + 1}")
    if choice.temperature != 1.0:
        done.append(f"scores times {choice.temperature:g}")
    return heads_in_words(choice.heads) + (f" ({', '.join(done)})" if done else "")
