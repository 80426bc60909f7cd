"""The attention page opens with English at trained maps, and says whose numbers it shows and what they mean."""

import numpy as np
import pytest

from mha import Config, run
from mha.language import store
from mha.language.network import forward
from mha.language.sentences import FIRST, SENTENCES
from mha.language.text import read
from tests.app.driver import open_page, said, stages, text, title, value, whole, whole_address
from tests.app.own_layer import KERAS, drop, go, numbers, seen_numbers

WORDS = ["the", "cat", "sat", "on", "the", "mat"]
#: Pages that show a trained network's layer.
OF_WORDS = ("projections", "attention", "concatenation")
SEED = {"numbers": "seed"}


def blocks(plan):
    return [block for row in plan["rows"] for panel in row for block in panel["blocks"]]


def named(at, side):
    """The words at one side of each map, then of each array of the steps."""
    return [[block[side] for block in blocks(plan) if block.get(side)] for plan in stages(at)]


def written(at):
    """All words in the first picture."""
    return [item["text"] for row in stages(at)[0]["rows"] for panel in row for item in panel["texts"]]


def shown(array) -> set[int]:
    """The numbers that a picture of this array has: where the mask forbids to look, there is none."""
    return numbers(np.asarray(array)[np.asarray(array) != 0])


def test_the_first_visit_shows_a_sentence_at_trained_maps_with_what_each_head_looks_at():
    at = whole(open_page("attention"))
    tokens = list(read(FIRST).words)
    maps, steps = named(at, "row_labels")
    assert maps == [tokens] * 4
    assert tokens in steps
    assert named(at, "col_labels")[0] == [tokens] * 4
    assert title(at) == f"4 heads, 4 maps of {len(tokens)} × {len(tokens)}. Every row sums to 1."
    assert "learned from novels to guess the next word" in text(at)
    assert whole_address(at) == {}


@pytest.mark.parametrize(("query", "size", "number"), [
    ({}, (16, 4), 2), ({"network_layer": 1}, (16, 4), 1), ({"d_model": 64, "num_heads": 8}, (64, 8), 2),
    ({"mask": "causal", "query_len": 9, "key_len": 9, "seed": 5}, (16, 4), 2),
])  # fmt: skip
def test_the_numbers_are_those_of_the_network_on_these_words(query, size, number):
    sentence = "she gave her sister the letter"
    at = whole(open_page("attention", tokens=sentence, **query))
    weights = forward(store.load(*size), read(sentence).ids).traces[number - 1].weights.values[0]
    assert shown(weights) <= seen_numbers(at)


def test_the_link_of_the_issue_is_that_screen():
    at = whole(open_page("attention", numbers="trained", tokens="she gave her sister the letter"))
    assert named(at, "row_labels")[0] == [["start", "she", "gave", "her", "sister", "the", "letter"]] * 4


@pytest.mark.parametrize("page", OF_WORDS)
def test_every_page_of_the_layer_computes_with_the_same_words(page):
    at = whole(open_page(page, tokens="he was happy"))
    trace = forward(store.load(16, 4), read("he was happy").ids).traces[1]
    array = {"projections": "q", "attention": "weights", "concatenation": "output"}[page]
    assert shown(trace[array].values) <= seen_numbers(at)
    assert ["start", "he", "was", "happy"] in named(at, "row_labels")[0]


def test_a_typed_sentence_goes_along_to_the_next_page():
    at = whole(open_page("attention", tokens="he was happy", head=2))
    at.query_params.clear()  # as the browser does
    at = whole(at.switch_page("pages/concatenation.py").run())
    assert value(at, "tokens") == "he was happy"
    assert ["start", "he", "was", "happy"] in named(at, "row_labels")[0]


@pytest.mark.parametrize("number", range(len(SENTENCES)))
def test_each_example_is_a_sentence_that_the_network_knows_and_one_button(number):
    example = SENTENCES[number]
    assert all(read(example.text).known), example.text
    at = open_page("attention")
    assert f"sentence_{number + 1}" not in [button.key for button in at.button]
    at.session_state["examples"] = True  # opened
    at.run().button(key=f"sentence_{number + 1}").click().run()
    assert value(whole(at), "tokens") == example.text
    assert named(at, "row_labels")[0][0] == list(read(example.text).words)
    at.session_state["examples"] = True  # in a browser it is open still (AppTest under Streamlit 1.62)
    assert example.shows in text(at.run())


