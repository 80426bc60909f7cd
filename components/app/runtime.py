"""Registers the app's Streamlit components, which are JavaScript programs in the browser, and encodes their data."""

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
    """Raised to end a page's program, but not the frame around the page. (`st.stop` would end both.)"""


#: Programs and style sheets that a browser fetches, plain and compressed, by file name. Streamlit (1.67) would put a component's
#: whole program into each of its messages.
FILES: dict[str, tuple[bytes, bytes]] = {}
FILES_FOLDER = "programs"
#: A program that imports the component's real one, twice if the connection breaks. The test id says that the component is drawn:
#: nothing below it is seen before (assets/style.css).
FETCH = """const program = new URL("./{folder}/{name}", document.baseURI).href;
const {{ default: run }} = await import(program).catch(() => import(`${{program}}?again`));
export default (component) => {{
  const leave = run(component);
  const {{ host }} = component.parentElement;
  if (host) host.dataset.testid = "stBidiComponentIsolated drawn";
  return leave;
}};"""


def served(name: str, text: str) -> str:
    """Adds a text to FILES, and returns the file's name. The name has a hash of the text, so browsers may cache it for ever."""
    plain, (stem, kind) = text.encode(), name.split(".")
    file = f"{stem}.{hashlib.sha256(plain).hexdigest()[:16]}.{kind}"
    FILES[file] = plain, gzip.compress(plain, 9)
    return file


class Serving:
    """A flag of the process. `addresses`: whether FILES are served by address. If not, Streamlit's messages contain them."""

    addresses = False


@cache
def component(name: str, js: str, html: str | None = None, css: str | None = None, page_styles: bool = False):
    """Registers a component once, and returns the function that draws it. `page_styles`: whether the page's style sheet also
    applies inside the component."""
    if Serving.addresses:
        js = FETCH.format(folder=FILES_FOLDER, name=served(f"{name}.js", js))
    return v2.component(f"headcount_{name}", html=html, css=css, js=js, isolate_styles=not page_styles)


def reported(key: str, what: str) -> Any:
    """The last value that the component `key` has reported under the name `what`, or None."""
    component = st.session_state.get(key)
    return None if component is None else component.get(what)


def json_of(data: object) -> bytes:
    """Encodes a component's data as JSON. For a list or a mapping, Streamlit (1.67) would import pandas, which takes 80 MB."""
    return json.dumps(data, ensure_ascii=False).encode()


def keep_in_touch(address: Mapping[str, tuple[str, str]]) -> None:
    """Draws an invisible component that works around three faults of Streamlit (1.67). `address`: from Settings.in_address.
    - After a reconnection, the old page stays until a widget changes, and that change is lost (tests/deploy/test_replicas.py).
    - A phone's menu stays open over the page that was chosen in the menu (tests/browser/test_frame.py).
    - If server and visitor change two settings at once, the address gets an older value (tests/browser/test_controls.py).
    """
    data, watch = json_of(address), component("in_touch", IN_TOUCH)
    watch(data=data, on_back_change=lambda: None)  # without a key: each number field reads the state of all that have one
