"""Starts a server of the app and a Chromium, for tests and benchmarks."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from playwright.sync_api import Browser, Page, sync_playwright

from tests.sources import ROOT

START_SECONDS = 60.0
HOSTS = "127.0.0.1 localhost"
#: What of the browser itself is off. With each window Chromium 156 opens a page of its own behind the address bar, which takes
#: 0.8 s of computing. The others are those of Playwright's own list that matter here: of two such flags only the last is read.
OFF = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)  # fmt: skip
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run",
    f"--disable-features={','.join(OFF)}",
)  # fmt: skip
RUNNING: dict[str, "Server"] = {}  # those that run within a block now, by address


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
    """Waits until the server answers. Raises RuntimeError with the end of its log if it ends or does not answer in time."""
    deadline = time.monotonic() + START_SECONDS
    while not healthy(url):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{url} did not start:\n{log.read_text()[-3000:]}")
        time.sleep(0.01)


def production() -> dict[str, str]:
    """The settings of deploy/production.env, changed so that only this machine can visit."""
    lines = (ROOT / "deploy" / "production.env").read_text(encoding="utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return settings | {"STREAMLIT_SERVER_ALLOWED_HOSTS": HOSTS}


class Server:
    """A server of the app on its own port, which a test can kill and start again. As a context manager, it runs within the block.

    `log`: the file for its output. `settings`: environment variables; Streamlit's other settings come from `folder`. `port`: 0
    for any free port.
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
        """Starts the process and returns at once; `wait` waits until it answers."""
        with self.log.open("a") as out:
            self.began = time.time()
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def wait(self) -> None:
        wait_for(self.url, self.process, self.log)

    def kill(self) -> None:
        """Kills the process without warning, and with it the Keras worker."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Ends the process as a restart would, and kills it if it has not ended after some seconds."""
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
        RUNNING[self.url] = self
        return self

    def __exit__(self, *_: object) -> None:
        del RUNNING[self.url]
        self.stop()


@contextmanager
def served(script: str = "app.py", **settings: str) -> Iterator[Server]:
    """A new server within the block, with a temporary log."""
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder) / "server.log", script, **settings) as server:
        yield server


def find_chromium() -> str:
    """The path of a Chromium, which is installed if there is none. Raises RuntimeError if that fails."""
    finder = ("sh", str(ROOT / "tests/browser/install_browser.sh"), sys.executable)
    ended = subprocess.run(finder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip().splitlines()[-1])
    return ended.stdout.strip()


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """A new browser within the block, started with these flags and those of this module."""
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        yield browser
        browser.close()


def new_page(browser: Browser) -> Page:
    """A browser page with a laptop's screen, and with its own cookies and storage."""
    return browser.new_context(viewport={"width": 1280, "height": 720}).new_page()


def page_addresses() -> list[str]:
    """The addresses of all pages; the start page is at "/"."""
    return ["/" if path.stem == "heads" else f"/{path.stem}" for path in sorted((ROOT / "pages").glob("*.py"))]
