"""What a server sends to a page: counted, told apart, and the finished figures taken out of it."""

import base64
import json
import struct
from collections import Counter
from dataclasses import dataclass, field

from playwright.sync_api import Page, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


@dataclass  # no slots: Playwright keeps its wrapped handlers on the object
class Messages:
    """Every message of a page's websocket since the last `clear`."""

    sizes: Counter = field(default_factory=Counter)  # by kind of message or element
    elements: dict[tuple[int, ...], object] = field(default_factory=dict)  # the newest at each place of the page
    begun: int = 0
    ended: int = 0

    def clear(self) -> None:
        self.sizes.clear()
        self.elements.clear()

    def frame(self, payload: bytes | str) -> None:
        if isinstance(payload, str):
            return
        message = ForwardMsg.FromString(payload)
        kind = message.WhichOneof("type")
        self.begun += kind == "new_session"
        self.ended += kind == "script_finished"
        if kind == "delta":
            kind = message.delta.WhichOneof("type")
            if kind == "new_element":
                element = message.delta.new_element
                kind = element.WhichOneof("type")
                self.elements[tuple(message.metadata.delta_path)] = getattr(element, kind)
                if kind == "bidi_component":
                    kind = element.bidi_component.component_name.split(".")[-1]
        self.sizes[kind] += len(payload)

    def socket(self, socket: WebSocket) -> None:
        self.begun = self.ended
        socket.on("framereceived", self.frame)


def listen(page: Page) -> Messages:
    """Call it before the page goes anywhere."""
    messages = Messages()
    page.on("websocket", messages.socket)
    return messages


def plan_of(scene: bytes) -> dict:
    """The part of a packed scene that is JSON."""
    (length,) = struct.unpack_from("<I", scene)
    return json.loads(scene[4 : 4 + length])


def finished(messages: Messages) -> list[dict]:
    """The page's stages, guests' tables and charts in their order on it, as plain JSON: all that is needed to show them again.

    The template that Streamlit puts into every figure is left out: whoever shows the figure again gets it again.
    """
    shown = []
    for _, element in sorted(messages.elements.items()):
        kind = type(element).__name__
        name = element.component_name.split(".")[-1] if kind == "BidiComponent" else ""
        if name in ("headcount_stage", "headcount_table"):
            program = {"html": element.html_content, "css": element.css_content, "js": element.js_content}
        if name == "headcount_table":
            shown.append({"table": json.loads(element.json), **program})
        elif name == "headcount_stage":
            shown.append({"stage": base64.b64encode(element.bytes).decode(), **program})
        elif kind == "PlotlyChart":
            figure = json.loads(element.spec)
            figure["layout"].pop("template", None)
            options = {"config": json.loads(element.config), "theme": element.theme or None, "alt": element.alt}
            shown.append({"chart": figure, **options})
    return shown
