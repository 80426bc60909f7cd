"""A visitor without a browser: a websocket that sends a browser's messages, or anything else.

This is the only place outside the browser tests that reads and writes Streamlit's messages.
"""

import asyncio
import re
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar
from queue import Queue
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

PATIENCE = 60.0
#: What a visitor of the start page reads.
START = "Twice the heads. Twice the parameters?"
#: In the words of the start page's picture: the heads of the card that is lit.
HEADS_SHOWN = re.compile(rb"The chosen layer is [^,]*, with ([0-9]+) heads?\.")


def stream(url: str, **options: object) -> connect:
    """Opens the websocket of a server, as a browser does. `options`: those of `websockets.connect`."""
    usual = {
        "subprotocols": ["streamlit"], "origin": url, "max_size": None, "compression": None, "ping_interval": None,
        "open_timeout": PATIENCE,
    }  # fmt: skip
    return connect(url.replace("http", "ws", 1) + "/_stcore/stream", **usual | options)


def seat_cookie(url: str) -> dict[str, str]:
    """Headers with the cookie that a proxy sets at the first request, and that selects this visitor's replica."""
    jar = CookieJar()
    urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar)).open(f"{url}/_stcore/health", timeout=PATIENCE).read()
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
    return {"Cookie": cookies} if cookies else {}


