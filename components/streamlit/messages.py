"""The way of a message from a run of a page to the browser, made short: part of components/streamlit/lighter.py, for Streamlit
1.67 alone."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, cast
from weakref import ReferenceType, ref

from starlette.websockets import WebSocketDisconnect
from streamlit.logger import get_logger
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext, ThreadState
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

from components.streamlit.server import SEND

#: For so many seconds the server's thread lets a run collect messages; by itself it sends every 5 ms.
BUNCH_SECONDS = 0.002
MESSAGE = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG


class Bunches:
    """What a session's runs tell the server, in order: its thread is woken for the first, and takes all that has come. `send`
    what they have left for the browser, when they are taken."""

    taking = False

    def __init__(self, loop: asyncio.AbstractEventLoop, send: Callable[[], None] = lambda: None):
        self.loop, self.send, self.events, self.lock = loop, send, deque[Callable[[], None]](), threading.Lock()

    def add(self, event: Callable[[], None]) -> None:
        with self.lock:
            self.events.append(event)
            first = len(self.events) == 1
        if first:
            self.loop.call_soon_threadsafe(self.loop.call_later, BUNCH_SECONDS, self.take)

    def take(self) -> None:
        Bunches.taking = True
        try:
            while self.events:
                try:
                    self.events[0]()  # it stays until it is done: what comes meanwhile wakes nobody
                except Exception as error:
                    self.loop.call_exception_handler({"message": "an event of a run", "exception": error})
                self.events.popleft()
        finally:
            Bunches.taking = False
        self.send()


def send_waiting(session: "ReferenceType[Any]") -> None:
    """What waits for this session's browser is sent to it, as the server's loop does it for all sessions."""
    if (waiting := session()) is None or not Runtime.exists():
        return
    server: Any = Runtime.instance()
    info = server._session_mgr.get_active_session_info(waiting.id)
    if info is None or info.session is not waiting:
        server._enqueued_some_message()
        return
    for message in waiting.flush_browser_queue():
        try:
            server._send_message(info, message)
        except SessionClientDisconnectedError:
            server.disconnect_session(waiting.id, client=info.client)
    waiting.on_flushed_messages_sent()


def call_soon(session: Any, event: Callable[[], None]) -> None:
    """In place of `AppSession._call_soon_on_event_loop`."""
    try:
        bunches = getattr(session, "bunches", None)
        if bunches is None:
            bunches = session.bunches = Bunches(session._event_loop, partial(send_waiting, ref(session)))
        bunches.add(event)
    except RuntimeError:  # the server has ended
        if not session._event_loop.is_closed():
            raise


def leave(session: Any, runner: Any, message: Any) -> None:
    """A message is left for the browser, unless it comes from a run that another has followed."""
    if runner is session._scriptrunner:
        session._enqueue_forward_msg(message)


def hand_over(context: Any, message: Any) -> None:
    """In place of `ScriptRunContext.enqueue`: no message is kept by a browser, so none is hashed or sent by its hash."""
    message.metadata.active_script_hash = ThreadState.get().active_script_hash
    context._enqueue(message)


def tell(runner: Any, message: Any) -> None:
    """In place of `ScriptRunner._enqueue_forward_msg`: who listens to a run does not change while it lasts."""
    runner._maybe_handle_execution_control_request()
    listening = runner.__dict__.get("listening")
    if listening is None:
        listening = runner.listening = runner.on_event._get_live_receivers()
    for listener in listening:
        listener(runner, event=MESSAGE, forward_msg=message)


async def send_all(client: Any) -> None:
    """In place of `StarletteSessionClient._sender`: straight to the server's own `send`, where our middleware knows it. Nothing
    that Streamlit wraps around it looks at a websocket's messages."""
    send = client._websocket.scope.get(SEND) or client._websocket.send
    waiting = client._send_queue
    try:
        while True:
            await send({"type": "websocket.send", "bytes": await waiting.get()})
    except (WebSocketDisconnect, OSError):  # gone
        pass
    except Exception:
        get_logger(__name__).exception("Error sending websocket payload")
    finally:
        client._closed.set()


def send_together() -> None:
    """Once for each process."""
    session: Any = AppSession
    session._call_soon_on_event_loop = call_soon
    told = session._on_scriptrunner_event

    def hear(listener: Any, sender: Any, event: Any, forward_msg: Any = None, **more: Any) -> None:
        if event is MESSAGE:
            call_soon(listener, partial(leave, listener, sender, forward_msg))
        else:
            told(listener, sender, event, forward_msg, **more)

    session._on_scriptrunner_event = hear
    runner, context, server, client = cast("tuple[Any, ...]", (ScriptRunner, ScriptRunContext, Runtime, StarletteSessionClient))
    runner._enqueue_forward_msg, context.enqueue, client._sender = tell, hand_over, send_all
    wake = server._enqueued_some_message

    def wake_once(runtime: Any) -> None:
        objects = runtime._get_async_objs()
        if objects.eventloop is not asyncio._get_running_loop():
            wake(runtime)
        elif not Bunches.taking:  # in the server's own thread, which else is about to send
            objects.need_send_data.set()

    server._enqueued_some_message = wake_once
