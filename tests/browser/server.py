"""The app served by a process of its own, and everything that process started ended with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.serving import Server
from tests.sources import ROOT

LOGS: dict[str, Path] = {}  # of the servers that run now, by address


@contextmanager
def served(log: Path, folder: Path = ROOT, script: str = "app.py", port: int = 0) -> Iterator[str]:
    """The address of a new server that nobody has visited, under the settings of `folder`. What it prints goes to `log`;
    RuntimeError if it never answers."""
    with Server(log, script, folder, port=port) as server:
        LOGS[server.url] = log
        try:
            yield server.url
        finally:
            del LOGS[server.url]
