"""All claims in a list, with filters by article and by what became of the guess."""

from collections.abc import Mapping

import streamlit as st

from components.pages.claims.card import go_to
from components.pages.claims.guesses import listed, mark
from components.pages.claims.keys import ALL, ARTICLE, VERDICT
from components.pages.claims.words import TITLES, plain
from components.widgets.symbols import set_symbols
from lessons.claims import Claim

HEIGHT = 520
#: An article on its button, (assets/style.css): what it is called in the address is no word.
SHORT = {"none_6_8": "(None, 6, 8)"}


def read_filters() -> tuple[str, str]:
    """Article and verdict; both in the address."""
    article = st.pills(
        "Article", ARTICLE.choices, default=ALL, key="article", bind="query-params", required=True,
        help="  \n".join(f"**{SHORT.get(key, key)}**: {plain(article.title)}" for key, article in TITLES.items()),
    )  # fmt: skip
    verdict = st.pills(
        "Verdict, once guessed", VERDICT.choices, default=ALL, key="verdict", bind="query-params", required=True, wrap=True,
        help="A verdict lists only what you have guessed: nothing is given away.",
    )  # fmt: skip
    return article, verdict


def among(verdicts: Mapping[int, str]) -> list[Claim]:
    """The claims that the filters let through, before their widgets are drawn."""
    chosen = {key: st.session_state.get(key, st.query_params.get(key, ALL)) for key in ("article", "verdict")}
    allowed = {one.code: chosen[one.code] if one.fits(chosen[one.code]) else ALL for one in (ARTICLE, VERDICT)}
    return listed(allowed["article"], allowed["verdict"], verdicts)


def draw_list(focus: Claim, verdicts: Mapping[int, str]) -> None:
    """Filters and list; a click brings a claim into focus."""
    article, verdict = read_filters()
    claims = listed(article, verdict, verdicts)
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
