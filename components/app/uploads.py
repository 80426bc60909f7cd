"""ASGI middleware that limits uploaded files for each session and for the server, and removes the files of visitors who are gone.

Streamlit (1.67) accepts any number of files, whether or not a page asked for them. After a browser is closed, Streamlit keeps its
session until another browser is closed. If a connection breaks within a message, the received bytes stay in memory until the
garbage collector runs. The reason is a reference cycle in the protocol object of websockets (17.4).
"""

import asyncio
import gc
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from components.app.upload_limits import UploadLimits

ADDRESS = re.compile(r".*/_stcore/upload_file/([^/]+)/([^/]+)", re.DOTALL)
STREAM = "/_stcore/stream"
#: An id (UUID) in the first message to a browser. One of the ids in that message is the session's.
ID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
#: The status for a file that was not kept. Streamlit's uploader shows only the number of an error, but the page has a sentence.
NOT_KEPT = 202
#: Seconds to wait in addition to the time in which Streamlit would reconnect a browser to its session.
MARGIN = 5
#: Seconds that any upload may take, and the bytes that must arrive for each further second.
GRACE, PACE = 30.0, 50_000
#: Seconds between two garbage collections after broken connections; each costs 20 to 50 ms.
BETWEEN = 60.0


class NoRoom(Exception):
    """Raised if a file does not fit within the limits."""


@dataclass(slots=True)
class Session:
    """A session's files and connection. `websocket`: an object that stands for the connection. `files`: the bytes of each file,
    by the file's id, or by an object while the file arrives. `most`: the most bytes that the session has had. `request`: the ASGI
    scope of a request that removes a file, without the file's id."""

    websocket: object
    files: dict[object, int] = field(default_factory=dict)
    most: int = 0
    request: Scope = field(default_factory=dict)

    @property
    def counted(self) -> int:
        """The bytes that count against the server's limit: the most so far, because a page may still hold removed files."""
        return max(self.most, sum(self.files.values()))


