"""The card of a question or a statement: the visitor's guess, the answer with its measurements, and a link that shows it.

Guesses are kept in the visit and not in the address, so that a shared link asks its reader again.
"""

import html
import re

import streamlit as st

from components.app.stale_widget_values import set_value
from components.app.visit import visit
from components.menu import PAGES
from components.page import address
from components.pages.questions import QUESTION
from components.symbols import escape_markdown, set_symbols
from components.widgets.tables import markdown_table
from headcount.stage.numbers import plain
from lessons.claims import BY_ID
from lessons.question import Answer, Question, See

#: Each verdict on its button, the key of the keyboard that chooses it, and its icon.
CHOICES = {
    "true": ("True", "T", ":material/check_circle:"), "false": ("False", "F", ":material/cancel:"),
    "depends": ("It depends", "D", ":material/alt_route:"),
}  # fmt: skip
#: A sentence about the meaning of each verdict.
MEANING = {
    "true": "What it says holds.",
    "false": "What it says does not hold.",
    "misleading": "**Misleading.** What it says holds; what it suggests, or the reason it gives, does not.",
    "depends": "It holds in one convention, version or setting and not in another.",
    "opinion": "**An opinion.** There is nothing in it to measure.",
}
SENTENCE = re.compile(r"(?<=[.?!])\s")
REFUSED = re.compile(r"(\w+Error): ")
#: Words before a check that say its role.
ROLES = {"says": "", "suggests": "*suggested:* ", "case": "*case:* "}
#: Titles of the pages, by their names in the address; the start page is the first.
PAGE_TITLES = {page.name: page.title for page in PAGES}


def plainly(verdict: str) -> str:
    """The choice (a key of CHOICES) that is right for a verdict."""
    return verdict if verdict in CHOICES else "depends"


def guesses() -> dict[str, str]:
    """The verdict guessed for each statement, by its id."""
    return visit().guesses


def take_back(name: str) -> None:
    guesses().pop(name, None)


def in_words(question: Question) -> str:
    """The question for the page in Markdown; a statement is in quotation marks."""
    return set_symbols(f"“{question.asks}”" if question.source else question.asks)


def draw_card(question: Question, before: str, after: str, place: str, first: bool) -> None:
    """Draws the card of a question or statement. `before`, `after`: the neighbours' ids; `place`: its number in words.
    `first`: for a statement, the visitor guesses a verdict before the answer is shown."""
    with st.container(border=True, key="question_card"):
        st.header(in_words(question), anchor=False)
        if question.source:
            article = escape_markdown(question.source.article.title)
            st.caption(f"From {article}, line {question.source.line}: “{escape_markdown(question.source.quote)}”")
        guessed = guesses().get(question.id)
        if question.source and first and guessed is None:
            ask(question)
        else:
            show_answer(question, guessed)
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.button("Previous", key="walk_P", shortcut="P", on_click=set_value, args=(QUESTION.code, before))
            st.markdown(place, width="content")
            st.button("Next", key="walk_N", shortcut="N", on_click=set_value, args=(QUESTION.code, after))


def ask(claim: Question) -> None:
    """Draws the three verdicts for a guess, each with a button and a key."""
    if claim.code:
        st.code(claim.code, language="python")
    with st.container(horizontal=True, gap="small"):
        for verdict, (word, key, _) in CHOICES.items():
            st.button(word, key=f"guess_{verdict}", shortcut=key, on_click=guesses().update, args=({claim.id: verdict},))


def show_answer(question: Question, guessed: str | None) -> None:
    """Shows the answer, what it was measured with, who asked, and a link to the page that shows it."""
    answer = question.answer
    show_verdict(question, guessed)
    by = f"Measured with {question.by}." if question.by else ""
    threads = " and ".join(f"[{'/'.join(address.split('/')[2:5])}]({address})" for address in question.addresses)
    site = f"Asked at {threads}." if threads else ""
    st.caption(" ".join(filter(None, (MEANING[answer.verdict] if question.source else "", by, site))))
    with st.container(horizontal=True, vertical_alignment="center"):
        link_to(question.see)
        if guessed is not None:
            st.button("Take the guess back", key="take_back", type="tertiary", on_click=take_back, args=(question.id,))


def show_verdict(question: Question, guessed: str | None) -> None:
    """Shows the verdict with the visitor's guess, the answer's sentences and its measurements."""
    answer = question.answer
    if question.source:
        word, _, icon = CHOICES[plainly(answer.verdict)]
        yours = (
            "as you said" if guessed == plainly(answer.verdict) else f"you said: {CHOICES[guessed][0].lower()}" if guessed else ""
        )
        st.subheader(f"{icon} {word}{', ' * bool(yours)}{yours}.", anchor=False)
        if guessed and in_part(guessed, answer.verdict):
            st.markdown(f"**Your answer holds in part.** {what_holds(answer, guessed)}")
    st.markdown(set_symbols(answer.text))
    if answer.rows:
        rows = [(set_symbols(what), f"**{cell(value)}**") for what, value in answer.rows]
        st.markdown(markdown_table(("what", "measured"), rows, right=[1]))
    if answer.checks:
        st.markdown(evidence(answer))
    for check in answer.checks:
        if REFUSED.match(check.measured):  # in Keras's own words: too long for a table
            st.code(check.measured, language=None, wrap_lines=True)
    if question.code:
        st.code(question.code, language="python")


