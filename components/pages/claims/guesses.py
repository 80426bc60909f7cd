"""The visitor's guesses, and the list of all claims by what became of them.

The guesses are the visitor's alone, so they are not in the address: a link asks its reader anew.
"""

from collections.abc import Mapping

import streamlit as st

from components.pages.claims.keys import ALL, ARTICLE, OPEN, VERDICT
from components.streamlit.late_reports import set_value
from components.widgets.symbols import escape_markdown, set_symbols
from lessons.claims import ARTICLES, CLAIMS, Claim

PLACE = "guesses"
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


def go_to(number: int) -> None:
    set_value("claim", str(number))


def score(verdicts: Mapping[int, str]) -> tuple[int, int]:
    """Right guesses, and guesses of claims whose verdict is known."""
    settled = [(guessed, verdicts[number]) for number, guessed in guesses().items() if number in verdicts]
    return sum(guessed == verdict for guessed, verdict in settled), len(settled)


def mark(number: int, verdicts: Mapping[int, str]) -> str:
    """The icon in the list: what became of the guess."""
    if number not in guesses():
        return ":material/radio_button_unchecked:"
    if number not in verdicts:
        return ":material/hourglass_top:"
    return ":material/check:" if guesses()[number] == verdicts[number] else ":material/close:"


def matching(article: str, verdict: str, verdicts: Mapping[int, str]) -> list[Claim]:
    """The claims that the filters let through. A verdict lists only those that have been guessed: it gives none away."""
    claims = [claim for claim in CLAIMS if article in (ALL, claim.source.article.key)]
    if verdict == OPEN:
        return [claim for claim in claims if claim.number not in guesses()]
    if verdict != ALL:
        return [claim for claim in claims if claim.number in guesses() and verdicts.get(claim.number) == verdict]
    return claims


def listed(verdicts: Mapping[int, str]) -> list[Claim]:
    """The claims that the filters let through, before their widgets are drawn."""
    chosen = {one: st.session_state.get(one.code, st.query_params.get(one.code, ALL)) for one in (ARTICLE, VERDICT)}
    article, verdict = (value if one.fits(value) else ALL for one, value in chosen.items())
    return matching(article, verdict, verdicts)


def draw_list(focus: Claim, verdicts: Mapping[int, str]) -> None:
    """Filters and list; a click brings a claim into focus."""
    article = st.pills(
        ARTICLE.label, ARTICLE.choices, default=ALL, key="article", bind="query-params", required=True,
        help="  \n".join(f"**{SHORT.get(one.key, one.key)}**: {escape_markdown(one.title)}" for one in ARTICLES),
    )  # fmt: skip
    verdict = st.pills(
        VERDICT.label, VERDICT.choices, default=ALL, key="verdict", bind="query-params", required=True, wrap=True,
        help="A verdict lists only what you have guessed: nothing is given away.",
    )  # fmt: skip
    claims = matching(article, verdict, verdicts)
    with st.container(height=HEIGHT, border=True, key="claims_list"):
        if not claims:
            st.caption("None yet.")
        for claim in claims:
            says = set_symbols(claim.says)
            label = f"**{says}**" if claim == focus else says
            st.button(
                label, key=f"to_{claim.number}", type="tertiary", icon=mark(claim.number, verdicts), on_click=go_to,
                args=(claim.number,), width="stretch",
            )  # fmt: skip