class Uploads:
    """ASGI middleware around Streamlit that limits and removes uploads. `sleep`: the function that waits; tests replace it."""

    def __init__(
        self, app: ASGIApp, limits: UploadLimits | None = None, sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    ):
        self.app, self.limits, self.sleep = app, limits or UploadLimits.of_environment(), sleep
        self.sessions: dict[str, Session] = {}
        self._leaving: set[asyncio.Task] = set()
        self._collected = -BETWEEN

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and scope["path"].endswith(STREAM):
            await self._stream(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] in ("PUT", "DELETE") and (asked := ADDRESS.fullmatch(scope["path"])):
            await (self._put if scope["method"] == "PUT" else self._delete)(asked[1], asked[2], scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        websocket, names, server_ends = object(), set[str](), False

        async def watched(message: Message) -> None:
            if not names and (data := message.get("bytes")):
                names.update(name.decode() for name in ID.findall(data))
                for name in names:
                    self.sessions.setdefault(name, Session(websocket)).websocket = websocket
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except asyncio.CancelledError:
            server_ends = True
            raise
        finally:
            if not server_ends:
                leaving = asyncio.create_task(self._forget(names, websocket, scope))
                self._leaving.add(leaving)  # the loop itself holds a task only weakly
                leaving.add_done_callback(self._leaving.discard)

    async def _forget(self, names: set[str], websocket: object, scope: Scope) -> None:
        """Waits, then removes the files of an ended connection. Keeps the files if the browser has connected again. `names`:
        several ids, one of which is the session's."""
        await self.sleep(st.get_option("server.disconnectedSessionTTL") + MARGIN)
        gone = {name: session for name in names if (session := self.sessions.get(name)) and session.websocket is websocket}
        for name, session in gone.items():
            del self.sessions[name]
            for file in session.files:
                if isinstance(file, str):
                    await self._remove(session.request, file)
        if gone:
            await self._visit(scope)
        now = asyncio.get_running_loop().time()
        if any(session.request for session in gone.values()) or now >= self._collected + BETWEEN:
            self._collected = now
            gc.collect()  # a session is a circle of objects too, with the layer that was read from its files

    async def _visit(self, scope: Scope) -> None:
        """Opens and closes a websocket to Streamlit, because Streamlit ends expired sessions only when a websocket closes."""
        headers = [(name, value) for name, value in scope["headers"] if name != b"sec-websocket-protocol"]
        steps = iter(({"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1001}))

        async def receive() -> Message:
            return next(steps)

        await self.app({**scope, "headers": headers, "subprotocols": []}, receive, _nobody)

    async def _put(self, name: str, file: str, scope: Scope, receive: Receive, send: Send) -> None:
        session, length = self.sessions.get(name), dict(scope["headers"]).get(b"content-length", b"")
        if session is None:
            await PlainTextResponse("No page has asked for this file.", 403)(scope, receive, send)
        elif not length.isdigit():
            await PlainTextResponse("Say how long the file is (Content-Length).", 411)(scope, receive, send)
        else:
            paced = self._paced(receive)
            try:
                try:
                    if not await self._has_room(session, int(length), 1):
                        raise NoRoom
                    await self._take(name, session, file, int(length), scope, paced, send)
                except NoRoom:
                    await _swallow(paced)
                    await PlainTextResponse("There is no room for this file.", NOT_KEPT)(scope, receive, send)
            except TimeoutError:
                await PlainTextResponse("The file came too slowly.", 408)(scope, receive, send)

    def _paced(self, receive: Receive) -> Receive:
        """Wraps `receive` with a time limit. The wrapped function raises TimeoutError after GRACE seconds, plus a second for
        every PACE received bytes."""
        clock, came = asyncio.get_running_loop().time, 0
        began = clock()

        async def part() -> Message:
            nonlocal came
            async with asyncio.timeout_at(began + GRACE + came / PACE):
                message = await receive()
            came += len(message.get("body", b""))
            return message

        return part

    async def _has_room(self, session: Session, length: int, more: int) -> bool:
        """Whether `length` further bytes and `more` further files fit. If necessary, removes the session's oldest files first."""
        most = self.limits
        coming = [size for file, size in session.files.items() if not isinstance(file, str)]
        if sum(coming) + length > most.session_bytes or len(coming) + more > most.session_files:
            return False
        while sum(session.files.values()) + length > most.session_bytes or len(session.files) + more > most.session_files:
            oldest = next((file for file in session.files if isinstance(file, str)), None)
            if oldest is None:  # files that are still arriving have taken the room meanwhile
                return False
            del session.files[oldest]
            await self._remove(session.request, oldest)
        others = sum(one.counted for one in self.sessions.values() if one is not session)
        return others + max(session.most, sum(session.files.values()) + length) <= most.server_bytes

    async def _take(
        self, name: str, session: Session, file: str, length: int, scope: Scope, receive: Receive, send: Send
    ) -> None:  # fmt: skip
        """Passes an upload to Streamlit. Raises NoRoom once it does not fit. Before its end, only arrived bytes count."""
        coming = object()
        session.files[coming] = 0

        async def counted() -> Message:
            message = await receive()
            session.files[coming] += len(message.get("body", b""))
            if not await self._has_room(session, 0, 0):
                raise NoRoom
            return message

        try:
            taken = await self._answered(scope, counted, send)
        finally:
            del session.files[coming]
        if taken:
            session.files[file] = length
            session.most = session.counted
            session.request = {**scope, "method": "DELETE", "path": scope["path"].removesuffix(file)}
            if self.sessions.get(name) is not session:  # gone meanwhile
                await self._remove(session.request, file)

    async def _delete(self, name: str, file: str, scope: Scope, receive: Receive, send: Send) -> None:
        if await self._answered(scope, receive, send) and (session := self.sessions.get(name)):
            session.files.pop(file, None)

    async def _remove(self, request: Scope, file: str) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        path = request["path"] + file
        await self.app({**request, "path": path, "raw_path": path.encode()}, receive, _nobody)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Passes a request to Streamlit, and the answer to the browser. Returns whether the answer's status is below 300."""
        told: list[Message] = []

        async def kept(message: Message) -> None:
            told.append(message)

        await self.app(scope, receive, kept)
        for message in told:
            await send(message)
        return bool(told) and told[0].get("status", 500) < 300


async def _swallow(receive: Receive) -> None:
    """Reads a request to its end, because a browser reads no answer before it has sent the whole request."""
    while (message := await receive())["type"] == "http.request" and message.get("more_body"):
        pass


async def _nobody(_: Message) -> None:
    pass
