"""A server dies while a visitor moves a slider. The next server, at the same port or behind the same address, continues with what
the browser knows, and the keyboard's focus stays."""

import socket
import socketserver
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import address, open_app, press, problems, query, slider, wait_until_settled
from tests.browser.screen import becomes, title
from tests.browser.watch import watch_of
from tests.serving import Server, healthy

HEADS = "Heads `num_heads`"
LINK = "/attention?num_heads=2&query_len=5"
CONNECTED = "document.querySelector('[data-testid=\"stApp\"]')?.dataset.testConnectionState === 'CONNECTED'"
FOCUS = "document.activeElement.getAttribute('aria-label')"
#: Where the sliders of width, heads, key size and value size stand.
SIZES = "[...document.querySelectorAll('input[type=range]')].slice(0, 4).map(one => one.getAttribute('aria-valuetext'))"


def pump(source: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            to.sendall(data)
    for one in (source, to):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


class ToWhoLives(socketserver.ThreadingTCPServer):
    """Leads each connection to the first of these ports at which a server listens."""

    daemon_threads = True

    def __init__(self, ports: list[int]):
        self.ports = ports
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)

    def finish_request(self, request: socket.socket, client_address: object) -> None:
        port = next(port for port in self.ports if healthy(f"http://127.0.0.1:{port}"))
        with socket.create_connection(("127.0.0.1", port)) as there:
            (back := Thread(target=pump, args=(there, request))).start()
            pump(request, there)
            back.join()


Place = tuple[str, Callable[[], None]]


@pytest.fixture(params=["the same port", "another replica"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An address, and a function that kills the server behind it, after which another answers there."""
    with ExitStack() as stack:
        first = Server(tmp_path / "first.log")
        second = Server(tmp_path / "second.log", port=first.port if request.param == "the same port" else 0)
        for one in (first, second):
            stack.callback(one.stop)
        first.start()
        if same := first.port == second.port:
            url = first.url
        else:
            second.start()
            second.wait()
            way = stack.enter_context(ToWhoLives([first.port, second.port]))
            stack.callback(way.shutdown)
            Thread(target=way.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{way.server_address[1]}"
        first.wait()

        def die() -> None:
            first.kill()
            if same:
                second.start()
                second.wait()

        yield url, die


@pytest.mark.parametrize("moment", [0, 40])
def test_a_server_that_dies_in_mid_move_leaves_slider_address_and_picture_one_and_the_keyboard_where_it_was(
    page: Page, place: Place, moment: int
):
    """`moment`: milliseconds from the key press to the death. By then the move may be answered, in part, or not at all."""
    url, die = place
    open_app(page, url + LINK)
    press(page, HEADS, "ArrowRight")
    slider(page, HEADS).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(moment)
    with page.expect_websocket():
        die()
    becomes(page, lambda: page.evaluate(CONNECTED), True)
    wait_until_settled(page, watch_of(page).complete + 1)
    becomes(page, lambda: page.evaluate(FOCUS), HEADS)
    becomes(page, lambda: query(page).get("num_heads", "4"), lambda heads: title(page).startswith(f"{heads} heads"))
    shown = address(page), title(page), page.evaluate(SIZES)
    heads, size = (int(shown[2][place]) for place in (1, 2))
    assert (heads in (4, 8), heads * size, shown[2][3], shown[1].startswith(f"{heads} heads")) == (True, 16, str(size), True)
    press(page, HEADS, "ArrowRight")
    assert page.evaluate(SIZES) == ["16", str(2 * heads), str(size // 2), str(size // 2)]
    problems(page).clear()  # what the browser said about the dead one is no fault
    open_app(page, url + shown[0])
    assert (address(page), title(page), page.evaluate(SIZES)) == shown
