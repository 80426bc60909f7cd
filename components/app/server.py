"""ASGI middleware that answers the addresses of pages and files, and unknown addresses, without a Streamlit session.

Streamlit (1.67) answers every unknown address with its index page. At an address such as /a/b, that page does not find its own
files and stays white (tests/browser/test_addresses.py). Streamlit's program in the browser looks for the server below the page's
name first, as in /models/_stcore/health. Such a request gets status 300, because the browser's console shows a 404 as an error.
"""

import gzip
import html
import threading
from functools import cache, lru_cache, partial
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from components.address import moved_to
from components.app.files import FOLDER, THIS_MACHINE, FileServer, asked_at
from components.app.first_paint import first_paint
from components.app.runtime import FILES, FILES_FOLDER, Serving, served
from components.menu import PAGES, START
from headcount.assets import ASSETS
from headcount.stage.program import PLOTLY, PLOTLY_NAME, sheet
from headcount.stage.theme import DARK, LIGHT

SHEET, PRESENTER_SHEET = ASSETS / "style.css", ASSETS / "present" / "page.css"
PAGE_SHEET = sheet(SHEET)
#: The folder of Streamlit's index page and of the files that it loads.
STATIC = Path(st.__file__).parent / "static"
#: Pages whose first picture is a Plotly chart: the browser loads Plotly's program together with the page.
PLOTLYS = {"attention"}
#: First parts of the addresses that Streamlit answers itself: its files, media, components and sign-in.
STREAMLITS = {"_stcore", "static", "media", "component", "auth", "oauth2callback"}
NO_PAGE = ASSETS / "no_page.html"
MISDIRECTED = "This server answers as localhost alone. Where it has another name, server.allowedHosts says so.\n"
#: The paths that Streamlit's program requests below a page's name, before it requests them in the root.
ASKED_BELOW = (["_stcore", "health"], ["_stcore", "host-config"])
#: Replacements in the index page that turn off a browser's translation, which would separate a picture's words from its numbers.
UNTRANSLATED = (
    ('<html lang="en">', '<html lang="en" translate="no">'),
    ("<head>", '<head>\n    <meta name="google" content="notranslate" />'),
)
#: A program that stores the keys pressed before the walk's bar is loaded, which then reads them (assets/present/bar.js).
EARLY_KEYS = 'window.headcountKeys = []; addEventListener("keydown", (e) => window.headcountKeys?.push(e.key), true);'


@cache
def plotly_program() -> tuple[bytes, bytes]:
    """Plotly's JavaScript program, plain and compressed. The compression takes half a second, so the result is cached."""
    plain = PLOTLY.read_bytes()
    return plain, gzip.compress(plain, 6, mtime=0)


@lru_cache(maxsize=256)
def streamlits_program(path: str) -> tuple[bytes, bytes] | None:
    """A JavaScript or CSS file of Streamlit's page, plain and compressed. None if `path` names no such file."""
    file = (STATIC / path).resolve()
    if file.suffix not in (".js", ".css") or not file.is_relative_to(STATIC.resolve() / "static") or not file.is_file():
        return None
    return (plain := file.read_bytes()), gzip.compress(plain, 6, mtime=0)


def index_page(presented: bool = False) -> str:
    """Streamlit's index page with a link to the app's style sheet. `presented`: whether to add the presenter's style rules and
    the program EARLY_KEYS."""
    text = PAGE_SHEET
    if presented:
        text += f":root:not([data-touched]) {{\n{PRESENTER_SHEET.read_text(encoding='utf-8')}}}\n"
    link = f'<link rel="stylesheet" href="./{FILES_FOLDER}/{served("style.css", text)}">' + (
        f'<script src="./{FILES_FOLDER}/{served("keys.js", EARLY_KEYS)}"></script>' if presented else ""
    )
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    for old, new in (*UNTRANSLATED, ("</head>", f"  {link}\n  </head>")):
        page = page.replace(old, new, 1)
    return page


def titled(index: str, title: str, asks: str, picture: str) -> str:
    """Adds a title, a description and a preview to the index page, for browser tabs and shared links. `asks`: the description;
    `picture`: the address of the preview."""
    title, asks, picture = map(html.escape, (title, asks, picture))
    meta = f'\n    <meta name="description" content="{asks}">\n    <meta name="twitter:card" content="summary_large_image">'
    for name, text in (("title", title), ("description", asks), ("image", picture)):
        meta += f'\n    <meta property="og:{name}" content="{text}">'
    return index.replace("<title>Streamlit</title>", f"<title>{title}</title>{meta}", 1)


def no_page(path: str) -> str:
    """An HTML page that says that no such address exists. Its links are relative, so they also work below a prefix."""
    up = "../" * (path.count("/") - 1) or "./"
    links = "".join(f'<li><a href="{up}{page.name}">{page.label}</a></li>' for page in PAGES)
    return NO_PAGE.read_text(encoding="utf-8").format(path=html.escape(path), links=links, light=LIGHT, dark=DARK)


def text_file(name: str, plain: bytes, packed: bytes, accepted: bytes) -> Response:
    """A response with a text file. `plain`: the file's bytes; `packed`: the bytes compressed with gzip, for browsers that accept
    gzip. `accepted`: the request's Accept-Encoding. A browser asks for HTML each time, but may keep other files for a year."""
    kind = {"css": "css", "html": "html"}.get(name.rpartition(".")[2], "javascript")
    keep = "no-cache" if kind == "html" else "public, max-age=31536000, immutable"
    headers = {"Cache-Control": keep, "Vary": "Accept-Encoding"}
    if b"gzip" not in accepted:
        return Response(plain, headers=headers, media_type=f"text/{kind}")
    return Response(packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=f"text/{kind}")


