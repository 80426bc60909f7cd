"""The shipped networks and what they can do, kept for all visitors: each is read, checked and measured once."""

import streamlit as st

from components.app.runtime import PageEnds
from mha.trained.measures import Measured, measure
from mha.trained.network import Network
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
def examples(task: str) -> Examples:
    """The fixed examples of a task."""
    return fixed_examples(task_of(task))


def first(task: str, number: int) -> Examples:
    """One of the fixed examples, as a batch of one."""
    return examples(task)[number : number + 1]


@st.cache_resource(show_spinner=False, max_entries=32)
def measured(name: str) -> Measured:
    """What a network can do on the fixed examples of its task."""
    return measure(network(name), examples(name.partition("-")[0]))
