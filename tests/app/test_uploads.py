"""The limits on uploads and the time of forgetting, with a stand-in for Streamlit and a clock of the tests' own."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable

import pytest

from components.app import uploads
from components.app.upload_limits import UploadLimits
from components.app.uploads import NOT_KEPT, Uploads
from tests.app.driver import in_thread

ANNA, BEN, CARL = (f"{digit * 8}-{digit * 4}-4{digit * 3}-8{digit * 3}-{digit * 12}" for digit in "abc")
LIMITS = UploadLimits(session_bytes=101, session_files=3, server_bytes=157)
TOKEN = (b"x-xsrftoken", b"2|secret")


class Streamlit:
    """A stand-in for Streamlit: its files by session and name, its websockets, and the bodies it received."""

    def __init__(self):
        self.files: dict[tuple[str, str], int] = {}
        self.visits = 0
        self.given = 0

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            self.visits += 1
            if session := scope.get("session"):
                await send({"type": "websocket.send", "bytes": b"\x0a\x24" + session.encode() + b"\x12\x03run"})
            while (await receive())["type"] != "websocket.disconnect":
                pass
            return
        *_, session, file = scope["path"].split("/")
        status = 204 if TOKEN in scope["headers"] else 403
        if scope["method"] == "PUT" and status == 204:
            size = 0
            while (message := await receive()).get("more_body"):
                size += len(message["body"])
            self.given += size + len(message["body"])
            self.files[session, file] = size + len(message["body"])
        elif status == 204:
            self.files.pop((session, file), None)
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})


class Clock:
    """A clock without waiting: a sleep lasts until `later` is called."""

    def __init__(self):
        self.waiting: list[tuple[float, asyncio.Event]] = []

    async def sleep(self, seconds: float) -> None:
        self.waiting.append((seconds, asyncio.Event()))
        await self.waiting[-1][1].wait()

    async def later(self) -> None:
        await rest()
        for _, event in self.waiting:
            event.set()
        self.waiting = []
        await rest()


async def rest() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


class Server:
    def __init__(self):
        self.streamlit, self.clock = Streamlit(), Clock()
        self.uploads = Uploads(self.streamlit, LIMITS, self.clock.sleep)
        self.pages: list[asyncio.Task] = []

    @classmethod
    async def of(cls, *sessions: str) -> "Server":
        """A server with an open page for each of these sessions."""
        server = cls()
        for session in sessions:
            await server.connect(session)
        return server

    async def connect(self, session: str) -> Callable[[], Awaitable[None]]:
        """Opens a page. Returns a function that closes it."""
        steps: asyncio.Queue = asyncio.Queue()
        steps.put_nowait({"type": "websocket.connect"})

        async def send(_):
            pass

        scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [], "session": session}
        open_page = asyncio.create_task(self.uploads(scope, steps.get, send))
        self.pages.append(open_page)
        await rest()

        async def close() -> None:
            steps.put_nowait({"type": "websocket.disconnect", "code": 1001})
            await open_page
            await rest()

        return close

    async def ask(self, method: str, session: str, file: str, body=b"", headers=(TOKEN,), length=True, arrives=None) -> int:
        """The status of a request. Its body comes in chunks of 7 bytes, after `arrives`."""
        pieces = [body[at : at + 7] for at in range(0, len(body), 7)] or [b""]
        told = []

        async def receive():
            if arrives is not None:
                await arrives.wait()
            return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

        async def send(message):
            told.append(message)

        said = [(b"content-length", b"%d" % len(body))] if length else []
        path = f"/_stcore/upload_file/{session}/{file}"
        await self.uploads({"type": "http", "method": method, "path": path, "headers": [*headers, *said]}, receive, send)
        return told[0]["status"]

    async def put(self, session: str, file: str, size: int, **how) -> int:
        return await self.ask("PUT", session, file, b"0" * size, **how)


async def test_a_session_keeps_the_newest_files_within_its_bytes_and_their_number():
    server = await Server.of(ANNA)
    assert [await server.put(ANNA, file, 47) for file in ("one", "two", "three", "four")] == [204] * 4
    assert server.streamlit.files == {(ANNA, "three"): 47, (ANNA, "four"): 47}
    assert await server.put(ANNA, "large", 102) == NOT_KEPT
    assert server.streamlit.files == {(ANNA, "three"): 47, (ANNA, "four"): 47}
    for number in range(11):
        assert await server.put(ANNA, f"{number}", 1) == 204
    assert [file for _, file in server.streamlit.files] == ["8", "9", "10"]


async def test_files_that_come_together_are_refused_when_they_no_longer_fit():
    server, arrives = await Server.of(ANNA), asyncio.Event()
    coming = [asyncio.create_task(server.put(ANNA, f"{number}", 47, arrives=arrives)) for number in range(5)]
    await rest()
    arrives.set()
    assert {await one for one in coming} == {NOT_KEPT, 204}
    assert sum(server.streamlit.files.values()) == 2 * 47
    assert server.uploads.sessions[ANNA].files == {file: 47 for _, file in server.streamlit.files}


async def test_files_of_several_sessions_that_come_together_fill_the_server_s_bytes_and_no_more():
    server, arrives = await Server.of(ANNA, BEN), asyncio.Event()
    coming = [asyncio.create_task(server.put(session, "file", 97, arrives=arrives)) for session in (ANNA, BEN)]
    await rest()
    arrives.set()
    assert sorted([await one for one in coming]) == [NOT_KEPT, 204]
    assert sum(server.streamlit.files.values()) == 97


async def test_bytes_that_were_only_promised_keep_no_room_from_others():
    server, never = await Server.of(ANNA, BEN, CARL), asyncio.Event()
    silent = [asyncio.create_task(server.put(session, f"{n}", 101, arrives=never)) for session in (ANNA, BEN) for n in range(2)]
    await rest()
    assert await server.put(CARL, "file", 101) == 204
    assert not any(one.done() for one in silent)
    for one in silent:
        one.cancel()


async def test_a_file_that_does_not_come_in_its_time_is_given_up(monkeypatch):
    """Both its bytes and its place among the files are released."""
    server, never = await Server.of(ANNA), asyncio.Event()
    monkeypatch.setattr(uploads, "GRACE", 0.01)
    assert await server.put(ANNA, "silent", 47, arrives=never) == 408
    assert await server.put(ANNA, "large and silent", 102, arrives=never) == 408
    assert (server.uploads.sessions[ANNA].files, server.streamlit.files) == ({}, {})
    assert await server.put(ANNA, "file", 47) == 204


async def test_beyond_the_server_s_bytes_no_session_gets_more_and_none_loses_any():
    server = Server()
    for session, size, status in ((ANNA, 101, 204), (BEN, 53, 204), (CARL, 5, NOT_KEPT), (CARL, 3, 204)):
        await server.connect(session)
        assert await server.put(session, "file", size) == status
    assert sum(server.streamlit.files.values()) == 157


async def test_what_no_page_asked_for_or_does_not_say_its_length_never_reaches_streamlit():
    server = await Server.of(ANNA)
    assert await server.put(BEN, "file", 7) == 403
    assert await server.put(ANNA, "file", 7, length=False) == 411
    assert server.streamlit.given == 0


async def test_files_that_a_visitor_takes_out_make_room_for_his_own_and_when_he_leaves_for_those_of_others():
    """The visitor's page may still have what it read from removed files. A refused request changes nothing."""
    server = await Server.of(BEN)
    close = await server.connect(ANNA)
    assert (await server.put(ANNA, "file", 101), await server.put(BEN, "file", 59)) == (204, NOT_KEPT)
    assert await server.ask("DELETE", ANNA, "file", headers=()) == 403
    assert server.uploads.sessions[ANNA].files == {"file": 101}
    assert await server.ask("DELETE", ANNA, "file") == 204
    assert (await server.put(BEN, "file", 59), await server.put(ANNA, "other", 101)) == (NOT_KEPT, 204)
    await close()
    await server.clock.later()
    assert await server.put(BEN, "file", 59) == 204
    assert await server.put(BEN, "forged", 2, headers=()) == 403
    assert server.uploads.sessions[BEN].files == {"file": 59}


