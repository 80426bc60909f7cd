"""The walk on the screen: a step's sentences, its picture as large as the window, and a bar with buttons.

The address alone says whether the walk is on, which step it shows, and what was guessed. Only the browser changes these values.
After a change by the server, a late message of the browser with the old address could undo the change.
"""

from dataclasses import astuple
from functools import cache
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from components.app.runtime import component, json_of
from components.app.visit import visit
from components.app.votes import Poll
from components.presenter.film import card_by_card, film
from components.presenter.votes import address_of, ballot_of, draw_bars, is_at_home, leads, poll_of, show_code, show_room
from components.presenter.walk import answers, in_words, link, picture, read_aloud, says
from components.widgets.chart import draw_chart
from components.widgets.images import draw_svg
from components.widgets.stage import show_large
from headcount.assets import ASSETS
from headcount.export.figure import Picture
from headcount.stage.program import PLAYER, SHARED, joined
from headcount.stage.scene import Scene
from lessons.walk import ASKED, GUESSES, SEQUENCE, STEPS, WalkStep

PROGRAMS = ASSETS / "present"
#: Keys of a step's components.
KEYS = ("presented", "bar", "presented_guess", "presented_film", "presented_sentence")
#: Labels of the colour scales in the walk's pictures, in words that the walk explains.
SCALES = {"input": "X", "weight": "parameters", "signed": "numbers", "score": "scores", "share": "attention weights"}


def current_step() -> int | None:
    """The number of the walk's step in the address, or 1. None if the walk is off, or if a sequence of pages is presented."""
    if st.query_params.get("present") != "1" or SEQUENCE.code in st.query_params:
        return None
    step = st.query_params.get("step", "1")
    return int(step) if step in map(str, range(1, len(STEPS) + 1)) else 1


@cache
def part(name: str, program: str = ""):
    """The component whose files in assets/present are called `name`. `program`: the name of its program, if it differs."""
    markup, sheet = ((PROGRAMS / f"{name}.{kind}").read_text() for kind in ("html", "css"))
    visit = PROGRAMS / "visit.js"
    shared = {"film": (SHARED, PLAYER), "guess": (SHARED, visit), "bar": (SHARED, visit)}.get(name, (visit,))
    return component(name, joined(*shared, PROGRAMS / f"{program or name}.js"), markup, sheet)


def show_start_button(how: str) -> None:
    """Draws the button in the sidebar that starts presenting. `how`: the value that a press gives to `present` in the address."""
    if st.query_params.get("present") not in ("1", "page") and visit().presented:
        visit().presented = False
        for key in KEYS:  # Streamlit keeps a component's state until another page is opened
            st.session_state.pop(key, None)
    with st.sidebar:
        part("enter")(data=how.encode(), height="content")  # no key: each number field reads the state of all that have one


def show_start_here() -> None:
    part("start", "enter")(key="start_here", data=b"1", height="content")


@cache
def message_and_picture(number: int) -> tuple[str, Scene | Picture | None]:
    """The sentences and the picture of a step for a visitor without a guess, cached for all visitors."""
    return says(STEPS[number - 1]), picture(STEPS[number - 1])


@cache
def played_at(number: int) -> dict[str, Any] | None:
    """The data of a step's film (assets/types.d.ts), or None. `empty`: the blocks whose numbers are hidden until the film shows
    them."""
    step, stills = STEPS[number - 1], film(STEPS[number - 1])
    empty = [*dict.fromkeys(block for still in stills for block, *_ in still.lands)]
    return {"name": str(number), "rest": step.rest, "empty": empty, "stills": [*map(astuple, stills)]} if stills else None


def guessed(code: str) -> str:
    """The guess in the address; "" if the address has no valid guess."""
    guess = st.query_params.get(code, "")
    return guess if guess in GUESSES else ""


def present(number: int) -> None:
    """Shows a step of the walk. The page runs on, hidden by CSS, so that its widgets keep their keys in the address."""
    step, (text, drawn) = STEPS[number - 1], message_and_picture(number)
    if step.answers and (guess := guessed(step.answers)):
        text = says(step, guess)
    st.html(PROGRAMS / "page.css")
    with st.container(key="presenter"):
        st.title(step.headline, anchor=False)
        with st.container(key="presented_text"):
            st.markdown(text)
        if (played := played_at(number)) is not None:
            part("film")(key="presented_film", data=json_of(played), height="content")
        poll = poll_of(ballot_of(step), bool(step.answers)) if leads() and (step.asks or step.answers) else None
        right = st.container()
        if step.asks or step.figure == "farewell" or (leads() and (number == 1 or (poll and any(map(any, poll.counts))))):
            parts, gap = (2, "large") if step.asks else ((1, 5 if step.figure == "farewell" else 3), "small")
            left, right = st.columns(parts, gap=gap, vertical_alignment="center")
            with left:
                show_beside(step, poll)
        with right:
            if isinstance(drawn, Scene):
                scene, stills = card_by_card(step, drawn) if step.answers else (drawn, None)
                show_large(scene, KEYS[0], SCALES, stills)
            elif drawn is not None:
                draw_chart(drawn.chart, "presented_chart", drawn.alt)
            else:
                draw_svg((PROGRAMS / "sentence.svg").read_text(), "presented_sentence")
        plain = f"Step {number} of {len(STEPS)}: {read_aloud(f'{step.headline} {text}')}"
        show_bar(first=1, next="Next ›", says=plain, link=link(step), note=step.note)


def show_bar(**more: Any) -> None:
    """Draws the bar with the buttons below what is presented. `more`: data of the bar (assets/present/bar.js)."""
    visit().presented = True
    data = {"first": 0, "most": len(STEPS), "next": "The walk ›", "asked": [setting.code for setting in ASKED]}
    data |= {"link": "", "note": "", "sizes": [], "lines": []} | more
    part("bar")(key="bar", data=json_of(data), height="content")


def show_beside(step: WalkStep, poll: Poll | None) -> None:
    """Draws the guess, the votes, the way to the quiz, or the way into the room beside a step's picture."""
    if step.figure == "farewell":
        show_farewell()
    elif step.asks and (poll is None or poll.is_open):
        show_guess(step)
    elif poll is not None:
        draw_bars(poll, tuple(option if step.asks else option.partition(", ")[0] for option in poll.ballot.options))
    if leads() and (step.asks or step is STEPS[0]):
        show_room(poll)


def show_guess(step: WalkStep) -> None:
    """Draws four answers. A press on an answer leads to the next step, which says whether the answer was right."""
    options = [{"guess": guess, "count": f"{count:,}", "words": in_words(step, guess)} for guess, count in answers(step).items()]
    data = {"code": step.asks, "options": options, "chosen": guessed(step.asks)}
    part("guess")(key="presented_guess", data=json_of(data), height="content")


def show_farewell() -> None:
    """Draws the way to the quiz: a button. If phones can open the address, also draws the address and its QR code."""
    address = address_of("quiz")
    st.link_button("The quiz", "./quiz" + (f"?{urlencode(visit().room)}" if visit().room else ""))
    if not is_at_home():
        with st.container(key="farewell"):
            show_code(address)
            st.code(address, language=None, wrap_lines=True)
