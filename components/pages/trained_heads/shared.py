"""What both tasks share: a weight explained; the line about who computed the numbers."""

from collections.abc import Sequence

import streamlit as st

from components.app.visit import visit
from components.pages.trained_heads.choices import Choice
from components.widgets.explanation import explain_look, read_cell
from components.widgets.networks import manifest_and_report
from headcount import Trace
from headcount.explain import Cell
from headcount.names import heads_in_words


def explain_weight(trace: Trace, shown: Cell | None, labels: tuple[str, ...]) -> None:
    """The field that names a cell, and the card with how its number comes about. `shown`: the one that the picture marks."""
    cell = read_cell(trace, shown)
    if cell is None:
        st.caption("Click a cell.")
    else:
        explain_look(trace, cell, labels, True, "sqrt_d_k")


def who(heads: int) -> str:
    """A network's name in the table and above its maps."""
    return heads_in_words(heads) if heads > 1 else "one head"


def span(values: Sequence[float]) -> str:
    """ "53%" or "34% to 56%"."""
    low, high = f"{min(values):.0%}", f"{max(values):.0%}"
    return low if low == high else f"{low} to {high}"


def show_check(choice: Choice, *names: str) -> None:
    """The quiet line: who computed these numbers, and what they were compared with."""
    manifest = manifest_and_report(choice.task)[0]
    recipe, differences = manifest["recipe"], [manifest["networks"][name]["keras"] for name in names]
    attention, likely = (max(one[what] for one in differences) for what in ("attention", "probabilities"))
    with visit().line:
        st.caption(
            f"✓ Numbers by NumPy. When these weights were trained, Keras {recipe['keras']} on TensorFlow "
            f"{recipe['tensorflow']} gave the same: attention within {attention:.0e}, probabilities within {likely:.0e}. "
            "The files are the ones that were written then (SHA-256)."
        )
