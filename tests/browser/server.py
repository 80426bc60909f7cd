"""The app served by a process of its own, and everything that process started ended with it."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_SECONDS = 60.0
LOGS: dict[str, Path] = {}  # of the servers that run now, by address


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except OSError:  # not listening yet, or listening and not ready (urllib's own errors are OSErrors)
        return False


def end_with_children(process: subprocess.Popen) -> None:
    """Ends the whole process group: the server may have a worker of its own."""
    for sign, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    process.wait(1)


@contextmanager
def served(log: Path, folder: Path = ROOT, script: str = "app.py") -> Iterator[str]:
    """The address of a new server that nobody has visited. What it prints goes to `log`; RuntimeError if it never answers."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    options = (
        "--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true",
        "--logger.enableRich", "false",
    )
    # As a visitor meets it: with the settings of the folder, not with those of whoever runs the tests.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    with log.open("w") as out:
        process = subprocess.Popen(
            (sys.executable, "-m", "streamlit", "run", script, *options),
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not is_healthy(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start:\n{log.read_text()[-4000:]}")
            time.sleep(0.05)
        LOGS[url] = log
        yield url
    finally:
        LOGS.pop(url, None)
        end_with_children(process)
