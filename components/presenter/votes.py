"""Votes of a room on the screen: beside a question on the lecturer's screen, and alone on a phone."""

import re
import sys
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from components.address import quoted
from components.app.files import AT_HOME
from components.app.lesson import code_of
from components.app.runtime import component, json_of, reported
from components.app.stale_widget_values import rerun_if_changed
from components.app.visit import visit
from components.app.votes import CODE, MAX_ROOMS, MAX_VOICES, Ballot, Poll, Rooms, is_signed, new_code, signature
from components.menu import PAGES
from components.presenter.walk import answers, asking, in_words, says, truth
from components.widgets.images import show_image
from headcount.assets import ASSETS
from headcount.names import counted
from headcount.stage.program import SHARED, joined
from lessons.walk import WalkStep

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


def show_code(address: str, width: int | None = None) -> None:
    """Draws an address as a QR code, if phones can open the address and the code can be made."""
    if not is_at_home() and (code := code_of(address)) is not None:
        show_image(code, f"A code that opens {address}", width)


def is_at_home() -> bool:
    """Whether the visitor uses an address of the server that no other machine can open, such as localhost."""
    return urlsplit(st.context.url or "").hostname in AT_HOME


def room() -> str:
    return visit().room.get("room", "").upper()


def leads() -> bool:
    return "lead" in visit().room


def is_phone() -> bool:
    """Whether the visitor is a phone in a room. On the lecturer's screen, also opens the room."""
    poll_of()
    return bool(room()) and not leads()


def open_room() -> None:
    """Callback: gives a new room a code for the replica that serves this visitor, and makes the visitor the room's lecturer."""
    code = new_code(st.context.cookies.get("headcount_seat", ""))
    visit().room = {"room": code, "lead": signature(code)}
    st.query_params.update(visit().room)


def ballot_of(step: WalkStep) -> Ballot:
    """The question of a guess, for a vote. `step`: the step that asks for the guess, or the step that answers it."""
    question = asking(step.asks or step.answers)
    counts = answers(question)
    asks = re.findall(r"\*\*(.+?)\*\*", says(question))[-1]
    options = tuple(f"**{count:,}**, {in_words(question, guess)}" for guess, count in counts.items())
    return Ballot(question.asks, asks, options, [*counts.values()].index(truth(question)))


def poll_of(ballot: Ballot | None = None, answered: bool = False) -> Poll | None:
    """The votes on the question `ballot`, or by default on the question that is asked now. Asks `ballot` if it has just come to
    the screen. None outside a lecturer's screen, or if no room or no question is open."""
    ours = visit()
    if not (leads() and is_signed(room(), ours.room["lead"])):
        return None
    ours.asks = (ballot.name, "answered" if answered else "open") if ballot else ()
    seen = rooms().lead(room(), ballot, ours.asks != ours.asked, answered)
    return seen.poll if seen else None


def show_room(poll: Poll | None) -> None:
    """Draws the way into the room, the number of votes, and the button for the next stage of the vote. If no room is open, draws
    the button that opens a room."""
    if ALONE:
        st.caption("Votes by phone need a server: this copy runs in your browser alone.")
        return
    if not is_signed(room(), visit().room.get("lead", "")):
        if leads():
            st.warning("This room has ended: the server that signed its link is gone.", icon=":material/link_off:")
        st.button("Let phones vote", key="open_room", icon=":material/how_to_vote:", on_click=open_room)
        return
    with st.container(key="room", horizontal=True, vertical_alignment="center", gap="medium"):
        address = address_of("", room=room())
        show_code(address, 132)
        with st.container(gap="small"):
            st.caption(NO_PHONE if is_at_home() else f"`{address.partition('://')[2].removesuffix(room())}` **`{room()}`**")
            _turn(room(), poll)


