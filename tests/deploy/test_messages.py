"""Messages that no browser sends, addresses that nobody types, and more sockets than a class: the server stays up, reveals no
more than it should, and serves others as before. Also Streamlit's own interface for agents (server.enableAgentApi)."""

import asyncio
import json
import random
import sys
import time
import urllib.request
from contextlib import suppress
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from components.app.stale_widget_values import ACK, ACK_CONTROLS
from components.menu import SETTINGS
from headcount.settings import SHARED, Word
from tests.deploy.site import Site
from tests.serving import Server, page_addresses, production
from tests.sockets import START, Visitor, stream, title, visited

NUMBERS = (-1, 0, 257, 1e9, 1e308, float("inf"), float("-inf"), float("nan"), 2.5, -0.0)


async def test_a_usual_visitor_is_served(server: Server):
    """This shows that the client of the tests below reads what a browser would show, and that its moves count."""
    assert await title(server.url) == START
    assert (await visited(server.url)).heads == 4
    assert (await visited(server.url, "/", num_heads=("string_array_value", ["8"]))).heads == 8


async def test_a_move_that_comes_under_a_fragments_name_draws_the_page(server: Server):
    """A browser sends all reports of one tick as one message: here a poll of the check line and a slider's move."""
    async with Visitor(server.url) as visitor:
        await visitor.run()
        assert (visitor.title, visitor.heads, visitor.fragment != "") == (START, 4, True)
        await visitor.run(visitor.fragment, num_heads=("string_array_value", ["8"]))
    assert visitor.heads == 8


@pytest.mark.parametrize("page", ["/", "/projections", "/attention", "/concatenation"])
async def test_a_move_that_comes_under_the_name_of_a_fragment_of_another_layout_counts(server: Server, page: str):
    """In the tick of a slider's move, the slider may ask for its next pictures, or the check line for its answer. At 4,096 wide
    there are no next pictures."""
    wide = {"d_model": ("string_array_value", ["4096"])}
    async with Visitor(server.url, page) as visitor:
        await visitor.run()
        for fragment, stop in zip(sorted(visitor.fragments), ("8", "16"), strict=True):
            await visitor.run(**wide)
            visitor.title = ""
            await visitor.run(fragment, num_heads=("string_array_value", [stop]), **wide)
            assert visitor.title, "the page alone draws it, and no fragment"


async def test_a_message_that_cuts_the_way_back_short_does_not_undo_it(server: Server):
    """The next message comes before the page of Back is drawn: the browser still reports 8 heads, at the address of 4. If a run
    is cut short before its controls, nobody can know what it would have changed."""
    async with Visitor(server.url, "/?num_heads=8") as visitor:
        await visitor.run()
        assert visitor.heads == 8
        visitor.query = ""
        eight = {"num_heads": ("string_array_value", ["8"])} | dict.fromkeys((ACK, ACK_CONTROLS), ("double_array_value", [0]))
        await visitor.socket.send(visitor.message(back=True, **eight))
        await visitor.drawn(ACK_CONTROLS)
        await visitor.run(**eight)
        await visitor.run(**eight)  # where the first had ended by then, the second was read as its end
    assert visitor.heads == 4


@pytest.mark.parametrize("key", ["num_heads", "d_model", "query_len", "seed"])
async def test_a_forged_number_never_reaches_the_layer(server: Server, key: str):
    async with Visitor(server.url) as visitor:
        await visitor.run()
        for value in NUMBERS:
            await visitor.run(**{key: ("double_value", value)})
            assert visitor.title
        await visitor.run(**{key: ("double_value", 4 if key != "seed" else 0)})
    assert await title(server.url) == START


@pytest.mark.parametrize("states", [
    {"num_heads": ("string_value", "eight")},
    {"num_heads": ("bytes_value", b"\xff" * 1000)},
    {"mask": ("string_array_value", ["causal", "none", "<script>"])},
    {"split": ("string_value", "__class__")},
    {"num_heads": ("string_array_value", ["3000"])},
    {"num_heads": ("int_array_value", [-5, 10**9])},
    {"cell": ("string_value", "q.9.9.9" * 200_000)},
    {"tokens": ("string_value", "word " * 200_000)},
    {"nobody": ("string_value", "x" * 1_000_000)},
    {"settings": ("json_value", '{"sizes": null}')},
])  # fmt: skip
async def test_a_value_of_another_kind_harms_nobody_else(server: Server, states: dict):
    """Its own page may refuse it, without any text of the server."""
    async with Visitor(server.url, "/attention") as visitor:
        await visitor.run()
        await visitor.run(**states)
    for error in visitor.errors:
        assert "Traceback" not in error
        assert "/" not in error
    assert await title(server.url) == START


@pytest.mark.parametrize("junk", [b"", b"\x00", b"\xff" * 4096, b"{}", "text", '{"type": 1}'], ids=repr)
async def test_what_is_no_message_ends_at_most_its_own_connection(server: Server, junk: bytes | str):
    async with asyncio.timeout(90), Visitor(server.url) as visitor:
        with suppress(ConnectionClosed, TimeoutError):
            await visitor.socket.send(junk)
            await visitor.run()
    assert await title(server.url) == START


