"""A small public site on this machine: two replicas of the app behind nginx, which comes from the distribution and needs no
rights."""

import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests.serving import HOSTS, Server, free_port, production
from tests.sources import ROOT

MAIN = """{user}daemon off; master_process on; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
    types {{ text/html html; text/css css; text/javascript js; application/json json; image/svg+xml svg; }}
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/headcount.conf;
}}
"""


def nginx_program() -> str | None:
    """The path of nginx, or None. Debian has it where a user's PATH does not look."""
    places = (os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin")
    return shutil.which("nginx", path=os.pathsep.join(places))


class Site:
    """The public address of the site, and the replicas behind it."""

    def __init__(self, url: str, replicas: list[Server], folder: Path):
        self.url, self.replicas, self.folder = url, replicas, folder

    def replica_of(self, seat: str) -> Server:
        """The replica with this number, which is in a visitor's cookie."""
        return self.replicas[int(seat) - 1]


def configuration(**values: str) -> str:
    """The text of nginx's file, with its variables filled in: `replica_1` replaces ${HEADCOUNT_REPLICA_1}."""
    template = (ROOT / "deploy/nginx.conf.template").read_text(encoding="utf-8")
    return re.sub(r"\$\{HEADCOUNT_([A-Z_0-9]+)\}", lambda name: values[name[1].lower()], template)


def with_certificate(text: str, folder: Path, port: int) -> str:
    """nginx's file with TLS at a port, as its own comments say, and a self-signed certificate."""
    key, certificate = folder / "key", folder / "certificate"
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost")
    subprocess.run((*made, "-keyout", key, "-out", certificate), check=True, capture_output=True)
    text = text.replace("# TLS: ", "").replace("listen 443", f"listen 127.0.0.1:{port}")
    return text.replace("/etc/nginx/headcount.crt", str(certificate)).replace("/etc/nginx/headcount.key", str(key))


@contextmanager
def proxied(folder: Path, port: int, text: str) -> Iterator[str]:
    """The address of an nginx with the configuration `text`, which runs within the block."""
    (folder / "headcount.conf").write_text(text, encoding="utf-8")
    user = "user root;\n" if os.geteuid() == 0 else ""  # else nginx would give up its rights, and with them the folder
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user), encoding="utf-8")
    url, log = f"http://127.0.0.1:{port}", folder / "nginx.log"
    command = (nginx_program() or "nginx", "-e", str(folder / "error.log"), "-p", str(folder), "-c", str(folder / "nginx.conf"))
    with log.open("w") as out:
        nginx = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + 30
        while nginx.poll() is None and not (folder / "nginx.pid").is_file() and time.monotonic() < until:
            time.sleep(0.01)
        assert nginx.poll() is None, f"{log.read_text()}{(folder / 'error.log').read_text()}"
        yield url
    finally:
        nginx.terminate()
        nginx.wait(10)


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    """nginx and two replicas, which run within the block. `folder`: the place for logs and nginx's files."""
    settings = production() | {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(16)}
    port = free_port()
    with ExitStack() as stack:
        replicas = [Server(folder / f"replica-{seat}.log", **settings) for seat in (1, 2)]
        for replica in replicas:
            stack.callback(replica.kill)
            replica.start()
        for replica in replicas:
            replica.wait()
        one, two = (f"127.0.0.1:{replica.port}" for replica in replicas)
        text = configuration(replica_1=one, replica_2=two, name=HOSTS, listen=f"127.0.0.1:{port}", cache=str(folder / "cache"))
        yield Site(stack.enter_context(proxied(folder, port, text)), replicas, folder)


def seat(page: Page) -> str:
    """The number of the replica in the visitor's cookie."""
    return next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "headcount_seat")
