"""The walk on the screen: a step's sentences, its picture as large as the window, and a bar with its buttons.

The address alone says whether the walk is on, at which step, and what was guessed; the browser sets it, as it does for Back and
Forward. (Set from here, it was lost under load: a late report of the browser still had the old address.)
"""

import io
from dataclasses import astuple
from functools import cache
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from components.app.files import AT_HOME
from components.app.runtime import component, json_of
from components.app.visit import visit
from components.menu import PAGES
from components.presenter.film import card_by_card, film
from components.presenter.walk import answers, link, picture, read_aloud, request, says
from components.widgets.chart import draw_chart
from components.widgets.images import draw_svg, show_image
from components.widgets.stage import show_large
from headcount import count_parameters
from headcount.assets import ASSETS
from headcount.export.figure import Picture
from headcount.stage.program import PLAYER, SHARED, joined
from headcount.stage.scene import Scene
from lessons.walk import ASKED, GUESSES, STEPS, Step

PROGRAMS = ASSETS / "present"
#: Of the components of a step.
KEYS = ("presented", "bar", "presented_guess", "presented_film", "presented_sentence")
#: How the answers to a guess are spelt.
IN_WORDS = {"half": "half", "same": "the same", "double": "twice", "fourfold": "four times"}
#: What the scales of the walk's pictures are called: words that it explains.
SCALES = {"input": "X", "weight": "parameters", "signed": "numbers", "score": "scores", "share": "shares"}


def current_step() -> int | None:
    """The step that the address names, from 1; None where the walk is off."""
    if st.query_params.get("present") != "1":
        return None
    step = st.query_params.get("step", "1")
    return int(step) if step in map(str, range(1, len(STEPS) + 1)) else 1


@cache
def part(name: str, program: str = ""):
    """The component from the files of this name; `program`: the name of its program, where it is another's."""
    markup, sheet = ((PROGRAMS / f"{name}.{kind}").read_text() for kind in ("html", "css"))
    visit = PROGRAMS / "visit.js"
    shared = {"film": (SHARED, PLAYER), "guess": (SHARED, visit), "bar": (SHARED, visit)}.get(name, (visit,))
    return component(name, joined(*shared, PROGRAMS / f"{program or name}.js"), markup, sheet)


def show_start_button() -> None:
    """The quiet button in the sidebar that begins the walk."""
    if current_step() is None and visit().presented:
        visit().presented = False
        for key in KEYS:  # Streamlit keeps a component's state until another page is opened
            st.session_state.pop(key, None)
    with st.sidebar:
        part("enter")(height="content")  # without a key: each number field reads the state of all that have one


def show_start_here() -> None:
    """The button on the first screen that begins the walk for a single reader."""
    part("start", "enter")(key="start_here", height="content")


@cache
def message_and_picture(number: int) -> tuple[str, Scene | Picture | None]:
    """Gives a step's message and picture; they are one for all visitors who have guessed nothing."""
    return says(STEPS[number - 1]), picture(STEPS[number - 1])


@cache
def played_at(number: int) -> dict[str, Any] | None:
    """What is played at a step, as assets/types.d.ts has it; None where nothing is. Empty at first: blocks whose numbers land."""
    step, stills = STEPS[number - 1], film(STEPS[number - 1])
    empty = [*dict.fromkeys(block for still in stills for block, *_ in still.lands)]
    return {"name": str(number), "rest": step.rest, "empty": empty, "stills": [*map(astuple, stills)]} if stills else None


def guessed(code: str) -> str:
    """What the address says was guessed; "" where nothing was, or nothing that can be."""
    guess = st.query_params.get(code, "")
    return guess if guess in GUESSES else ""


def present(number: int) -> None:
    """The step's screen. The page still runs behind it, hidden (assets/present/page.css), so that its widgets keep their place in
    the address."""
    step, (text, drawn) = STEPS[number - 1], message_and_picture(number)
    if step.answers and (guess := guessed(step.answers)):
        text = says(step, guess)
    visit().presented = True
    st.html(PROGRAMS / "page.css")
    with st.container(key="presenter"):
        st.title(step.headline, anchor=False)
        with st.container(key="presented_text"):
            st.markdown(text)
        if (played := played_at(number)) is not None:
            part("film")(key="presented_film", data=json_of(played), height="content")
        if step.asks or step.figure == "farewell":
            parts, gap = (2, "large") if step.asks else ((1, 5), "small")
            left, right = st.columns(parts, gap=gap, vertical_alignment="center")
            with left:
                show_guess(step) if step.asks else show_farewell()
        else:
            right = st.container()
        if isinstance(drawn, Scene):
            with right:
                scene, stills = card_by_card(step, drawn) if step.answers else (drawn, None)
                show_large(scene, KEYS[0], SCALES, stills)
        elif drawn is not None:
            draw_chart(drawn.chart, "presented_chart", drawn.alt)
        else:
            draw_svg((PROGRAMS / "sentence.svg").read_text(), "presented_sentence")
        plain = read_aloud(f"{step.headline} {text}")
        asked = [setting.code for setting in ASKED]
        data = {"step": number, "most": len(STEPS), "says": plain, "link": link(step), "asked": asked, "note": step.note}
        part("bar")(key="bar", data=json_of(data), height="content")


def show_guess(step: Step) -> None:
    """Four answers to press; pressing one goes on to the next step, which settles it."""
    options = [{"guess": guess, "count": f"{count:,}", "words": in_words(step, guess)} for guess, count in answers(step).items()]
    data = {"code": step.asks, "options": options, "chosen": guessed(step.asks)}
    part("guess")(key="presented_guess", data=json_of(data), height="content")


def in_words(step: Step, guess: str) -> str:
    """How an answer is spelt beside its count."""
    exact = GUESSES[guess] * count_parameters(request(step).cfg) == answers(step)[guess]
    return IN_WORDS[guess] if exact else f"almost {IN_WORDS[guess]}"


def show_farewell() -> None:
    """The quiz, as a button, and as an address and a code for phones where they can open it."""
    here = urlsplit(st.context.url or "")
    folder, _, page = here.path.rpartition("/")
    root = folder if page in {one.name for one in PAGES} else here.path.rstrip("/")
    address = urlunsplit((here.scheme, here.netloc, f"{root}/quiz", "", ""))
    st.link_button("The quiz", "./quiz")
    if here.hostname not in AT_HOME and (code := code_of(address)) is not None:
        show_image(code, f"A code that opens {address}")
        st.code(address, language=None, wrap_lines=True)


def code_of(address: str) -> str | None:
    """The address as a QR code, SVG; None where it is too long for one, or the library is not there."""
    out = io.BytesIO()
    try:
        code = import_module("segno").make(address, error="m", micro=False)
    except (ImportError, ValueError):
        return None
    code.save(out, kind="svg", scale=10, light="white", xmldecl=False)
    return out.getvalue().decode()
