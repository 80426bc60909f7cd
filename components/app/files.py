"""Serves downloads by address: a figure, the lesson's sheet, or a file that a page has just offered.

The address of a figure, such as `/file/attention.svg?num_heads=8`, describes the whole file, so any server can write the file. A
file that needs a visitor's session is offered under a random name for a minute at most. If Streamlit's own button (1.67) writes a
file on a press, the file is gone as soon as any other visitor's page runs (tests/browser/test_downloads.py).
"""

import asyncio
import re
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from components.address import quoted
from components.app import lesson
from components.app.visit import visit
from headcount import settings
from headcount.export.browser import NoBrowser
from headcount.export.figure import Figure
from headcount.export.figures import figure_named
from headcount.export.rendering import FORMATS, PLOTLY, file_name, file_of, with_ending
from headcount.export.request import OPTIONS, Request, Unavailable, of_layer, request_of
from headcount.export.style import BY_CODE, PARTS, Style
from headcount.names import did_you_mean

#: The first part of each file's path, and the second part for an offered file.
FOLDER, OFFERED = "file", "offered"
#: Limits on requests: files written at the same time, open requests, and seconds for one request with its wait.
WRITTEN, ASKED, LIMIT = 4, 200, 55.0
#: Limits on offered files: of all visitors, of one visitor, and seconds until an offer ends.
OFFERS, OFFERS_OF_ONE, SECONDS = 256, 4, 60.0
#: Limits on the parameters of an address, and on the letters of an error.
MOST_FIELDS, MOST_LETTERS = 100, 1000
#: The host names of a server that only its own machine can reach.
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
#: Hosts of a server on the visitor's own machine. Others cannot open such a link, so a figure's stamp shows only the path.
AT_HOME = (*THIS_MACHINE, "0.0.0.0")
KINDS: dict[str, str] = {kind: media for kind, (_, media) in FORMATS.items()} | {"json": "application/json"}
#: The setting's code for each field of a Style, with the field's name.
STYLE = {f"with_{name}" if name in PARTS else name: name for name in (field.name for field in fields(Style)) if name != "base"}
#: The settings that the address of a figure's file may have, by code.
KNOWN: dict[str, settings.Setting[Any]] = {**of_layer(), **OPTIONS, **{code: BY_CODE[code] for code in STYLE}}


class NotServed(Exception):
    """Raised if a request gets no file. `status`: the HTTP status; `sentence`: the reason, and what is available instead."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class File:
    """A file to download. `media`: the MIME type; `write`: returns the bytes when a browser fetches the file."""

    name: str
    media: str
    write: Callable[[], bytes]


def base_of(url: str | None) -> str:
    """The scheme, host and port of `url`, for shared links. "" if `url` has no host, or if the host is one of AT_HOME."""
    parts = urlsplit(url or "")
    return "" if not parts.hostname or parts.hostname in AT_HOME else f"{parts.scheme}://{parts.netloc}"


def address_of(figure: Figure, request: Request, look: Style, kind: str) -> str:
    """The address of a figure's file, relative to FOLDER."""
    query = request.off_default() if figure.of_layer else {}
    query |= {key: OPTIONS[key].format(value) for key, value in request.options}
    for code, field in STYLE.items():
        if (value := getattr(look, field)) != BY_CODE[code].default:
            query[code] = BY_CODE[code].format(value)
    return with_ending(figure.name, kind) + (f"?{urlencode(query)}" if query else "")


def file_at(name: str, query: str, base: str) -> File:
    """The file with this name and query, below FOLDER. `base`: where the file's links begin. Raises NotServed for other names."""
    stem, _, ending = name.partition(".")
    kind = PLOTLY if ending == f"{PLOTLY}.json" else ending
    kinds = lesson.FORMATS if stem == lesson.NAME else tuple(KINDS)
    try:
        figure = None if stem == lesson.NAME else figure_named(stem[:40])
    except ValueError as why:
        raise NotServed(404, f"There is no such file: {ended(why)}") from None
    if kind not in kinds or name != with_ending(stem, kind):
        raise NotServed(404, f"There is no such file: {stem} comes as {', '.join(with_ending(stem, each) for each in kinds)}.")
    if figure is None:
        return File(name, KINDS[kind], lambda: lesson.file(kind, base))
    try:
        values = _values(query)
        own_sizes = any(code in values for code in settings.HEAD_SIZES)  # only in Keras's way they mean something
        request = request_of({"split": "free" if own_sizes else "paper"} | values)
        look = Style(base=base, **{field: values[code] for code, field in STYLE.items() if code in values})
    except ValueError as why:
        raise NotServed(400, f"This file cannot be: {ended(why)}") from None
    return File(file_name(figure, request, kind), KINDS[kind], lambda: file_of(figure, request, look, kind))


