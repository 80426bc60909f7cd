"""The value of all that a page shows, and the layer of a visitor's file, which the session keeps.

That is in no cache that visitors share, and ends with the visit. Outside a run of a page the session is empty.
"""

from dataclasses import dataclass

import streamlit as st

from components.app.stale_widget_values import set_value
from components.settings import Settings
from headcount import Config
from headcount.layer import SEED, Origin, VisitorLayer
from headcount.reading import Reading
from headcount.trained.sentence import UnreadableSentence
from headcount.typed import Typed, Unreadable

#: Keys of the session: the layer of a file, and what was wrong with the last file.
KEY, PROBLEM = "own", "own_problem"


def visitor_layer() -> VisitorLayer | None:
    """Returns the layer of the visitor for whom this script runs, or None."""
    return st.session_state.get(KEY)


@dataclass(frozen=True, slots=True)
class Shown:
    """All that a page shows. It is made once, where the page begins, and passed on.

    `cfg`: the layer that the settings describe, with the positions that its numbers have. `labels`: the words of rows and
    columns, if they have any. `typed`: what the visitor has typed, where that is asked for. `why_not`: why random numbers are
    shown where others are asked for. `fault`: what is wrong with the sentence, or with what was typed; then others are shown.
    """

    settings: Settings
    cfg: Config
    origin: Origin = SEED
    labels: tuple[str, ...] = ()
    typed: Typed | None = None
    why_not: str = ""
    fault: UnreadableSentence | Unreadable | None = None

    @property
    def reading(self) -> Reading | None:
        """The sentence as the trained layer reads it; None if other numbers are shown."""
        return self.origin.reading(self.cfg)

    def labels_at(self, cfg: Config) -> tuple[str, ...]:
        """The words of rows and columns at these sizes, where a trained layer reads them."""
        return () if (reading := self.origin.reading(cfg)) is None else reading.labels


def follow() -> None:
    """Callback: the shared settings become those of the visitor's layer."""
    state = st.session_state
    layer: VisitorLayer = state[KEY]
    for key, value in layer.settings(bool(state.get("use_gate"))).items():
        set_value(key, value)


def let_go() -> None:
    """Callback: goes back to the seeded layer; nothing of the file stays."""
    for key in (KEY, PROBLEM):
        st.session_state.pop(key, None)
