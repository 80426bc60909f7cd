"""Replaces parts of Streamlit that do not work under stlite (docs/upstream.md). In the static copy, components/frame.py imports
this module first."""

import json
from pathlib import Path
from types import SimpleNamespace

from pyodide.http import open_url
from streamlit.runtime import Runtime, runtime_contextvar
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.session_state import SessionState

from headcount.stage import program, text

# stlite keeps the runtime in a context variable, but components of version 2 ask the class (stlite 1.9.2, Streamlit 1.62).
Runtime.exists = classmethod(lambda _: runtime_contextvar.get(None) is not None)
Runtime.instance = classmethod(lambda _: runtime_contextvar.get())

# After Back or Forward, Streamlit 1.62 sends the query of the previous page, and its values replace those of the address. Here
# the address wins, once for each of its keys, as in 1.67. behind.js sends the new address first. `stale` is the query that
# Streamlit sends.
ask, bind = AppSession.request_rerun, SessionState._handle_query_param_binding
address = SimpleNamespace(gone_to=None, query="", stale=None, restored=None)


def request_rerun(session, message):
    if message is not None and (to := message.page_script_hash):
        page = session._pages_manager.get_pages().get(to, {}).get("url_pathname")
        if address.gone_to is not None and address.gone_to[0] == page:
            (_, address.query), address.gone_to, address.restored = address.gone_to, None, set()
            address.stale = message.query_string
        elif to != session._client_state.page_script_hash or message.query_string != address.stale:
            address.stale = address.restored = None
        message.query_string = message.query_string if address.stale is None else address.query
    ask(session, message)


def bind_to_address(state, metadata, key, widget):
    if address.restored is None or key in address.restored:
        return bind(state, metadata, key, widget)
    address.restored.add(key)
    state._new_widget_state.states.pop(widget, None)
    state._new_session_state.pop(key, None)
    if not bind(state, metadata, key, widget):
        state._new_session_state[key] = default = metadata.deserializer(None)
        state._new_widget_state.set_from_value(widget, default)
    return True


AppSession.request_rerun, SessionState._handle_query_param_binding = request_rerun, bind_to_address
# Only HTML files contain Plotly. It is fetched when such a file is made.
plotly = f"{Path('top.txt').read_text(encoding='utf-8')}static/{program.PLOTLY_NAME}"
program.PLOTLY = SimpleNamespace(read_bytes=lambda: open_url(plotly).read().encode())


def font(widths: dict[str, float], unknown: float):
    """Makes a font for `headcount.stage.text`, because Pillow in the browser cannot read WOFF 2. The build has measured the
    letter widths. A letter that is not in `widths` has the width `unknown`."""
    return SimpleNamespace(getlength=lambda text: sum(widths.get(letter, unknown) for letter in text))


fonts = {name: font(*numbers) for name, numbers in json.loads(Path("letters.json").read_text(encoding="utf-8")).items()}
text._font = lambda face, bold: fonts[f"{face} {bold}"]
