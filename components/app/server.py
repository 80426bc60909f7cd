"""What the server answers to an address: its page, or that there is none. Outside any visitor's session.

Streamlit (1.67) answers every address that it does not know with its index page. Below a folder that page cannot find its own
files: a white page (tests/browser/test_addresses.py).
"""

import gzip
import html
import threading
from functools import cache, partial
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from components.address import moved_to
from components.app.files import FOLDER, Files
from components.app.runtime import FILES, FILES_FOLDER, Serving, served
from components.menu import ENTRIES
from components.stage.program import PLOTLY, PLOTLY_NAME, sheet
from components.stage.theme import DARK, LIGHT
from mha.assets import ASSETS

SHEET, PRESENTER_SHEET = ASSETS / "style.css", ASSETS / "present" / "page.css"
#: Our style sheet, for all pages.
PAGE_SHEET = sheet(SHEET)
#: Streamlit's own page and what it asks for by a name in the root.
STATIC = Path(st.__file__).parent / "static"
#: Pages whose first picture is Plotly's: the browser asks for its program together with the page.
PLOTLYS = {"attention"}
#: The first part of an address that Streamlit answers itself: its files, what a session shows and sends, its doors for programs.
STREAMLITS = {"_stcore", "static", "media", "component", "auth", "oauth2callback"}
NO_PAGE = ASSETS / "no_page.html"
#: Keeps the keys that are pressed before the walk's bar can hear them (assets/present/bar.js).
EARLY_KEYS = 'window.headcountKeys = []; addEventListener("keydown", (e) => window.headcountKeys?.push(e.key), true);'


@cache
def plotly_program() -> tuple[bytes, bytes]:
    """Plotly's program as it is, and compressed: a third of it, in half a second."""
    plain = PLOTLY.read_bytes()
    return plain, gzip.compress(plain, 6, mtime=0)


def index_page(presented: bool = False) -> str:
    """Streamlit's index page with a link to our style sheet: sent with each run it would be one message more, and each page would
    first be drawn without it. So would the presenter's screen without its own (`presented`)."""
    text = PAGE_SHEET
    if presented:
        text += f":root:not([data-touched]) {{\n{PRESENTER_SHEET.read_text(encoding='utf-8')}}}\n"
    link = f'<link rel="stylesheet" href="./{FILES_FOLDER}/{served("style.css", text)}">' + (
        f'<script src="./{FILES_FOLDER}/{served("keys.js", EARLY_KEYS)}"></script>' if presented else ""
    )
    return (STATIC / "index.html").read_text(encoding="utf-8").replace("</head>", f"  {link}\n  </head>", 1)


def no_page(path: str) -> str:
    """Names the address, which may be any text, and links to every page as the menu names it; links are relative, so they hold
    below any prefix."""
    up = "../" * (path.count("/") - 1) or "./"
    links = "".join(f'<li><a href="{up}{entry.page}">{entry.label}</a></li>' for entry in ENTRIES.values())
    return NO_PAGE.read_text(encoding="utf-8").format(path=html.escape(path), links=links, light=LIGHT, dark=DARK)


def kept_file(name: str, plain: bytes, packed: bytes, accepted: bytes) -> Response:
    """A component's program, Plotly's, or a style sheet. Its address says which it is, so it is kept for good."""
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if b"gzip" not in accepted:
        return Response(plain, headers=headers, media_type=kind)
    return Response(packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=kind)


def host_of(address: str) -> str | None:
    try:
        return urlsplit(address if "//" in address else f"//{address}").hostname
    except ValueError:
        return None


def is_foreign(scope: Scope) -> bool:
    """Whether a page from elsewhere opens this websocket. Before Streamlit (1.67) refuses it asks the internet for this machine's
    public address; where pages come from another address than the server's, `server.corsAllowedOrigins` names it."""
    headers = dict(scope["headers"])
    origin = headers.get(b"origin", b"").decode("latin-1")
    if not origin or not st.get_option("server.enableCORS"):
        return False
    if origin.partition("://")[2] == headers.get(b"host", b"").decode("latin-1"):
        return False
    ours = {"localhost", "127.0.0.1", "0.0.0.0", st.get_option("browser.serverAddress")}
    return host_of(origin) not in ours | {host_of(one) for one in st.get_option("server.corsAllowedOrigins")} - {None}


class Addresses:
    """ASGI middleware around Streamlit."""

    def __init__(self, app: ASGIApp):
        self.app = app
        self.made = Files()
        self.pages = {"", *(entry.page for entry in ENTRIES.values())}
        self.files = {path.name for path in STATIC.iterdir()} - {"index.html"}
        self.index, self.presented = index_page(), index_page(presented=True)
        early = f'<head>\n    <link rel="preload" as="script" href="./static/{PLOTLY_NAME}">'
        self.plotlys = self.index.replace("<head>", early, 1)
        threading.Thread(target=plotly_program, name="Plotly's program", daemon=True).start()  # no visitor waits for its packing
        Serving.addresses = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and is_foreign(scope):  # refused before it is accepted: 403
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await (self._answer(scope) or self.app)(scope, receive, send)

    def _answer(self, scope: Scope) -> ASGIApp | None:
        """Finds the answer to an address; None where that is Streamlit's own business."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        base = (st.get_option("server.baseUrlPath") or "").strip("/")
        path = scope["path"].removeprefix(f"/{base}") if base else scope["path"]
        parts, accepted = path.split("/")[1:], dict(scope["headers"]).get(b"accept-encoding", b"")
        if parts == ["static", PLOTLY_NAME]:
            return kept_file(PLOTLY_NAME, *plotly_program(), accepted)
        if parts[0] == FOLDER and len(parts) > 1:
            return partial(self.made, parts[1:])
        folder = path != "/" and (path.endswith("/") or path.startswith("//"))  # redirected or refused
        if folder or "_stcore" in parts or parts[0] in STREAMLITS | self.files:
            return None
        if (moved := moved_to("/".join(parts), scope["query_string"].decode("latin-1"))) is not None:
            return RedirectResponse(moved, 307)
        if parts[0] == FILES_FOLDER and (found := FILES.get(parts[-1])) is not None and len(parts) == 2:
            return kept_file(parts[-1], *found, accepted)
        if path.removeprefix("/") in self.pages:
            presented = "present=1" in scope["query_string"].decode("latin-1").split("&")
            index = self.plotlys if path.removeprefix("/") in PLOTLYS else self.index
            return HTMLResponse(self.presented if presented else index, headers={"Cache-Control": "no-cache"})
        return HTMLResponse(no_page(path), 404)
