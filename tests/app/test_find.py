"""What is looked for is found among everything that the app has, from its own tables."""

import json
import re
from dataclasses import astuple

import pytest

from components.address import known
from components.menu import ENTRIES
from components.pages.questions import results
from components.pages.questions.entries import FILE, every, found, index
from components.pages.questions.page import EXAMPLES
from components.pages.questions.ranking import Index, Item, sought, words_of
from lessons.claims import CLAIMS, QUESTIONS
from mha.models.table import entries
from tests.app.driver import ALL_PAGES, open_page, text, title, whole
from tests.conftest import LONG


def first(query: str) -> Item:
    return found(query, 1)[0]


@pytest.mark.parametrize(("query", "kind", "address"), [
    ("1,050,624", "layer", "./?d_model=512&num_heads=8"), ("1050624", "layer", "./?d_model=512&num_heads=8"),
    ("1 050 624", "layer", "./?d_model=512&num_heads=8"),
    ("1,048,576", "layer", "./?d_model=512&num_heads=8&use_bias=false"),
    ("7,296", "page", "./models"), ("FLOPs", "page", "./models"),
    ("None, 6, 8", "layer", "./keras_layer?part=shapes&input_shape=6%2C8"),
    ("(None, 6, 8)", "layer", "./keras_layer?part=shapes&input_shape=6%2C8"),
    ("109,514,298", "claim", "./questions?question=c85"),
    ("Llama-3-8B", "model", "./models?model=Llama-3-8B"),
    ("typed by you", "setting", "./attention?numbers=typed"),
    ("why divide by √d_k", "step", "./attention?cell=scaled.1.1.1"),
    ("My mask: every key is masked and the output is NaN?", "question", "./questions?question=q22"),
])  # fmt: skip
def test_a_question_finds_its_answer(query: str, kind: str, address: str):
    assert (first(query).kind, first(query).address) == (kind, address)


OF_LIBRARIES = ("key_dim", "is_causal", "embed_dim", "use_causal_mask", "in_proj_weight", "num_key_value_heads")


@pytest.mark.parametrize("query", [*OF_LIBRARIES, *EXAMPLES])
def test_names_of_keras_and_of_others_lead_somewhere(query: str):
    assert found(query, 5)


def test_the_numbers_of_an_answer_are_found_before_anybody_has_opened_it():
    """The question on d_model 2560 with 30 heads: 2560 // 30 = 85."""
    assert first("2560 30 85").address == "./questions?question=q12"


def told(item: Item) -> tuple[str, ...]:
    """Digits after a point, and what rounding comes to, may differ by the machine."""
    return tuple(re.sub(r"\d+(\.\d+)?e-?\d+|\d+\.\d+", "#", field) for field in astuple(item))


WRITTEN = [Item(*fields) for fields in json.loads(FILE.read_text(encoding="utf-8"))]
OF_KERAS = {f"./questions?question={one.id}" for one in QUESTIONS if one.keras}


def test_what_is_written_down_is_what_the_tables_and_the_answers_say():
    """`make index` writes it."""
    found = every()
    assert [(one.kind, one.name, one.address) for one in found] == [(one.kind, one.name, one.address) for one in WRITTEN]
    pairs = [(one, other) for one, other in zip(found, WRITTEN, strict=True) if one.address not in OF_KERAS]
    assert [told(one) for one, _ in pairs] == [told(other) for _, other in pairs]


@pytest.mark.keras
def test_and_what_the_real_layer_says(client, monkeypatch):
    monkeypatch.setattr(results, "keras_client", lambda: client)
    found = {item.address: told(item) for item in every(wait=LONG) if item.address in OF_KERAS}
    assert found == {item.address: told(item) for item in WRITTEN if item.address in OF_KERAS}
    assert len(found) > 10
    assert all(item.answer for item in WRITTEN if item.kind in ("question", "claim"))