async def test_a_frame_of_60_mb_ends_its_connection_and_leaves_no_memory_behind(server: Server):
    await title(server.url)
    before = server.memory_mb()
    for _ in range(3):
        async with stream(server.url) as socket:
            with suppress(ConnectionClosed):  # it may be closed before all of it is sent
                await socket.send(b"\x00" * 60_000_000)
            with pytest.raises(ConnectionClosed):
                await socket.recv()
    assert await title(server.url) == START
    assert server.memory_mb() < before + 60


async def test_a_browser_that_answers_no_ping_is_let_go(tmp_path: Path):
    """The setting is one second: after that time the browser is asked, and it has as long to answer."""
    with Server(tmp_path / "log", **production(), STREAMLIT_SERVER_WEBSOCKET_PING_INTERVAL="1") as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        said = ("Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {'A' * 22}==", "Sec-WebSocket-Version: 13")
        writer.write("\r\n".join(("GET /_stcore/stream HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *said, "", "")).encode())
        async with asyncio.timeout(60):
            assert b"keepalive ping timeout" in await reader.read()
        writer.close()


async def test_a_frame_above_the_bound_is_refused_at_its_head_while_its_bytes_are_still_awaited(server: Server):
    """3 MB are announced, 100 bytes are sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    said = ("Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {'A' * 22}==", "Sec-WebSocket-Version: 13")
    writer.write("\r\n".join(("GET /_stcore/stream HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *said, "", "")).encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    writer.write(b"\x82\xff" + (3_000_000).to_bytes(8, "big") + bytes(104))
    async with asyncio.timeout(60):
        assert (1009).to_bytes(2, "big") in await reader.read(), "message too big"
    writer.close()
    assert await title(server.url) == START


async def send_and_wait(visitor: Visitor, message: bytes) -> None:
    await visitor.socket.send(message)
    await visitor.socket.recv()


async def test_a_message_above_the_bound_on_settings_is_not_run(server: Server):
    async with Visitor(server.url) as visitor:
        await visitor.run()
        with pytest.raises(ConnectionClosed):  # refused at its head, before or after all of it is sent
            await send_and_wait(visitor, visitor.message(tokens=("string_value", "x" * 5_000_000)))
    assert await title(server.url) == START


PAGES = ("", "projections", "attention", "concatenation", "keras_layer", "nowhere")
KEYS = (
    "num_heads", "d_model", "key_dim", "query_len", "mask", "split", "cell", "tokens", "head", "divisor", "seed", "nobody",
)  # fmt: skip
VALUES = (
    "0", "-1", "99999999999", "4096", "512", "1e400", "NaN", "", " ", "é" * 300, "<b>", "../../etc/passwd", "%00", "a" * 3000,
    "true", "causal", "free", "q.1.1.1", "weights.999.9.9", "{{7*7}}", "'; drop", "\u202e", "🙂",
)  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has loaded is read from /proc")
async def test_every_page_is_served_with_every_choice_of_words_and_no_library_for_tables(tmp_path: Path):
    """The server has the production settings, and no page has an error. pandas and pyarrow would take 80 MB. Streamlit imports
    them for its own tables, and for a list or a mapping as a component's data."""
    words = [setting for setting in (*SHARED, *SETTINGS) if isinstance(setting, Word)]
    turns = [urlencode({setting.code: setting.choices[turn % len(setting.choices)] for setting in words}) for turn in range(3)]
    with Server(tmp_path / "server.log", **production()) as server:
        for page, turn in product(page_addresses(), turns):
            assert await title(server.url, f"{page}?{turn}")
        loaded = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert "numpy" in loaded
    assert [name for name in ("/pandas/", "/pyarrow/") if name in loaded] == []


async def test_random_addresses_all_bring_up_a_page(server: Server):
    """Any key with any value, the same in each run."""
    draw = random.Random(7)
    for _ in range(25):
        pairs = [(draw.choice(KEYS), draw.choice(VALUES)) for _ in range(draw.randint(1, 6))]
        address = f"/{draw.choice(PAGES)}?{urlencode(pairs)}"
        assert await title(server.url, address), address


async def test_behind_the_proxy_one_address_gets_300_sockets_and_others_work_on(public: Site):
    opened, refused = [], 0
    for _ in range(320):
        try:
            opened.append(await stream(public.url))
        except InvalidStatus as error:
            refused += error.response.status_code == 429
    for socket in opened:
        await socket.close()
    assert (len(opened), refused) == (300, 20)
    deadline = time.monotonic() + 30
    while True:  # nginx counts a closed one until it has noticed
        try:
            assert await title(public.url) == START
            break
        except InvalidStatus:
            assert time.monotonic() < deadline


def ask(url: str, **said: object) -> dict:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/_stcore/agent/interact", json.dumps(said).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


@pytest.fixture
def agents(tmp_path: Path):
    with Server(tmp_path / "log", STREAMLIT_SERVER_ENABLE_AGENT_API="true") as server:
        yield server


def test_an_agent_sets_the_heads_and_reads_the_count_and_sees_no_widget_of_the_machinery(agents: Server):
    first = ask(agents.url)
    keys = {action["key"] for action in first["actions"]}
    assert {"num_heads", "d_model", "split"} <= keys
    assert not [key for key in keys if key.startswith("hide_")]
    ask(agents.url, session_id=first["session_id"], widget_state={"split": "Keras"})
    second = ask(agents.url, session_id=first["session_id"], widget_state={"num_heads": "8"})
    assert "**2,160**" in json.dumps(second["tree"]), "the total of the ledger"
