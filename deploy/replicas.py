"""Replicas of the app behind nginx, all on this machine: `python -m deploy.replicas --replicas 2 --port 8080`.

The parts of a public instance, on a small scale: the tests and the benchmarks run on it. nginx comes from the distribution
(`sh deploy/install_nginx.sh`) and needs no rights here.
"""

import argparse
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from deploy.proxy import configuration

ROOT = Path(__file__).parents[1]
START_SECONDS = 60.0
HOSTS = "127.0.0.1 localhost"
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
    """nginx's command, or None: Debian keeps it where a user's PATH does not look."""
    places = (os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin")
    return shutil.which("nginx", path=os.pathsep.join(places))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as reply:
            return reply.status == 200
    except OSError:  # not listening yet, or listening and not ready (urllib's own errors are OSErrors)
        return False


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    """Until the server answers. RuntimeError with the end of its log if it ends, or does not answer in time."""
    deadline = time.monotonic() + START_SECONDS
    while not healthy(url):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{url} did not start:\n{log.read_text()[-3000:]}")
        time.sleep(0.01)


def production() -> dict[str, str]:
    """The settings of deploy/production.env, for visitors of this machine."""
    lines = (ROOT / "deploy" / "production.env").read_text(encoding="utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return settings | {"STREAMLIT_SERVER_ALLOWED_HOSTS": HOSTS}


class Server:
    """A server of the app on a port of its own, which can be killed and started again; as a context it runs within the block.

    What it prints goes to `log`. `settings` are environment variables; other settings of Streamlit are those of `folder`, not
    those of whoever starts it. `port` 0 is any that is free.
    """

    def __init__(self, log: Path, script: str = "app.py", folder: Path = ROOT, port: int = 0, **settings: str):
        self.log, self.folder, self.command = log, folder, (sys.executable, "-m", "streamlit", "run", script)
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
        self.environment = inherited | settings | {
            "STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "STREAMLIT_SERVER_PORT": str(self.port),
            "STREAMLIT_SERVER_HEADLESS": "true", "STREAMLIT_LOGGER_ENABLE_RICH": "false",
        }  # fmt: skip
        self.process: subprocess.Popen | None = None
        self.began = 0.0  # time.time() just before the process was started

    def start(self) -> None:
        """Returns at once; `wait` waits until it answers."""
        with self.log.open("a") as out:
            self.began = time.time()
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def wait(self) -> None:
        wait_for(self.url, self.process, self.log)

    def kill(self) -> None:
        """As a power cut would. The Keras worker ends with it."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """As a restart would. A process that has not ended after some seconds is killed."""
        with suppress(subprocess.TimeoutExpired):
            self._signal(signal.SIGTERM)
        self.kill()

    def _signal(self, number: signal.Signals) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            self.process.wait(5)

    def memory_mb(self) -> float:
        """Resident memory of the server's own process (Linux)."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000

    def processor_seconds(self) -> float:
        """User and system time of the server's own process so far (Linux)."""
        after_name = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Self:
        try:
            self.start()
            self.wait()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Site:
    """The visitors' address, and the replicas behind it."""

    def __init__(self, url: str, replicas: list[Server], folder: Path):
        self.url, self.replicas, self.folder = url, replicas, folder

    def replica_of(self, seat: str) -> Server:
        """The replica with the number in a visitor's cookie."""
        return self.replicas[int(seat) - 1]


@contextmanager
def site(folder: Path, count: int = 2, port: int = 0) -> Iterator[Site]:
    """nginx and `count` replicas, which end with the block. `folder` takes logs and whatever nginx writes."""
    program = nginx_program()
    if program is None:
        raise RuntimeError("nginx is not installed: sh deploy/install_nginx.sh")
    settings = production() | {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(16)}
    port = port or free_port()
    with ExitStack() as stack:
        replicas = [Server(folder / f"replica-{seat}.log", **settings) for seat in range(1, count + 1)]
        for replica in replicas:
            stack.callback(replica.kill)
            replica.start()
        for replica in replicas:
            replica.wait()
        addresses = [f"127.0.0.1:{replica.port}" for replica in replicas]
        text = configuration(addresses, HOSTS, f"127.0.0.1:{port}", str(folder / "cache"))
        (folder / "headcount.conf").write_text(text, encoding="utf-8")
        user = "user root;\n" if os.geteuid() == 0 else ""  # else nginx would give up its rights, and with them the folder
        (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user), encoding="utf-8")
        log = folder / "nginx.log"
        with log.open("w") as out:
            nginx = subprocess.Popen(
                (program, "-e", str(folder / "error.log"), "-p", str(folder), "-c", str(folder / "nginx.conf")),
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
        stack.callback(nginx.wait, 10)
        stack.callback(nginx.terminate)
        url = f"http://127.0.0.1:{port}"
        wait_for(url, nginx, log)
        yield Site(url, replicas, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description="Replicas of the app behind nginx on this machine, until Ctrl-C")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--port", type=int, default=8080)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # ends the replicas, too
    with tempfile.TemporaryDirectory() as folder, site(Path(folder), args.replicas, args.port) as public:
        for seat, replica in enumerate(public.replicas, 1):
            sys.stdout.write(f"replica {seat}: {replica.url}, process {replica.process.pid}\n")
        sys.stdout.write(f"{public.url}  (Ctrl-C ends all; kill -9 one of them and see)\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main())
