"""The shipped networks and what they can do, kept for all visitors: each is read, checked and measured once."""

import numpy as np
import streamlit as st

from components.app.runtime import PageEnds
from mha.trained import dinner
from mha.trained.measures import Measured, measure, moved, without_each
from mha.trained.network import Change, Network
from mha.trained.store import Broken, load, manifest, report, task_of
from mha.trained.task import Examples, fixed_examples


def network(name: str) -> Network:
    """A network by its name ("dinner-4"). Where its file is not the one that was trained, says so and ends the page."""
    try:
        return load(name)
    except Broken as error:
        st.error(str(error))
        raise PageEnds from None


def manifest_and_report(task: str) -> tuple[dict, dict]:
    """Manifest and report of a task; where one is missing, says so and ends the page."""
    try:
        return manifest(task), report(task)
    except Broken as error:
        st.error(str(error))
        raise PageEnds from None


@st.cache_resource(show_spinner=False, max_entries=8)
def examples(task: str, dishes: str = "own") -> Examples:
    """The fixed examples of a task ("dinner-4" names it as well)."""
    if dishes == "others":
        return dinner.other_dishes(examples(task).tokens)
    return fixed_examples(task_of(task))


def first(task: str, number: int, dishes: str = "own") -> Examples:
    """One of the fixed examples, as a batch of one."""
    every, here = examples(task, dishes), slice(number, number + 1)
    return Examples(every.tokens[here], every.answers[here], every.answer_at[here])


@st.cache_resource(show_spinner=False, max_entries=256)
def measured(name: str, cut: int, off: int | None = None, temperature: float = 1.0, dishes: str = "own") -> Measured:
    """What a network can do on the fixed examples: cut for `cut` heads, without head `off`, its scores scaled."""
    change = Change(temperature, off)
    return measure(network(name).cut_for(cut), examples(name.partition("-")[0], dishes), change)


@st.cache_resource(show_spinner=False, max_entries=32)
def removals(name: str, cut: int) -> np.ndarray:
    """Accuracy with each head off in turn, axes "hr"."""
    return without_each(network(name).cut_for(cut), examples(name.partition("-")[0]))


@st.cache_resource(show_spinner=False, max_entries=32)
def movements(name: str, cut: int) -> np.ndarray:
    """How far each head's maps move when all dishes are replaced, axis "h"."""
    return moved(network(name).cut_for(cut), examples("dinner"), examples("dinner", "others"))
