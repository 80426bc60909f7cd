"""The way of a page's components to the browser."""

import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import streamlit as st
from streamlit.components import v2

from headcount.assets import ASSETS
from headcount.stage.program import SHARED, joined

IN_TOUCH = joined(SHARED, ASSETS / "in_touch" / "in_touch.js")


class PageEnds(Exception):
    """The page ends here and the frame goes on (`st.stop` would end the frame's controls, too)."""


#: By the last part of their address: programs and style sheets that a browser fetches, as they are and compressed. Streamlit
#: (1.67) puts all of a component's program into each message about it, with every rerun; what it is sent instead is FETCH.
FILES: dict[str, tuple[bytes, bytes]] = {}
FILES_FOLDER = "programs"
#: All pages are in the root of the app. The second attempt is for a connection that broke. Its place says that it is drawn: until
#: then nothing below it is seen (assets/style.css).
FETCH = """const program = new URL("./{folder}/{name}", document.baseURI).href;
const {{ default: run }} = await import(program).catch(() => import(`${{program}}?again`));
export default (component) => {{
  const leave = run(component);
  const {{ host }} = component.parentElement;
  if (host) host.dataset.testid = "stBidiComponentIsolated drawn";
  return leave;
}};"""


def served(name: str, text: str) -> str:
    """The name under which this file is answered from now on: what it names never changes, so a browser keeps it."""
    plain, (stem, kind) = text.encode(), name.split(".")
    file = f"{stem}.{hashlib.sha256(plain).hexdigest()[:16]}.{kind}"
    FILES[file] = plain, gzip.compress(plain, 9)
    return file


class Serving:
    """Whether this process answers addresses (components/app/server.py). In tests without a server and inside a browser
    nobody does; then programs travel in the messages."""

    addresses = False


@cache
def component(name: str, js: str, html: str | None = None, css: str | None = None, page_styles: bool = False):
    """A component of ours, registered once for each process. `page_styles`: not shut off from the page's own."""
    if Serving.addresses:
        js = FETCH.format(folder=FILES_FOLDER, name=served(f"{name}.js", js))
    return v2.component(f"headcount_{name}", html=html, css=css, js=js, isolate_styles=not page_styles)


def reported(key: str, what: str) -> Any:
    """The last report of the component of this key, in a callback. None if it has not reported, or has gone before its message
    came."""
    component = st.session_state.get(key)
    return None if component is None else component.get(what)


def json_of(data: object) -> bytes:
    """The data of a component as JSON. Streamlit (1.67) would ask pandas whether a list or a mapping in it is a table. It would
    import pandas first: 80 MB, and a slow first picture."""
    return json.dumps(data, ensure_ascii=False).encode()


def keep_in_touch(address: Mapping[str, tuple[str, str]]) -> None:
    """Shows nothing. Runs the page once more when the browser is connected again, to its server or to another one. It also keeps
    the browser's address true at rest. `address`: by setting, its value and the usual one, which the address leaves out.

    Streamlit (1.67) connects again and shows the old page until something is changed, and that first change is lost
    (tests/deploy/test_replicas.py). It leaves a phone's menu open over the page chosen in it (tests/browser/test_frame.py). And
    if the server sets one setting while another is still moved, its answer puts that one's older value into the address
    (tests/browser/test_controls.py). Call it once for each page, outside every fragment: in a fragment it would rerun that alone.
    """
    data, watch = json_of(address), component("in_touch", IN_TOUCH)
    watch(data=data, on_back_change=lambda: None)  # without a key: each number field reads the state of all that have one
