"""The object in which the app keeps a visit's own state, and the session's values by their keys."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import Fault
from headcount import Config
from headcount.custom_layer import CustomLayer
from headcount.typed import Typed


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a widget's value by the server. `heard`: if the change only repeats a visitor's act, the last change that
    the browser knew at that time. An earlier change that is on its way to the browser does not undo the act."""

    sequence: int
    key: str
    before: object
    after: object
    heard: int | None = None


@dataclass
class Visit:
    """State of a visit that no widget has. Fields of places and pictures belong to the running page; the others last for the
    visit.

    `menu`: the pages as Streamlit's objects. `faults`: faults of the opened address, None before they are read; `at_first`: the
    values of their keys at that time. `shown_on`: by page, its part of the address; `carried`: the settings carried from page to
    page; `page_before`: the last page. `typed_layers`: layers of typed numbers. `first`, `sequence`: the first and the last
    sequence number of a change, 0 before any; `controls`: keys of the shared controls; `begun_with`, `drawn_with`: values at the
    beginning and end of the run. `usual`, `in_field`: by slider its default and the number in its field; `reset`: sliders that
    return to their defaults. `followed`: by head size d_model / h, or None; `moved`: the head size whose move changed to Keras's
    convention. `numbers`: the place of the fields for the layer's numbers, above More; `line`: the place of the check line.
    `pictures`: by key, pictures whose next stops can be sent ahead. `offers`, `ready`: names of offered files, and the files that
    a press has prepared. `switches_of`: the layer whose switches were taken over. `presented`: whether a step of the walk was
    shown. `config`, `class_fault`: a visitor's model configuration, and the error of transformers for it. `guesses`: the verdict
    guessed for each statement. `sentence`, `sizes`: the last ones on the page Why several. `room`: the room in which phones vote,
    as the address has it; `voice`: this phone's number there.
    """

    menu: dict[str, list] = field(default_factory=dict)
    faults: list[Fault] | None = None
    at_first: dict[str, Any] = field(default_factory=dict)
    shown_on: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    carried: dict[str, list[str]] | None = None
    page_before: str = ""
    typed_layers: dict[tuple[Typed, Config], CustomLayer] = field(default_factory=dict)
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
    class_fault: str = ""
    guesses: dict[str, str] = field(default_factory=dict)
    sentence: str | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    room: dict[str, str] = field(default_factory=dict)
    voice: str | None = None


def visit() -> Visit:
    """The visit's own object, created at the first call and the same in each run."""
    if "visit" not in st.session_state:
        st.session_state["visit"] = Visit()
    return st.session_state["visit"]


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """The session's values of the given keys; keys without a value are left out."""
    everything = st.session_state.to_dict()  # once: each look-up by itself costs 10 µs
    return {key: everything[key] for key in keys if key in everything}
