"""The shipped networks and what is known of them; a page ends where a file of theirs is missing."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import streamlit as st

from components.app.runtime import PageEnds
from headcount.trained.network import Network
from headcount.trained.store import Broken, load, manifest, report

T = TypeVar("T")


def or_end(read: Callable[[], T]) -> T:
    """Returns what `read` gives. If a file of the trained networks is missing, or not the one that was trained, says so and ends
    the page."""
    try:
        return read()
    except Broken as error:
        st.error(str(error))
        raise PageEnds from None


def network(name: str) -> Network:
    """A network by its name ("sentence-4")."""
    return or_end(partial(load, name))


def manifest_and_report(task: str) -> tuple[dict, dict]:
    return or_end(partial(manifest, task)), or_end(partial(report, task))
