"""The one Chromium that turns Plotly figures into SVG, and SVG into PDF and PNG: started when needed, closed when idle.

It runs in a process of its own and is spoken to from a thread of its own; whoever asks waits at most LIMIT seconds.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import cache
from importlib.util import find_spec
from typing import TypeVar

T = TypeVar("T")
#: Seconds for one piece of work, the browser's start included; seconds without work until it is closed; who may wait in line.
LIMIT, IDLE, WAITING = 40.0, 90.0, 6
#: Seconds that who finds the line full waits for a place in it.
PATIENCE = 10.0
MISSING = (
    "PNG and PDF, and the SVG of a chart with axes, need Chrome or Chromium{more}. "
    "Install one (Debian: apt-get install chromium), or set BROWSER_PATH to it. "
    "SVG of the block pictures, HTML, CSV and npz are there without."
)


class NoBrowser(Exception):
    """There is no browser, or it did not do its work; the text says what to do."""


def missing() -> str | None:
    """Why there is no browser to render with, in a sentence; None where there is one."""
    if find_spec("kaleido") is None:
        return MISSING.format(more=" and the Python package kaleido (pip install -r requirements.txt)")
    named = os.environ.get("BROWSER_PATH")
    if named is not None and not os.access(named, os.X_OK):
        return MISSING.format(more=f"; BROWSER_PATH names {named!r}, and that cannot be started")
    return None if named or _found() else MISSING.format(more="; none was found")


@cache
def _found() -> str | None:
    from choreographer.browsers.chromium import Chromium

    return Chromium.find_browser(skip_local=False)


class Keeper:
    """Holds the browser. Threads ask; work is done one after the other."""

    def __init__(self, make: Callable[[], Awaitable] | None = None):
        self._make = make or _started
        self._lock = threading.Lock()
        self._line = threading.BoundedSemaphore(WAITING)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn: asyncio.Lock | None = None
        self._thread: threading.Thread | None = None
        self._browser = None
        self._closing: asyncio.TimerHandle | None = None

    def ask(self, work: Callable[..., Awaitable[T]]) -> T:
        """What `work(browser)` gives. NoBrowser: there is none, it failed or took too long, or too many are waiting."""
        if why := missing():
            raise NoBrowser(why)
        if not self._line.acquire(timeout=PATIENCE):
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
            self._line.release()

    def warm(self) -> None:
        """Start the browser in the background, so that who asks next need not wait for it."""
        if missing() is None and self._browser is None:
            asyncio.run_coroutine_threadsafe(self._do(_nothing), self._running())

    def close(self) -> None:
        """End the browser and its thread."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(self._drop(), loop).result(10)
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(10)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop, self._turn = asyncio.SelectorEventLoop(), None
                self._thread = threading.Thread(target=_run, args=(self._loop,), name="figures", daemon=True)
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
                await self._drop()  # whatever it was, the next figure gets a browser that is well
                raise
            finally:
                self._closing = asyncio.get_running_loop().call_later(IDLE, self._let_go)

    async def _work(self, work: Callable[..., Awaitable[T]]) -> T:
        if self._browser is None:
            self._browser = await self._make()
            atexit.register(self.close)  # only now: before the end of what the browser has opened (the last come first)
        return await work(self._browser)

    def _let_go(self) -> None:
        self._ending = asyncio.ensure_future(self._drop())  # kept: a task that nobody holds may vanish

    async def _drop(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            await asyncio.wait_for(browser.close(), 10)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _nothing(browser: object) -> None:
    pass


async def _started():
    from components.export.chromium import Chromium

    return await Chromium.started()


KEEPER = Keeper()


def chart_svg(figure: dict, width: float, height: float) -> str:
    """A plain Plotly figure as SVG."""
    return KEEPER.ask(lambda browser: browser.chart_svg(figure, width, height))


def pdf(svg: str, width: float, height: float) -> bytes:
    return KEEPER.ask(lambda browser: browser.pdf(svg, width, height))


def png(svg: str, width: float, height: float, scale: float) -> bytes:
    return KEEPER.ask(lambda browser: browser.png(svg, width, height, scale))
