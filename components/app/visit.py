"""The state of one visit (a Streamlit session) that no widget holds, and the values of widgets by their keys."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import Fault


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a widget's value. `heard` is None if the server made the change. For a visitor's change, it is the number of
    the last change that the browser knew. So no older change by the server undoes it."""

    sequence: int
    key: str
    before: object
    after: object
    heard: int | None = None


@dataclass
class Visit:
    """State of a visit that no widget holds. `numbers`, `line` and `pictures` are set again in each run.
    - Address: `faults` has its errors, or None before it is read, and `at_first` the values then shown. `shown_on` has each
      page's settings, `carried` those that go from page to page, and `page_before` the last page.
    - Stale values (components/app/stale_widget_values.py): `changes` are the last changes. Their numbers are above `first`, up to
      `sequence`. `begun_with` and `drawn_with` have the values when the run began and when the page was drawn.
    - Sliders, by key: `usual` has each default, `in_field` the number in each exact field, and `reset` the sliders to set back.
      `followed` has the d_model // h that a head size follows, and `moved` the size whose move changed to Keras's convention.
    - Page: `offers` names the offered files, `ready` has the addresses of prepared files by picture. `switches_of` is the layer
      whose switches were taken over. `sentence` and `sizes` are the last ones on the page Why several.
    - Presenting: `room` has the query of the voting room, `voice` is this phone's number. `asks` and `asked` are the question on
      the lecturer's screen, with its state, now and in the last run.
    """

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
    """The Visit of the present session, created at the first call."""
    if "visit" not in st.session_state:
        st.session_state["visit"] = Visit()
    return st.session_state["visit"]


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """The session's values of the given widget keys, without those that have none."""
    everything = st.session_state.to_dict()  # once: each look-up by itself costs 10 µs
    return {key: everything[key] for key in keys if key in everything}
