"""One claim in focus: the statement, the guess, and what its run says."""

import streamlit as st

from components.pages.claims.guesses import ICONS, MEANING, WORDS, guess, guesses, take_back
from components.pages.claims.keys import NUMBERS
from components.pages.claims.results import judged, waiting
from components.pages.claims.words import evidence, link_to, refusals, source
from components.streamlit.late_reports import set_value
from components.widgets.symbols import set_symbols
from lessons.claims import CLAIMS, Claim, Judged

BY_NUMBER = {str(claim.number): claim for claim in CLAIMS}


def chosen_claim() -> Claim:
    """The claim that the address names. Its widget is not seen: buttons, keys and the list lead from claim to claim."""
    with st.container(key="hide_claim"):
        number = st.selectbox("Claim", NUMBERS, key="claim", bind="query-params", required=True)
    return BY_NUMBER[number]


def go_to(number: int) -> None:
    set_value("claim", str(number))


def beside(claim: Claim, among: list[Claim], step: int) -> int:
    """The next (1) or previous (-1) claim of the list, in reading order and round its end; the claim itself where it is alone."""
    places = [CLAIMS.index(one) for one in among] or [CLAIMS.index(claim)]
    here = CLAIMS.index(claim)
    further = [place for place in places if (place - here) * step > 0]
    return CLAIMS[(min if step > 0 else max)(further or places)].number


def walk(claim: Claim, among: list[Claim]) -> None:
    """Previous and next, by button or by key."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        _step("Previous", "P", beside(claim, among, -1))
        place = f"Claim {among.index(claim) + 1} of {len(among)}" if claim in among else "Not among those listed"
        st.markdown(place, width="content")
        _step("Next", "N", beside(claim, among, 1))


def _step(label: str, key: str, number: int) -> None:
    st.button(label, key=f"walk_{key}", shortcut=key, on_click=go_to, args=(number,))


def draw_card(claim: Claim) -> None:
    """The statement; before the guess five answers to choose from, after it the verdict with its evidence."""
    st.header(set_symbols(f"“{claim.says}”"), anchor=False)
    st.caption(source(claim))
    said = guesses().get(claim.number)
    if said is None:
        ask(claim)
        return
    made = judged(claim)
    if made is None:
        waiting([claim.run])
    else:
        show_verdict(claim, made, said)
    st.button("Take the guess back", key="take_back", type="tertiary", on_click=take_back, args=(claim.number,))


def ask(claim: Claim) -> None:
    """Five answers to choose from, by button or by key, and what each means."""
    if claim.code:
        st.code(claim.code, language="python")
    with st.container(horizontal=True, gap="small"):
        for verdict, (word, key) in WORDS.items():
            st.button(word, key=f"guess_{verdict}", shortcut=key, on_click=guess, args=(claim.number, verdict))
    st.caption("  \n".join(f"**{WORDS[verdict][0]}.** {meaning}" for verdict, meaning in MEANING.items()))


def show_verdict(claim: Claim, made: Judged, said: str) -> None:
    """Verdict, reason, what was measured and how, and the way to see it."""
    yours = "as you said" if said == made.verdict else f"you said: {WORDS[said][0].lower()}"
    st.subheader(f"{ICONS[made.verdict]} {WORDS[made.verdict][0]}, {yours}.", anchor=False)
    st.markdown(set_symbols(made.reason))
    if made.checks:
        st.markdown(evidence(made))
    for refusal in refusals(made):
        st.code(refusal, language=None, wrap_lines=True)
    if claim.code:
        st.code(claim.code, language="python")
    by = "the real Keras layer" if claim.run.keras else "NumPy and the ledger"
    st.caption(f"{MEANING[made.verdict]} {f'Run by {by}.' if made.checks else ''}")
    link_to(claim.see)
