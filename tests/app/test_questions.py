"""The page of questions: a list with short answers, cards, topics, a search, links."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from components.page import address
from components.pages.questions.card import PAGE_TITLES, ROW, cell, compares, in_brief
from components.symbols import set_symbols
from lessons.question import TOPICS, See
from lessons.questions import BY_ID, NOT_ANSWERED, QUESTIONS, STARTERS
from tests.app.driver import open_page, outside_code, pictures, said, seen, text, title, value, whole


def briefs(at):
    """The short answers at the ends of the list's lines."""
    return [one.proto.body for one in at.get("html") if '<div class="headcount-brief">' in one.proto.body]


def listed(at):
    return [button.key for button in at.button if button.key.startswith("to_")]


def test_each_line_ends_in_its_answer():
    """An answer is the numbers that compare, or a word and the numbers."""
    at = whole(open_page("questions"))
    lines = dict(zip(STARTERS, briefs(at), strict=True))
    assert (
        "<b>No.</b> Parameters at d<sub>model</sub> 512, with 1, 8 and 64 heads: <b>1,050,624; 1,050,624; 1,050,624</b><"
        in lines["q01"]
    )
    assert (
        "Right answers to the hardest of four questions, with 1, 2, 4, 8, 16 heads: <b>34%, 100%, 100%, 100%, 89%</b>"
        in lines["r63"]
    )


def test_every_answer_in_a_few_words_is_one_of_its_card_and_a_shape_compares_with_nothing():
    for one in QUESTIONS:
        said, about, measured = in_brief(one)
        assert (about, measured) in one.answer.rows or one.answer.text.startswith(said or about), one.id
        assert one.answer.text.startswith(said), one.id
        assert said or about
    assert {one for one in ROW if one not in BY_ID} == set()
    assert not any(map(compares, ("(5, 4, 196, 196)", "[0.2, 0.8]", "7,750", "15 of 21")))
    assert all(map(compares, ("1,200; 4,800", "34%, 100%", "Yes. 3, 5, 7")))


def keys_of(questions):
    return [f"to_{one.id}" for one in questions]


def test_ten_to_begin_with_then_more_and_all_by_topic():
    at = whole(open_page("questions"))
    assert title(at) == f"{len(QUESTIONS)} questions, answered with numbers from code that was run."
    assert len(STARTERS) == 10
    assert listed(at) == [f"to_{name}" for name in STARTERS]
    at.button(key="show_more").click().run()
    assert listed(whole(at))[:10] == [f"to_{name}" for name in STARTERS]
    assert len({*listed(at)}) == 20
    every = whole(open_page("questions", shown=1000))
    assert {*listed(every)} == {*keys_of(QUESTIONS)}
    assert "show_more" not in [button.key for button in every.button]
    of_topics = [listed(whole(open_page("questions", topic=topic, shown=1000))) for topic in TOPICS]
    assert [key for keys in of_topics for key in keys] == keys_of(QUESTIONS)
    assert all(of_topics)


def test_a_link_to_a_question_beyond_those_in_view_opens_its_card_above_them():
    at = whole(open_page("questions", question="r42"))
    assert [element.value for element in at.header] == [set_symbols(BY_ID["r42"].asks)]
    assert len(listed(at)) == 10


def test_an_address_of_a_question_that_is_answered_with_another_opens_that_card_with_both_threads():
    at = whole(open_page("questions", question="r69"))
    assert [element.value for element in at.header] == [set_symbols(BY_ID["r42"].asks)]
    assert len(BY_ID["r42"].addresses) == 2
    assert all(address in text(at) for address in BY_ID["r42"].addresses)
    assert not at.warning


def test_an_address_of_a_card_that_went_opens_the_one_that_answers_now_or_says_that_it_is_gone():
    at = whole(open_page("questions", question="r09"))
    assert [element.value for element in at.header] == [set_symbols(BY_ID["r76"].asks)]
    assert not at.warning
    at = whole(open_page("questions", question=NOT_ANSWERED[0]))
    assert len(at.header) == 0
    assert f"**question={NOT_ANSWERED[0]}** is gone. No other card has taken its place." in at.warning[0].value
    assert "question" not in at.query_params


@pytest.mark.parametrize(("search", "wanted"), [
    ("327155712", "r48"), ("327,155,712 cheaper", "r48"), ("VALUE_DIM scores", "q13"), ("7,750", "q08"), ("masks nan", "q22"),
])  # fmt: skip
def test_cards_are_found_by_words_and_numbers_however_these_are_written(search, wanted):
    assert listed(whole(open_page("questions", find=search)))[0] == f"to_{wanted}"