@lru_cache(maxsize=64)
def packed_page(text: str) -> tuple[bytes, bytes]:
    return (plain := text.encode()), gzip.compress(plain, 6, mtime=0)


def host_and_port(address: str) -> tuple[str | None, int | None]:
    """The host and port of an address with or without a scheme. A missing part is None. A malformed address has neither part."""
    try:
        parts = urlsplit(address if "//" in address else f"//{address}")
        return parts.hostname, parts.port
    except ValueError:
        return None, None


def host_of(address: str) -> str | None:
    return host_and_port(address)[0]


def is_misdirected(scope: Scope) -> bool:
    """Whether a request names another host than this machine, although the server is for this machine alone. A DNS rebinding
    attack does that. False if `server.allowedHosts` has names, because Streamlit itself then checks the host."""
    if st.get_option("server.address") not in THIS_MACHINE or st.get_option("server.allowedHosts"):
        return False
    host = dict(scope["headers"]).get(b"host")  # every browser says one
    return host is not None and host_of(host.decode("latin-1")) not in THIS_MACHINE


def is_foreign(scope: Scope) -> bool:
    """Whether a page of another site opens this websocket, and no option of the server allows it. On a server for this machine
    alone, a page on another port is foreign, too. (Streamlit's own check, 1.67, asks the internet for this machine's address.)"""
    headers = dict(scope["headers"])
    origin = headers.get(b"origin", b"").decode("latin-1")
    if not origin or not st.get_option("server.enableCORS"):
        return False
    host = headers.get(b"host", b"").decode("latin-1")
    named = {host_of(one) for one in st.get_option("server.corsAllowedOrigins")} - {None}
    if origin.partition("://")[2] == host or host_of(origin) in named:
        return False
    if st.get_option("server.address") in THIS_MACHINE:
        return host_of(origin) not in THIS_MACHINE or host_and_port(origin)[1] != host_and_port(host)[1]
    return host_of(origin) not in {"localhost", "127.0.0.1", "0.0.0.0", st.get_option("browser.serverAddress")}


class Addresses:
    """ASGI middleware around Streamlit that answers the addresses of pages and files."""

    def __init__(self, app: ASGIApp):
        self.app = app
        self.made = FileServer()
        self.pages = {"": START} | {page.name: page for page in PAGES}
        self.files = {path.name for path in STATIC.iterdir()} - {"index.html"}
        self.index, self.presented = index_page(), index_page(presented=True)
        self.previews = {page.preview.name: page.preview for page in PAGES}
        self.first = ""
        threading.Thread(target=self._make, name="Plotly's program", daemon=True).start()  # no visitor waits for it
        Serving.addresses = True

    def _make(self) -> None:
        plotly_program()
        self.first = first_paint(self.index)

    async def _streamlits(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = await run_in_threadpool(streamlits_program, scope["path"][scope["path"].index("static/") :])
        accepted = dict(scope["headers"]).get(b"accept-encoding", b"")
        await (text_file(scope["path"], *found, accepted) if found else self.app)(scope, receive, send)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and (is_misdirected(scope) or is_foreign(scope)):  # refused before it is accepted: 403
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http" and is_misdirected(scope):
            await PlainTextResponse(MISDIRECTED, 421)(scope, receive, send)
        else:
            await (self._answer(scope) or self.app)(scope, receive, send)

    def _answer(self, scope: Scope) -> ASGIApp | None:
        """The ASGI app that answers a request. None if Streamlit itself should answer."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        base = (st.get_option("server.baseUrlPath") or "").strip("/")
        path = scope["path"].removeprefix(f"/{base}") if base else scope["path"]
        parts, accepted = path.split("/")[1:], dict(scope["headers"]).get(b"accept-encoding", b"")
        if parts == ["static", PLOTLY_NAME]:
            return text_file(PLOTLY_NAME, *plotly_program(), accepted)
        if parts[0] == "static":
            return self._streamlits
        if parts[0] in self.pages and parts[1:] in ASKED_BELOW:
            return PlainTextResponse("This is in the root of the app.\n", 300)
        if parts[0] == FOLDER and len(parts) > 1:
            return partial(self.made, parts[1:])
        if parts[0] == "preview" and (picture := self.previews.get("/".join(parts[1:]))) is not None:
            return Response(picture.read_bytes(), media_type="image/png")
        folder = path != "/" and (path.endswith("/") or path.startswith("//"))  # redirected or refused
        if folder or "_stcore" in parts or parts[0] in STREAMLITS | self.files:
            return None
        if (moved := moved_to("/".join(parts), scope["query_string"].decode("latin-1"))) is not None:
            return RedirectResponse(moved, 307)
        if parts[0] == FILES_FOLDER and (found := FILES.get(parts[-1])) is not None and len(parts) == 2:
            return text_file(parts[-1], *found, accepted)
        if (page := self.pages.get(path.removeprefix("/"))) is not None:
            presented = bool({"present=1", "present=page"} & {*scope["query_string"].decode("latin-1").split("&")})
            picture = f"{asked_at(scope)}{scope['path'].removesuffix(page.name)}preview/{page.preview.name}"
            index = titled(self.presented if presented else self.index, page.tab, page.asks, picture)
            if page.name in PLOTLYS and not presented:
                index = index.replace("<head>", f'<head>\n    <link rel="preload" as="script" href="./static/{PLOTLY_NAME}">', 1)
            if page is START and not scope["query_string"]:
                index = index.replace("</body>", f"{self.first}</body>", 1)
            return text_file("index.html", *packed_page(index), accepted)
        return HTMLResponse(no_page(path), 404)
