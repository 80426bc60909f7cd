"""Visitors without a browser, many at a time: each has a websocket, moves the heads slider as a browser would, and waits.

What a visitor waits is counted from when the move was due: if the server is slower than its visitors, the time before a move
could even be sent belongs to the waiting.
"""

import asyncio
import random
import re
import time
import urllib.parse
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from http.cookiejar import CookieJar

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

HEADS = (1, 2, 4, 8, 16)
PATIENCE = 30.0
ENDED = {ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY}
SLIDER = "Heads (h)"
AT = re.compile(rb'"label":"Heads \(h\)","values":\[[0-9,]+\],"at":([0-9]+)')


@dataclass
class Measured:
    """Of all visitors of one level: seconds, bytes and what went wrong."""

    waited: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    failures: Counter = field(default_factory=Counter)


def seat_cookie(url: str) -> dict[str, str]:
    """One plain request, so that a proxy may give a seat."""
    jar = CookieJar()
    urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar)).open(f"{url}/_stcore/health", timeout=PATIENCE).read()
    told = "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
    return {"Cookie": told} if told else {}


class Visitor:
    """One session. `address`: the page with its query."""

    def __init__(self, url: str, address: str):
        parts = urllib.parse.urlsplit(address)
        self.url, self.path, self.query = url, parts.path.strip("/"), parts.query
        self.page = ""
        self.widget = ("", "")  # id and kind of the heads slider
        self.seen: set[str] = set()
        self.at, self.drawn = 4, None  # what it is moved to, and what the picture that came says

    async def open(self) -> None:
        headers = await asyncio.to_thread(seat_cookie, self.url)
        self.socket = await connect(
            self.url.replace("http", "ws", 1) + "/_stcore/stream", subprotocols=["streamlit"], origin=self.url,
            additional_headers=headers, open_timeout=PATIENCE, max_size=None, compression=None, ping_interval=None,
        )  # fmt: skip
        await self.run()

    async def run(self, heads: int | None = None) -> int:
        """One run of the page, with the slider moved if `heads` is given. Bytes received; RuntimeError where the page fails."""
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.page_script_hash = self.query, self.page
        asked.page_name = "" if self.page else self.path
        asked.cached_message_hashes.extend(self.seen)
        if heads is not None:
            told = asked.widget_states.widgets.add()
            told.id, kind = self.widget
            if kind == "slider":
                told.string_array_value.data.append(str(heads))
            else:
                told.double_value = heads
        await self.socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            return await self._answer()

    async def _answer(self) -> int:
        size, self.seen = 0, set()
        while True:
            data = await self.socket.recv()
            size += len(data)
            message = ForwardMsg.FromString(data)
            kind = message.WhichOneof("type")
            if kind == "new_session" and not self.page:
                self.page = message.new_session.page_script_hash
            elif kind == "navigation":
                self.page = message.navigation.page_script_hash
            elif kind == "delta":
                if message.metadata.cacheable:
                    self.seen.add(message.hash)
                self._look(message.delta.new_element)
            elif kind == "script_finished" and message.script_finished in ENDED:
                return size

    def _look(self, element) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(f"error on the page: {element.exception.type}")
        if kind == "bidi_component" and (found := AT.search(element.bidi_component.bytes)):
            self.drawn = int(found[1])
        if kind == "slider" and element.slider.label == SLIDER:
            self.widget = element.slider.id, kind

    async def stay(self, start: float, stop: float, pause: float, made: Measured) -> None:
        """Moves every `pause` seconds, from a moment of its own; 0: at once after the answer. The first is left out."""
        due, counted = start + random.random() * pause, False
        try:
            while due < stop:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                self.at = random.choice([heads for heads in HEADS if heads != self.at])
                try:
                    size = await self.run(self.at)
                    if self.drawn not in (None, self.at):
                        raise RuntimeError("the picture is of another head count")
                except (RuntimeError, TimeoutError) as error:
                    made.failures[str(error) or "no answer in time"] += 1
                else:
                    if counted:
                        made.waited.append(time.perf_counter() - due)
                        made.sizes.append(size)
                counted, due = True, due + pause if pause else time.perf_counter()
        except ConnectionClosed as error:
            made.failures[f"connection closed: {error}"[:80]] += 1
        finally:
            await self.socket.close()


async def level(url: str, address: str, count: int, seconds: float, pause: float, opened=None) -> Measured:
    """`count` visitors at once. `opened` is called when all have the page, before the first move."""
    made = Measured()
    visitors = [Visitor(url, address) for _ in range(count)]

    async def come(visitor: Visitor, after: float) -> None:
        await asyncio.sleep(after)
        try:
            await visitor.open()
        except (OSError, RuntimeError, TimeoutError, ConnectionClosed) as error:
            made.failures[f"did not get in: {error}"[:80]] += 1
            visitor.page = ""

    await asyncio.gather(*(come(visitor, 0.05 * place) for place, visitor in enumerate(visitors)))
    if opened is not None:
        opened()
    start = time.perf_counter()
    inside = [visitor for visitor in visitors if visitor.page]
    await asyncio.gather(*(visitor.stay(start, start + seconds, pause, made) for visitor in inside))
    return made
