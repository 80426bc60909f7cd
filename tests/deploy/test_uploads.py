"""Files that no page asked for, and files of visitors who have left, on a real server."""

import asyncio
import socket
import time
import urllib.error
import urllib.request
from contextlib import AsyncExitStack
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from tests.deploy.site import Site
from tests.serving import Server, production
from tests.sockets import START, Visitor, stream, title

MB = 1 << 20
EDGE = b"--edge"


class Browser:
    """A browser's cookies for a site, and the token among them that an upload needs."""

    def __init__(self, url: str):
        self.url, jar = url, CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        self.opener.open(f"{url}/_stcore/health", timeout=60).read()
        self.token = next(cookie.value for cookie in jar if cookie.name == "_streamlit_xsrf")

    def put(self, session: str, file: str, size: int) -> int:
        head = b'\r\nContent-Disposition: form-data; name="file"; filename="mine.npz"\r\n\r\n'
        body = EDGE + head + b"0" * size + b"\r\n" + EDGE + b"--\r\n"
        headers = {"X-Xsrftoken": self.token, "Content-Type": "multipart/form-data; boundary=edge"}
        address = f"{self.url}/_stcore/upload_file/{session}/{file}"
        try:
            with self.opener.open(urllib.request.Request(address, body, headers, method="PUT"), timeout=60) as got:
                return got.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code
        except OSError:  # refused before all of it was sent
            return 413


def held_mb(server: Server) -> float:
    """The megabytes of the files that Streamlit says it keeps."""
    with urllib.request.urlopen(f"{server.url}/_stcore/metrics", timeout=60) as got:
        lines = [line for line in got.read().decode().splitlines() if "UploadedFileManager" in line]
    return sum(float(line.split()[-1]) for line in lines) / MB


@pytest.mark.parametrize(("session", "size"), [("nobody", 1000), ("../../x", 1000), ("a", 70_000_000)])
async def test_an_upload_that_no_page_has_asked_for_is_refused(server: Server, session: str, size: int):
    before = server.memory_mb()
    assert Browser(server.url).put(session, "nothing", size) >= 400
    assert await title(server.url) == START
    assert server.memory_mb() < before + 100


async def test_files_with_any_ids_fill_a_session_s_room_and_no_more(server: Server):
    before = server.memory_mb()
    async with Visitor(server.url) as visitor:
        await visitor.run()
        browser = Browser(server.url)
        told = [browser.put(visitor.session, f"invented-{number}", 60 * MB) for number in range(5)]
        told += [browser.put(visitor.session, f"small-{number}", 10) for number in range(20)]
        assert 0 < held_mb(server) <= 64
    assert set(told) == {204}
    assert server.memory_mb() < before + 200
    assert await title(server.url) == START


async def test_many_sessions_fill_the_server_s_room_and_no_more(server: Server):
    browser = Browser(server.url)
    async with AsyncExitStack() as visitors:
        told = []
        for number in range(7):
            visitor = await visitors.enter_async_context(Visitor(server.url))
            await visitor.run()
            told.append(browser.put(visitor.session, f"invented-{number}", 60 * MB))
        assert held_mb(server) <= 256
    assert told[-3:] == [202] * 3


async def test_five_files_that_were_promised_and_do_not_come_refuse_nobody_else_s(tmp_path: Path):
    async with AsyncExitStack() as visitors:
        server = visitors.enter_context(Server(tmp_path / "log", **production()))
        browser, silent = Browser(server.url), []
        said = f"X-Xsrftoken: {browser.token}\r\nCookie: _streamlit_xsrf={browser.token}\r\nContent-Length: {60 * MB}"
        said += "\r\nContent-Type: multipart/form-data; boundary=edge"
        for number in range(5):
            visitor = await visitors.enter_async_context(Visitor(server.url))
            await visitor.run()
            silent.append(visitors.enter_context(socket.create_connection(("127.0.0.1", server.port))))
            path = f"/_stcore/upload_file/{visitor.session}/{number}"
            silent[-1].sendall(f"PUT {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{said}\r\n\r\n".encode() + EDGE)
        other = await visitors.enter_async_context(Visitor(server.url))
        await other.run()
        assert await asyncio.to_thread(browser.put, other.session, "mine", 20 * MB) == 204
        for one in silent:
            one.setblocking(False)
            with pytest.raises(BlockingIOError):
                one.recv(1)  # not answered: it may still come


async def test_what_was_uploaded_is_gone_when_its_visitor_is_though_nobody_comes(tmp_path: Path):
    """The setting is the number of seconds for which Streamlit keeps a session."""
    with Server(tmp_path / "log", **production(), STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1") as server:
        async with Visitor(server.url) as visitor:
            await visitor.run()
            assert Browser(server.url).put(visitor.session, "mine", 30 * MB) == 204
        assert held_mb(server) >= 30
        deadline = time.monotonic() + 60
        while held_mb(server) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert held_mb(server) == 0


async def test_a_page_from_elsewhere_is_refused_before_streamlit_looks_for_the_machine_s_address(tmp_path: Path):
    with Server(tmp_path / "log", **production()) as server:
        for origin in (
            "http://elsewhere.example:8501",
            "https://elsewhere.example",
            "http://127.0.0.1.elsewhere.example",
            "null",
        ):
            with pytest.raises(InvalidStatus) as refused:
                await stream(server.url, origin=origin)
            assert refused.value.response.status_code == 403
        assert await title(server.url) == START
    log = (tmp_path / "log").read_text()
    assert "Origin" not in log  # Streamlit logs each that it refuses itself
    assert "external IP" not in log


def test_through_the_proxy_one_address_uploads_100_files_at_once_and_no_more(public: Site):
    browser = Browser(public.url)
    told = [browser.put("nobody", f"{number}", 10) for number in range(130)]
    assert told[:100] == [403] * 100
    assert 429 in told[100:]


async def test_through_the_proxy_a_session_fills_its_room_and_no_more(mortal: Site):
    async with Visitor(mortal.url) as visitor:
        await visitor.run()
        browsers = (Browser(mortal.url) for _ in range(50))
        same_replica = next(one for one in browsers if one.put(visitor.session, "first", 10) == 204)
        told = [same_replica.put(visitor.session, f"invented-{number}", 60 * MB) for number in range(12)]
        assert 0 < sum(map(held_mb, mortal.replicas)) <= 64
    assert set(told) == {204}
    assert await title(mortal.url) == START
