"""The page Questions: a search field with its results. Without a query, the page lists all questions."""

import re
from collections.abc import Sequence
from urllib.parse import quote

import streamlit as st

from components.address import quoted
from components.app.controls import control, hidden
from components.app.stale_widget_values import set_value
from components.page import Item
from components.pages.questions import ALL, FIND, QUESTION, SHOWN, TEN, TOPIC
from components.pages.questions.card import SENTENCE, draw_card, show_brief
from components.pages.questions.entries import found
from components.pages.questions.pasted import findings_of, paste_field, read_as, show_findings
from components.symbols import set_symbols
from headcount.names import counted
from lessons.question import Question
from lessons.questions import BY_ID, QUESTIONS, STARTERS

MAX_FOUND = 50
PLACEHOLDER = "How many heads should I choose? Or paste code, an error, shapes"
#: Brackets, which would end the text of a Markdown link, and their escaped form.
BRACKETS, ESCAPED = re.compile(r"([\[\]])"), r"\\\1"
EXAMPLES = ("how many heads should I choose", "why divide by √d_k", "is key_dim the total, or for each head")


def listed(topic: str) -> list[Question]:
    """The questions of a topic. If `topic` is ALL, the questions for beginners come first."""
    first = [BY_ID[name] for name in STARTERS] if topic == ALL else []
    return [*first, *(one for one in QUESTIONS if one not in first and (topic == ALL or one.topic == topic))]


def headline(query: str, hits: Sequence[Item]) -> str:
    if not query:
        return f"{len(QUESTIONS)} questions, answered with numbers from code that was run."
    return f"{counted(len(hits), 'place')} to look, the best first." if hits else "Nothing was found."


def show() -> None:
    title = st.empty()
    st.space("xxsmall")
    with st.container(horizontal=True, key="find_row"):
        typed = control(FIND, label_visibility="collapsed", placeholder=PLACEHOLDER).strip()
        pasted = paste_field()
    text = typed or pasted
    findings = findings_of(text)
    query = typed or ("" if findings else text[: FIND.most])
    hits = found(query, MAX_FOUND)
    title.title(set_symbols(read_as(findings)) if findings else headline(query, hits))
    if query != typed:
        st.markdown("This text has no call, error message, configuration or shape that the app knows. The search finds this.")
    show_findings(findings)
    with st.sidebar, hidden("topics", unless=not text):
        topic = st.radio(
            TOPIC.label, TOPIC.choices, key=TOPIC.code, bind="query-params",
            format_func=TOPIC.format, captions=[f"{len(listed(one))}" for one in TOPIC.choices],
        )  # fmt: skip
    with hidden("focus"):
        asked, most = control(QUESTION), control(SHOWN)
    focus = BY_ID.get(asked)
    places: list[Question | Item] = list(listed(topic))
    if text:
        places = [BY_ID.get(hit.address.partition("question=")[2], hit) for hit in hits]
    else:
        tries = " · ".join(f"[{set_symbols(example)}](./questions?find={quote(example, safe='')})" for example in EXAMPLES)
        st.markdown(f"Try: {tries}. The key `/` leads here from any page.")
    if query and not places:
        st.markdown(
            f"No page, question, setting, step or model was found for {quoted(query)}. Try fewer words, a name as Keras spells "
            "it, or a number or a shape as a program prints it."
        )
        st.button("Clear the search", key="clear_search", on_click=set_value, args=(FIND.code, ""))
    show_list(places, focus, most, hits[0] if hits else None)
    if most < len(places):
        st.button("More", key="show_more", icon=":material/expand_more:", on_click=set_value, args=(SHOWN.code, most + TEN))


def show_list(places: list[Question | Item], focus: Question | None, most: int, best: Item | None) -> None:
    """Shows the first `most` results, each in a line with a short answer. The open question, `focus`, is shown as a card. The
    card is at the top if the question is not among these results. `best`: the result whose line gets a longer answer."""
    seen, cards = places[:most], [one for one in places if isinstance(one, Question)]
    if focus is not None and focus not in seen:
        seen = [focus, *seen]
    with st.container(key="questions_list"):
        for one in seen:
            if isinstance(one, Item):
                st.markdown(line(one))
            elif one == focus:
                here = cards.index(one) if one in cards else -1
                place = f"{here + 1} of {len(cards)}" if one in cards else "Not among those listed"
                around = cards or [one]
                draw_card(one, around[here - 1 if one in cards else -1].id, around[(here + 1) % len(around)].id, place)
            else:
                asks, answers = st.columns([5, 4], gap="medium", vertical_alignment="center")
                asks.button(
                    set_symbols(one.asks), key=f"to_{one.id}", type="tertiary", width="stretch",
                    on_click=set_value, args=(QUESTION.code, one.id),
                )  # fmt: skip
                with answers:
                    show_brief(one)
                if best is not None and best.answer and best.address.endswith(f"question={one.id}"):
                    st.caption(set_symbols(in_short(best.answer)))


def in_short(answer: str) -> str:
    """An answer's sentences up to the first one with a number. If no sentence has a number, the first sentence."""
    sentences = SENTENCE.split(answer)
    until = next((place for place, sentence in enumerate(sentences, 1) if re.search(r"\d", sentence)), 1)
    return " ".join(sentences[:until])


def line(item: Item) -> str:
    answer = f"  \n{set_symbols(in_short(item.answer))}" if item.answer else ""
    return f":material/arrow_outward: **{item.kind}** · [{set_symbols(BRACKETS.sub(ESCAPED, item.name))}]({item.address}){answer}"
