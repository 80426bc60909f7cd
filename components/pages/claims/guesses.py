"""The visitor's guesses: theirs alone, so not in the address; a link asks anew."""

from collections.abc import Mapping

import streamlit as st

from lessons.claims import CLAIMS

PLACE = "guesses"
#: On the screen, and the key of the keyboard that says it.
WORDS = {"true": ("True", "T"), "false": ("False", "F"), "misleading": ("Misleading", "M"), "depends": ("It depends", "D"),
         "opinion": ("An opinion", "O")}  # fmt: skip
ICONS = {
    "true": ":material/check_circle:", "false": ":material/cancel:", "misleading": ":material/warning:",
    "depends": ":material/alt_route:", "opinion": ":material/chat_bubble:",
}  # fmt: skip
MEANING = {
    "true": "What it says holds.",
    "false": "What it says does not hold.",
    "misleading": "What it says holds; what it suggests, or the reason it gives, does not.",
    "depends": "It holds in one convention, version or setting and not in another.",
    "opinion": "There is nothing in it to measure.",
}


def guesses() -> dict[int, str]:
    """By the claim's number, as far as guessed."""
    return st.session_state.setdefault(PLACE, {})


def guess(number: int, verdict: str) -> None:
    guesses()[number] = verdict


def take_back(number: int) -> None:
    guesses().pop(number, None)


def score(verdicts: Mapping[int, str]) -> tuple[int, int]:
    """Right guesses, and guesses of claims whose verdict is known."""
    settled = [(said, verdicts[number]) for number, said in guesses().items() if number in verdicts]
    return sum(said == verdict for said, verdict in settled), len(settled)


def mark(number: int, verdicts: Mapping[int, str]) -> str:
    """The icon in the list: what became of the guess."""
    if number not in guesses():
        return ":material/radio_button_unchecked:"
    if number not in verdicts:
        return ":material/hourglass_top:"
    return ":material/check:" if guesses()[number] == verdicts[number] else ":material/close:"


def listed(article: str, verdict: str, verdicts: Mapping[int, str]) -> list:
    """The claims that the filters let through. A verdict only tells those that have been guessed: the list gives none away."""
    shown = [claim for claim in CLAIMS if article in ("all", claim.article)]
    if verdict == "open":
        return [claim for claim in shown if claim.number not in guesses()]
    if verdict != "all":
        return [claim for claim in shown if claim.number in guesses() and verdicts.get(claim.number) == verdict]
    return shown
