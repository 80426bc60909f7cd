"""A browser that has lost its server, and found it or another one again, asks for the page at once.

By itself it waits for the next move, and a server that has not drawn the page yet does not know what a move on it means.
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
  return () => watch.disconnect();
}"""


@cache
def component():
    """Registered once for each process."""
    return st.components.v2.component("headcount_in_touch", js=WATCH)


def keep_in_touch() -> None:
    """Shows nothing. Once for each page, outside of every fragment: the whole page is what is asked for."""
    component()(on_back_change=lambda: None)  # without a key: each number field reads the state of all that have one
