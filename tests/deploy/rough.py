"""A visitor who sends what no browser would: raw messages over a websocket."""

import asyncio
import urllib.parse
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 60.0
#: What a visitor of the start page reads.
START = "4 heads, 1,088 parameters. 1 head, 1,088 parameters."


def apart(work: Coroutine):
    """The result of `work`, in a thread of its own: where a browser is open, Playwright's loop runs in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def socket(url: str, **options) -> connect:
    stream = url.replace("http", "ws", 1) + "/_stcore/stream"
    return connect(stream, subprotocols=["streamlit"], origin=url, max_size=None, compression=None, **options)


class Rough:
    """One session. After each run: `title`, `errors` on the page, `widgets` (id by key) and the last `fragment`."""

    def __init__(self, wire: ClientConnection, address: str = "/"):
        parts = urllib.parse.urlsplit(address)
        self.wire, self.path, self.query = wire, parts.path.strip("/"), parts.query
        self.page, self.title, self.errors, self.widgets, self.fragment = "", "", [], {}, ""

    def message(self, fragment: str = "", **states: tuple[str, object]) -> bytes:
        """A rerun, of a fragment only if one is named, in which widgets say anything: key=(kind of value, value)."""
        message = BackMsg()
        asked = message.rerun_script
        asked.fragment_id = fragment
        asked.query_string, asked.page_script_hash, asked.page_name = self.query, self.page, "" if self.page else self.path
        for key, (kind, value) in states.items():
            told = asked.widget_states.widgets.add()
            told.id = self.widgets.get(key, f"$$ID-forged-{key}")
            if kind.endswith("array_value"):
                getattr(told, kind).data.extend(value)
            else:
                setattr(told, kind, value)
        return message.SerializeToString()

    async def run(self, fragment: str = "", **states: tuple[str, object]) -> None:
        await self.wire.send(self.message(fragment, **states))
        async with asyncio.timeout(PATIENCE):
            while not self._take(ForwardMsg.FromString(await self.wire.recv())):
                pass

    def _take(self, message: ForwardMsg) -> bool:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.errors = []
            self.page = self.page or message.new_session.page_script_hash
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "delta":
            self.fragment = message.delta.fragment_id or self.fragment
            element = message.delta.new_element
            kind = element.WhichOneof("type")
            if kind == "exception":
                self.errors.append(f"{element.exception.type}: {element.exception.message}")
            elif kind == "heading" and element.heading.tag == "h1":
                self.title = element.heading.body
            elif kind and hasattr(getattr(element, kind), "id") and (name := getattr(element, kind).id).startswith("$$"):
                self.widgets[name.split("-", 2)[-1]] = name
        return kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN


def memory_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000


async def title(url: str, address: str = "/", **states) -> str:
    """What a new visitor reads; a visitor's page must have no error on it."""
    async with socket(url) as wire:
        visitor = Rough(wire, address)
        await visitor.run()
        if states:
            await visitor.run(**states)
        assert visitor.errors == []
        return visitor.title
