"""What can be chosen on the page of trained heads, each bound to the address."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import randrange
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.app.controls import control
from components.app.hidden import hidden
from components.app.stale_widget_values import set_value, show_value
from components.app.visit import kept
from components.page_settings import BY_CODE, RECUTS, REMOVED, TEMPERATURES
from components.widgets.choosers import for_this_layer
from mha.names import heads_in_words
from mha.trained import sentence
from mha.trained.dinner import HEADS
from mha.trained.task import TEST_COUNT


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
        """Says for how many heads the matrices are cut now."""
        return self.heads if self.recut == "own" else int(self.recut)

    @property
    def head_off(self) -> int | None:
        """The head that is removed, where the network has it."""
        return self.off if self.off is not None and self.off < self.cut else None

    @property
    def changed(self) -> bool:
        """Whether the network shown is not the one that was trained."""
        return self.cut != self.heads or self.head_off is not None or self.temperature != 1.0


def choose(apart: DeltaGenerator) -> Choice:
    """All choices: what to look at in the sidebar, what to change in `apart`. The fields of other tasks are hidden."""
    with st.sidebar:
        task = control(BY_CODE["task"], width="stretch")
        with hidden("heads_choice", unless=task == "dinner"):
            heads = int(_stops("heads", HEADS, help="Each is a network of its own."))
        with hidden("sentence_heads_choice", unless=task == "sentence"):
            alike = "Each is a network of its own, trained from the same first numbers."
            sentence_heads = int(_stops("sentence_heads", sentence.HEADS, help=alike))
        guest, dinner = 1, 1
        if task == "dinner":  # else not even hidden: an address with them, and without a task, is one of the dinner
            for key, value in kept().get("last_dinner", {}).items():
                if key not in st.session_state and key not in st.query_params:
                    show_value(key, value)
            guest, dinner = control(BY_CODE["guest"]), control(BY_CODE["dinner"])
            st.button("Shuffle", on_click=shuffle, args=("dinner",))
            kept()["last_dinner"] = {"guest": guest, "dinner": dinner}
    with apart, hidden("apart", unless=task == "dinner"):
        changes = _take_apart(heads)
    return Choice(task, sentence_heads if task == "sentence" else heads, dinner - 1, guest - 1, *changes)


def _stops(code: str, stops: Iterable[object], **more: Any) -> str:
    """A setting of few words as a slider, its stops in their order. They are words, as a page found again takes from its
    address."""
    setting = BY_CODE[code]
    return st.select_slider(setting.label, [*map(str, stops)], setting.default, key=code, bind="query-params", **more)


def shuffle(key: str) -> None:
    """Another of the fixed examples in the field `key`."""
    set_value(key, 1 + randrange(TEST_COUNT))


def _take_apart(heads: int) -> tuple[int | None, float, str, str]:
    st.header("Take it apart")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        removed = control(REMOVED, width=130)
        cut = "heads. The same trained numbers, as if they belonged to another number of heads."
        recut = _stops("recut", RECUTS, width=230, help=cut)
        times = "0: every seat gets the same. 16: almost only the best seat."
        temperature = _stops("temperature", TEMPERATURES, width=230, help=times)
        dishes = control(BY_CODE["dishes"])
        st.button("As trained", on_click=_as_trained)
    removed = for_this_layer(REMOVED, removed, heads if recut == "own" else int(recut))
    return removed - 1 if removed else None, float(temperature), recut, dishes


def _as_trained() -> None:
    for key, value in {"removed": 0, "temperature": "1", "recut": "own", "dishes": "own"}.items():
        set_value(key, value)


def description(choice: Choice) -> str:
    """ "4 heads", and what was done to them: "4 heads (without head 2, scores times 0.5)"."""
    changes = []
    if choice.cut != choice.heads:
        changes.append(f"cut for {choice.cut}")
    if choice.head_off is not None:
        changes.append(f"without head {choice.head_off + 1}")
    if choice.temperature != 1.0:
        changes.append(f"scores times {choice.temperature:g}")
    return heads_in_words(choice.heads) + (f" ({', '.join(changes)})" if changes else "")
