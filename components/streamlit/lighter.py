"""Two things that Streamlit (1.67) does anew in each run, done once: together 1.5 ms of each move.

A number field, a slider and a text field copy everything that the session holds, presented, to look up their own key in it. And
each run begins with a message that spells out the theme of the configuration, option by option. Both answers are the same without
(tests/app/test_streamlit_contract.py).
"""

from typing import Any

from streamlit.elements.widgets import number_input, slider, text_widgets
from streamlit.runtime import app_session
from streamlit.runtime.state import get_session_state

WIDGETS = (number_input, slider, text_widgets)


class OneLook:
    """The session's state, in which a widget looks up its own key alone."""

    def __init__(self, state: Any):
        self.filtered_state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self.filtered_state, name)


def one_look() -> OneLook:
    return OneLook(get_session_state())


class Themes:
    """By section of the configuration: its theme as it is sent. The configuration is read when the server starts."""

    def __init__(self, spell_out: Any):
        self.spell_out, self.known = spell_out, {}

    def __call__(self, message: Any, section: str = "theme") -> None:
        if section not in self.known:
            self.known[section] = type(message)()
            self.spell_out(self.known[section], section)
        message.MergeFrom(self.known[section])


def lighten() -> None:
    """Once for each process."""
    for module in WIDGETS:
        vars(module)["get_session_state"] = one_look
    if not isinstance(app_session._populate_theme_msg, Themes):
        app_session._populate_theme_msg = Themes(app_session._populate_theme_msg)
