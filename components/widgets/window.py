"""How wide a picture may be and in which theme: only the browser knows, and Plotly's figures need both here.

Streamlit (1.67) tells neither a place's width nor a theme chosen later (tests/browser/test_plotly_picture.py, test_theme.py).
"""

from dataclasses import dataclass

import streamlit as st

from components.figures.theme import DARK, LIGHT, Theme
from components.streamlit.runtime import component

#: Sends the width of its place in pixels and the theme, where the figure was drawn for others.
MEASURE = """export default function ({ data, parentElement, setStateValue }) {
  parentElement.ended?.abort();
  const ended = (parentElement.ended = new AbortController()), box = parentElement.querySelector(".room");
  let later = 0;
  const send = () => {
    const back = getComputedStyle(box).getPropertyValue("--st-background-color").trim();
    const sum = [1, 3, 5].reduce((all, i) => all + parseInt(back.slice(i, i + 2), 16), 0);
    const look = `${Math.floor(box.clientWidth)} ${sum < 384 ? "dark" : "light"}`;
    if (box.clientWidth > 0 && look !== data.look) setStateValue("look", look);
  };
  const observer = new ResizeObserver(() => { clearTimeout(later); later = setTimeout(send, 100); });
  observer.observe(box);
  send();
  ended.signal.addEventListener("abort", () => { clearTimeout(later); observer.disconnect(); });
  return () => ended.abort();
}"""
HTML, CSS = '<div class="room"></div>', ".room { width: 100%; height: 0; }"
#: Pixels: the width until the browser has sent its own, and the bounds within which a width is believed.
USUAL, LEAST, MOST = 940, 200, 4000


@dataclass(frozen=True, slots=True)
class Room:
    width: int = USUAL
    theme: Theme = LIGHT


def read(look: object) -> Room | None:
    """The browser's message, parsed; None for anything else."""
    width, _, theme = look.partition(" ") if isinstance(look, str) else ("", "", "")
    if theme not in ("light", "dark") or not (width.isascii() and width.isdigit() and len(width) < 6):
        return None
    return Room(max(LEAST, min(MOST, int(width))), DARK if theme == "dark" else LIGHT)


def room_for(key: str) -> Room:
    """The room of the picture `key`, measured just above it; until it is, that of the picture before."""
    name = f"{key}_room"
    last = st.session_state.get("room") or f"{USUAL} {st.context.theme.type or 'light'}"
    if (look := (st.session_state.get(name) or {}).get("look")) and read(look):
        last = st.session_state["room"] = look
    component("room", MEASURE, HTML, CSS)(key=name, data={"look": last}, height="content", on_look_change=lambda: None)
    return read(last) or Room()
