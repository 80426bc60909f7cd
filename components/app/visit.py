"""The state of one visit (a Streamlit session) that no widget holds, and the values of widgets by their keys."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import Fault


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a widget's value. `heard`: None if the server made the change. If the visitor made it, the number of the last
    change that the browser knew then. So no older change by the server undoes the visitor's change."""

    sequence: int
    key: str
    before: object
    after: object
    heard: int | None = None


@dataclass
class Visit:
    """State of a visit that no widget holds."""

    menu: dict[str, list] = field(default_factory=dict)
    faults: list[Fault] | None = None  # the errors of the address; None before it is read
    at_first: dict[str, Any] = field(default_factory=dict)  # the values when the faults were first shown
    shown_on: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # each page's settings in the address
    carried: dict[str, list[str]] | None = None  # the settings that go from page to page
    page_before: str = ""  # the last page
    first: int = 0  # the changes have numbers above `first`, up to `sequence`
    sequence: int = 0
    changes: tuple[Change, ...] = ()  # the last changes (stale_widget_values.py)
    controls: Collection[str] = ()
    begun_with: dict[str, Any] = field(default_factory=dict)  # the values when the run began
    drawn_with: dict[str, Any] = field(default_factory=dict)  # the values when the page was drawn
    usual: dict[str, int] = field(default_factory=dict)  # each slider's default
    in_field: dict[str, int] = field(default_factory=dict)  # the number in each slider's exact field
    reset: set[str] = field(default_factory=set)  # the sliders to set back
    followed: dict[str, int | None] = field(default_factory=dict)  # the d_model // h that each head size follows
    moved: str = ""  # the head size whose move changed to Keras's convention
    numbers: DeltaGenerator = field(init=False, repr=False)  # set again in each run, like `line` and `pictures`
    line: DeltaGenerator = field(init=False, repr=False)
    pictures: dict[str, Any] = field(default_factory=dict)
    offers: list[str] = field(default_factory=list)  # the names of the offered files
    ready: dict[str, dict[str, str]] = field(default_factory=dict)  # the addresses of prepared files, by picture
    switches_of: tuple[object, ...] | None = None  # the layer whose switches were taken over
    presented: bool = False
    config: Mapping[str, object] | None = None
    sentence: str | None = None  # the last sentence on the page Why several
    sizes: dict[str, int] = field(default_factory=dict)  # the last sizes on the page Why several
    room: dict[str, str] = field(default_factory=dict)  # the query of the voting room
    voice: str | None = None  # this phone's number
    asks: tuple[str, ...] = ()  # the question on the lecturer's screen, with its state
    asked: tuple[str, ...] = ()  # `asks` of the last run


def visit() -> Visit:
    """The Visit of the present session. The first call creates it."""
    if "visit" not in st.session_state:
        st.session_state["visit"] = Visit()
    return st.session_state["visit"]


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """The session's values of the given widget keys. Keys without a value are left out."""
    everything = st.session_state.to_dict()  # once: each look-up by itself costs 10 µs
    return {key: everything[key] for key in keys if key in everything}