async def test_the_files_of_who_has_left_are_forgotten_in_time_though_nobody_comes():
    server = await Server.of(BEN)
    close = await server.connect(ANNA)
    await server.put(ANNA, "one", 47)
    await server.put(BEN, "two", 53)
    await close()
    assert len(server.streamlit.files) == 2
    assert server.clock.waiting[0][0] <= 90
    visits = server.streamlit.visits
    await server.clock.later()
    assert server.streamlit.files == {(BEN, "two"): 53}
    assert set(server.uploads.sessions) == {BEN}
    assert server.streamlit.visits == visits + 1  # Streamlit ends old sessions when another one goes
    assert server.clock.waiting == []  # that was no visitor


@pytest.mark.parametrize("has_files", [True, False])
def test_what_a_connection_held_in_a_circle_is_collected_with_it(has_files: bool):
    """This is a session's layer, or without a session the received part of a broken message."""

    class Layer:
        pass

    async def run():
        server = Server()
        close = await server.connect(ANNA if has_files else "")
        if has_files:
            await server.put(ANNA, "one", 47)
        layer = Layer()
        layer.of = layer
        held = weakref.ref(layer)
        del layer
        await close()
        await server.clock.later()
        assert held() is None

    gc.disable()
    try:
        in_thread(run())
    finally:
        gc.enable()


