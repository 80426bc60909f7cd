"""The lesson's sheet says in known words what it asks, and every number is that of the settings."""

import re

import pytest

from components.export import browser, lesson
from components.export.command import main
from components.export.request import request_of
from lessons import sheet
from lessons.walk import STEPS
from tests.lessons.test_walk import known_at, plain, words_of


def said(**settings: object) -> str:
    return re.sub(r"<style>.*?</style>|<[^>]*>", " ", lesson.page(request_of(settings)), flags=re.DOTALL)


def test_the_answers_are_those_of_the_settings():
    """By hand: 4 · 16 · 16 + 4 · 16; 8 heads of 4 in Keras: 4 · 16 · 32 + 3 · 32 + 16."""
    assert "With 4 heads there are 1,088 parameters. With 8 heads: how many?" in said()
    assert "1,088. The same tables, cut another way: 4 × 256 + 64." in said()
    assert "2,160. Every head brings its own pieces: 4 × 512 + 112." in said()
    larger = said(d_model=64, num_heads=8)
    assert "16,640. The same tables" in larger
    assert "Each row of X has 64 numbers. With 8 heads" in larger


@pytest.mark.parametrize("settings", [
    {"split": "free", "d_model": 6, "num_heads": 4, "key_dim": 3}, {"d_model": 1, "num_heads": 1}, {"d_model": 7, "num_heads": 7},
    {"d_model": 4096, "num_heads": 64}, {"split": "free", "num_heads": 256},
])  # fmt: skip
def test_there_is_a_sheet_of_any_layer(settings):
    assert said(**settings).count("how many") == 3
    assert lesson.page(request_of(settings)).count("<section>") == 2


def test_no_word_of_the_sheet_is_unexplained():
    terms, known = {term for step in STEPS for term in step.terms}, known_at(len(STEPS)) | {"answers", "goals", "pieces"}
    texts = [sheet.TITLE, *sheet.GOALS, *(re.sub(r"\{\w+\}", " ", part) for pair in sheet.GUESSES for part in pair)]
    assert {word for text in texts for word in words_of(text) if plain(word, terms) not in known} == set()


def test_the_command_writes_it(tmp_path):
    out = tmp_path / "sheet.html"
    assert main(["--lesson", "html", "--num-heads", "8", "--out", str(out)]) == 0
    assert out.read_bytes() == lesson.file(request_of({"num_heads": 8}), "html")


@pytest.mark.skipif(browser.missing() is not None, reason="no browser")
def test_it_is_printed_on_two_pages():
    for settings in ({}, {"d_model": 4096, "num_heads": 64}, {"split": "free", "num_heads": 12, "value_dim": 3}):
        printed = lesson.file(request_of(settings), "pdf")
        assert len(re.findall(rb"/Type ?/Page\b", printed)) == 2
