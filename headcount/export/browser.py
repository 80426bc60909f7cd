"""One headless Chromium that makes PDF, PNG and charts for all threads. It starts on demand, ends when idle, and is controlled
from one thread. The driver (choreographer) is imported when it is needed, because the static site does not have it."""

import asyncio
import atexit
import base64
import json
import logging
import os
import re
import signal
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from headcount.stage.program import PLOTLY
from headcount.stage.text import BOLD, FACES, USUAL

if TYPE_CHECKING:
    import choreographer

T = TypeVar("T")
#: LIMIT: seconds for a task with the browser's start. IDLE: seconds without work until it ends. WAITING: most callers at a time.
LIMIT, IDLE, WAITING = 40.0, 90.0, 6
#: Seconds that a caller waits for a place among WAITING callers, and that a browser has to close before it is killed.
PATIENCE, CLOSING = 10.0, 10.0
#: The date of creation in every PDF, so that the same figure always gives the same file.
CREATED = b"D:20000101000000+00'00'"
#: The driver's own log is switched off, because every error is reported as NoBrowser.
logging.getLogger("choreographer").setLevel(logging.CRITICAL)
#: JavaScript that waits for the fonts. A browser loads a font of a style sheet only when it first draws a letter in the font.
FONTS = "Promise.all({}.map((font) => document.fonts.load(font)))".format(
    json.dumps([f"{weight} 12px '{face.family}'" for face in FACES.values() for weight in (USUAL, BOLD)])
)

MISSING = (
    "PNG, PDF and a chart's SVG need Chrome or Chromium{more}. "
    "Install one (Debian: apt-get install chromium), or set BROWSER_PATH to it. "
    "HTML, CSV and npz are there without, and of what is no chart SVG."
)


class NoBrowser(Exception):
    """Error: no browser can be started, or the browser failed or was busy too long. The message says what to do."""


def missing() -> str | None:
    """Returns a message that says what is missing to start a browser, or None if nothing is missing."""
    if find_spec("choreographer") is None:
        return MISSING.format(more=" and the Python package choreographer (pip install -r requirements.txt)")
    named = os.environ.get("BROWSER_PATH")
    if named is not None and not os.access(named, os.X_OK):
        return MISSING.format(more=f"; BROWSER_PATH names {named!r}, and that cannot be started")
    return None if named or _installed() else MISSING.format(more="; none was found")


@cache
def _installed() -> str | None:
    from choreographer.browsers.chromium import Chromium

    return Chromium.find_browser(skip_local=False)


