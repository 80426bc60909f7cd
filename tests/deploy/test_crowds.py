"""Uploads nobody asked for, addresses nobody would type, more sockets than a class: the server stays up for the others."""

import random
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
from websockets.exceptions import InvalidStatus

from deploy.replicas import Replica, Site
from tests.deploy.rough import START, apart, memory_mb, socket, title


def upload(url: str, path: str, body: bytes) -> int:
    request = urllib.request.Request(url + path, data=body, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=60) as got:
            return got.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:  # refused before all of it was sent
        return 413


@pytest.mark.parametrize(("path", "size"), [
    ("/_stcore/upload_file/nobody/nothing", 1000), ("/_stcore/upload_file/../../x/y", 1000),
    ("/_stcore/upload_file/a/b", 70_000_000),
])  # fmt: skip
def test_an_upload_that_no_page_has_asked_for_is_refused(server: Replica, path: str, size: int):
    before = memory_mb(server.process.pid)
    assert upload(server.url, path, b"0" * size) >= 400
    assert apart(title(server.url)) == START
    assert memory_mb(server.process.pid) < before + 100


def odd_addresses(count: int) -> list[str]:
    """Any key with anything, the same in each run. The benchmark (benchmarks/abuse.py) takes a thousand."""
    draw = random.Random(7)
    keys = ("num_heads", "d_model", "key_dim", "query_len", "mask", "split", "cell", "tokens", "head", "divisor", "seed", "new")
    values = (
        "0", "-1", "99999999999", "4096", "512", "1e400", "NaN", "", " ", "é" * 300, "<b>", "../../etc/passwd", "%00", "a" * 3000,
        "true", "causal", "free", "q.1.1.1", "weights.999.9.9", "{{7*7}}", "'; drop", "\u202e", "🙂",
    )
    pages = ("", "projections", "attention", "concatenation", "keras_layer", "nowhere")
    made = []
    for _ in range(count):
        pairs = [(draw.choice(keys), draw.choice(values)) for _ in range(draw.randint(1, 6))]
        made.append(f"/{draw.choice(pages)}?{urllib.parse.urlencode(pairs)}")
    return made


def test_random_addresses_all_bring_up_a_page(server: Replica):
    for address in odd_addresses(25):
        assert apart(title(server.url, address)), address


def test_behind_the_proxy_one_address_gets_300_sockets_and_others_work_on(public: Site):
    async def crowd() -> tuple[int, int]:
        opened, refused = [], 0
        for _ in range(320):
            try:
                opened.append(await socket(public.url, open_timeout=30))
            except InvalidStatus as error:
                refused += error.response.status_code == 429
        for wire in opened:
            await wire.close()
        return len(opened), refused

    opened, refused = apart(crowd())
    assert (opened, refused) == (300, 20)
    deadline = time.monotonic() + 30
    while True:  # nginx counts a closed one until it has noticed
        try:
            assert apart(title(public.url)) == START
            break
        except InvalidStatus:
            assert time.monotonic() < deadline
