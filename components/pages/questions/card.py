"""The card of a question: the answer, measured numbers and a link to a page with these numbers. Also the line in a list."""

import re

import streamlit as st

from components.app.stale_widget_values import set_value
from components.menu import PAGES
from components.page import address
from components.pages.questions import QUESTION
from components.symbols import set_symbols
from components.widgets.tables import markdown_table
from headcount.export.sheet import lowered
from headcount.stage.text import as_html
from lessons.question import Question

SENTENCE = re.compile(r"(?<=[.?!])\s")
#: Titles of the pages, by their names in the address; the start page is the first.
PAGE_TITLES = {page.name: page.title for page in PAGES}


def draw_card(question: Question, before: str, after: str, place: str) -> None:
    """Draws a question's card, with buttons to the questions with the ids `before` and `after`. `place`: for example "2 of 9"."""
    answer = question.answer
    with st.container(border=True, key="question_card"):
        st.header(set_symbols(question.asks), anchor=False)
        st.markdown(set_symbols(answer.text))
        if answer.rows:
            rows = [(set_symbols(what), f"**{cell(value)}**") for what, value in answer.rows]
            st.markdown(markdown_table(("what", "measured"), rows, right=[1]))
        by = f"Measured with {question.by}. " if question.by else ""
        threads = " and ".join(f"[{'/'.join(address.split('/')[2:5])}]({address})" for address in question.addresses)
        st.caption(f"{by}Asked at {threads}.")
        if (see := question.see).page in PAGE_TITLES:  # in a new tab: in the same one, the shared controls would keep theirs
            settings = ", ".join(f"{key} = {value}" for key, value in see.query.items())
            st.link_button(
                f"See it on {PAGE_TITLES[see.page]}", address(see.page, see.query), icon=":material/open_in_new:",
                help=f"In a new tab, with {settings or 'the settings that every page starts with'}.",
            )  # fmt: skip
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.button("Previous", key="walk_P", shortcut="P", on_click=set_value, args=(QUESTION.code, before))
            st.markdown(place, width="content")
            st.button("Next", key="walk_N", shortcut="N", on_click=set_value, args=(QUESTION.code, after))


def cell(text: str) -> str:
    """A measured value as text for a Markdown table. A value with special characters of Markdown is set as code."""
    text = text.replace("\n", " ")
    return f"`{text.replace('`', chr(39))}`" if re.search(r"[`*_{}\[\]$<>]", text) else text


#: The length below which a first sentence is the whole answer, and the index of the row that compares numbers, if it is not 0.
SHORT = 12
ROW = {"r63": 1, "r95": 1, "q23": 1, "q44": 2, "q36": 1, "q22": 2, "q13": 2, "r174": 2, "r175": 2}


def in_brief(question: Question) -> tuple[str, str, str]:
    """Three texts: the answer's first sentence if it is short, what was measured, and the measured numbers. A missing text is "".
    Without numbers to compare, a longer first sentence is the second text."""
    answer, first = question.answer, SENTENCE.split(question.answer.text)[0]
    said = first if len(first) < SHORT else ""
    if answer.rows:
        what, measured = answer.rows[ROW.get(question.id, 0)]
        if compares(measured):
            return said, what, measured
    return said, "" if said else first, ""


def compares(measured: str) -> bool:
    """Whether a measured value ends in several numbers to compare, such as "1,088; 2,176"."""
    measured = SENTENCE.split(measured)[-1]
    numbers = re.findall(r"(?<![\d,.−(-])\d[\d,]*\.?\d*(?=%?(?:[;,] |$))", measured)
    return len(numbers) > 1 and not re.search(r"[(\[a-z]", measured)


def show_brief(question: Question) -> None:
    """Shows an answer in one line of the list, with the three texts of `in_brief`."""
    said, about, measured = (as_html(lowered(one.replace("`", ""))) for one in in_brief(question))
    about = about[:1].upper() + about[1:] if about.split(" ")[0].isalpha() else about
    words = " ".join(filter(None, (said and f"<b>{said}</b>", about + ":" * bool(measured), measured and f"<b>{measured}</b>")))
    st.html(f'<div class="headcount-brief">{words}</div>')
