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

    `menu`: the pages as Streamlit knows them. `faults`: what is wrong with the address that was opened, None before it is read;
    `at_first`: the values of their keys as they were then shown. `shown_on`: by page, what its address held; `carried`: what goes
    along from page to page; `page_before`: the last page. `typed_layers`: layers of typed numbers. `first`, `sequence`: the first
    number of a change and the last, 0 before any; `controls`: keys of the shared controls; `begun_with`, `drawn_with`: values at
    the beginning of the run, and those that the page was drawn with. `usual`, `in_field`: by slider its default and the number in
    its field; `reset`: sliders that go back to their defaults. `followed`: what each head size follows in the paper's way;
    `moved`: the one that brought Keras's. `numbers`: the place of the fields for the numbers of the layer, above More, which may
    open under the pointer; `line`: that of the check line. `pictures`: by key, those of the page that have something to follow.
    `offers`, `ready`: files that are offered, and where a press has made one ready. `switches_of`: whose switches were taken
    over. `presented`: a step of the walk has been on the screen. `config`: a visitor's own configuration of a model. `sentence`,
    `sizes`: the last ones of Why several. `room`: where phones vote, as the address has it; `voice`: of this tab there. `asks`:
    the question that the lecturer's run asks there, and whether it answers it. `asked`: the same in the run before.
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
    asks: tuple[str, bool] | None = None
    asked: tuple[str, bool] | None = None


def visit() -> Visit:
    """The visit's own object, created at the first call and the same in each run."""
    if "visit" not in st.session_state:
        st.session_state["visit"] = Visit()
    return st.session_state["visit"]


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """The session's values of the given keys; keys without a value are left out."""
    everything = st.session_state.to_dict()  # once: each look-up by itself costs 10 µs
    return {key: everything[key] for key in keys if key in everything}
