"""What stlite lacks and nothing works without (docs/upstream/stlite.md). Every script of the app begins with its import there."""

import json
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

from streamlit.runtime import Runtime, runtime_contextvar
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.session_state import SessionState

from components.figures import text

# stlite keeps the runtime in a context variable, components of version 2 ask the class (stlite 1.9.2, Streamlit 1.62).
Runtime.exists = classmethod(lambda _: runtime_contextvar.get(None) is not None)
Runtime.instance = classmethod(lambda _: runtime_contextvar.get())

# Back and Forward in Streamlit 1.62: the message has the query of the page before, and values that win over the address. Here, as
# in 1.67, the address wins, once for each of its keys. index.html marks the address in such a message.
ask, bind, SessionState.restored = AppSession.request_rerun, SessionState._handle_query_param_binding, None


def request_rerun(session, message):
    restored = None
    if message is not None and message.page_script_hash:
        query = urlsplit(message.context_info.url).query
        marked = query.endswith("history=back")
        if marked or message.page_script_hash == session._client_state.page_script_hash:
            message.query_string = query.removesuffix("history=back").rstrip("&")
        restored = set() if marked else None
    session._session_state.restored = restored
    ask(session, message)


def bind_to_address(state, metadata, key, widget):
    if state.restored is None or key in state.restored:
        return bind(state, metadata, key, widget)
    state.restored.add(key)
    for values, name in ((state._new_widget_state, widget), (state._new_session_state, key)):
        if name in values:
            del values[name]
    if not bind(state, metadata, key, widget):
        state._new_session_state[key] = default = metadata.deserializer(None)
        state._new_widget_state.set_from_value(widget, default)
    return True


AppSession.request_rerun, SessionState._handle_query_param_binding = request_rerun, bind_to_address


def font(widths: dict[str, float], pairs: dict[str, float], unknown: float):
    """A font as `components.figures.text` asks it: Pillow reads no WOFF 2 here, so the build has measured the letters."""
    more = lambda text: sum(pairs.get(text[at : at + 2], 0.0) for at in range(len(text) - 1))  # noqa: E731
    return SimpleNamespace(getlength=lambda text: sum(widths.get(letter, unknown) for letter in text) + more(text))


fonts = {name: font(*numbers) for name, numbers in json.loads(Path("letters.json").read_text(encoding="utf-8")).items()}
text._font = lambda face, bold: fonts[f"{face} {bold}"]
