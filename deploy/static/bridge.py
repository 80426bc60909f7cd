"""Parts of Python packages that stlite lacks and the app needs (docs/upstream.md). In the static copy, components/frame.py
begins with an import of this module."""

import json
from pathlib import Path
from types import SimpleNamespace

from pyodide.http import open_url
from streamlit.runtime import Runtime, runtime_contextvar
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.session_state import SessionState

from headcount.stage import program, text

# stlite keeps the runtime in a context variable, components of version 2 ask the class (stlite 1.9.2, Streamlit 1.62).
Runtime.exists = classmethod(lambda _: runtime_contextvar.get(None) is not None)
Runtime.instance = classmethod(lambda _: runtime_contextvar.get())

# Back and Forward in Streamlit 1.62: the message has the query of the page before, and values that win over the address. Here, as
# in 1.67, the address wins, once for each of its keys. behind.js says first where to; `stale` is what the messages say instead.
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
# Only files for use offline contain Plotly: it is fetched when one is written.
plotly = f"{Path('top.txt').read_text(encoding='utf-8')}static/{program.PLOTLY_NAME}"
program.PLOTLY = SimpleNamespace(read_bytes=lambda: open_url(plotly).read().encode())


def font(widths: dict[str, float], unknown: float):
    """A font that `headcount.stage.text` can measure with, made of letter widths that the build has measured. Pillow reads no
    WOFF 2 in the browser."""
    return SimpleNamespace(getlength=lambda text: sum(widths.get(letter, unknown) for letter in text))


fonts = {name: font(*numbers) for name, numbers in json.loads(Path("letters.json").read_text(encoding="utf-8")).items()}
text._font = lambda face, bold: fonts[f"{face} {bold}"]
