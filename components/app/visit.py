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
    """One change of a widget's value by the server. `heard`: for a change that only repeats a visitor's act, the last change
    that the browser knew then. So an earlier change that is still on its way cannot undo the act."""

    sequence: int
    key: str
    before: object
    after: object
    heard: int | None = None


@dataclass
class Visit:
    """State of a visit that no widget has. Fields of places and pictures belong to the running page; the others last for the
    visit.

    `menu`: the pages as Streamlit knows them. `faults`: what was wrong with the opened address, None before it is read;
    `at_first`: the values then shown for these keys. `shown_on`: the address's settings by page; `carried`: those that go from
    page to page; `page_before`: the last page. `typed_layers`: layers of typed numbers. `first`, `sequence`: numbers of the first
    and the last change, 0 before any. `controls`: keys of the shared controls; `begun_with`: values at the beginning of the run;
    `drawn_with`: those that the page was drawn with. `usual`, `in_field`: each slider's default, and the number in its field;
    `reset`: sliders that go back to their defaults. `followed`: what each head size follows in the paper's convention; `moved`:
    the size whose move changed to Keras's. `numbers`: the container above More for the choice of numbers; `line`: that of the
    check line. `pictures`: by key, those with next pictures to prefetch. `offers`: the offered files; `ready`: by picture,
    addresses of files after a press. `switches_of`: the layer whose switches were taken over. `presented`: a step of the walk was
    shown. `config`: a visitor's own configuration of a model. `sentence`, `sizes`: the last ones on Why several. `room`: the room
    of the address in which phones vote; `voice`: this phone's number in it. `asks`: the question that the lecturer's screen asks,
    and whether it shows the answer; `asked`: that of the last run.
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
    sentence: str | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    room: dict[str, str] = field(default_factory=dict)
    voice: str | None = None
    asks: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


def visit() -> Visit:
    """The visit's own object, created at the first call and the same in each run."""
    if "visit" not in st.session_state:
        st.session_state["visit"] = Visit()
    return st.session_state["visit"]


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """The session's values of the given keys; keys without a value are left out."""
    everything = st.session_state.to_dict()  # once: each look-up by itself costs 10 µs
    return {key: everything[key] for key in keys if key in everything}
