"""A small model that the server was started with: a visitor's words go through it, and every page shows the layer picked."""

import json
import re
import sys

import numpy as np
import pytest

from components.pages.own_layer import intake
from components.pages.own_layer import model as page
from mha.bounded_process import OnDemand
from mha.files import model as loading
from tests.app.driver import config, open_page, pictures, text, title, typed, whole
from tests.app.own_layer import go, held_layer, numbers, seen_numbers, weights_line
from tests.mha.files.fake_model import entering


@pytest.fixture(params=[()])
def folder(request, tmp_path, monkeypatch):
    """The server's folder, and a process that answers as transformers would."""
    worker = OnDemand((sys.executable, "-m", "tests.mha.files.fake_model", *request.param), seconds=60, idle=60)
    monkeypatch.setattr(loading, "_worker", lambda _: worker)
    monkeypatch.setattr(loading, "interpreter", lambda: sys.executable)
    monkeypatch.setenv(page.FOLDER, str(tmp_path / "small"))
    page.model_or_fault.cache_clear()
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "config.json").write_text("{}")
    yield tmp_path / "small"
    page.model_or_fault.cache_clear()
    worker.close()


def said(at, words: str):
    return at.text_input(key=intake.WORDS).set_value(words).run()


def test_words_go_through_the_model_and_every_page_shows_its_layer(folder):
    at = said(open_page("own_layer", layer=2), "she thanks the letters")
    assert title(whole(at)) == f"2 heads, 14 wide: your layer has {4 * 14 * 15} parameters."
    assert (config(at).query_len, config(at).mask) == (4, "none")
    layer = held_layer(at)
    np.testing.assert_array_equal(layer.x, entering("she thanks the letters", 1))
    assert "X: what enters it for your words." in weights_line(at)
    assert "gives the same maps and output for these words: they differ by 0e+00 at most" in text(at)
    at = whole(go(at, "attention"))
    assert numbers(layer.reading.real["weights"]) <= seen_numbers(at)
    assert {"she", "thanks", "letters"} <= set(re.findall(r'"([^"]*)"', json.dumps(pictures(at)[0][0])))


def test_another_layer_gets_what_the_model_makes_of_the_words_up_to_there(folder):
    at = said(open_page("own_layer"), "the letter was here")
    at = typed(at, "layer").set_value(2).run()
    np.testing.assert_array_equal(held_layer(at).x, entering("the letter was here", 1))
    at = said(at, "the letter")
    assert (held_layer(at).number, config(whole(at)).query_len) == (1, 2)


@pytest.mark.parametrize("folder", [("off",)], indirect=True)
def test_a_layer_that_computes_something_else_than_the_real_one_is_said_to(folder):
    at = whole(said(open_page("own_layer"), "the letter"))
    assert "computes something else here: its numbers differ by up to" in at.warning[0].value


@pytest.mark.parametrize(("words", "why"), [("long", "99 tokens; from 1 to `64` are read."), ("die", "its process ended")])
def test_a_sentence_that_cannot_be_read_leaves_what_was_there(folder, words: str, why: str):
    at = said(open_page("own_layer"), "the letter")
    line = weights_line(at)
    at = said(at, words)
    assert why in whole(at).warning[0].value
    assert weights_line(at) == line


def test_a_folder_that_is_none_and_transformers_that_is_not_there_are_said_on_the_page(folder, monkeypatch):
    monkeypatch.setattr(loading, "interpreter", lambda: None)
    assert "`make models` does it" in whole(open_page("own_layer")).error[0].value
    page.model_or_fault.cache_clear()
    (folder / "config.json").unlink()
    at = whole(open_page("own_layer"))
    assert "cannot be used. There is no folder `small` with a config.json." in at.error[0].value
    assert str(folder) not in text(at)


def test_without_a_folder_nothing_is_there():
    page.model_or_fault.cache_clear()
    assert page.model_or_fault() is None
    assert [field.key for field in open_page("own_layer").text_input if field.key == intake.WORDS] == []
