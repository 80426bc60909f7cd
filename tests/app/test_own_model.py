"""A small model that the server was started with: a visitor's words go through it, and every page shows the layer picked."""

import json
import re

import numpy as np
import pytest

from components.pages.own_layer import intake
from components.pages.own_layer import model as page
from mha.loading.model import open_model
from tests.app.driver import config, open_page, text, title, typed, whole
from tests.app.own_layer import go, held_layer, numbers, seen_numbers, weights_line
from tests.app.test_foresight import pictures
from tests.mha.loading.small_model import write


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The server's folder, whose content a test may still change."""
    page.model_or_fault.cache_clear()
    monkeypatch.setenv(page.FOLDER, str(tmp_path / "small"))
    yield write(tmp_path / "small")
    page.model_or_fault.cache_clear()


def said(at, words: str):
    return at.text_input(key=intake.WORDS).set_value(words).run()


def test_words_go_through_the_model_and_every_page_shows_its_layer(folder):
    model = open_model(folder)
    at = said(open_page("own_layer", layer=2), "The letters")
    assert title(whole(at)) == f"2 heads, 14 wide: your layer has {4 * 14 * 15} parameters."
    assert (config(at).query_len, config(at).mask) == (5, "none")
    layer = held_layer(at)
    np.testing.assert_array_equal(layer.x, model.entering((2, 5, 6, 9, 3), 1))
    assert "X: what enters it for your words." in weights_line(at)
    real = list(model.states((2, 5, 6, 9, 3)))[1][1]
    at = whole(go(at, "attention"))
    assert numbers(real.weights.values) <= seen_numbers(at)
    assert {"[CLS]", "letter", "##s"} <= set(re.findall(r'"([^"]*)"', json.dumps(pictures(at)[0][0])))


def test_another_layer_gets_what_the_model_makes_of_the_words_up_to_there(folder):
    at = said(open_page("own_layer"), "the letter was here")
    at = typed(at, "layer").set_value(3).run()
    np.testing.assert_array_equal(held_layer(at).x, open_model(folder).entering((2, 5, 6, 7, 8, 3), 2))
    at = said(at, "the letter")
    assert (held_layer(at).number, config(whole(at)).query_len) == (2, 4)


def test_a_sentence_that_is_too_long_leaves_what_was_there(folder):
    at = said(open_page("own_layer"), "the letter")
    line = weights_line(at)
    at = said(at, "the " * 30)
    assert "The sentence has 32 tokens; from 1 to 11 are read." in whole(at).warning[0].value
    assert weights_line(at) == line


def test_a_folder_that_is_none_is_said_at_the_start_and_on_the_page(folder, capsys):
    (folder / "config.json").write_text("{]")
    page.announce()
    assert capsys.readouterr().err == "HEADCOUNT_MODEL: not used. config.json is not JSON.\n"
    at = whole(open_page("own_layer"))
    assert "cannot be used. config.json is not JSON." in at.error[0].value
    assert str(folder) not in text(at)


def test_the_start_says_how_much_memory_is_taken(folder, capsys):
    page.announce()
    assert "small: bert, 3 layers of 2 heads, 14 wide; at most 1 MB in memory" in capsys.readouterr().err


def test_without_a_folder_nothing_is_there():
    page.model_or_fault.cache_clear()
    assert page.model_or_fault() is None
    assert [field.key for field in open_page("own_layer").text_input if field.key == intake.WORDS] == []
