"""Opens a page of the app at an address with AppTest, and reads what is on it."""

import asyncio
import base64
import json
import re
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from html import unescape
from types import MappingProxyType

import numpy as np
from starlette.types import ASGIApp
from streamlit.testing.v1 import AppTest

from components.menu import FOLDERS
from tests.sources import ROOT
from tests.stage.reading import unpacked

PAGES = ("heads", "projections", "attention", "concatenation")
ALL_PAGES = tuple(page for pages in FOLDERS.values() for page in pages)
#: Seconds that a page may take on a busy machine; a tenth of one is usual.
PATIENCE = 60
WORDS = ("title", "header", "subheader", "markdown", "caption", "warning", "info", "error", "success", "latex")


def in_thread(work: Coroutine):
    """The result of `work` run in a new thread, because Playwright's event loop runs in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def fetch(addresses: ASGIApp, path: str, accepted: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a GET request to an ASGI application without a server."""
    told: list[dict] = []

    async def send(message) -> None:
        told.append(message)

    path, _, query = path.partition("?")
    scope = {
        "type": "http", "scheme": "http", "method": "GET", "path": path, "query_string": query.encode(),
        "headers": [(b"accept-encoding", accepted), (b"host", b"localhost:8501")],
    }  # fmt: skip
    in_thread(addresses(scope, None, send))
    headers = {name.decode(): value.decode() for name, value in told[0]["headers"]}
    return told[0]["status"], headers, b"".join(message.get("body", b"") for message in told[1:])


#: What a visitor has opened, so that all is drawn: More in the sidebar, and the folded pictures.
OPENED = {"more_drawn": True, "cuts_box": True, "copied_box": True}


def open_page(page: str = "heads", **query: object) -> AppTest:
    """The page after its first run, with every control drawn, as for a visitor who follows a link and opens everything. A
    parameter may be a list, for several values of one key."""
    return come(page, OPENED | {"Exact sizes": True}, **query)


def come(page: str = "heads", state: Mapping[str, object] = MappingProxyType({}), **query: object) -> AppTest:
    """The page after its first run, with this session state and no box opened."""
    return fresh(page, state, **query).run()


def fresh(page: str = "heads", state: Mapping[str, object] = MappingProxyType({}), **query: object) -> AppTest:
    """The page before its first run, with this session state."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    for key, value in state.items():
        at.session_state[key] = value
    for key, value in query.items():
        at.query_params[key] = [str(v) for v in value] if isinstance(value, list) else str(value)
    if page != "heads":
        at.switch_page(f"pages/{page}.py")
    return at


@lru_cache(64)
def _seen(page: str, query: tuple[tuple[str, object], ...]) -> AppTest:
    return whole(open_page(page, **dict(query)))


def seen(page: str = "heads", **query: object) -> AppTest:
    """The page after its first run, cached for tests that only read it."""
    return _seen(page, tuple(query.items()))


def whole(at: AppTest) -> AppTest:
    """Returns the page after a check that it has a title and no error. Raises AssertionError with the page's error."""
    assert [error.message for error in at.exception] == []
    assert len(at.title) == 1
    return at


def in_address(at: AppTest, key: str) -> str:
    """The text that a widget has put into the address. (Streamlit 1.62 gives its tests a list.)"""
    return whole_address(at)[key]


def whole_address(at: AppTest) -> dict[str, str]:
    """All keys of the address with their texts. (Streamlit 1.62 gives its tests lists.)"""
    return {key: raw if isinstance(raw, str) else raw[-1] for key, raw in at.query_params.items()}


def title(at: AppTest) -> str:
    return at.title[0].value


def said(at: AppTest) -> list[str]:
    """All texts of the page that are read as Markdown."""
    return [element.value for kind in WORDS for element in at.get(kind)]


def text(at: AppTest) -> str:
    return "\n".join(said(at))


def card(at: AppTest) -> str:
    """The card with a cell's arithmetic, as HTML."""
    return "".join(node.proto.body for node in at.get("html") if 'class="terms"' in node.proto.body)


def outside_code(body: str) -> str:
    """A Markdown text without its code spans (`…`): the part that a browser may interpret."""
    return re.sub(r"`[^`]*`", "", body)


def component(at: AppTest, name: str) -> list[tuple[str, bytes]]:
    """The key and the data of each component of this name on the page."""
    found = [element for element in at.get("bidi_component") if element.proto.component_name == f"headcount_{name}"]
    return [(key_of(element), element.proto.bytes) for element in found]


def pictures(at: AppTest) -> list[tuple[dict, np.ndarray]]:
    """The plan (as JSON) and the numbers of each scene on the page."""
    return [unpacked(data) for _, data in component(at, "stage")]


def stages(at: AppTest) -> list[dict]:
    """The plan (as JSON) of each scene on the page."""
    return [plan for plan, _ in pictures(at)]


def charts(at: AppTest) -> list[str]:
    """The names of the Plotly figures on the page."""
    return [key for key, _ in component(at, "chart")]


def key_of(element) -> str:
    """The key of a component. (Streamlit 1.62 gives its tests only the id, which ends with the key.)"""
    return element.proto.id.split("-", 2)[-1]


def schematics(at: AppTest) -> list[str]:
    """The alt text of each schematic on the page."""
    return [unescape(re.findall(r'aria-label="([^"]*)"', svg.decode())[0]) for _, svg in component(at, "drawing")]


def figures(at: AppTest) -> dict[str, dict]:
    """The Plotly figures on the page by name, as they are sent, with their `alt` text."""
    return {key: json.loads(data) for key, data in component(at, "chart")}


def images(at: AppTest) -> list[str]:
    """The inline images on the page, as HTML."""
    return [element.proto.body for element in at.get("html") if element.proto.body.startswith("<img ")]


def preview(at: AppTest) -> str | None:
    """The preview of the opened figure as SVG, or None."""
    return base64.b64decode(re.search('base64,([^"]+)"', there[0])[1]).decode() if (there := images(at)) else None


def sent(at: AppTest) -> int:
    """The number of bytes of all scenes on the page."""
    return sum(len(element.proto.bytes) for element in at.get("bidi_component"))


def value(at: AppTest, key: str) -> object:
    return at.session_state[key]


def config(at: AppTest):
    return at.session_state["settings"].config()


def typed(at: AppTest, key: str):
    """The field in which a setting's number is typed. For a slider, the field of its exact number."""
    fields = {field.key: field for field in at.number_input}
    return fields.get(f"{key}_typed") or fields[key]
