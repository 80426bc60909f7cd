"""What can be chosen on the page of trained heads, each bound to the address."""

from dataclasses import dataclass
from random import randrange

import streamlit as st

from components.trained.keys import DISHES, FIRST_DINNER, FIRST_GUEST, FIRST_HEADS, GUESTS, RECUTS, TASKS, TEMPERATURES
from mha.names import heads_in_words
from mha.trained.start import TEST_COUNT
from mha.trained.task import HEADS

TASK_NAMES = {"dinner": "Dinner", "sentence": "Sentence", "facts": "Layers"}


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


def _shuffle() -> None:
    st.session_state["dinner"] = 1 + randrange(TEST_COUNT)


def _as_trained() -> None:
    st.session_state.update({"removed": 0, "temperature": "1", "recut": "own", "dishes": "own"})


def choose() -> Choice:
    """All choices, in the sidebar, where other pages have theirs. What another task needs is hidden, not left out: it would
    lose its place in the address."""
    with st.sidebar, st.container(key="trained"):
        task = st.segmented_control(
            "Task", TASKS, default=TASKS[0], key="task", bind="query-params", required=True, width="stretch",
            format_func=TASK_NAMES.get)
        heads = st.select_slider(
            "Heads", HEADS, FIRST_HEADS, key="heads", bind="query-params", help="Each was trained on its own, from the same numbers.")
        with st.container(key="dinner_choices" if task == "dinner" else "dinner_choices_hidden"):
            left, right = st.columns([3, 2], vertical_alignment="bottom", gap="small")
            with left:
                dinner = st.number_input(
                    f"Dinner (of {TEST_COUNT:,})", 1, TEST_COUNT, FIRST_DINNER, key="dinner", bind="query-params")
            right.button("Shuffle", on_click=_shuffle, width="stretch")
            guest = st.segmented_control(
                "Guest", range(1, GUESTS + 1), default=FIRST_GUEST, key="guest", bind="query-params", required=True,
                width="stretch", help="By seat. Or click a guest at the table.")
        with st.container(key="apart" if task == "dinner" else "apart_hidden"):
            changes = _take_apart()
    return Choice(task, heads, dinner - 1, guest - 1, *changes)


def _take_apart() -> tuple[int | None, float, str, str]:
    st.markdown("**Take it apart**")
    removed = st.number_input(
        "Remove head", 0, HEADS[-1], 0, key="removed", bind="query-params", help="0: none. Its result is set to 0.")
    temperature = st.select_slider(
        "Scores times", TEMPERATURES, "1", key="temperature", bind="query-params",
        help="0: every seat gets the same. 16: almost only the best seat.")
    recut = st.select_slider(
        "Cut the trained matrices for … heads", RECUTS, "own", key="recut", bind="query-params",
        help="The same trained numbers, as if they belonged to another number of heads.")
    dishes = st.segmented_control(
        "Dishes", DISHES, default="own", key="dishes", bind="query-params", required=True, width="stretch",
        help="others: the same guests, every dish replaced. Do the maps move?")
    if (removed, temperature, recut, dishes) != (0, "1", "own", "own"):
        st.button("As trained", on_click=_as_trained, width="stretch")
    return removed - 1 if removed else None, float(temperature), recut, dishes


def said_of(choice: Choice) -> str:
    """ "4 heads", and what was done to them: "4 heads without head 2, scores times 0.5"."""
    parts = [heads_in_words(choice.heads)]
    if choice.cut != choice.heads:
        parts[0] += f", cut for {choice.cut}"
    if choice.head_off is not None:
        parts.append(f"without head {choice.head_off + 1}")
    if choice.temperature != 1.0:
        parts.append(f"scores times {choice.temperature:g}")
    return " ".join(parts[:2]) + "".join(f", {part}" for part in parts[2:])
