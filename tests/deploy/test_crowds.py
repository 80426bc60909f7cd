"""Every choice, addresses nobody would type, more sockets than a class: the server stays up for the others."""

import random
import sys
import time
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

import pytest
from websockets.exceptions import InvalidStatus

from components.page_settings import BY_CODE
from mha.settings import SHARED, Word
from tests.deploy.site import Site
from tests.serving import Server, page_addresses, production
from tests.sockets import START, stream, title

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
    """On a server as it is deployed; a visitor's page has no error on it. pandas and pyarrow take 80 MB: Streamlit imports them
    for its own tables, and for a list or a mapping in what a component is told."""
    words = [setting for setting in (*SHARED, *BY_CODE.values()) if isinstance(setting, Word)]
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
