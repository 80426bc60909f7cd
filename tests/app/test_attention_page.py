"""The attention page opens with words at its maps and says that random numbers mean nothing."""

import pytest

from tests.app.driver import open_page, stages, text, title, value, whole
from tests.app.own_layer import KERAS, drop, go

WORDS = ["the", "cat", "sat", "on", "the", "mat"]


def blocks(plan):
    return [block for row in plan["rows"] for panel in row for block in panel["blocks"]]


def named(at, side):
    """The words at one side of each map, then of each array of the steps."""
    return [[block[side] for block in blocks(plan) if block.get(side)] for plan in stages(at)]


def test_nothing_typed_and_six_positions_are_a_sentence_on_every_map_and_step():
    at = whole(open_page("attention"))
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
    at = whole(open_page("attention", **query))
    assert named(at, "row_labels")[0] == [rows.split()] * 4
    assert named(at, "col_labels")[0] == [columns.split()] * 4


def test_it_says_that_random_numbers_mean_nothing_and_leads_to_trained_ones():
    at = whole(open_page("attention"))
    assert "drawn from the seed" in text(at)
    assert "means nothing yet" in text(at)
    assert "trained_heads" in [link.proto.page for link in at.get("page_link")]
    assert "look" not in title(at)


def test_of_a_visitors_own_layer_it_says_no_such_thing():
    at = go(drop(whole(open_page("own_layer")), KERAS), "attention")
    assert "means nothing yet" not in text(whole(at))
