"""One claim in focus: the statement, the guess, and what its run says. And the list of all claims by what became of the guesses.

The guesses are the visitor's alone, so they are not in the address: a link asks its reader anew.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from components.address import quoted
from components.menu import ENTRIES
from components.pages.claims.results import judgement_of, run_by, waiting
from components.pages.claims.settings import ALL, ARTICLE, CLAIM, OPEN, SEARCH, TEN, TOPIC, VERDICT
from components.streamlit.controls import control, stays_drawn, value_ahead
from components.streamlit.hidden import hidden
from components.streamlit.stale_widget_values import apply_pending, set_value, show_value
from components.symbols import escape_markdown, set_symbols
from components.widgets.tables import markdown_table
from lessons.claims import ARTICLES, CLAIMS, STARTERS, TOPICS, VERDICTS, Claim, Judgement, See

BY_NUMBER = {str(claim.number): claim for claim in CLAIMS}
ICONS = {
    "true": ":material/check_circle:", "false": ":material/cancel:", "misleading": ":material/warning:",
    "depends": ":material/alt_route:", "opinion": ":material/chat_bubble:",
}  # fmt: skip
#: Each verdict on its button, and the key of the keyboard that chooses it.
CHOICES = {"true": ("True", "T"), "false": ("False", "F"), "misleading": ("Misleading", "M"), "depends": ("It depends", "D"),
           "opinion": ("An opinion", "O")}  # fmt: skip
MEANING = {
    "true": "What it says holds.",
    "false": "What it says does not hold.",
    "misleading": "What it says holds; what it suggests, or the reason it gives, does not.",
    "depends": "It holds in one convention, version or setting and not in another.",
    "opinion": "There is nothing in it to measure.",
}
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
    """The claim that the address names. Its widget is not seen: buttons, keys and the list lead from claim to claim.

    A claim that is none of the first ten is found among all, whether a link led to it or the search that found it was cleared.
    """
    with hidden("claim"):
        claim = BY_NUMBER[control(CLAIM)]
    if claim.number not in STARTERS and only_ten(*filters()):
        show_value(TOPIC.code, ALL)
    return claim


def begin_with_the_ten() -> None:
    """Who chooses the first ten while they are all that is listed begins with the first of them."""
    apply_pending()
    if int(st.session_state[CLAIM.code]) not in STARTERS and only_ten(*filters()):
        set_value(CLAIM.code, str(next(claim.number for claim in CLAIMS if claim.number in STARTERS)))


def neighbour(claim: Claim, listed: list[Claim], step: int) -> int:
    """The next (1) or previous (-1) claim of the list, in reading order and round its end; the claim itself where it is alone."""
    places = [CLAIMS.index(one) for one in listed] or [CLAIMS.index(claim)]
    here = CLAIMS.index(claim)
    further = [place for place in places if (place - here) * step > 0]
    return CLAIMS[(min if step > 0 else max)(further or places)].number


def walk(claim: Claim, listed: list[Claim]) -> None:
    """Previous and next, by button or by key."""
    place = f"Claim {listed.index(claim) + 1} of {len(listed)}" if claim in listed else "Not among those listed"
    walk_buttons("walk", "claim", place, *(str(neighbour(claim, listed, step)) for step in (-1, 1)))


def walk_buttons(name: str, field: str, place: str, before: str, after: str) -> None:
    """Previous and next, by button or by key, which set the `field` of the address; between them the `place` in the list."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.button("Previous", key=f"{name}_P", shortcut="P", on_click=set_value, args=(field, before))
        st.markdown(place, width="content")
        st.button("Next", key=f"{name}_N", shortcut="N", on_click=set_value, args=(field, after))


def list_button(field: str, value: str, text: str, in_focus: bool, icon: str | None = None) -> None:
    """One line of a list; a click sets the `field` of the address to `value`."""
    label = f"**{set_symbols(text)}**" if in_focus else set_symbols(text)
    st.button(label, key=f"to_{value}", type="tertiary", icon=icon, on_click=set_value, args=(field, value), width="stretch")


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
    if in_part(guessed, verdict):
        st.markdown(f"**Your answer holds in part.** {what_holds(judgement, guessed)}")
    st.markdown(set_symbols(judgement.reason))
    if judgement.checks:
        st.markdown(evidence(judgement))
    for check in judgement.checks:
        if REFUSED.match(check.measured):  # in Keras's own words: too long for a table
            st.code(check.measured, language=None, wrap_lines=True)
    if claim.code:
        st.code(claim.code, language="python")
    st.caption(f"{MEANING[verdict]} {f'Run by {run_by(claim.run.keras)}.' if judgement.checks else ''}")
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


PLACE = "guesses"
HEIGHT = 520
#: An article on its button, where its key in the address is not a word (assets/style.css).
SHORT = {"none_6_8": "(None, 6, 8)"}


def guesses() -> dict[int, str]:
    """The verdict guessed for each claim, by its number."""
    return st.session_state.setdefault(PLACE, {})


def guess(number: int, verdict: str) -> None:
    guesses()[number] = verdict


def take_back(number: int) -> None:
    guesses().pop(number, None)