@st.fragment(run_every=EVERY)
def _turn(code: str, drawn: Poll | None) -> None:
    rerun_if_changed()
    if (seen := rooms().lead(code, drawn.ballot if drawn else None)) is None:
        st.warning(f"{MAX_ROOMS} rooms are in use on this server: there is no place for one more.")
        return
    here = f"{counted(seen.here, 'phone')} here."
    if drawn is None or (poll := seen.poll) is None:
        st.markdown(here)
        return
    if (poll.stage, poll.answered) != (drawn.stage, drawn.answered):  # pressed here, or in another window
        st.rerun()
    st.markdown(f"**{counted(sum(poll.counts[-1]), 'vote')}**, {here}")
    if not poll.answered and poll.stage < len(TURNS):
        key, shortcut = ("show_votes", "PageDown") if poll.is_open else ("vote_again", "V")
        args = (code, poll.ballot, poll.stage)
        st.button(TURNS[poll.stage], key=key, shortcut=shortcut, on_click=rooms().turn, args=args)


def draw_bars(poll: Poll, options: tuple[str, ...]) -> None:
    """Draws the votes for each option, both votes side by side. After the answer is shown, the right option has a mark."""
    with st.container(key="bars"):
        places = st.columns(len(poll.votes))
    for place, counts in zip(places, poll.counts, strict=True):
        with place, st.container(gap="xxsmall"):
            if len(places) > 1:
                st.caption("First vote" if place is places[0] else "After talking")
            for option, count in enumerate(counts):
                mark = "✓ " if poll.answered and option == poll.ballot.right else ""
                st.progress(count / max(1, sum(counts)), f"{mark}{options[option]}: **{count}**")


def show_phone() -> None:
    """Draws a phone's page in a room. The vote appears once the phone's browser tab has sent its number (`voice`)."""
    st.html(ASSETS / "present" / "page.css")
    with st.container(key="presenter"):
        if voice := visit().voice:
            _phone(room(), voice)
        st.link_button("To the app", "./", type="tertiary")


def keep_tab() -> None:
    """Ends a run in a room. The browser's tab keeps a phone's number, or the lecturer's signature and question, for a reload. The
    signature is removed from the address, because everyone can read the address on a screen on a wall."""
    if room():
        ours = visit()
        ours.asked = ours.asks
        tell = component("voice", joined(SHARED, ASSETS / "present" / "voice.js"))
        known = ours.voice is not None or (leads() and "lead" not in st.query_params)
        lead, asks = ours.room.get("lead", ""), " ".join(ours.asks)
        tell(key="voice", data=json_of({"room": room(), "lead": lead, "asks": asks, "known": known}), on_said_change=_hear)


def _hear() -> None:
    """Callback: reads what the browser's tab has kept: a phone's number, or the lecturer's signature and question."""
    ours, (said, _, kept) = visit(), str(reported("voice", "said") or "")[:99].partition("lead ")
    if kept:
        ours.room["lead"], *asked = kept.split(" ")
        ours.asked = (*asked,)
        st.query_params.pop("lead", None)
    ours.voice = ours.voice or said or None


@st.fragment(run_every=EVERY)
def _phone(code: str, voice: str) -> None:
    if CODE.fullmatch(code) is None or (seen := rooms().enter(code, voice)) is None:
        st.title("This room is not open.", anchor=False)
        st.markdown(f"{quoted(code)} has not begun, or it has ended: with its server, or two hours after its lecturer left.")
        return
    if (poll := seen.poll) is None:
        st.title("You are in.", anchor=False)
        st.markdown("The next question comes here by itself.")
        return
    ballot, own = poll.ballot, poll.votes[-1].get(voice)
    st.title(ballot.asks, anchor=False)
    if not seen.in_room:
        st.markdown(f"{MAX_VOICES} phones vote in this room. This one can only watch.")
    if not poll.is_open:
        draw_bars(poll, ballot.options)
        took = "" if own is None else "You took it." if own == ballot.right else f"You took {ballot.options[own]}."
        over = "This vote is over. What follows comes here by itself."
        st.markdown(f"Right: {ballot.options[ballot.right]}. {took}" if poll.answered else over)
        return
    st.markdown("Second vote. " * (poll.stage == 2) + ("Press one." if own is None else "Another press changes it."))
    for place, option in enumerate(ballot.options):
        st.button(
            option, key=f"vote {ballot.name} {poll.stage} {place}", width="stretch", disabled=not seen.in_room,
            type="primary" if place == own else "secondary", on_click=rooms().vote,
            args=(code, voice, ballot.name, poll.stage, place),
        )  # fmt: skip
