"""Records what a page does unseen: reruns of the script, and everything on which a test should fail."""

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from playwright.sync_api import ConsoleMessage, Page, Request, Response, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LOCAL = ("http://127.0.0.1:", "ws://127.0.0.1:", "http://localhost:", "data:", "blob:", "about:")


@dataclass  # no slots: Playwright keeps its wrapped handlers on the object
class Watch:
    """Counts of begun and ended reruns, from the server's messages, because the fastest never show in the page; and problems."""

    begun: int = 0
    ended: int = 0
    complete: int = 0  # ended by themselves, not cut short by the next one
    whole: int = 0  # of these, runs of the whole page: not of a fragment, which may run unasked (a poll for TensorFlow)
    fragment: bool = False  # whether the present one is of a fragment
    problems: list[str] = field(default_factory=list)

    def frame(self, payload: bytes | str) -> None:
        if isinstance(payload, str):
            return
        message = ForwardMsg.FromString(payload)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.begun += 1
            self.fragment = bool(message.metadata.run.fragment_ids)
        elif kind == "script_finished":
            self.ended += 1
            by_itself = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            self.complete += by_itself
            self.whole += by_itself and not self.fragment
        elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
            error = message.delta.new_element.exception
            self.problems.append(f"an error on the page: {error.type} {error.message}")

    def socket(self, socket: WebSocket) -> None:
        self.begun = self.ended  # a rerun that the old socket did not see the end of will not be heard of again
        socket.on("framereceived", self.frame)

    def console(self, message: ConsoleMessage) -> None:
        source = message.location.get("url", "")
        if message.type == "error":
            self.problems.append(f"console: {message.text} ({source})")

    def response(self, response: Response) -> None:
        if response.status >= 400:
            self.problems.append(f"{response.status} from {response.url}")

    def request(self, request: Request) -> None:
        if not request.url.startswith(LOCAL):
            self.problems.append(f"a request that leaves this machine: {request.url[:200]}")


WATCHES: WeakKeyDictionary[Page, Watch] = WeakKeyDictionary()


def watch(page: Page) -> Watch:
    """Starts watching a page; call it before the page opens any address."""
    seen = WATCHES[page] = Watch()
    page.on("websocket", seen.socket)
    page.on("console", seen.console)
    page.on("response", seen.response)
    page.on("request", seen.request)
    page.on("pageerror", lambda error: seen.problems.append(f"uncaught in the page: {error}"))
    page.on("crash", lambda _: seen.problems.append("the page crashed"))
    return seen


def watch_of(page: Page) -> Watch:
    return WATCHES[page]
