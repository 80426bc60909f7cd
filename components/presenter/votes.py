"""Votes of a room on the screen: beside a question on the lecturer's screen, and alone on a phone."""

import io
import re
import sys
from importlib import import_module
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from components.address import quoted
from components.app.files import AT_HOME
from components.app.runtime import component, json_of, reported
from components.app.stale_widget_values import rerun_if_changed
from components.app.visit import visit
from components.app.votes import CODE, MAX_ROOMS, MAX_VOICES, Ballot, Rooms, Seen, is_signed, new_code, signature
from components.menu import PAGES
from components.presenter.walk import answers, asking, in_words, says, truth
from components.widgets.images import show_image
from headcount.assets import ASSETS
from headcount.names import counted
from headcount.stage.program import SHARED, joined
from lessons.walk import Step

#: Seconds between two looks of a phone and of the lecturer's screen.
EVERY = 3
#: A copy that runs in the reader's browser alone has nobody to vote with.
ALONE = sys.platform == "emscripten"
NO_PHONE = "No phone can open this machine's own address. For a class, start the app with `make class`."
#: What the lecturer's button does next, by the stage that a vote is at.
TURNS = ("Show the votes", "Vote again", "Show both votes")


@st.cache_resource
def rooms() -> Rooms:
    return Rooms()


def address_of(page: str, **query: str) -> str:
    """The full address of a page, as this visitor's browser reaches the server."""
    here = urlsplit(st.context.url or "")
    folder, _, last = here.path.rpartition("/")
    root = folder if last in {one.name for one in PAGES} else here.path.rstrip("/")
    return urlunsplit((here.scheme, here.netloc, f"{root}/{page}", urlencode(query), ""))


def is_at_home() -> bool:
    """Whether the visitor's address of the server is one that only the server's own machine can reach."""
    return urlsplit(st.context.url or "").hostname in AT_HOME


def code_of(address: str) -> str | None:
    """An address as a QR code in SVG. None if the address is too long, or if the package segno is missing."""
    out = io.BytesIO()
    try:
        code = import_module("segno").make(address, error="m", micro=False)
    except (ImportError, ValueError):
        return None
    code.save(out, kind="svg", scale=10, light="white", xmldecl=False)
    return out.getvalue().decode()


def room() -> str:
    return visit().room.get("room", "")


def leads() -> bool:
    """Whether this is the lecturer's screen of a room."""
    return "lead" in visit().room


def is_phone() -> bool:
    """Whether this is a phone in a room. On the lecturer's screen, also opens the room."""
    lead()
    return bool(room()) and not leads()


def open_room() -> None:
    """Callback: opens a new room at the replica that serves this visitor."""
    code = new_code(st.context.cookies.get("headcount_seat", ""))
    visit().room = {"room": code, "lead": signature(code)}
    st.query_params.update(visit().room)


def offer_room() -> None:
    """Draws the button that opens a room, if none is open."""
    if ALONE:
        st.caption("Votes by phone need a server: this copy runs in your browser alone.")
    elif not leads():
        st.button("Let phones vote", key="open_room", type="tertiary", icon=":material/how_to_vote:", on_click=open_room)


def ballot_of(step: Step) -> Ballot:
    """The question for phones at a step of the walk that asks for a guess or settles it."""
    question = asking(step.asks or step.answers)
    counts = answers(question)
    asks = re.findall(r"\*\*(.+?)\*\*", says(question))[-1]
    options = tuple(f"**{count:,}**, {in_words(question, guess)}" for guess, count in counts.items())
    return Ballot(question.asks, asks, options, [*counts.values()].index(truth(question)))


def lead(ballot: Ballot | None = None, answered: bool = False) -> Seen | None:
    """The room as its lecturer sees it, after it is given this question; None on any other screen."""
    ours = visit().room
    return rooms().lead(room(), ballot, answered) if leads() and is_signed(room(), ours["lead"]) else None