class Chromium:
    """One running browser with one tab."""

    def __init__(self, browser: "choreographer.Browser", tab):
        self._browser, self._tab = browser, tab

    @classmethod
    async def started(cls) -> "Chromium":
        import choreographer

        browser = choreographer.Browser()
        try:
            await browser.open()
            return cls(browser, await browser.create_tab("about:blank"))
        except BaseException:
            kill(browser)
            raise

    async def close(self) -> None:
        """Ends the browser, by force if it does not answer."""
        closing = asyncio.ensure_future(self._browser.close())
        await asyncio.wait({closing}, timeout=CLOSING)
        kill(self._browser)
        await asyncio.wait({closing}, timeout=CLOSING)  # it removes its folder and its pipe
        if not closing.cancel():
            closing.exception()  # a browser that was killed has not closed

    async def pdf(self, svg: str, width: float, height: float) -> bytes:
        await self._show(_described(svg), width, height, 1)
        sides = {"paperWidth": width / 96, "paperHeight": height / 96}
        margins = dict.fromkeys(("marginTop", "marginBottom", "marginLeft", "marginRight"), 0)
        pdf = await self._print(sides | margins | {"pageRanges": "1"})
        # Chromium makes pages up to a point too wide, and LaTeX complains if a page is wider than its column.
        wide = b"%.9f" % (0.75 * width)  # as long as the text it replaces: the file counts its bytes
        return re.sub(rb"(?<=/MediaBox \[0 0 )[\d.]+", lambda found: wide[: len(found[0])], pdf)

    async def printed(self, page: str) -> bytes:
        """Prints an HTML page as PDF, on the paper size that the page's CSS sets."""
        await self._load(page)
        await self._value("Promise.all([...document.images].map((image) => image.decode())).then(() => 0)")
        return await self._print({"preferCSSPageSize": True})

    async def _print(self, options: dict) -> bytes:
        reply = await self._send("Page.printToPDF", {"printBackground": True, "generateTaggedPDF": True} | options)
        return re.sub(rb"(?<=Date \()D:[^)]*(?=\))", CREATED, base64.b64decode(reply["data"]))

    async def png(self, svg: str, width: float, height: float, scale: float) -> bytes:
        await self._show(svg, width, height, scale)
        clear = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}  # a sheet without background gives a transparent picture
        await self._send("Emulation.setDefaultBackgroundColorOverride", clear)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        reply = await self._send("Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True})
        return base64.b64decode(reply["data"])

    async def chart(self, sheet: str, figure: str) -> str:
        """Draws a Plotly figure (JSON) as SVG in the fonts of `sheet`. Earlier text on a page changes Plotly's SVG, so each chart
        gets a new page."""
        await self._send("Page.navigate", {"url": "about:blank"})
        await self._show(sheet, 100, 100, 1)
        await self._value(PLOTLY.read_text(encoding="utf-8") + ";0")
        options = "{ format: 'svg', imageDataOnly: true, width: figure.layout.width, height: figure.layout.height }"
        return _always_the_same(await self._value(f"((figure) => Plotly.toImage(figure, {options}))({figure})"))

    async def _value(self, expression: str) -> Any:
        """Evaluates JavaScript, awaits its promise, and returns the result. Raises RuntimeError if the script fails."""
        reply = await self._send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
        if "exceptionDetails" in reply:
            raise RuntimeError(reply["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return reply["result"].get("value")

    async def _show(self, svg: str, width: float, height: float, scale: float) -> None:
        """Loads an SVG on a page of `width` × `height` pixels, and waits for the fonts."""
        match = re.search(r"<title>.*?</title>", svg, re.S)  # the SVG's own title, so that the PDF has it
        title = match[0] if match else ""
        page = (
            f"<!doctype html><html lang='en'><meta charset='utf-8'>{title}<style>html,body{{margin:0;overflow:hidden}}"
            f"svg{{display:block}}@page{{margin:0}}</style>{svg}"
        )
        screen = {"width": round(width), "height": round(height), "deviceScaleFactor": scale, "mobile": False}
        await self._send("Emulation.setDeviceMetricsOverride", screen)
        await self._load(page)
        await self._value(f"{FONTS}.then(() => 0)")

    async def _load(self, page: str) -> None:
        frame = (await self._send("Page.getFrameTree", {}))["frameTree"]["frame"]["id"]
        await self._send("Page.setDocumentContent", {"frameId": frame, "html": page})

    async def _send(self, command: str, parameters: dict) -> dict:
        reply = await self._tab.send_command(command, parameters)
        if "error" in reply:
            raise RuntimeError(f"{command}: {reply['error'].get('message')}")
        return reply["result"]


def kill(browser: "choreographer.Browser") -> None:
    """Kills a browser and, if the system has process groups, its child processes. Does nothing if the browser does not run."""
    process = getattr(browser, "subprocess", None)  # there is none before it starts
    if process is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()


def _always_the_same(svg: str) -> str:
    """Replaces the random ids in Plotly's SVG, so that equal figures give equal text."""
    for number, found in enumerate(dict.fromkeys(re.findall(r'id="(?:clip|defs-|topdefs-|g|legend)([0-9a-f]{6})', svg))):
        svg = svg.replace(found, f"c{number}")
    return svg


def _described(svg: str) -> str:
    """Copies the description of an SVG into aria-label, because Chromium's tagged PDF takes the alternative text from there."""
    found = re.search(r"<desc>(.*?)</desc>", svg, re.S)
    label = found[1].replace('"', "&quot;") if found else ""
    return svg.replace('role="img"', f'role="img" aria-label="{label}"', 1) if label else svg


class SharedBrowser:
    """The browser that all threads share. Tasks run one after the other."""

    def __init__(self, start: Callable[[], Awaitable] = Chromium.started):
        self._start = start
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(WAITING)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn: asyncio.Lock | None = None
        self._thread: threading.Thread | None = None
        self._browser = None
        self._closing: asyncio.TimerHandle | None = None

    def ask(self, work: Callable[..., Awaitable[T]]) -> T:
        """Runs `work(browser)` and returns the result. Raises NoBrowser if the work fails or takes long, or if many wait."""
        if why := missing():
            raise NoBrowser(why)
        if not self._places.acquire(timeout=PATIENCE):
            raise NoBrowser("Many figures are being rendered just now. Try again in a few seconds.")
        try:
            future: Future[T] = asyncio.run_coroutine_threadsafe(self._do(work), self._running())
            return future.result(LIMIT + 5)
        except NoBrowser:
            raise
        except TimeoutError:
            raise NoBrowser(f"The browser did not finish within {LIMIT:.0f} seconds. Try again, or smaller sizes.") from None
        except Exception as error:
            raise NoBrowser(f"The browser failed ({type(error).__name__}). Try again; SVG, HTML and data need none.") from error
        finally:
            self._places.release()

    def warm(self) -> None:
        """Starts the browser in the background if one is installed, so that the next caller need not wait for the start."""
        if missing() is None and self._browser is None:
            asyncio.run_coroutine_threadsafe(self._do(lambda browser: asyncio.sleep(0)), self._running())

    def close(self) -> None:
        """Ends the browser and its thread."""
        with self._lock:
            loop, self._loop, thread = self._loop, None, self._thread
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(self._drop(), loop).result(2 * CLOSING + 5)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop, self._turn = asyncio.SelectorEventLoop(), None
                self._thread = threading.Thread(target=self._loop.run_forever, name="figures", daemon=True)
                self._thread.start()
            return self._loop

    async def _do(self, work: Callable[..., Awaitable[T]]) -> T:
        self._turn = self._turn or asyncio.Lock()
        async with self._turn:
            if self._closing:
                self._closing.cancel()
            try:
                return await asyncio.wait_for(self._work(work), LIMIT)
            except BaseException:
                await self._drop()  # after any error the next figure gets a new browser
                raise
            finally:
                self._closing = asyncio.get_running_loop().call_later(IDLE, self._let_go)

    async def _work(self, work: Callable[..., Awaitable[T]]) -> T:
        if self._browser is None:
            self._browser = await self._start()
            atexit.register(self.close)  # only now, so that it runs before the exit handlers of the browser's own objects
        return await work(self._browser)

    def _let_go(self) -> None:
        self._ending = asyncio.ensure_future(self._drop())  # a task without a reference may be garbage-collected

    async def _drop(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            await browser.close()


SHARED = SharedBrowser()


def pdf(svg: str, width: float, height: float) -> bytes:
    return SHARED.ask(lambda browser: browser.pdf(svg, width, height))


def printed(page: str) -> bytes:
    return SHARED.ask(lambda browser: browser.printed(page))


def png(svg: str, width: float, height: float, scale: float) -> bytes:
    return SHARED.ask(lambda browser: browser.png(svg, width, height, scale))


@lru_cache(maxsize=4)
def chart(sheet: str, figure: str) -> str:
    """Draws a Plotly figure (JSON) as SVG in the fonts of the SVG `sheet`. Raises NoBrowser."""
    return SHARED.ask(lambda browser: browser.chart(sheet, figure))
