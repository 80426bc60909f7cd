"""A component's program is fetched once, by its address, where a server answers addresses; elsewhere it is in the message."""

import gzip
import re

import pytest

from components.app import runtime
from components.app.server import Addresses
from tests.app.driver import fetch

LONG = f"export default function () {{ {'0; ' * 400} }}"


@pytest.fixture
def serving(monkeypatch):
    """With these answers to addresses; nothing of it stays."""
    monkeypatch.setattr(runtime, "FILES", {})
    monkeypatch.setattr("components.app.server.FILES", runtime.FILES)
    monkeypatch.setattr(runtime.Serving, "addresses", False)
    monkeypatch.setattr(runtime, "component", runtime.component.__wrapped__)
    return Addresses


def sent(monkeypatch, name: str, js: str) -> str:
    """The program as Streamlit gets it."""
    told: dict[str, str] = {}
    monkeypatch.setattr(runtime.v2, "component", lambda name, **parts: told.update(parts))
    runtime.component(name, js)
    return told["js"]


def test_without_a_server_a_program_is_in_the_message(serving, monkeypatch):
    assert sent(monkeypatch, "long", LONG) == LONG


def test_with_one_a_program_is_an_address(serving, monkeypatch):
    addresses = serving(None)
    message = sent(monkeypatch, "long", LONG)
    (address,) = re.findall(r'"\./([^"]+)"', message)
    assert len(message) < 400 < len(LONG)
    status, headers, body = fetch(addresses, f"/{address}")
    assert (status, body.decode()) == (200, LONG)
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("text/javascript")
    status, headers, body = fetch(addresses, f"/{address}", b"gzip, br")
    assert (headers["content-encoding"], gzip.decompress(body).decode()) == ("gzip", LONG)


@pytest.mark.parametrize("js", [LONG, "export default function () {}"], ids=["long", "short"])
def test_what_is_fetched_says_when_it_is_drawn(serving, monkeypatch, js):
    """However short: what is below would else be unseen for seconds (assets/style.css)."""
    serving(None)
    assert '.dataset.testid = "stBidiComponentIsolated drawn"' in sent(monkeypatch, "one", js)


def test_another_program_of_the_same_name_has_another_address(serving, monkeypatch):
    serving(None)
    assert sent(monkeypatch, "long", LONG) != sent(monkeypatch, "long", LONG + "\n")


def test_an_address_of_no_program_is_404(serving):
    assert fetch(serving(None), "/programs/other.js")[0] == 404