def show_lead(ballot: Ballot) -> None:
    """Draws the room's QR code and address, the number of votes, and the button for the next stage."""
    if not is_signed(room(), visit().room["lead"]):
        st.warning("This room has ended: the server that signed its link is gone.", icon=":material/link_off:")
        st.button("Open another room", key="open_room", on_click=open_room)
        return
    with st.container(key="room", horizontal=True, vertical_alignment="center", gap="medium"):
        address = address_of("", room=room())
        if not is_at_home() and (code := code_of(address)) is not None:
            show_image(code, f"A code that opens {address}", 132)
        with st.container(gap="small"):
            st.caption(NO_PHONE if is_at_home() else f"`{address.partition('://')[2]}`")
            _turn(room(), ballot)


@st.fragment(run_every=EVERY)
def _turn(code: str, ballot: Ballot) -> None:
    rerun_if_changed()
    if (seen := rooms().lead(code, ballot)) is None:
        st.warning(f"{MAX_ROOMS} rooms are in use on this server: there is no place for one more.")
        return
    st.markdown(f"**{counted(sum(seen.counts[-1]), 'vote')}**, {counted(seen.here, 'phone')} here.")
    if not seen.answered and seen.stage < len(TURNS) and st.button(TURNS[seen.stage], key="turn", shortcut="V"):
        rooms().turn(code, ballot.name, seen.stage)
        st.rerun()


def draw_bars(seen: Seen, options: tuple[str, ...]) -> None:
    """Draws the number of votes for each option, both votes side by side. Once the answer is shown, the right option is
    marked."""
    with st.container(key="bars"):
        places = st.columns(len(seen.counts))
    for place, counts in zip(places, seen.counts, strict=True):
        with place, st.container(gap="xxsmall"):
            if len(seen.counts) > 1:
                st.caption("First vote" if counts is seen.counts[0] else "After talking")
            for option, count in enumerate(counts):
                mark = "✓ " if seen.answered and seen.ballot and option == seen.ballot.right else ""
                st.progress(count / max(1, sum(counts)), f"{mark}{options[option]}: **{count}**")


def show_phone() -> None:
    """Draws the screen of a phone that has opened a room's address."""
    st.html(ASSETS / "present" / "page.css")
    with st.container(key="presenter"):
        if ALONE:
            st.title("Votes need a server.", anchor=False)
            st.markdown("This copy of Headcount runs in your browser alone.")
        else:
            tell = component("voice", joined(SHARED, ASSETS / "present" / "voice.js"))
            tell(key="voice", data=json_of(visit().voice), on_number_change=_hear)
            _phone(room())
        st.link_button("To the app", "./", type="tertiary")


def _hear() -> None:
    """Callback: takes the first number that a tab reports as its identity in the room."""
    visit().voice = visit().voice or str(reported("voice", "number") or "")[:17] or None


@st.fragment(run_every=EVERY)
def _phone(code: str) -> None:
    voice = visit().voice
    if CODE.fullmatch(code) is None or (seen := rooms().enter(code, voice)) is None:
        st.title("This room is not open.", anchor=False)
        st.markdown(f"{quoted(code)} has not begun, or it has ended: with its server, or two hours after its lecturer left.")
        return
    if (ballot := seen.ballot) is None:
        st.title("You are in.", anchor=False)
        st.markdown("The next question comes here by itself.")
        return
    st.title(ballot.asks, anchor=False)
    if voice and not seen.in_room:
        st.markdown(f"{MAX_VOICES} phones vote in this room. This one can only watch.")
    if not seen.is_open:
        draw_bars(seen, ballot.options)
        own = "" if seen.own is None else "You took it." if seen.own == ballot.right else f"You took {ballot.options[seen.own]}."
        over = "This vote is over. What follows comes here by itself."
        st.markdown(f"Right: {ballot.options[ballot.right]}. {own}" if seen.answered else over)
        return
    st.markdown("Second vote. " * (seen.stage == 2) + ("Press one." if seen.own is None else "Another press changes it."))
    for place, option in enumerate(ballot.options):
        st.button(
            option, key=f"vote {ballot.name} {seen.stage} {place}", width="stretch", disabled=not seen.in_room,
            type="primary" if place == seen.own else "secondary", on_click=rooms().vote,
            args=(code, voice, ballot.name, seen.stage, place),
        )  # fmt: skip
