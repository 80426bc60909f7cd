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
    faults: list[Fault] | None = None
    at_first: dict[str, Any] = field(default_factory=dict)
    shown_on: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    carried: dict[str, list[str]] | None = None
    page_before: str = ""
    first: int = 0
    sequence: int = 0
    changes: tuple[Change, ...] = ()
    controls: Collection[str] = ()
    begun_with: dict[str, Any] = field(default_factory=dict)
    drawn_with: dict[str, Any] = field(default_factory=dict)
    usual: dict[str, int] = field(default_factory=dict)
    in_field: dict[str, int] = field(default_factory=dict)
    reset: set[str] = field(default_factory=set)
    followed: dict[str, int | None] = field(default_factory=dict)
    moved: str = ""
    numbers: DeltaGenerator = field(init=False, repr=False)
    line: DeltaGenerator = field(init=False, repr=False)
    pictures: dict[str, Any] = field(default_factory=dict)
    offers: list[str] = field(default_factory=list)
    ready: dict[str, dict[str, str]] = field(default_factory=dict)
    switches_of: tuple[object, ...] | None = None
    presented: bool = False
    config: Mapping[str, object] | None = None
    sentence: str | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    room: dict[str, str] = field(default_factory=dict)
    voice: str | None = None
    asks: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


def visit() -> Visit:
    """The Visit of the present session. The first call creates it."""
    if "visit" not in st.session_state:
        st.session_state["visit"] = Visit()
    return st.session_state["visit"]


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """The session's values of the given widget keys. Keys without a value are left out."""
    everything = st.session_state.to_dict()  # once: each look-up by itself costs 10 µs
    return {key: everything[key] for key in keys if key in everything}
