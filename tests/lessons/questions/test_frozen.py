"""The recorded answers are the runs' results. `make answers` records them."""

import json
import re

import pytest

from experiments.answers import FILE, card
from experiments.cards import CARDS
from experiments.records import Questions, see

BOOK = json.loads(FILE.read_text(encoding="utf-8"))
WRITTEN = {one["id"]: one for one in BOOK["cards"]}
BY_KERAS = {one.id for one in CARDS if one.keras}


def told(one: dict) -> str:
    """A card as text, without digits after a point and without rounding errors, which may differ by machine."""
    return re.sub(r"\d+(\.\d+)?e-?\d+|\d+\.\d+", "#", json.dumps(one, ensure_ascii=False, sort_keys=True))


def test_the_file_has_every_card_in_reading_order():
    assert list(WRITTEN) == [one.id for one in CARDS]
    assert BY_KERAS


@pytest.mark.slow
def test_a_card_of_numpy_is_written_down_as_it_is_run(of_numpy):
    for one in CARDS:
        if not one.keras:
            assert told(card(one, of_numpy)) == told(WRITTEN[one.id])


@pytest.mark.keras
def test_a_card_of_the_real_layer_is_written_down_as_it_is_run(of_numpy, of_keras):
    found = {**of_numpy, **of_keras}
    for one in CARDS:
        if one.keras:
            assert told(card(one, found)) == told(WRITTEN[one.id])


def test_a_text_says_numbers_by_name_and_a_place_in_it_is_refused():
    cards = Questions("Heads")
    cards.add("x1", "?", "", see(""), says="{w_k:each} of {count}", numbers={"w_k": "shapes[1][W_K]", "count": "1[count]"})
    cards.add("x2", "?", "", see(""), says="{shapes[1][W_K]}")
    found = {"shapes": [{}, {"W_K": (7, 11)}], "count": 3}, {"count": 13_000}
    assert cards[0].reply(*found).text == "7, 11 of 13,000"
    with pytest.raises(ValueError, match=r"\{shapes\[1\]\[W_K\]\} is no name: give it one in `numbers`"):
        cards[1].reply(*found)
