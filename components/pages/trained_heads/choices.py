"""What can be chosen on the page of trained heads, each bound to the address."""

from dataclasses import dataclass
from random import randrange

import streamlit as st

from components.app.controls import control, hidden
from components.app.stale_widget_values import set_value, show_value
from components.app.visit import visit
from components.pages.trained_heads import BY_CODE
from headcount.trained import sentence
from headcount.trained.dinner import HEADS
from headcount.trained.task import TEST_COUNT


@dataclass(frozen=True, slots=True)
class Choice:
    """The page's settings. `guest` and `dinner` are counted from 0."""

    task: str
    heads: int
    dinner: int
    guest: int


def choose() -> Choice:
    """All choices, in the sidebar. The fields of other tasks are hidden."""
    with st.sidebar:
        task = control(BY_CODE["task"], width="stretch")
        with hidden("heads_choice", unless=task == "dinner"):
            heads = _heads("heads", HEADS, "Each is a network of its own.")
        with hidden("sentence_heads_choice", unless=task == "sentence"):
            alike = "Each is a network of its own, trained from the same first numbers."
            sentence_heads = _heads("sentence_heads", sentence.HEADS, alike)
        guest, dinner = 1, 1
        if task == "dinner":  # else not even hidden: an address with them, and without a task, is one of the dinner
            for key, value in visit().dinner.items():
                if key not in st.session_state and key not in st.query_params:
                    show_value(key, value)
            guest, dinner = control(BY_CODE["guest"]), control(BY_CODE["dinner"])
            st.button("Shuffle", on_click=shuffle, args=(dinner,))
            visit().dinner = {"guest": guest, "dinner": dinner}
    return Choice(task, sentence_heads if task == "sentence" else heads, dinner - 1, guest - 1)


def _heads(code: str, stops: tuple[int, ...], help: str) -> int:
    """A setting of few words as a slider, its stops in their order. They are words, as a page found again takes from its
    address."""
    setting = BY_CODE[code]
    return int(st.select_slider(setting.label, [*map(str, stops)], setting.default, key=code, bind="query-params", help=help))


def shuffle(shown: int) -> None:
    """Another of the fixed dinners, counted from 1: never the one that is shown."""
    set_value("dinner", 1 + (shown + randrange(TEST_COUNT - 1)) % TEST_COUNT)
