"""Files that no page asked for, and files of who has left: before the server itself."""

import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

from websockets.exceptions import InvalidStatus

from tests.app.driver import in_thread
from tests.deploy.site import Site
from tests.serving import Server, production
from tests.sockets import START, Visitor, stream, title

MB = 1 << 20
EDGE = b"--edge"


class Browser:
    """What a browser has: the cookies of a site, and the token in them that an upload needs."""

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
            return error.code


def held_mb(server: Server) -> float:
    """What Streamlit says of the files that it keeps."""
    with urllib.request.urlopen(f"{server.url}/_stcore/metrics", timeout=60) as got:
        lines = [line for line in got.read().decode().splitlines() if "UploadedFileManager" in line]
    return sum(float(line.split()[-1]) for line in lines) / MB


def test_files_with_any_ids_fill_a_session_s_room_and_no_more(server: Server):
    async def flood() -> list[int]:
        async with Visitor(server.url) as visitor:
            await visitor.run()
            browser = Browser(server.url)
            told = [browser.put(visitor.session, f"invented-{number}", 60 * MB) for number in range(5)]
            told += [browser.put(visitor.session, f"small-{number}", 10) for number in range(20)]
            assert 0 < held_mb(server) <= 64
            return told

    before = server.memory_mb()
    assert set(in_thread(flood())) == {204}
    assert server.memory_mb() < before + 200
    assert in_thread(title(server.url)) == START


def test_many_sessions_fill_the_server_s_room_and_no_more(server: Server):
    async def flood() -> list[int]:
        visitors, told, browser = [], [], Browser(server.url)
        for number in range(7):
            visitors.append(await Visitor(server.url).__aenter__())
            await visitors[-1].run()
            told.append(browser.put(visitors[-1].session, f"invented-{number}", 60 * MB))
        assert held_mb(server) <= 256
        for visitor in visitors:
            await visitor.__aexit__()
        return told

    assert in_thread(flood())[-3:] == [202] * 3


def test_what_was_uploaded_is_gone_when_its_visitor_is_though_nobody_comes(tmp_path: Path):
    """The setting: how long Streamlit keeps a session, in seconds."""

    async def leave(url: str) -> None:
        async with Visitor(url) as visitor:
            await visitor.run()
            assert Browser(url).put(visitor.session, "mine", 30 * MB) == 204

    with Server(tmp_path / "log", **production(), STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1") as server:
        in_thread(leave(server.url))
        assert held_mb(server) >= 30
        deadline = time.monotonic() + 60
        while held_mb(server) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert held_mb(server) == 0


def test_a_page_from_elsewhere_is_refused_before_streamlit_looks_for_the_machine_s_address(tmp_path: Path):
    async def from_elsewhere(url: str) -> int:
        try:
            await stream(url, origin="http://elsewhere.example:8501")
        except InvalidStatus as error:
            return error.response.status_code
        return 101

    with Server(tmp_path / "log", **production()) as server:
        assert in_thread(from_elsewhere(server.url)) == 403
        assert in_thread(title(server.url)) == START
    log = (tmp_path / "log").read_text()
    assert "Origin" not in log  # Streamlit logs each that it refuses itself
    assert "external IP" not in log


def test_through_the_proxy_one_address_uploads_100_files_at_once_and_no_more(public: Site):
    browser = Browser(public.url)
    told = [browser.put("nobody", f"{number}", 10) for number in range(130)]
    assert told[:100] == [403] * 100
    assert 429 in told[100:]


def test_through_the_proxy_a_session_fills_its_room_and_no_more(mortal: Site):
    async def flood() -> list[int]:
        async with Visitor(mortal.url) as visitor:
            await visitor.run()
            browsers = (Browser(mortal.url) for _ in range(50))
            same_replica = next(one for one in browsers if one.put(visitor.session, "first", 10) == 204)
            told = [same_replica.put(visitor.session, f"invented-{number}", 60 * MB) for number in range(12)]
            assert 0 < sum(map(held_mb, mortal.replicas)) <= 64
            return told

    assert set(in_thread(flood())) == {204}
    assert in_thread(title(mortal.url)) == START
