"""A visitor's word stays a word wherever it is shown: in cards, titles, captions, maps, pictures, and on the page for a wrong
address."""

import json
import re
import xml.etree.ElementTree as ET

import pytest

from components.app.server import no_page
from components.widgets.explanation import added_up
from headcount import Config, run
from headcount.explain import Cell, explain
from headcount.export.figures import EVERY
from headcount.export.request import Unavailable, request_of
from headcount.plots import layer
from headcount.stage import diagram, svg
from headcount.stage.diagram import Diagram
from headcount.stage.layout import place
from headcount.stage.plotly_json import as_json
from headcount.stage.scene import Scene
from headcount.stage.svg import Ink
from headcount.stage.theme import LIGHT
from tests.app.driver import ALL_PAGES, figures, open_page, whole
from tests.app.test_bad_address import MARK, only_text

#: Markup of HTML, Markdown, TeX and Plotly, one word each: the first six positions have one.
WORDS = (f"<b>{MARK}</b>", f"<img/{MARK}=x>", f"**{MARK}**", f"`{MARK}`", f"$\\href{{x}}{{{MARK}}}$", f"&lt;i&gt;{MARK}")
TOKENS = " ".join(WORDS)
#: A tag of theirs, as markup.
TAG = re.compile(rf"<[^<>]*{MARK}|<(b|i)>{MARK}")


def as_text(word: str) -> str:
    return word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize(("cell", "row"), [("weights.2.1.3", 0), ("weights.1.2.1", 1), ("weights.2.6.6", 5)])
def test_the_heading_of_a_query_s_row_says_its_word_as_it_was_typed(cell: str, row: int):
    at = whole(open_page("attention", tokens=TOKENS, numbers="seed", query_len=6, key_len=6, cell=cell))
    only_text(at)
    assert any(f"Where does “{as_text(WORDS[row])}” look in head" in one.proto.body for one in at.get("html"))
    for figure in figures(at).values():
        assert not TAG.search(json.dumps(figure, ensure_ascii=False))


def test_the_card_of_a_sum_says_the_word_of_its_row_as_it_was_typed():
    trace = run(Config(12, 3, query_len=6))
    for row, word in enumerate(WORDS):
        for cell in (Cell("q", row, 2, 1), Cell("output", row, 5), Cell("context", row, 1, 2)):
            said = added_up(explain(trace, cell), WORDS)
            assert f"“{as_text(word)}”, column {cell.col + 1} of " in said
            assert not TAG.search(said)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_no_title_caption_or_warning_of_any_page_has_markup_of_a_visitors(page: str):
    hostile = dict.fromkeys(("num_heads", "seed", "mask", "cell", "find", "figure"), f"` **{MARK}** <b>{MARK}</b>")
    only_text(whole(open_page(page, tokens=TOKENS, **hostile)))


@pytest.mark.parametrize("path", [f"/<script>{MARK}</script>", f"/a/b/<img src=x onerror={MARK}>", f'/"{MARK}&lt;b&gt;'])
def test_the_page_of_an_address_that_there_is_not_names_it_as_text(path: str):
    said = no_page(path)
    assert not TAG.search(said)
    assert "<script>" not in said
    heading = re.search(r"<h1>(.*?)</h1>", said)[1]
    assert ET.fromstring(f"<p>{heading}</p>").text == f"There is no page at {path}"


def test_maps_have_words_as_they_were_typed_in_ticks_titles_and_hover():
    trace = run(Config(12, 3, query_len=6))
    for figure, _ in (layer.maps(trace, WORDS, asking=0), layer.projections(trace, WORDS), layer.results(trace, WORDS),
                      layer.shares(trace, WORDS)):  # fmt: skip
        sent = as_json(figure, packed=False)
        assert not TAG.search(sent)
        assert f"&lt;b&gt;{MARK}&lt;/b&gt;" in sent


def test_pictures_in_files_have_them_as_text():
    found = 0
    for figure in EVERY.values():
        try:
            drawn = figure.draw(request_of({"tokens": TOKENS, "numbers": "seed", "query_len": 6, "key_len": 6}))
        except Unavailable:
            continue
        if isinstance(drawn.drawing, Scene):
            said = svg.draw(drawn.drawing, place(drawn.drawing, 1600), Ink(LIGHT))
        elif isinstance(drawn.drawing, Diagram):
            said = diagram.draw(drawn.drawing, Ink(LIGHT))
        else:
            said = as_json(drawn.drawing, packed=False)
        assert not TAG.search(said), figure.name
        found += MARK in said
    assert found >= 5