def test_every_page_question_claim_setting_and_model_is_an_entry():
    every = index().items
    kinds = [item.kind for item in every]
    assert kinds.count("page") == len(ENTRIES)
    assert kinds.count("question") == len(QUESTIONS) - len(CLAIMS)
    assert kinds.count("claim") == len(CLAIMS)
    assert kinds.count("model") == len(entries())
    settings = [item for item in every if item.kind == "setting"]
    assert all(any(code in item.name.replace(",", " ").split() for item in settings) for code in known())
    assert len({(item.kind, item.name) for item in every}) == len(every), "nothing is there twice"


@pytest.mark.parametrize("page", sorted({item.address.split("?")[0].removeprefix("./") for item in index().items}))
def test_every_entry_leads_to_a_page_of_the_app(page: str):
    assert page in {"", *ALL_PAGES}


def test_every_setting_in_an_address_is_one_that_is_known_and_allowed():
    for item in index().items:
        for pair in item.address.partition("?")[2].split("&"):
            key, _, value = pair.partition("=")
            assert not key or key in known(), item
            if key and "%" not in value:
                known()[key].parse(value)


def test_words_and_numbers_are_told_apart_as_one_reads_them():
    assert words_of("(None, 6, 8)") == ["none", "6", "8"]
    assert words_of("W_Q: 1,050,624 at 0.5") == ["w_q", "1050624", "at", "0.5"]
    assert sought("16 512") == ["16", "512"]
    assert sought("1.050.624") == ["1050624"]
    assert sought("What is the mask?") == ["mask"]
    assert sought("what is it") == ["what", "is", "it"], "without any other word these are what is looked for"


@pytest.mark.parametrize(("names", "query", "wanted"), [
    (["1050624"], "50624", []),  # half a number is not that number
    (["pruning", "concatenation"], "prune", ["1"]),  # another form of a word is the same word
    (["masks", "heads"], "xyzzy masks please", ["1"]),  # an unknown word never throws the known ones out
    (["softmax", "projection"], "the projecton", ["2"]),  # a misspelt word is taken for the nearest
    # A rare word counts more than a frequent one, and a name more than a text.
    (["heads and masks", "heads: masks", *["heads"] * 7], "heads masks", ["1", "2"]),
])  # fmt: skip
def test_words_are_found_as_they_are_meant(names, query, wanted):
    items = [Item("page", name.partition(": ")[0], str(place), name.partition(": ")[2]) for place, name in enumerate(names, 1)]
    assert [item.address for item in Index(items).ranked(query, 5)][:2] == wanted


EXPRESSIONS = ('"', "a OR", "NEAR(", "key*", "name:heads", "-heads", "^", "(((", "'; DROP TABLE entry; --", "%", "\0")


@pytest.mark.parametrize("query", EXPRESSIONS)
def test_nothing_that_is_typed_is_read_as_an_expression(query):
    index().ranked(query, 3)
    assert index().ranked("heads", 3)


def test_the_page_shows_what_is_found_as_links():
    at = whole(open_page("questions", find="1,050,624"))
    assert "[1,050,624 parameters" in text(at)
    assert "](./?d_model=512&num_heads=8)" in text(at)
    assert title(at).endswith(" places to look, the best first.")


def test_the_first_hit_says_its_answer():
    at = whole(open_page("questions", find="2560 30"))
    assert next(button.key for button in at.button if button.key.startswith("to_")) == "to_q12"
    assert "3,840" in at.caption[0].value


@pytest.mark.parametrize(("query", "step", "word"), [
    ("what is a head", "One head is one way of looking.", "that is a head"), ("Softmax?", "Score, softmax, mix.", "shares"),
    ("what are heads", "One head is one way of looking.", "that is a head"), ("W_O", "So take several. Guess first!", "W_O"),
])  # fmt: skip
def test_a_word_of_the_lesson_leads_first_to_the_step_that_explains_it(query, step, word):
    first = found(query, 3)[0]
    assert (first.kind, first.name) == ("step", step)
    assert word in first.answer
    assert len([hit for hit in found(query, 50) if hit.address == first.address]) == 1


def test_without_a_word_there_are_examples_that_all_lead_somewhere():
    at = whole(open_page("questions"))
    for example in EXAMPLES:
        assert first(example)
    assert "(./questions?find=1%2C050%2C624)" in text(at)