async def test_who_comes_back_in_time_finds_the_files_until_the_last_page_is_closed():
    server = Server()
    close = await server.connect(ANNA)
    await server.put(ANNA, "one", 47)
    await close()
    close = await server.connect(ANNA)
    await server.clock.later()
    assert server.streamlit.files == {(ANNA, "one"): 47}
    await close()
    await server.clock.later()
    assert server.streamlit.files == {}


async def test_a_file_that_comes_when_its_visitor_has_been_forgotten_is_removed_at_once():
    server, arrives = Server(), asyncio.Event()
    close = await server.connect(ANNA)
    coming = asyncio.create_task(server.put(ANNA, "late", 47, arrives=arrives))
    await rest()
    await close()
    await server.clock.later()
    arrives.set()
    assert await coming == 204
    assert server.streamlit.files == {}


@pytest.mark.parametrize("name", ["SESSION_MB", "SESSION_FILES", "SERVER_MB"])
def test_an_operator_sets_each_bound_and_a_wrong_one_is_refused_by_name(monkeypatch, name: str):
    monkeypatch.setenv(f"HEADCOUNT_UPLOADS_{name}", "7")
    found = UploadLimits.of_environment()
    assert (found.session_bytes >> 20, found.session_files, found.server_bytes >> 20).count(7) == 1
    monkeypatch.setenv(f"HEADCOUNT_UPLOADS_{name}", "-7")
    with pytest.raises(ValueError, match=f"HEADCOUNT_UPLOADS_{name} must be a whole number above 0, got '-7'"):
        UploadLimits.of_environment()


def test_usually_a_session_has_64_mb_in_16_files_and_the_server_256_mb():
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SESSION_MB", "SESSION_FILES", "SERVER_MB"):
            patch.delenv(f"HEADCOUNT_UPLOADS_{name}", raising=False)
        assert UploadLimits.of_environment() == UploadLimits(64 << 20, 16, 256 << 20)


async def test_no_more_files_than_a_session_may_have_come_at_once_however_small():
    server, arrives = await Server.of(ANNA), asyncio.Event()
    coming = [asyncio.create_task(server.put(ANNA, f"{number}", 1, arrives=arrives)) for number in range(4)]
    await rest()
    arrives.set()
    assert sorted([await one for one in coming]) == [NOT_KEPT] + [204] * 3
    assert len(server.streamlit.files) == 3
