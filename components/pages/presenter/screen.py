"""The walk on the screen: a step's message, its picture as large as the window, and a bar to walk on.

The address alone says whether and where one walks; the browser goes from step to step as it goes Back and Forward. (Written from
here, it was lost under load: a late report of the browser still had the address of before.)
"""

from functools import cache

import streamlit as st
from streamlit.components import v2

from components.figures.program import joined
from components.figures.scene import Scene
from components.pages.presenter.walk import WALK, link, message, picture
from components.widgets.stage import show_large
from mha.assets import ASSETS

PROGRAMS = ASSETS / "present"
#: Of the picture and of the bar.
KEYS = ("presented", "bar")


def asked() -> int | None:
    """The step that the address asks for, from 1; None where it does not present."""
    if st.query_params.get("present") != "1":
        return None
    step = st.query_params.get("step", "1")
    return int(step) if step in map(str, range(1, len(WALK) + 1)) else 1


@cache
def part(name: str):
    """A component of these files. Registered once for each process."""
    markup, sheet = ((PROGRAMS / f"{name}.{kind}").read_text() for kind in ("html", "css"))
    return v2.component(f"headcount_{name}", html=markup, css=sheet, js=joined(PROGRAMS / f"{name}.js"))


def way_in() -> None:
    """The quiet button in the sidebar."""
    if asked() is None:
        for key in KEYS:  # Streamlit keeps a component's state until another page is opened
            st.session_state.pop(key, None)
    with st.sidebar:
        part("enter")(key="present_enter", height="content")


@cache
def drawn(number: int) -> tuple[str, Scene]:
    """A step's message and picture, the same for every visitor."""
    return message(WALK[number - 1]), picture(WALK[number - 1])


def present(number: int) -> None:
    """The step's screen. The page runs on behind it, unseen (assets/present/page.css): its widgets keep their place in the
    address."""
    says, scene = drawn(number)
    st.html(PROGRAMS / "page.css")
    with st.container(key="presenter"):
        st.title(says, anchor=False)
        show_large(scene, KEYS[0])
        data = {"step": number, "most": len(WALK), "says": says.replace("$", ""), "link": link(WALK[number - 1])}
        part("bar")(key=KEYS[1], data=data, height="content")
