"""Registers the app's components (programs in the browser) and sends them their data."""

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
    """Raised to end the page while the frame goes on (`st.stop` would end the frame's controls, too)."""


#: Programs and style sheets that a browser fetches, plain and compressed, by file name. Streamlit (1.67) would put a component's
#: whole program into each of its messages, in every run. It gets FETCH instead.
FILES: dict[str, tuple[bytes, bytes]] = {}
FILES_FOLDER = "programs"
#: A program that imports the component's real one. All pages are in the root of the app. The second attempt is for a broken
#: connection. The test id says that the component is drawn: nothing below it is seen before (assets/style.css).
FETCH = """const program = new URL("./{folder}/{name}", document.baseURI).href;
const {{ default: run }} = await import(program).catch(() => import(`${{program}}?again`));
export default (component) => {{
  const leave = run(component);
  const {{ host }} = component.parentElement;
  if (host) host.dataset.testid = "stBidiComponentIsolated drawn";
  return leave;
}};"""


def served(name: str, text: str) -> str:
    """Keeps a file for the server's answers and returns its name, which contains a hash of the text. So a browser may cache it
    for ever."""
    plain, (stem, kind) = text.encode(), name.split(".")
    file = f"{stem}.{hashlib.sha256(plain).hexdigest()[:16]}.{kind}"
    FILES[file] = plain, gzip.compress(plain, 9)
    return file


class Serving:
    """Whether this process serves the files of components (components/app/server.py). Without a server, as in tests and in a
    browser's Python, the programs are sent inside Streamlit's messages."""

    addresses = False


@cache
def component(name: str, js: str, html: str | None = None, css: str | None = None, page_styles: bool = False):
    """A component of the app, registered once for each process. `page_styles`: the page's style sheet applies inside, too."""
    if Serving.addresses:
        js = FETCH.format(folder=FILES_FOLDER, name=served(f"{name}.js", js))
    return v2.component(f"headcount_{name}", html=html, css=css, js=js, isolate_styles=not page_styles)


def reported(key: str, what: str) -> Any:
    """The last value of a component's report `what`, for a callback. None if the component has not reported, or is no longer
    drawn."""
    component = st.session_state.get(key)
    return None if component is None else component.get(what)


def json_of(data: object) -> bytes:
    """The data of a component as JSON bytes. For a list or a mapping, Streamlit (1.67) would import pandas to ask if it is a
    table: 80 MB, and a slow first picture."""
    return json.dumps(data, ensure_ascii=False).encode()


def keep_in_touch(address: Mapping[str, tuple[str, str]]) -> None:
    """Draws an invisible component that reruns the page when the browser is connected again, and keeps the address in the browser
    right. `address`: for each setting its value and its default; a default is left out of the address.

    Streamlit (1.67) connects again and shows the old page until something is changed, and that first change is lost
    (tests/deploy/test_replicas.py). It leaves a phone's menu open over the page chosen in it (tests/browser/test_frame.py). If
    the server sets one setting while the visitor moves another, its answer puts an older value into the address
    (tests/browser/test_controls.py). Call it once for each page, outside every fragment, which it would rerun alone.
    """
    data, watch = json_of(address), component("in_touch", IN_TOUCH)
    watch(data=data, on_back_change=lambda: None)  # without a key: each number field reads the state of all that have one