def cell(text: str) -> str:
    """A measured value for a table in Markdown, set as code if it could be read as markup."""
    if refused := REFUSED.match(text):
        return refused[1]
    text = text.replace("\n", " ")
    return f"`{text.replace('`', chr(39))}`" if re.search(r"[`*_{}\[\]$<>]", text) else text


def evidence(answer: Answer) -> str:
    """A Markdown table of the checks: what was measured, what the statement claims, the result, and whether both agree."""
    rows = []
    for check in answer.checks:
        what, holds = f"{ROLES[check.role]}{set_symbols(check.what)}", "✓" if check.holds else "✗"
        rows.append((what, cell(check.claimed), f"**{cell(check.measured)}**", holds))
    return markdown_table(("check", "claimed", "measured", "holds"), rows)


def link_to(see: See) -> None:
    """Draws a link that opens a page in a new tab with exactly these settings. In the same tab the shared controls would keep
    theirs."""
    settings = ", ".join(f"{key} = {value}" for key, value in see.query.items())
    st.link_button(
        f"See it on {PAGE_TITLES[see.page]}", address(see.page, see.query), icon=":material/open_in_new:",
        help=f"In a new tab, with {settings or 'the settings that every page starts with'}.",
    )  # fmt: skip


def in_part(guessed: str, verdict: str) -> bool:
    """Whether a wrong guess is right in part: in what the statement says, or in one of its cases."""
    return (guessed, verdict) in {("true", "misleading"), ("true", "depends"), ("false", "depends")}


def what_holds(answer: Answer, guessed: str) -> str:
    """A sentence that says in which cases a partly right guess is right."""
    if answer.verdict == "misleading":
        return "What the statement says is true; what it suggests, or the reason it gives, is not."
    cases = [check for check in answer.checks if check.role == "case"]
    named = "; ".join(set_symbols(check.what) for check in cases if check.holds == (guessed == "true"))
    return f"The statement is {guessed} in this case: {named}."


def score() -> str:
    """A sentence with the number of right guesses and of partly right ones; "" before the first guess."""
    settled = [(guessed, BY_ID[name].answer.verdict) for name, guessed in guesses().items()]
    if not settled:
        return ""
    right, part = sum(guessed == plainly(verdict) for guessed, verdict in settled), sum(in_part(*pair) for pair in settled)
    return f"You have {right} of {len(settled)} right" + (f", and {part} in part." if part else ".")


def mark(question: Question) -> str | None:
    """The icon in the list for a guessed statement: right, partly right or wrong. None before the guess."""
    guessed, verdict = guesses().get(question.id), question.answer.verdict
    if guessed is None:
        return None
    right = guessed == plainly(verdict)
    return ":material/check:" if right else ":material/rule:" if in_part(guessed, verdict) else ":material/close:"


#: Characters of a sentence that answers in a word, such as "No.". Then the measured row of a question that compares, if that is
#: not the first.
SHORT = 12
ROW = {"r63": 1, "r95": 1, "q23": 1, "q44": 2, "q36": 1, "r67": 1, "q22": 3, "q13": 2, "r174": 2, "r175": 2}


def in_brief(question: Question) -> tuple[str, str]:
    """The answer for the list as two texts. A statement has its verdict and the answer's first sentence. A question has
    numbers that can be compared and what they measure, or else its first sentence."""
    answer, first = question.answer, SENTENCE.split(question.answer.text)[0]
    if question.source:
        return answer.verdict.capitalize(), first
    if answer.rows:
        what, measured = answer.rows[ROW.get(question.id, 0)]
        if heights(measured):
            return f"{first} {measured}" if len(first) < SHORT else measured, what
    return (first, "") if len(first) < SHORT else ("", first)


def heights(measured: str) -> list[float]:
    """The numbers in a measured text as fractions of the largest, for bars. Empty for a shape or for a single number."""
    measured = SENTENCE.split(measured)[-1]
    numbers = re.findall(r"(?<![\d,.−(-])\d[\d,]*\.?\d*(?=%?(?:[;,] |$))", measured)
    if len(numbers) < 2 or re.search(r"[(\[a-z]", measured):
        return []
    values = [float(number.replace(",", "")) for number in numbers]
    return [one / max(values) for one in values] if max(values) > 0 else []


def show_brief(question: Question) -> None:
    """Shows the short answer in the list, with small bars for numbers that can be compared."""
    said, about = in_brief(question)
    bars = "".join(f'<i style="height: {max(round(24 * one), 1)}px"></i>' for one in heights(said))
    words = f"<b>{html.escape(plain(said))}</b> {html.escape(plain(about))}"
    st.html(f'<div class="headcount-brief"><span aria-hidden="true">{bars}</span><span>{words}</span></div>')
