"""How texts and measurements of claims are written on the page."""

import re

from components.symbols import set_symbols
from mha.claims import ARTICLES, Claim, Judged

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
    text = text.replace("|", "/").replace("\n", " ")
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
    lines = ["| check | claimed | measured | holds |", "|:--|:--|:--|:-:|"]
    for check in made.checks:
        what = f"{ROLES[check.role]}{set_symbols(check.what.replace('|', '/'))}"
        lines.append(f"| {what} | {cell(check.claimed)} | **{cell(check.found)}** | {'✓' if check.holds else '✗'} |")
    return "\n".join(lines)


def tally(verdicts: dict[int, str], total: int) -> str:
    """How the claims came out, as far as they have been run. The page keeps a line for it, so that nothing moves meanwhile."""
    count = {verdict: list(verdicts.values()).count(verdict) for verdict in ("true", "false", "misleading", "depends", "opinion")}
    start = f"All {total} run" if len(verdicts) == total else f"{len(verdicts)} of {total} run so far"
    return (
        f"{start}: {count['true']} true, {count['false']} false, {count['misleading']} misleading, "
        f"{count['depends']} depend, {count['opinion']} are opinions."
    )
