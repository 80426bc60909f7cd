"""Reads the trained networks that come with the app. If one of their files is missing or damaged, the page ends."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import streamlit as st

from components.app.runtime import PageEnds
from headcount.trained.network import Network
from headcount.trained.store import Broken, load, manifest, report

T = TypeVar("T")


def or_end(read: Callable[[], T]) -> T:
    """Returns what `read` returns. If a file is missing or damaged, shows an error and ends the page."""
    try:
        return read()
    except Broken as error:
        st.error(str(error))
        raise PageEnds from None


def network(name: str) -> Network:
    return or_end(partial(load, name))


def manifest_and_report(task: str) -> tuple[dict, dict]:
    return or_end(partial(manifest, task)), or_end(partial(report, task))
