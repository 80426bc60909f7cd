"""What the frame adds to the browser's own behaviour: it asks for the page once a lost server is back, and a phone's menu closes.

By itself a browser that has found its server again waits for the next move, and a server that has not drawn the page yet does
not know what a move on it means. And where the menu lies over the page, Streamlit leaves it open after a page was chosen in it
(it closes it only for browsers that name themselves mobile), and opens it again in later visits. It does close it for a press
beside it: so a press there is what it gets. The menu stays open while a slider in it is moved.
"""

from functools import cache

import streamlit as st

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
def component():
    """Registered once for each process."""
    return st.components.v2.component("headcount_in_touch", js=WATCH)


def keep_in_touch() -> None:
    """Shows nothing. Once for each page, outside of every fragment: the whole page is what is asked for."""
    component()(on_back_change=lambda: None)  # without a key: each number field reads the state of all that have one