def ended(why: ValueError) -> str:
    """The message of an error, at most MOST_LETTERS characters. Adds a full stop, except after a question mark."""
    return f"{why}."[:MOST_LETTERS].replace("?.", "?")


def _values(query: str) -> dict[str, Any]:
    """The values of the settings in a query. Raises ValueError for an unknown code, an impossible value or too many fields."""
    values: dict[str, Any] = {}
    pairs = parse_qsl(query, keep_blank_values=True)
    if len(pairs) > MOST_FIELDS:
        raise ValueError(f"an address may name at most {MOST_FIELDS} settings, got {len(pairs)}")
    for code, raw in pairs:
        if code not in KNOWN:
            raise ValueError(f"there is no setting {quoted(code)}{did_you_mean(code[:40], KNOWN)}")
        values[code] = KNOWN[code].parse(raw)
    return values


class Offers:
    """Offered files, under random names. An offer ends when the file is fetched, after `seconds`, or after many newer offers."""

    def __init__(self, seconds: float = SECONDS):
        self.seconds = seconds
        self.files: dict[str, tuple[File, threading.Timer]] = {}

    def add(self, file: File, own: list[str]) -> str:
        """Offers a file and returns its address, relative to FOLDER. `own`: the names of this visitor's offers, updated here."""
        name = secrets.token_urlsafe(16)
        timer = threading.Timer(self.seconds, self.take, (name,))
        timer.daemon = True
        self.files[name] = file, timer
        timer.start()
        own.append(name)
        for old in (*own[:-OFFERS_OF_ONE], *[*self.files][:-OFFERS]):
            self.take(old)
        del own[:-OFFERS_OF_ONE]
        return f"{OFFERED}/{name}"

    def take(self, name: str) -> File | None:
        file, timer = self.files.pop(name, (None, None))
        if timer is not None:
            timer.cancel()
        return file


OFFERS_HERE = Offers()


def offer(file: File) -> str:
    """Offers a file to the present visitor, and returns its address, relative to FOLDER."""
    return OFFERS_HERE.add(file, visit().offers)


class FileServer:
    """ASGI app that answers requests for files within LIMIT seconds. At most WRITTEN threads write files at the same time."""

    def __init__(self):
        self.pool = ThreadPoolExecutor(WRITTEN, "file")
        self.asked = 0

    async def __call__(self, parts: list[str], scope: Scope, receive: Receive, send: Send) -> None:
        response = await self.response(parts, scope["query_string"].decode("latin-1"), base_of(asked_at(scope)))
        await response(scope, receive, send)

    async def response(self, parts: list[str], query: str, base: str) -> Response:
        """The file as an attachment, or a sentence with an error status."""
        if self.asked >= ASKED:
            return refused(429, "Many files are being written just now. Try again in a few seconds.")
        self.asked += 1
        try:
            offered = parts[0] == OFFERED
            file = OFFERS_HERE.take(parts[-1]) if offered else file_at("/".join(parts), query, base)
            if file is None:
                raise NotServed(404, "This file was there for a minute and is gone. Press its button once more.")
            data = await asyncio.wait_for(asyncio.wrap_future(self.pool.submit(file.write)), LIMIT)
        except NotServed as why:
            return refused(why.status, str(why))
        except (Unavailable, NoBrowser) as why:
            return refused(422 if isinstance(why, Unavailable) else 500, str(why))
        except TimeoutError:
            return refused(504, f"The file was not written within {LIMIT:.0f} seconds. Try again, or take smaller sizes.")
        finally:
            self.asked -= 1
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"}
        headers |= {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
        return Response(data, headers=headers, media_type=file.media)


def refused(status: int, sentence: str) -> Response:
    """An error response with a sentence as plain text. HTML would be unsafe, because a visitor's words may be in it."""
    return PlainTextResponse(sentence, status, {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"})


def asked_at(scope: Scope) -> str:
    """The scheme and host of a request, also through a proxy. "" if the scheme is not HTTP(S) or the host is malformed."""
    headers = Headers(scope=scope)
    scheme, host = headers.get("x-forwarded-proto", scope["scheme"]), headers.get("host", "")
    plain = scheme in ("http", "https") and re.fullmatch(r"[A-Za-z0-9.-]+(:[0-9]+)?|\[[0-9a-fA-F:]+\](:[0-9]+)?", host)
    return f"{scheme}://{host}" if plain else ""
