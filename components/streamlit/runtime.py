"""The app inside a browser (stlite on Pyodide, `make static`): no server, no TensorFlow, and an older Streamlit.

`adapt` leaves out what that Streamlit does not know yet: each is an improvement of looks or of reading aloud, never a number.
"""

import sys
import time
from collections.abc import Callable
from functools import cache, wraps

import streamlit as st
from streamlit.components import v2

IN_BROWSER = sys.platform == "emscripten"
#: By function: arguments that Streamlit 1.67 takes and 1.62, the one of stlite 1.9.2, does not (`make test-static` finds more).
NEWER = {"image": {"alt"}, "selectbox": {"required"}, "pills": {"wrap"}}


class PageEnds(Exception):
    """The page ends here and the frame goes on (`st.stop` would end the frame's controls, too)."""


def without(function: Callable, names: set[str]) -> Callable:
    @wraps(function)
    def older(*args, **kwargs):
        return function(*args, **{name: value for name, value in kwargs.items() if name not in names})

    return older


def adapt() -> None:
    """Once for each process. Does nothing under the Streamlit that the app is written for."""
    if tuple(map(int, st.__version__.split(".")[:2])) >= (1, 67):
        return
    for name, words in NEWER.items():
        setattr(st, name, without(getattr(st, name), words))


WATCH = """export default function ({ parentElement, setTriggerValue }) {
  const app = document.querySelector('[data-testid="stApp"]');
  const state = () => app?.dataset.testConnectionState;
  let before = state();
  const watch = new MutationObserver(() => {
    const back = state() === "CONNECTED" && before !== "CONNECTED";
    before = state();
    if (back) setTriggerValue("back", 1);
  });
  parentElement.watch?.disconnect();
  parentElement.watch = watch;
  if (app) watch.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] });
  const root = document.documentElement;
  const covers = () => matchMedia("(max-width: 767.98px)").matches;
  const close = () =>
    document.querySelector('[data-testid="stMain"]')?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  const chosen = (event) => { if (covers() && event.target.closest?.('[data-testid="stSidebarNav"] a')) close(); };
  document.addEventListener("click", chosen);
  if (!root.dataset.menuClosed && covers()) close();
  root.dataset.menuClosed = "once";
  return () => { watch.disconnect(); document.removeEventListener("click", chosen); };
}"""


@cache
def component(name: str, js: str, html: str | None = None, css: str | None = None, page_styles: bool = False):
    """A component of ours, registered once for each process. `page_styles`: not shut off from the page's own."""
    return v2.component(f"headcount_{name}", html=html, css=css, js=js, isolate_styles=not page_styles)


def rerun_on_reconnect() -> None:
    """Shows nothing. Runs the page once more when the browser is connected again, to its server or to another one.

    Streamlit (1.67) connects again and shows the old page until something is changed, and that first change is lost
    (tests/deploy/test_failover.py). It also leaves a phone's menu open over the page chosen in it (tests/browser/test_frame.py).
    Once for each page, outside every fragment: in a fragment it would rerun that alone.
    """
    watch = component("in_touch", WATCH)
    watch(on_back_change=lambda: None)  # without a key: each number field reads the state of all that have one


#: Seconds. The browser draws what comes in one burst all at once, charts included; after this pause it has
#: drawn the picture (Streamlit 1.67; benchmarks/paint.py). Only this visitor's thread rests.
PAINT_SECONDS = 0.03


def yield_for_paint() -> None:
    """After the picture that a visitor waits for, where the browser had no preview of it."""
    if not IN_BROWSER:  # there a page cannot rest, and draws in a thread of its own
        time.sleep(PAINT_SECONDS)
