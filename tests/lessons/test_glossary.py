"""A word of the lesson says in one sentence what it is, and links to the step that shows it."""

import re

import pytest

from components.frame import SECTIONS
from components.pages.questions.entries import of_terms
from components.widgets.glossary import row
from lessons.glossary import GLOSSARY, ON_PAGE, plain, step_of
from lessons.walk import STEPS
from tests.app.driver import open_page

LESSON = [entry.page for entry in SECTIONS[""] if entry.page != "quiz"]


def test_every_page_of_the_lesson_has_one_row_of_at_most_eight_words():
    assert [*ON_PAGE] == LESSON
    for page in LESSON:
        assert 0 < len({*ON_PAGE[page]}) == len(ON_PAGE[page]) <= 8
    assert {word for words in ON_PAGE.values() for word in words} == {*GLOSSARY}


@pytest.mark.parametrize("word", GLOSSARY)
def test_a_word_is_one_short_sentence_and_its_step_shows_it(word: str):
    sentence = GLOSSARY[word]
    assert re.fullmatch(r"[A-Z][^.]*\.", sentence)
    assert len(sentence.split()) <= 20
    step = STEPS[step_of(word) - 1]
    assert {"mask": "softmax", "d_{model}": "X", "key size": "key_dim"}.get(word, plain(word)) in step.terms


@pytest.mark.parametrize("page", LESSON)
def test_the_page_shows_its_row_as_one_element_below_all_else(page: str):
    said = [one.proto.body for one in open_page(page).main.get("html") if "glossary" in one.proto.body]
    assert said == [row(page)]
    assert [f"step={step_of(word)}" in row(page) for word in ON_PAGE[page]] == [True] * len(ON_PAGE[page])


def test_other_pages_and_the_walk_have_none():
    assert row("quiz") == ""
    assert not [one for one in open_page("heads", present=1).main.get("html") if "glossary" in one.proto.body]


@pytest.mark.parametrize(("asked", "word"), [("what is a head", "head"), ("softmax", "softmax"), ("what is a bias", "bias")])
def test_the_search_says_the_same_sentence(asked: str, word: str):
    assert [item.answer for item in of_terms(asked)] == [GLOSSARY[word]]
