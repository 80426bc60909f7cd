"""How texts and measurements of claims are written on the page."""

import re
from urllib.parse import urlencode

import streamlit as st

from components.widgets.symbols import set_symbols
from components.widgets.tables import markdown_table
from lessons.claims import ARTICLES, Claim, Judged, See

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|$~:<>])")
REFUSED = re.compile(r"(\w+Error): ")
TITLES = {article.key: article for article in ARTICLES}
#: Before what was measured, so that it is seen what a check is for.
ROLES = {"says": "", "suggests": "*suggested:* ", "case": "*case:* "}


def plain(text: str) -> str:
    """A quotation: no sign in it is markdown."""
    return SPECIAL.sub(r"\\\1", text.replace("\n", " "))


def cell(text: str) -> str:
    """A measured value in a table; what could be read as markdown is set as code."""
    if refused := REFUSED.match(text):
        return refused[1]
    text = text.replace("\n", " ")
    return f"`{text.replace('`', chr(39))}`" if re.search(r"[`*_{}\[\]$<>]", text) else text


def refusals(made: Judged) -> list[str]:
    """What was refused, in Keras's own words: too long for a table."""
    return [check.found for check in made.checks if REFUSED.match(check.found)]


def source(claim: Claim) -> str:
    """Where the claim stems from, with a few of its own words."""
    article = TITLES[claim.article]
    return f"From {plain(article.title)}, line {claim.line}: “{plain(claim.quote)}”"


def evidence(made: Judged) -> str:
    """The checks as a table: what was measured, what the claim makes of it, what came out."""
    rows = []
    for check in made.checks:
        what, holds = f"{ROLES[check.role]}{set_symbols(check.what)}", "✓" if check.holds else "✗"
        rows.append((what, cell(check.claimed), f"**{cell(check.found)}**", holds))
    return markdown_table(("check", "claimed", "measured", "holds"), rows, centred=[3])


def tally(verdicts: dict[int, str], total: int) -> str:
    """How the claims came out, as far as they have been run. The page keeps a line for it, so that nothing moves meanwhile."""
    count = {verdict: list(verdicts.values()).count(verdict) for verdict in ("true", "false", "misleading", "depends", "opinion")}
    start = f"All {total} run" if len(verdicts) == total else f"{len(verdicts)} of {total} run so far"
    return (
        f"{start}: {count['true']} true, {count['false']} false, {count['misleading']} misleading, "
        f"{count['depends']} depend, {count['opinion']} are opinions."
    )


PAGE_TITLES = {
    "heads": "Heads and parameters", "projections": "Projections", "attention": "Attention", "concatenation": "Concatenation",
    "keras_layer": "The Keras layer", "published_models": "Published models",
}  # fmt: skip

START = "heads"


def in_words(see: See) -> str:
    """The settings as they stand in the address."""
    return ", ".join(f"{key} = {value}" for key, value in see.query.items())


def address_of(see: See) -> str:
    """Relative to the pages, so that it holds wherever the app is served."""
    page = "." if see.page == START else see.page
    return f"{page}?{urlencode(see.query)}" if see.query else page


def link_to(see: See) -> None:
    """Opens the page in a tab of its own, with exactly these settings: in this tab the shared controls would keep theirs."""
    st.link_button(
        f"See it on {PAGE_TITLES[see.page]}", address_of(see), icon=":material/open_in_new:",
        help=f"In a new tab, with {in_words(see) or 'the settings that every page starts with'}.",
    )  # fmt: skip
