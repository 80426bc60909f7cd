"""What both tasks share: the shipped networks and what they can do, kept for all visitors (each is read, checked and measured
once); a weight explained; the line about who computed the numbers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import streamlit as st

from components.app.controls import off_default
from components.app.runtime import PageEnds
from components.app.stale_widget_values import set_value
from components.app.visit import kept
from components.widgets.check import LINE
from components.widgets.explanation import explain_look, read_cell
from headcount import Trace
from headcount.explain import Cell
from headcount.names import heads_in_words
from headcount.settings import CELL, Setting
from headcount.stage.pictures.trained.sentence import OPEN
from headcount.trained.measures import Measured, measure
from headcount.trained.network import Network
from headcount.trained.store import Broken, load, manifest, report, task_of
from headcount.trained.task import Examples, fixed_examples

T = TypeVar("T")


def or_end(read: Callable[[], T]) -> T:
    """What is read. Where a file of the trained networks is missing, or not the one that was trained, says so and ends the
    page."""
    try:
        return read()
    except Broken as error:
        st.error(str(error))
        raise PageEnds from None


def network(name: str) -> Network:
    """A network by its name ("dinner-4")."""
    return or_end(partial(load, name))


def manifest_and_report(task: str) -> tuple[dict, dict]:
    return or_end(partial(manifest, task)), or_end(partial(report, task))


@st.cache_resource(show_spinner=False, max_entries=8)
def examples(task: str) -> Examples:
    """The fixed examples of a task."""
    return fixed_examples(task_of(task))


@st.cache_resource(show_spinner=False, max_entries=32)
def measured(name: str) -> Measured:
    """What a network can do on the fixed examples of its task."""
    return measure(network(name), examples(name.partition("-")[0]))


def explain_weight(trace: Trace, shown: Cell | None, labels: tuple[str, ...]) -> None:
    """The field that names a cell, and the card with how its number comes about. `shown`: the one that the picture marks."""
    cell = read_cell(trace, shown)
    if cell is None:
        st.caption("Click a cell.")
    else:
        explain_look(trace, cell, labels, True, "sqrt_d_k")


def curves_or_maps(show_curves: Callable[[], object], show_maps: Callable[[], object]) -> None:
    """The picture with its curves; or all attention weights as maps to read, once they are opened: by a press on one in the
    picture, or by a cell in the address."""
    if off_default([CELL]):
        st.session_state[OPEN] = True
    is_open = st.session_state.get(OPEN, False)
    (show_maps if is_open else show_curves)()
    label = "Back to the curves" if is_open else "All attention weights, as maps"
    st.button(label, key="curves_or_maps", on_click=_show_maps, args=(not is_open,), type="tertiary")


def _show_maps(shown: bool) -> None:
    """Callback. A cell is chosen in the maps alone."""
    st.session_state[OPEN] = shown
    if CELL.code in st.session_state:
        set_value(CELL.code, "")


def press(setting: Setting, what: str) -> None:
    """Callback of a press in the picture: on the maps, or on a word, whose place is the setting's value."""
    if what == OPEN:
        _show_maps(True)
    elif setting.is_valid(place := setting.convert(what)):
        set_value(setting.code, place)


def who(heads: int) -> str:
    """A network's name in the table and above its maps."""
    return heads_in_words(heads) if heads > 1 else "one head"


def span(values: Sequence[float]) -> str:
    """ "53%" or "34% to 56%"."""
    low, high = f"{min(values):.0%}", f"{max(values):.0%}"
    return low if low == high else f"{low} to {high}"


def show_check(*names: str) -> None:
    """The quiet line: who computed the numbers of these networks, and what they were compared with."""
    found = [manifest_and_report(name.partition("-")[0])[0] for name in names]
    recipe, differences = found[0]["recipe"], [one["networks"][name]["keras"] for one, name in zip(found, names, strict=True)]
    attention, likely = (max(one[what] for one in differences) for what in ("attention", "probabilities"))
    with kept()[LINE]:
        st.caption(
            f"✓ Numbers by NumPy. When these weights were trained, Keras {recipe['keras']} on TensorFlow "
            f"{recipe['tensorflow']} gave the same: attention within {attention:.0e}, probabilities within {likely:.0e}. "
            "The files are the ones that were written then (SHA-256)."
        )
