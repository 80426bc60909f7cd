"""What the browser benchmarks stand on: a server process of its own, and a Chromium."""

import json
import os
import platform
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run")


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    pid: int
    began: float  # time.time() just before the process was started

    def memory_mb(self) -> float:
        """Resident memory of the server's own process (Linux)."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000


def healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


@contextmanager
def served(script: str, folder: Path = ROOT, options: tuple[str, ...] = (), **env: str) -> Iterator[Server]:
    """A new server of `script`, run in `folder` and so with its .streamlit/config.toml; it and its children end after."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    fixed = ("--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    began = time.time()
    process = subprocess.Popen(
        (sys.executable, "-m", "streamlit", "run", script, *fixed, *options), cwd=folder, env=clean | env,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        while not healthy(url):
            if process.poll() is not None or time.time() > began + 60:
                raise RuntimeError(f"{script} did not start")
            time.sleep(0.01)
        yield Server(url, process.pid, began)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The Chromium that the tests use as well."""
    finder = ("sh", str(ROOT / "tests/browser/install_browser.sh"), sys.executable)
    found = subprocess.run(finder, capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()


def write(name: str, figures: dict, met: dict[str, bool]) -> None:
    """One small JSON file for each benchmark: what was measured, which targets were met, on what."""
    from importlib.metadata import version

    RESULTS.mkdir(exist_ok=True)
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    versions = {name: version(name) for name in ("streamlit", "plotly", "numpy")}
    when = {"date": time.strftime("%Y-%m-%d"), "load": round(os.getloadavg()[0], 1)}
    text = json.dumps({"figures": figures, "met": met, **when, **machine, **versions}, indent=2)
    (RESULTS / f"{name}.json").write_text(text + "\n")


def percentile(times: list[float], percent: float) -> float:
    """The value below which `percent` of the times lie."""
    return sorted(times)[min(len(times) - 1, int(len(times) * percent / 100))]
