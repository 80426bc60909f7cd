"""The addresses at which a server is reached: only this machine's by default, otherwise only the names it is given."""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from components.app import server as door
from tests.serving import Server, free_port, wait_for
from tests.sockets import START, stream, title
from tests.sources import ROOT

#: Also this machine, on Linux: who is bound to 127.0.0.1 does not hear it, who is bound to every address does.
NEXT_DOOR = "127.0.0.2"
#: The command of the installed package.
HEADCOUNT = "import sys; from headcount.commands import main; sys.exit(main())"


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server started without options."""
    with Server(tmp_path_factory.mktemp("bound") / "server.log") as started:
        yield started


def heard(port: int, address: str) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex((address, port)) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is no address of this machine")
@pytest.mark.parametrize(("command", "opened"), [
    (("-m", "streamlit", "run", "app.py"), False), (("-c", HEADCOUNT, "serve"), False),
    (("-c", HEADCOUNT, "serve", "--server.address", "0.0.0.0"), True),
])  # fmt: skip
def test_a_server_is_heard_on_this_machine_alone_unless_it_is_told_otherwise(tmp_path: Path, command: tuple, opened: bool):
    port, log = free_port(), tmp_path / "log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    words = [sys.executable, *command, "--server.port", f"{port}", "--server.headless", "true"]
    with log.open("w") as out:
        process = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=out, stderr=out, start_new_session=True)
    try:
        wait_for(f"http://127.0.0.1:{port}", process, log)
        assert heard(port, NEXT_DOOR) is opened
    finally:
        process.terminate()
        process.wait(20)
    assert f":{port}" in log.read_text(), "it says where it is"


def answer(server: Server, host: str, path: str = "/") -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request("GET", path, headers={"Host": host, "Connection": "close"})
        with connection.getresponse() as reply:
            return reply.status, reply.read().decode()


async def test_a_name_that_somebody_points_at_this_machine_gets_nothing_of_it(bound: Server):
    for host in ("rebound.example", f"rebound.example:{bound.port}", "127.0.0.1.rebound.example", "192.0.2.7"):
        for path in ("/", "/attention", "/_stcore/health", "/_stcore/metrics"):
            status, said = answer(bound, host, path)
            assert (status, "server.allowedHosts" in said) == (421, True), (host, path)
        with pytest.raises(InvalidStatus) as refused:
            await stream(f"http://{host}", host="127.0.0.1", port=bound.port)
        assert refused.value.response.status_code == 403
    for host in ("localhost", f"127.0.0.1:{bound.port}", "[::1]:8501", "LOCALHOST"):
        assert answer(bound, host)[0] == 200, host
    assert await title(bound.url) == START


async def test_a_page_of_another_port_of_this_machine_opens_no_websocket(bound: Server):
    for origin in ("http://localhost", "http://127.0.0.1:9", f"http://localhost:{bound.port + 1}", "http://[::1]:9", "null"):
        with pytest.raises(InvalidStatus) as refused:
            await stream(bound.url, origin=origin)
        assert refused.value.response.status_code == 403, origin
    for origin in (bound.url, f"http://localhost:{bound.port}"):
        async with stream(bound.url, origin=origin):
            pass


@pytest.mark.parametrize(("settings", "host", "origin", "refused"), [
    ({}, "rebound.example", "", True), ({}, "localhost:8501", "http://localhost:9", True),
    ({}, "localhost:8501", "http://localhost:8501", False),
    ({"server.allowedHosts": ["heads.example"]}, "heads.example", "https://heads.example", False),
    ({"server.corsAllowedOrigins": ["http://localhost:9"]}, "localhost:8501", "http://localhost:9", False),
    ({"server.enableCORS": False}, "localhost:8501", "http://localhost:9", False),
    ({"server.address": "0.0.0.0"}, "heads.example", "http://heads.example", False),
    ({"server.address": "0.0.0.0"}, "192.0.2.7:8501", "http://localhost:9", False),
    ({"server.address": "0.0.0.0"}, "192.0.2.7:8501", "http://elsewhere.example", True),
    ({"server.address": None}, "heads.example", "http://heads.example", False),
])  # fmt: skip
def test_only_a_server_that_is_bound_to_this_machine_knows_its_names(monkeypatch, settings, host, origin, refused):
    usual = {"server.address": "localhost", "server.allowedHosts": [], "server.corsAllowedOrigins": [], "server.enableCORS": True,
             "browser.serverAddress": "localhost"}  # fmt: skip
    monkeypatch.setattr(door.st, "get_option", (usual | settings).__getitem__)
    scope = {"headers": [(b"host", host.encode()), (b"origin", origin.encode())]}
    assert (door.is_misdirected(scope) or door.is_foreign(scope)) is refused


@pytest.mark.parametrize("page", ["attention", "keras_layer"])
def test_what_a_browser_asks_below_a_page_s_name_is_answered_and_no_success(bound: Server, page: str):
    """After a success the browser would look for everything else there."""
    for what in ("health", "host-config"):
        assert answer(bound, "localhost", f"/{page}/_stcore/{what}")[0] == 300
        assert answer(bound, "localhost", f"/nowhere/_stcore/{what}")[0] == 404
        assert answer(bound, "localhost", f"/_stcore/{what}")[0] == 200


def test_no_browser_is_to_translate_a_page(bound: Server):
    for page in (answer(bound, "localhost")[1], answer(bound, "localhost", "/attention?present=1")[1]):
        assert '<html lang="en" translate="no">' in page
        assert page.count('<meta name="google" content="notranslate"') == 1
