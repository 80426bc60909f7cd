"""The proxy: what it lets through, to which replica it leads, and what it reveals about itself."""

import base64
import hashlib
import re
import socket
import ssl
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from components.app.server import index_page
from components.app.votes import new_code
from tests.deploy.site import Site, configuration, proxied, with_certificate
from tests.serving import free_port, production
from tests.sources import ROOT

HEADERS = (
    "Content-Security-Policy",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
    "Referrer-Policy",
    "Permissions-Policy",
    "Cross-Origin-Opener-Policy",
)


def answer(url: str, path: str, **headers: str) -> tuple[int, dict[str, list[str]]]:
    """Status and headers."""
    request = urllib.request.Request(url + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as got:
            return got.status, {name.title(): got.headers.get_all(name) for name in got.headers}
    except urllib.error.HTTPError as error:
        return error.code, {name.title(): error.headers.get_all(name) for name in error.headers}


def seat_of(site: Site, path: str = "/_stcore/health", **headers: str) -> str | None:
    """The seat in an answer's cookie. None if the visitor keeps the present one."""
    _, told = answer(site.url, path, **headers)
    found = [re.match(r"headcount_seat=(\d*)", cookie) for cookie in told.get("Set-Cookie", [])]
    return next((match[1] for match in found if match), None)


def test_the_policy_names_the_script_of_the_installed_streamlit_and_no_inline_script_or_eval():
    (policy,) = re.findall(r'Content-Security-Policy "(.*?)"', (ROOT / "deploy/nginx.conf.template").read_text(encoding="utf-8"))
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    for script in re.findall(r"<script>(.*?)</script>", index_page(), re.DOTALL):
        assert "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'" in scripts
    assert "unsafe" not in scripts.replace("'wasm-unsafe-eval'", "")
    assert "default-src 'none'" in policy


def test_production_shows_no_errors_and_opens_no_doors():
    told = production()
    assert told["STREAMLIT_CLIENT_SHOW_ERROR_DETAILS"] == "none"
    assert {told[f"STREAMLIT_SERVER_ENABLE_{what}"] for what in ("CORS", "XSRF_PROTECTION")} == {"true"}
    assert {told[f"STREAMLIT_SERVER_ENABLE_{what}"] for what in ("AGENT_API", "STATIC_SERVING")} == {"false"}


@pytest.mark.parametrize("path", ["/", "/attention?num_heads=2", "/_stcore/health", "/nowhere.js", "/file/heads.svg"])
def test_every_answer_carries_the_headers(public: Site, path: str):
    _, told = answer(public.url, path)
    assert [name for name in HEADERS if name not in told] == []
    assert told.get("Server") == ["nginx"]


@pytest.mark.parametrize("path", [
    "/_stcore/metrics", "/_stcore/metrics/", "/_stcore/script-health-check", "/_stcore/agent/openapi.json",
    "/_stcore/agent/interact", "/attention/_stcore/metrics",
])  # fmt: skip
def test_the_doors_for_programs_are_shut(public: Site, path: str):
    assert answer(public.url, path)[0] == 404


def test_another_hosts_name_gets_no_answer(public: Site):
    port = int(public.url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), 30) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n")
        assert wire.recv(100) == b""


def test_a_visitor_without_a_seat_gets_one_and_keeps_it(public: Site):
    seat = seat_of(public)
    assert seat in ("1", "2")
    for own in ("1", "2"):
        assert seat_of(public, Cookie=f"headcount_seat={own}") is None


def test_a_room_is_where_its_first_letter_says_whoever_comes(public: Site):
    for seat, other in ("12", "21"):
        for path in (f"/?room={new_code(seat)}", f"/quiz?quiz=17&room={new_code(seat)}&lead=0"):
            assert seat_of(public, path) == seat
            assert seat_of(public, path, Cookie=f"headcount_seat={other}") == seat
            assert seat_of(public, path, Cookie=f"headcount_seat={seat}") is None
    assert seat_of(public, "/?room=%3Cb%3E", Cookie="headcount_seat=3") in ("1", "2")


