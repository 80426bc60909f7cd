"""What both tasks share: curves or maps; a weight explained; the line about who computed the numbers."""

from collections.abc import Callable, Sequence

import streamlit as st

from components.app.controls import off_default
from components.app.stale_widget_values import set_value
from components.app.visit import visit
from components.widgets.explanation import explain_look, read_cell
from components.widgets.networks import manifest_and_report
from headcount import Trace
from headcount.explain import Cell
from headcount.names import heads_in_words
from headcount.settings import CELL, Setting
from headcount.stage.pictures.trained.sentence import OPEN


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
    with visit().line:
        st.caption(
            f"✓ Numbers by NumPy. When these weights were trained, Keras {recipe['keras']} on TensorFlow "
            f"{recipe['tensorflow']} gave the same: attention within {attention:.0e}, probabilities within {likely:.0e}. "
            "The files are the ones that were written then (SHA-256)."
        )