class Visitor:
    """One session of a visitor at an address with a query, connected within an `async with` block.

    After each run: the `session`'s id, the page's `title`, its `errors`, its `widgets` (id by key), the last `fragment`, all
    `fragments` so far, the `heads` of the chosen card (None without cards), and the bytes `received` in this run.
    """

    def __init__(self, url: str, address: str = "/"):
        parts = urllib.parse.urlsplit(address)
        self.url, self.path, self.query = url, parts.path.strip("/"), parts.query
        self.page = self.title = self.fragment = self.session = ""
        self.errors: list[str] = []
        self.fragments: set[str] = set()
        self.widgets: dict[str, str] = {}
        self.heads: int | None = None
        self.received = 0

    async def __aenter__(self) -> Self:
        self.socket = await stream(self.url, additional_headers=await asyncio.to_thread(seat_cookie, self.url))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    def message(self, fragment: str = "", back: bool = False, **states: tuple[str, object]) -> bytes:
        """The bytes of a rerun message. Widgets report the given values: key=(kind of value, value). `fragment`: the fragment
        to run, if not the whole page. `back`: the message comes from the browser's Back or Forward."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.is_history_navigation = back
        rerun.fragment_id, rerun.query_string, rerun.page_script_hash = fragment, self.query, self.page
        rerun.page_name = "" if self.page else self.path
        for key, (kind, value) in states.items():
            widget = rerun.widget_states.widgets.add()
            widget.id = self.widgets.get(key, f"$$ID-forged-{key}")
            if kind.endswith("array_value"):
                getattr(widget, kind).data.extend(value)
            else:
                setattr(widget, kind, value)
        return message.SerializeToString()

    async def run(self, fragment: str = "", back: bool = False, **states: tuple[str, object]) -> None:
        """Sends a `message` and waits until its run has ended. Raises TimeoutError after PATIENCE seconds."""
        await self.socket.send(self.message(fragment, back, **states))
        self.received = 0
        async with asyncio.timeout(PATIENCE):
            while not self._read(await self.socket.recv()):
                pass

    async def drawn(self, key: str) -> None:
        """Waits until a run draws the widget of this key. Raises TimeoutError after PATIENCE seconds."""
        del self.widgets[key]
        async with asyncio.timeout(PATIENCE):
            while key not in self.widgets:
                self._read(await self.socket.recv())

    async def go(self, address: str) -> None:
        """Goes to another address in the same session, as Back and Forward do."""
        parts = urllib.parse.urlsplit(address)
        self.path, self.query, self.page = parts.path.strip("/"), parts.query, ""
        await self.run(back=True)

    async def move(self, heads: int) -> None:
        """Moves the heads slider as a browser would. Raises RuntimeError if the page fails or shows another head count."""
        await self.run(num_heads=("string_array_value", [str(heads)]))
        if self.errors:
            raise RuntimeError(self.errors[0])
        if self.heads not in (None, heads):
            raise RuntimeError("the picture is of another head count")

    def _read(self, data: bytes) -> bool:
        """Reads one message from the server. Returns whether it ends the run."""
        self.received += len(data)
        message = ForwardMsg.FromString(data)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.errors = []
            self.session = message.new_session.initialize.session_id
            self.page = self.page or message.new_session.page_script_hash
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "delta":
            self.fragment = message.delta.fragment_id or self.fragment
            self.fragments |= {message.delta.fragment_id} - {""}
            self._read_element(message.delta.new_element)
        return kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _read_element(self, element) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "heading" and element.heading.tag == "h1":
            self.title = element.heading.body
        elif kind == "bidi_component" and (stop := HEADS_SHOWN.search(element.bidi_component.bytes)):
            self.heads = int(stop[1])
        if kind and hasattr(getattr(element, kind), "id") and (name := getattr(element, kind).id).startswith("$$"):
            self.widgets[name.split("-", 2)[-1]] = name


async def title(url: str, address: str = "/", **states) -> str:
    """The title that a new visitor reads at an address. Raises AssertionError if the page shows an error."""
    return (await visited(url, address, **states)).title


async def visited(url: str, address: str = "/", **states) -> Visitor:
    """A visitor who has run a page once, and a second time if widget values are given, and has then left."""
    async with Visitor(url, address) as visitor:
        await visitor.run()
        if states:
            await visitor.run(**states)
        assert visitor.errors == []
        return visitor


@contextmanager
def others_moving(url: str, count: int, pause: float = 0.15) -> Iterator[list[int]]:
    """Lets `count` visitors of the start page move its heads slider within the block, each `pause` seconds after its last
    picture. Yields the number of moves of each."""
    moves, over = [0] * count, threading.Event()

    async def move(place: int) -> None:
        async with Visitor(url) as visitor:
            await visitor.run()
            while not over.is_set():
                await visitor.move((1, 2, 4, 8)[moves[place] % 4])
                moves[place] += 1
                await asyncio.sleep(pause)

    async def all_move() -> None:
        await asyncio.gather(*map(move, range(count)))

    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(asyncio.run, all_move())
        try:
            while min(moves) == 0 and not going.done():
                time.sleep(0.01)
            yield moves
        finally:
            over.set()
            going.result()


@contextmanager
def slow_line(url: str, seconds: Iterator[float]) -> Iterator[str]:
    """The address of a proxy that delays each request for a file by the next number of `seconds`, and nothing else."""
    host, port = urllib.parse.urlsplit(url).hostname, urllib.parse.urlsplit(url).port
    loop, ports, ends, meetings = asyncio.new_event_loop(), Queue(), set(), set()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                if data.startswith((b"GET /media/", b"GET /file/")):
                    await asyncio.sleep(next(seconds))
                writer.write(data)
                await writer.drain()
        writer.close()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        meetings.add(asyncio.current_task())
        far_reader, far_writer = await asyncio.open_connection(host, port)
        ends.update((writer, far_writer))
        await asyncio.gather(pass_on(reader, far_writer), pass_on(far_reader, writer))

    async def serve(over: asyncio.Event) -> None:
        server = await asyncio.start_server(meet, "127.0.0.1", 0)
        ports.put(server.sockets[0].getsockname()[1])
        await over.wait()
        server.close()
        for end in ends:
            end.close()
        await asyncio.gather(*meetings, return_exceptions=True)

    over = asyncio.Event()
    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(loop.run_until_complete, serve(over))
        try:
            yield f"http://127.0.0.1:{ports.get(timeout=PATIENCE)}"
        finally:
            loop.call_soon_threadsafe(over.set)
            serving.result(PATIENCE)
            loop.close()