def test_a_word_that_the_network_does_not_know_is_marked_and_said():
    at = whole(open_page("attention", tokens="she gave zebra <b>her</b>"))
    assert named(at, "row_labels")[0][0] == ["start", "she", "gave", "zebra*", "<*", "b*", ">*", "her", "<*", "/*", "b*", ">*"]
    (sentence,) = [one for one in said(at) if "has no numbers for" in one]
    assert "`zebra`, `<`, `b`, `>`, `/`" in sentence


@pytest.mark.parametrize("words", ["very " * 40, "λόγος " * 33, "<script>alert(1)</script> " * 9])
def test_too_many_words_are_refused_with_their_number_and_others_are_shown(words):
    at = whole(open_page("attention", tokens=words))
    (warning,) = at.warning
    assert "**tokens** must be at most 31 words and punctuation marks here, got " in warning.value
    assert named(at, "row_labels")[0][0] == list(read(FIRST).words)
    assert "<script" not in text(at)


@pytest.mark.parametrize("words", ["Καλημέρα κόσμε", "你好世界", "\u202eabc\u0000", "🙂 $x^2$ **b** `c` [a](b)", "a\tb\nc"])
def test_odd_characters_and_scripts_are_unknown_words(words):
    at = whole(open_page("attention", tokens=words))
    assert len(at.warning) == 0
    assert all(word.isprintable() for words in named(at, "row_labels")[0] for word in words)


@pytest.mark.parametrize(("query", "reason"), [
    ({"d_model": 24, "num_heads": 3}, "the trained networks have d_model 16 or 64, not 24"),
    ({"d_model": 64, "num_heads": 32}, "at d_model 64 the trained networks have 1, 2, 4, 8, 16 heads, not 32"),
    ({"split": "free", "key_dim": 5}, "the trained networks have the paper’s split"),
    ({"use_bias": "false"}, "the trained networks have biases"),
    ({"key_len": 9}, "the trained networks read one sequence"),
])  # fmt: skip
@pytest.mark.parametrize("page", OF_WORDS)
def test_without_such_a_network_the_seed_draws_and_the_reason_and_the_way_are_said(page, query, reason):
    at = whole(open_page(page, **query))
    assert f"Drawn from the seed, as {reason}" in text(at)
    drawn = whole(open_page(page, **query, **SEED))
    assert seen_numbers(at) == seen_numbers(drawn)
    at.button(key="to_network").click().run()
    assert "Drawn from the seed" not in text(whole(at))
    assert at.session_state["settings"].config().follows_paper


def test_nothing_typed_and_six_drawn_positions_are_a_sentence_on_every_map_and_step():
    at = whole(open_page("attention", **SEED))
    assert value(at, "tokens") == ""
    maps, steps = named(at, "row_labels")
    assert maps == [WORDS] * 4
    assert steps == [WORDS] * 3
    assert named(at, "col_labels")[0] == [WORDS] * 4


@pytest.mark.parametrize(("query", "rows", "columns"), [
    ({"tokens": "we saw her duck and run"}, "we saw her duck and run", "we saw her duck and run"),
    ({"query_len": 5, "key_len": 7}, "1 2 3 4 5", "1 2 3 4 5 6 7"),
], ids=["typed", "other lengths"])  # fmt: skip
def test_words_typed_are_taken_and_other_lengths_are_counted(query, rows, columns):
    at = whole(open_page("attention", **query, **SEED))
    assert named(at, "row_labels")[0] == [rows.split()] * 4
    assert named(at, "col_labels")[0] == [columns.split()] * 4


@pytest.mark.parametrize("page", OF_WORDS)
def test_it_says_that_drawn_numbers_mean_nothing(page):
    at = whole(open_page(page, **SEED))
    assert "drawn from the seed: **the pattern means nothing.**" in text(at)
    assert value(at, "numbers") == "seed"


def test_drawn_numbers_are_the_same_as_before_there_were_others():
    at = whole(open_page("attention", **SEED))
    assert shown(run(Config()).weights.values) <= seen_numbers(at)


def test_no_head_has_a_name_where_numbers_are_drawn():
    assert not any("unnamed" in one for one in written(whole(open_page("attention", **SEED))))


def test_of_a_visitors_own_layer_it_says_no_such_thing():
    at = go(drop(whole(open_page("own_layer")), KERAS), "attention")
    assert "means nothing" not in text(whole(at))
    assert "learned from novels" not in text(at)
