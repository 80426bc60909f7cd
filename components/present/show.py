"""The walk on the screen: a step's message, its picture as large as the window, and a bar to walk on."""

from functools import cache
from pathlib import Path

import streamlit as st

from components.figures.scene import Scene
from components.present.walk import WALK, link, message, picture
from components.stage import show_large

#: Of the picture and of the bar.
KEYS = ("presented", "bar")
ASSETS = Path(__file__).parents[2] / "assets" / "present"


def asked() -> int | None:
    """The step that the address asks for, from 1; None where it does not present."""
    if st.query_params.get("present") != "1":
        return None
    step = st.query_params.get("step", "1")
    return int(step) if step in map(str, range(1, len(WALK) + 1)) else 1


def way_in() -> None:
    """The quiet button in the sidebar."""
    help = f"A walk in {len(WALK)} steps, in large type and without anything around it, for a projector."
    if asked() is None:
        for key in KEYS:  # by whatever way it was left: Streamlit keeps a component's state until another page is opened
            st.session_state.pop(key, None)
    st.sidebar.button("Present", on_click=begin, icon=":material/slideshow:", type="tertiary", help=help)


def begin() -> None:
    st.query_params["present"] = "1"


def go(step: int) -> None:
    """To a step, or with 0 back to the page as it was."""
    if step:
        st.query_params["step"] = str(min(step, len(WALK)))
    else:
        st.query_params.update(present=(), step=())  # at once: one by one they would be two entries of the history


@cache
def bar():
    """Registered once for each process."""
    markup, sheet, script = ((ASSETS / f"bar.{kind}").read_text() for kind in ("html", "css", "js"))
    return st.components.v2.component("headcount_bar", html=markup, css=sheet, js=script)


@cache
def drawn(number: int) -> tuple[str, Scene]:
    """A step's message and picture, the same for every visitor."""
    return message(WALK[number - 1]), picture(WALK[number - 1])


def present(number: int) -> None:
    """The step's screen. The page runs on behind it, unseen (assets/style.css), so that its widgets keep their place in the
    address."""
    says, scene = drawn(number)
    with st.container(key="presenter"):
        st.title(says, anchor=False)
        show_large(scene, KEYS[0])
        bar()(
            key=KEYS[1],
            data={"step": number, "most": len(WALK), "says": says.replace("$", ""), "link": link(WALK[number - 1])},
            height="content",
            on_go_change=lambda: go(int(st.session_state[KEYS[1]]["go"])),
        )