def in_part(guessed: str, verdict: str) -> bool:
    """Whether a guess that is not the verdict holds all the same, in what the claim says or in one of its cases."""
    return (guessed, verdict) in {("true", "misleading"), ("true", "depends"), ("false", "depends")}


def what_holds(judgement: Judgement, guessed: str) -> str:
    """In which cases a guess that holds in part is right."""
    if judgement.verdict == "misleading":
        return "What the claim says is true; what it suggests, or the reason it gives, is not."
    cases = [check for check in judgement.checks if check.role == "case"]
    named = "; ".join(set_symbols(check.what) for check in cases if check.holds == (guessed == "true"))
    return f"The claim is {guessed} in this case: {named}."


def score(verdicts: Mapping[int, str]) -> str:
    """How many guesses are right, and how many in part, of those of claims whose verdict is known; "" before the first."""
    settled = [(guessed, verdicts[number]) for number, guessed in guesses().items() if number in verdicts]
    if not settled:
        return ""
    right, part = sum(guessed == verdict for guessed, verdict in settled), sum(in_part(*pair) for pair in settled)
    return f"You have {right} of {len(settled)} right" + (f", and {part} in part." if part else ".")


def mark(number: int, verdicts: Mapping[int, str]) -> str:
    """The icon in the list: what became of the guess."""
    if number not in guesses():
        return ":material/radio_button_unchecked:"
    if number not in verdicts:
        return ":material/hourglass_top:"
    guessed, verdict = guesses()[number], verdicts[number]
    return ":material/check:" if guessed == verdict else ":material/rule:" if in_part(guessed, verdict) else ":material/close:"


def contains(text: str, search: str) -> bool:
    """Whether every word that is searched for is in the text; 1,024 and 1024 are one number."""
    plain, wanted = (re.sub(r"(?<=\d),(?=\d{3})", "", one).lower() for one in (text, search))
    return all(word in plain for word in wanted.split())


def filters() -> tuple[str, str, str, str]:
    """Topic, search, article and verdict, before their widgets are drawn."""
    topic, search, article, verdict = (value_ahead(setting) for setting in (TOPIC, SEARCH, ARTICLE, VERDICT))
    return topic, search, article, verdict


def only_ten(topic: str, search: str, article: str, verdict: str) -> bool:
    """Whether the list is the first ten: nothing else is chosen or searched for."""
    return topic == TEN and not search.strip() and article == verdict == ALL


def matching(topic: str, search: str, article: str, verdict: str, verdicts: Mapping[int, str]) -> list[Claim]:
    """The claims that the filters let through. A verdict lists only those that have been guessed: it gives none away."""
    found = [claim for claim in CLAIMS if contains(f"{claim.says} {claim.source.quote} {claim.code}", search)]
    claims = [claim for claim in found if article in (ALL, claim.source.article.key)]
    if topic in TOPICS:
        claims = [claim for claim in claims if claim.number in TOPICS[topic]]
    if only_ten(topic, search, article, verdict):
        return [claim for claim in claims if claim.number in STARTERS]
    if verdict == OPEN:
        return [claim for claim in claims if claim.number not in guesses()]
    if verdict != ALL:
        return [claim for claim in claims if claim.number in guesses() and verdicts.get(claim.number) == verdict]
    return claims


def listed(verdicts: Mapping[int, str]) -> list[Claim]:
    """The claims that the filters let through, before their widgets are drawn."""
    return matching(*filters(), verdicts)


def say_nothing_found(what: str, search: str) -> None:
    """In place of a list that the search leaves empty: what was searched for, and the way back."""
    st.markdown(f"No {what} contains {quoted(search)}.")
    st.button("Clear the search", key="clear_search", on_click=set_value, args=(SEARCH.code, ""))


def draw_list(focus: Claim, verdicts: Mapping[int, str]) -> None:
    """Search, filters and list; a click brings a claim into focus."""
    fields = st.sidebar.container()
    search = control(SEARCH, fields, placeholder="512, W_O, softmax …")
    topic = fields.pills(
        TOPIC.label, TOPIC.choices, default=TEN, key="topic", bind="query-params", required=True, help=TOPIC.help,
        on_change=begin_with_the_ten,
    )  # fmt: skip
    with fields.expander("By article or verdict", expanded=stays_drawn("claims_narrowed", (ARTICLE, VERDICT))):
        article = st.pills(
            ARTICLE.label, ARTICLE.choices, default=ALL, key="article", bind="query-params", required=True,
            help="  \n".join(f"**{SHORT.get(one.key, one.key)}**: {escape_markdown(one.title)}" for one in ARTICLES),
        )  # fmt: skip
        verdict = st.pills(
            VERDICT.label, VERDICT.choices, default=ALL, key="verdict", bind="query-params", required=True,
            help="A verdict lists only what you have guessed: nothing is given away.",
        )  # fmt: skip
    claims = matching(topic, search, article, verdict, verdicts)
    with st.container(height=HEIGHT, border=True, key="claims_list"):
        if not claims and search.strip():
            say_nothing_found("claim here", search)
        elif not claims:
            st.caption("None yet.")
        for claim in claims:
            list_button("claim", str(claim.number), claim.says, claim == focus, mark(claim.number, verdicts))
