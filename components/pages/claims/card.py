"""One claim in focus: the statement, the guess, and what its run says."""

import re
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from components.pages.claims.guesses import CHOICES, MEANING, go_to, guess, guesses, take_back
from components.pages.claims.keys import NUMBERS
from components.pages.claims.results import judgement_of, waiting
from components.streamlit.frame import ENTRIES
from components.streamlit.hidden import hidden
from components.widgets.symbols import escape_markdown, set_symbols
from components.widgets.tables import markdown_table
from lessons.claims import CLAIMS, VERDICTS, Claim, Judgement, See

BY_NUMBER = {str(claim.number): claim for claim in CLAIMS}
ICONS = {
    "true": ":material/check_circle:", "false": ":material/cancel:", "misleading": ":material/warning:",
    "depends": ":material/alt_route:", "opinion": ":material/chat_bubble:",
}  # fmt: skip
REFUSED = re.compile(r"(\w+Error): ")
#: Set before what was measured, so that it is seen what a check is for.
ROLES = {"says": "", "suggests": "*suggested:* ", "case": "*case:* "}
#: Of the pages, by their names in the address; the start page is the first.
PAGE_TITLES = {Path(entry.file).stem: entry.title for entry in ENTRIES.values()}


def tally(verdicts: dict[int, str]) -> str:
    """How the claims came out, as far as they have been run. The page keeps a line for it, so that nothing moves meanwhile."""
    total = len(CLAIMS)
    count = {verdict: list(verdicts.values()).count(verdict) for verdict in VERDICTS}
    start = f"All {total} run" if len(verdicts) == total else f"{len(verdicts)} of {total} run so far"
    return (
        f"{start}: {count['true']} true, {count['false']} false, {count['misleading']} misleading, "
        f"{count['depends']} depend, {count['opinion']} are opinions."
    )


def chosen_claim() -> Claim:
    """The claim that the address names. Its widget is not seen: buttons, keys and the list lead from claim to claim."""
    with hidden("claim"):
        number = st.selectbox("Claim", NUMBERS, key="claim", bind="query-params", required=True)
    return BY_NUMBER[number]


def neighbour(claim: Claim, listed: list[Claim], step: int) -> int:
    """The next (1) or previous (-1) claim of the list, in reading order and round its end; the claim itself where it is alone."""
    places = [CLAIMS.index(one) for one in listed] or [CLAIMS.index(claim)]
    here = CLAIMS.index(claim)
    further = [place for place in places if (place - here) * step > 0]
    return CLAIMS[(min if step > 0 else max)(further or places)].number


def walk(claim: Claim, listed: list[Claim]) -> None:
    """Previous and next, by button or by key."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.button("Previous", key="walk_P", shortcut="P", on_click=go_to, args=(neighbour(claim, listed, -1),))
        place = f"Claim {listed.index(claim) + 1} of {len(listed)}" if claim in listed else "Not among those listed"
        st.markdown(place, width="content")
        st.button("Next", key="walk_N", shortcut="N", on_click=go_to, args=(neighbour(claim, listed, 1),))


def draw_card(claim: Claim) -> None:
    """The statement; before the guess five verdicts to choose from, after it the verdict with its evidence."""
    st.header(set_symbols(f"“{claim.says}”"), anchor=False)
    source = claim.source
    st.caption(f"From {escape_markdown(source.article.title)}, line {source.line}: “{escape_markdown(source.quote)}”")
    guessed = guesses().get(claim.number)
    if guessed is None:
        ask(claim)
        return
    judgement = judgement_of(claim)
    if judgement is None:
        waiting([claim.run])
    else:
        show_verdict(claim, judgement, guessed)
    st.button("Take the guess back", key="take_back", type="tertiary", on_click=take_back, args=(claim.number,))


def ask(claim: Claim) -> None:
    """Five verdicts to choose from, by button or by key, and what each means."""
    if claim.code:
        st.code(claim.code, language="python")
    with st.container(horizontal=True, gap="small"):
        for verdict, (word, key) in CHOICES.items():
            st.button(word, key=f"guess_{verdict}", shortcut=key, on_click=guess, args=(claim.number, verdict))
    st.caption("  \n".join(f"**{CHOICES[verdict][0]}.** {meaning}" for verdict, meaning in MEANING.items()))


def show_verdict(claim: Claim, judgement: Judgement, guessed: str) -> None:
    """Verdict, reason, what was measured and how, and the way to see it."""
    verdict = judgement.verdict
    yours = "as you said" if guessed == verdict else f"you said: {CHOICES[guessed][0].lower()}"
    st.subheader(f"{ICONS[verdict]} {CHOICES[verdict][0]}, {yours}.", anchor=False)
    st.markdown(set_symbols(judgement.reason))
    if judgement.checks:
        st.markdown(evidence(judgement))
    for check in judgement.checks:
        if REFUSED.match(check.measured):  # in Keras's own words: too long for a table
            st.code(check.measured, language=None, wrap_lines=True)
    if claim.code:
        st.code(claim.code, language="python")
    by = "the real Keras layer" if claim.run.keras else "NumPy"
    st.caption(f"{MEANING[verdict]} {f'Run by {by}.' if judgement.checks else ''}")
    link_to(claim.see)


def cell(text: str) -> str:
    """A measured value in a table; what could be read as markdown is set as code."""
    if refused := REFUSED.match(text):
        return refused[1]
    text = text.replace("\n", " ")
    return f"`{text.replace('`', chr(39))}`" if re.search(r"[`*_{}\[\]$<>]", text) else text


def evidence(judgement: Judgement) -> str:
    """The checks as a table: what was measured, what the claim makes of it, what came out."""
    rows = []
    for check in judgement.checks:
        what, holds = f"{ROLES[check.role]}{set_symbols(check.what)}", "✓" if check.holds else "✗"
        rows.append((what, cell(check.claimed), f"**{cell(check.measured)}**", holds))
    return markdown_table(("check", "claimed", "measured", "holds"), rows, centred=[3])


def address_of(see: See) -> str:
    """Relative to the pages, so that it holds wherever the app is served."""
    page = "." if see.page == next(iter(PAGE_TITLES)) else see.page
    return f"{page}?{urlencode(see.query)}" if see.query else page


def link_to(see: See) -> None:
    """Opens the page in a tab of its own, with exactly these settings: in this tab the shared controls would keep theirs."""
    settings = ", ".join(f"{key} = {value}" for key, value in see.query.items())
    st.link_button(
        f"See it on {PAGE_TITLES[see.page]}", address_of(see), icon=":material/open_in_new:",
        help=f"In a new tab, with {settings or 'the settings that every page starts with'}.",
    )  # fmt: skip