def test_a_search_that_finds_nothing_says_so_and_can_be_cleared():
    at = whole(open_page("questions", find="<xyzzy> [xyzzy](qqqq)"))
    assert listed(at) == []
    assert title(at) == "Nothing was found."
    assert "was found for `<xyzzy> [xyzzy](qqqq)`." in text(at)
    assert "Try fewer words" in text(at)
    assert "[xyzzy](qqqq)" not in outside_code(text(at))
    at.button(key="clear_search").click().run()
    assert value(whole(at), "find") == ""
    assert listed(at)


def test_next_and_previous_walk_in_reading_order_and_round_the_end():
    cards = [one for one in QUESTIONS if one.topic == "heads"]
    at = whole(open_page("questions", topic="heads", question=cards[0].id))
    for key, wanted in (("walk_N", cards[1]), ("walk_P", cards[0]), ("walk_P", cards[-1]), ("walk_N", cards[0])):
        at.button(key=key).click().run()
        assert value(whole(at), "question") == wanted.id


def test_a_card_opens_in_its_place_in_the_list():
    at = whole(open_page("questions"))
    third = BY_ID[STARTERS[2]]
    at.button(key=f"to_{third.id}").click().run()
    assert set_symbols(third.asks) in [element.value for element in whole(at).header]
    assert value(at, "question") == third.id
    assert "3 of" in text(at)
    assert listed(at) == [f"to_{name}" for name in STARTERS if name != third.id]


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_every_question_has_its_page_with_a_link(question):
    at = whole(open_page("questions", question=question.id))
    assert set_symbols(question.asks) in [element.value for element in at.header]
    assert address(question.see.page, question.see.query) in [link.proto.url for link in at.get("link_button")]
    answer = question.answer
    assert set_symbols(answer.text) in said(at)
    assert all(set_symbols(what) in text(at) and cell(value) in text(at) for what, value in answer.rows)
    assert f"Measured with {question.by}." in text(at)


def test_a_card_whose_page_was_deleted_has_no_link(monkeypatch):
    one = next(question for question in QUESTIONS if question.see.page == "models")
    monkeypatch.delitem(PAGE_TITLES, "models")
    at = whole(open_page("questions", question=one.id))
    assert (len(at.exception), len(at.get("link_button"))) == (0, 0)


#: Answers lead to their own numbers: what an answer names stands on the page that its "see it" link opens. Those
#: that NumPy gives; what the real Keras gives is on its page only where Keras is installed.
#: What stands for itself: a shape, "4 of 8", a count with thousands, a number with decimals. Small numbers are on every page.
TELLING = re.compile(r"\([\d,]+(?: [\d,]+)+\)|\b\d+ of \d+\b|\b\d{1,3}(?:,\d{3})+\b|\b\d+\.\d+\b")
#: Questions whose link shows what is meant, while no page writes a number that their runs give.
ONLY_MEASURED = {
    "c102": "ranks, and what moves", "q25": "the mean over heads", "q36": "a view by tokens",
    "q48": "differences between Q, K and V", "r52": "True for False",
    "r63": "other trained layers than the one shown", "r64": "percentages",
    "r62": "attention under wrong masks", "r95": "percentages", "r76": "layers with two matrices alike",
}  # fmt: skip


def telling(words: str) -> list[str]:
    """The shapes in a text, also with the × that pages write between two sizes."""
    found = list(dict.fromkeys(TELLING.findall(words)))
    return found + [shape.strip("()").replace(", ", " × ") for shape in found if shape.startswith("(") and shape.count(", ") == 1]


def on_page(see: See) -> str:
    """All texts where the link leads, also in pictures and their cells, without the marks of bold type."""
    assert parse_qs(urlsplit(address(see.page, see.query)).query) == {key: [str(value)] for key, value in see.query.items()}
    at = seen(see.page, **see.query)
    assert [complaint.value for complaint in [*at.warning, *at.error]] == []
    parts = [text(at)]
    for element in at.get("bidi_component"):
        parts.append(element.proto.bytes.decode("utf-8", errors="ignore"))
    for _, cells in pictures(at):
        parts += [f" {value:z.{places}f}" for places in (2, 3) for value in np.unique(np.abs(cells[np.isfinite(cells)]))]
    return "\n".join(parts).replace("*", "")


def stands(number: str, page: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)", page) is not None


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.id)
def test_a_number_of_the_answer_stands_on_the_page_that_its_link_opens_without_a_complaint(question):
    page = on_page(question.see)
    if "Keras" in question.by:
        return
    named = telling(" ".join([question.answer.text, *(value for _, value in question.answer.rows)]))
    found = [number for number in named if stands(number, page)]
    assert bool(found) == (question.id not in ONLY_MEASURED), (named, found)
