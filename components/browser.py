"""The app inside a browser (stlite on Pyodide, `make static`): no server, no TensorFlow, and an older Streamlit.

`adapt` leaves out what that Streamlit does not know yet: each is an improvement of looks or of reading aloud, never a number.
"""

import sys
from collections.abc import Callable
from functools import wraps

import streamlit as st

IN_BROWSER = sys.platform == "emscripten"
#: By function: words that Streamlit 1.67 takes and 1.62, which stlite 1.9.2 carries, does not (`make test-static` finds more).
NEWER = {"plotly_chart": {"alt"}, "image": {"alt"}, "selectbox": {"required"}, "pills": {"wrap"}}


def without(function: Callable, names: set[str]) -> Callable:
    @wraps(function)
    def older(*args, **kwargs):
        return function(*args, **{name: value for name, value in kwargs.items() if name not in names})

    return older


def adapt() -> None:
    """Once for each process. Does nothing under the Streamlit that the app is written for."""
    if tuple(map(int, st.__version__.split(".")[:2])) >= (1, 67):
        return
    for name, words in NEWER.items():
        setattr(st, name, without(getattr(st, name), words))
