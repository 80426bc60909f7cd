"""The shipped networks and what they can do, kept for all visitors: each is read, checked and measured once."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import streamlit as st

from components.app.runtime import PageEnds
from headcount.trained.measures import Measured, measure
from headcount.trained.network import Network
from headcount.trained.store import Broken, load, manifest, report, task_of
from headcount.trained.task import Examples, fixed_examples

T = TypeVar("T")


def or_end(read: Callable[[], T]) -> T:
    """What is read. Where a file of the trained networks is missing, or not the one that was trained, says so and ends the
    page."""
    try:
        return read()
    except Broken as error:
        st.error(str(error))
        raise PageEnds from None


def network(name: str) -> Network:
    """A network by its name ("dinner-4")."""
    return or_end(partial(load, name))


def manifest_and_report(task: str) -> tuple[dict, dict]:
    return or_end(partial(manifest, task)), or_end(partial(report, task))


@st.cache_resource(show_spinner=False, max_entries=8)
def examples(task: str) -> Examples:
    """The fixed examples of a task."""
    return fixed_examples(task_of(task))


@st.cache_resource(show_spinner=False, max_entries=32)
def measured(name: str) -> Measured:
    """What a network can do on the fixed examples of its task."""
    return measure(network(name), examples(name.partition("-")[0]))
