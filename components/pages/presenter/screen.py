"""The walk on the screen: a step's message, its picture as large as the window, and a bar with its buttons.

The address alone says whether the walk is on, and at which step; the browser sets it, as it does for Back and Forward. (Set from
here, it was lost under load: a late report of the browser still had the old address.)
"""

from functools import cache

import streamlit as st

from components.figures.program import joined
from components.figures.scene import Scene
from components.pages.presenter.walk import WALK, link, message, picture
from components.streamlit.runtime import component
from components.widgets.stage import show_large
from mha.assets import ASSETS

PROGRAMS = ASSETS / "present"
#: Of the picture and of the bar.
KEYS = ("presented", "bar")


def current_step() -> int | None:
    """The step that the address names, from 1; None where the walk is off."""
    if st.query_params.get("present") != "1":
        return None
    step = st.query_params.get("step", "1")
    return int(step) if step in map(str, range(1, len(WALK) + 1)) else 1


@cache
def part(name: str):
    """The component from the files of this name."""
    markup, sheet = ((PROGRAMS / f"{name}.{kind}").read_text() for kind in ("html", "css"))
    return component(name, joined(PROGRAMS / f"{name}.js"), markup, sheet)


def show_start_button() -> None:
    """The quiet button in the sidebar that begins the walk."""
    if current_step() is None:
        for key in KEYS:  # Streamlit keeps a component's state until another page is opened
            st.session_state.pop(key, None)
    with st.sidebar:
        part("enter")(key="present_enter", height="content")


@cache
def message_and_scene(number: int) -> tuple[str, Scene]:
    """Of a step; the same for every visitor."""
    return message(WALK[number - 1]), picture(WALK[number - 1])


def present(number: int) -> None:
    """The step's screen. The page still runs behind it, hidden (assets/present/page.css), so that its widgets keep their place in
    the address."""
    says, scene = message_and_scene(number)
    st.html(PROGRAMS / "page.css")
    with st.container(key="presenter"):
        st.title(says, anchor=False)
        show_large(scene, KEYS[0])
        data = {"step": number, "most": len(WALK), "says": says.replace("$", ""), "link": link(WALK[number - 1])}
        part("bar")(key=KEYS[1], data=data, height="content")
