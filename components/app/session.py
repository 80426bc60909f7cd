"""The record of what a page shows (Shown), and the layer from a visitor's file.

The visitor's layer is in the session, never in a cache that visitors share. Outside a run of a page there is no such layer.
"""

from dataclasses import dataclass

import streamlit as st

from components.app.stale_widget_values import set_value
from components.settings import Settings
from headcount import Config
from headcount.layer import SEED, Origin, VisitorLayer
from headcount.reading import Reading
from headcount.trained.sentence import UnreadableSentence

#: Keys of the session: the layer from a visitor's file, and the error of the last file.
KEY, PROBLEM = "own", "own_problem"


def visitor_layer() -> VisitorLayer | None:
    """The layer from the present visitor's file, or None."""
    return st.session_state.get(KEY)


@dataclass(frozen=True, slots=True)
class Shown:
    """The layer that a page shows, and the source of its numbers.
    - `cfg`: the layer's Config, with the sequence lengths of the shown numbers.
    - `labels`: the names of rows and columns, or ().
    - `why_not`: why the page shows random numbers instead of the chosen numbers, or "".
    - `fault`: the error in the visitor's sentence, or None.
    """

    settings: Settings
    cfg: Config
    origin: Origin = SEED
    labels: tuple[str, ...] = ()
    why_not: str = ""
    fault: UnreadableSentence | None = None

    @property
    def reading(self) -> Reading | None:
        """The trained network's reading of the sentence. None if the page shows other numbers."""
        return self.origin.reading(self.cfg)

    def labels_at(self, cfg: Config) -> tuple[str, ...]:
        """The words of rows and columns in a layer with the sizes `cfg`. () if no trained layer of these sizes reads words."""
        return () if (reading := self.origin.reading(cfg)) is None else reading.labels


def follow() -> None:
    """Callback: sets the shared settings to those of the visitor's layer."""
    state = st.session_state
    layer: VisitorLayer = state[KEY]
    for key, value in layer.settings(bool(state.get("use_gate"))).items():
        set_value(key, value)


def let_go() -> None:
    """Callback: forgets the layer and the error of the visitor's file."""
    for key in (KEY, PROBLEM):
        st.session_state.pop(key, None)
