"""What the benchmarks stand on: a server, a Chromium, options on the command line, and files with results."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from deploy.replicas import ROOT, Server

RESULTS = Path(__file__).parent / "results"
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
FLOOR = "benchmarks/floor.py"


@contextmanager
def served(script: str = "app.py", **settings: str) -> Iterator[Server]:
    """A new server within the block, as `deploy.replicas.Server`."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder) / "server.log", script, ROOT, **settings) as server,
    ):
        yield server


def find_chromium() -> str:
    """The command of a Chromium, which is installed where there is none. RuntimeError where that is not possible."""
    finder = ("sh", str(ROOT / "tests/browser/install_browser.sh"), sys.executable)
    ended = subprocess.run(finder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip().splitlines()[-1])
    return ended.stdout.strip()


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """A new browser within the block, with these flags besides those above."""
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        yield browser
        browser.close()


def new_page(browser: Browser) -> Page:
    """On a laptop's screen, with cookies and storage of its own."""
    return browser.new_context(viewport={"width": 1280, "height": 720}).new_page()


def page_addresses() -> list[str]:
    """Of all pages; the start page is at "/"."""
    return ["/" if path.stem == "heads" else f"/{path.stem}" for path in sorted((ROOT / "pages").glob("*.py"))]


def options(description: str, what: Sequence[str] = (), **defaults: float) -> argparse.Namespace:
    """The command line: a number for each default, and as `what` one of these words (None: all)."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    if what:
        parser.add_argument("what", nargs="?", choices=what)
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help="default: %(default)s")
    return parser.parse_args()


def write(name: str, figures: dict, met: dict[str, bool], **more: object) -> int:
    """One small JSON file for each benchmark: what was measured, which targets were met, on what. 0 if all were met.

    A run with other numbers than the usual ones is a trial, and is not kept.
    """
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    versions = {name: version(name) for name in ("streamlit", "plotly", "numpy")}
    when = {"date": time.strftime("%Y-%m-%d"), "load": round(os.getloadavg()[0], 1)}
    text = json.dumps({"figures": figures, "met": met, **when, **machine, **versions, **more}, indent=2)
    if any(word.startswith("--") for word in sys.argv[1:]):
        say("A trial: the results are not written.")
    else:
        (RESULTS / f"{name}.json").write_text(text + "\n")
    for target, reached in met.items():
        say(f"{target}: {'met' if reached else 'MISSED'}")
    return 0 if all(met.values()) else 1


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def percentile(times: list[float], percent: float) -> float:
    """The value below which `percent` of the times lie."""
    return sorted(times)[min(len(times) - 1, int(len(times) * percent / 100))]
