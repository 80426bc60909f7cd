"""Visitors without a browser: one websocket each, which moves the heads slider as a browser would."""

import asyncio
from contextlib import asynccontextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect


class Visitor:
    """One session of a server, on one page."""

    def __init__(self, socket: ClientConnection, path: str):
        self.socket, self.path = socket, path
        self.page = self.slider = ""
        self.seen: set[str] = set()

    async def run(self, heads: int | None = None) -> int:
        """One run of the page, with the heads slider moved to `heads` if that is given. Bytes received."""
        message = BackMsg()
        asked = message.rerun_script
        asked.page_script_hash, asked.page_name = self.page, "" if self.page else self.path.strip("/")
        asked.cached_message_hashes.extend(self.seen)
        if heads is not None:
            widget = asked.widget_states.widgets.add()
            widget.id = self.slider
            widget.string_array_value.data.append(str(heads))
        await self.socket.send(message.SerializeToString())
        return await self._answer()

    async def _answer(self) -> int:
        size, self.seen = 0, set()
        while True:
            data = await asyncio.wait_for(self.socket.recv(), 60)
            size += len(data)
            message = ForwardMsg.FromString(data)
            kind = message.WhichOneof("type")
            if kind == "navigation":
                self.page = message.navigation.page_script_hash
            elif kind == "delta":
                if message.metadata.cacheable:
                    self.seen.add(message.hash)
                element = message.delta.new_element
                if element.WhichOneof("type") == "exception":
                    raise RuntimeError(element.exception.message)
                if element.WhichOneof("type") == "slider" and element.slider.label == "Heads (h)":
                    self.slider = element.slider.id
            elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return size


@asynccontextmanager
async def visiting(url: str, path: str, count: int):
    """`count` visitors who have the page; they leave with the block."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    opened = [
        await connect(address, subprotocols=["streamlit"], origin=url, max_size=None, compression=None, ping_interval=None)
        for _ in range(count)
    ]
    visitors = [Visitor(socket, path) for socket in opened]
    try:
        for visitor in visitors:
            await visitor.run()
        yield visitors
    finally:
        for socket in opened:
            await socket.close()