@pytest.mark.parametrize("forged", ["3", "0", "headcount_1", "%0d%0aX: y", ""])
def test_a_seat_that_is_not_there_is_replaced(public: Site, forged: str):
    assert seat_of(public, Cookie=f"headcount_seat={forged}") in ("1", "2")


def test_what_is_text_comes_packed(public: Site):
    for path in ("/", "/file/heads.svg"):
        assert answer(public.url, path, **{"Accept-Encoding": "gzip"})[1]["Content-Encoding"] == ["gzip"]
        assert "Content-Encoding" not in answer(public.url, path)[1]


def test_with_a_certificate_it_speaks_http_2_and_leads_there(nginx, tmp_path: Path):
    port, secure = free_port(), free_port()
    text = configuration(replica_1="127.0.0.1:9", replica_2="127.0.0.1:9", name="localhost 127.0.0.1",
                         listen=f"127.0.0.1:{port}", cache=str(tmp_path / "cache"))  # fmt: skip
    text = with_certificate(text, tmp_path, secure)
    with proxied(tmp_path, port, text):
        with socket.create_connection(("127.0.0.1", port), 30) as wire:
            wire.sendall(b"GET /attention?num_heads=2 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            told = wire.recv(4096).decode()
        assert told.startswith("HTTP/1.1 301 ")
        assert "Location: https://localhost/attention?num_heads=2\r\n" in told
        trusting = ssl._create_unverified_context()
        trusting.set_alpn_protocols(["h2", "http/1.1"])
        with socket.create_connection(("127.0.0.1", secure), 30) as wire, trusting.wrap_socket(wire) as speaks:
            assert speaks.selected_alpn_protocol() == "h2"


def test_streamlits_own_files_come_out_of_the_cache_the_second_time(public: Site):
    _, page = answer(public.url, "/")
    with urllib.request.urlopen(public.url, timeout=30) as got:
        name = re.search(r'src="\./(static/js/[^"]+)"', got.read().decode())[1]
    assert answer(public.url, f"/{name}")[0] == 200
    assert any((public.folder / "cache").rglob("*"))
    assert answer(public.url, f"/{name}")[0] == 200
    assert "Content-Security-Policy" in page


def test_a_file_by_its_address_is_the_same_from_each_replica_and_a_refusal_comes_as_it_was_written(public: Site):
    files = set()
    for seat in ("1", "2"):
        request = urllib.request.Request(f"{public.url}/file/heads.csv?num_heads=2", headers={"Cookie": f"headcount_seat={seat}"})
        with urllib.request.urlopen(request, timeout=30) as got:
            files.add((got.headers["Content-Disposition"], got.read()))
    assert len(files) == 1
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{public.url}/file/heads.svg?num_heads=0", timeout=30)
    assert refused.value.read() == b"This file cannot be: num_heads must be a whole number from 1 to 256, got 0."


def test_an_ipv6_network_counts_as_one_visitor_and_an_ipv4_address_for_itself(nginx, tmp_path: Path):
    """A visitor chooses the last 64 bits freely. nginx takes the address from a header here."""
    port, template = free_port(), (ROOT / "deploy/nginx.conf.template").read_text(encoding="utf-8")
    (bound,) = re.findall(r"map \$binary_remote_addr .*?\n}\n", template, re.DOTALL)
    text = f"""{bound}limit_req_zone $headcount_visitor zone=asked:1m rate=1r/m;
server {{ listen 127.0.0.1:{port}; set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP; limit_req_status 429;
location / {{ limit_req zone=asked; try_files /none @told; }} location @told {{ return 200; }} }}"""
    with proxied(tmp_path, port, text) as url:
        ask = lambda address: answer(url, "/", **{"X-Real-IP": address})[0]  # noqa: E731
        assert [ask(f"2001:db8::{address}") for address in ("1", "ffff:2", "9:0:0:0:1")] == [200, 429, 200]
        assert [ask(f"192.0.2.{address}") for address in (1, 2, 1)] == [200, 200, 429]
