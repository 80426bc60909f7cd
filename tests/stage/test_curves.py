"""A sentence with curves: their ends, their thickness, and the texts below the words."""

from itertools import combinations

import pytest

from headcount import Config
from headcount.reading import Reading
from headcount.stage.layout import along
from headcount.stage.pictures import curves
from headcount.stage.pictures.curves import Glance
from headcount.stage.scene import Length, Text
from headcount.stage.text import width_of
from headcount.trained.sentence import DEFAULT

WORDS = ("Ana", "calls", "Dan", "in", "Rome", "today")
LOOKS = (Glance(0, 1, 0, 0.99), Glance(6, 1, 2, 0.501), Glance(2, 1, 4, 0.5), Glance(3, 1, 5, 0.25), Glance(4, 1, 1, 0.11))


def ends(drawn: curves.Drawn) -> dict[str, tuple[float, float]]:
    """The x at which each head's curve begins and ends, by the head's number."""
    return {one.label: (one.points[0][0].px, one.points[-1][0].px) for one in drawn.curves}


def test_a_curve_goes_from_the_asking_word_to_the_middle_of_the_other_and_is_as_thick_as_its_weight():
    drawn = curves.draw(WORDS, 1, LOOKS)
    middle = {text.text: text.x.px for text in drawn.texts}
    assert {label: end for label, (_, end) in ends(drawn).items()} == {
        "1": middle["Ana"], "7": middle["Dan"], "3": middle["Rome"], "4": middle["today"],
    }  # fmt: skip
    framed = width_of("calls", 17, bold=True) / 2 + 8
    assert all(abs(start - middle["calls"]) < framed for start, _ in ends(drawn).values())
    thick = {one.label: one.thick for one in drawn.curves}
    assert thick == pytest.approx({"1": 8.91, "7": 4.509, "3": 4.5, "4": 2.25})  # 9 pixels for a weight of 1
    assert [one.thick for one in drawn.curves] == sorted(thick.values()), "the strongest on top"


def test_curves_nest_and_no_ring_lies_on_another():
    drawn = curves.draw(WORDS, 1, LOOKS)
    starts = [start for _, (start, _) in sorted(ends(drawn).items(), key=lambda one: "1437".index(one[0]))]
    assert starts == sorted(starts), "to the left, then to the right the farthest first"
    rings = [along([(x.px, y.px) for x, y in one.points], one.along) for one in drawn.curves]
    assert all((a - c) ** 2 + (b - d) ** 2 > 21**2 for (a, b), (c, d) in combinations(rings, 2))
    assert min(y for _, y in rings) >= 10.49, "inside the part"


def test_a_word_has_the_hue_of_a_head_only_above_a_half_and_its_number_below_it():
    drawn = curves.draw(WORDS, 1, LOOKS)
    words = {text.text: (text.role, text.hue, text.mark) for text in drawn.texts}
    assert words["Ana"] == ("strong", 0, "")
    assert words["Dan"] == ("strong", 6, "")
    assert words["Rome"] == ("strong", None, "")
    assert words["in"] == ("muted", None, "")
    assert words["calls"] == ("strong", None, "frame")
    below = {text.text: text.x.px for text in drawn.texts if text.text.startswith("0.")}
    assert list(below) == ["0.990", "0.501", "0.500", "0.250"]  # 0.110 is the look of "calls" at itself, which has no curve
    assert below["0.250"] == drawn.centres[5]


def test_a_note_stands_in_place_of_the_number_and_a_word_to_press_has_dots():
    note = Text("whom", Length(), Length(), 14, "strong", hue=3)
    drawn = curves.draw(WORDS, 1, LOOKS, notes={2: (note,)}, press={4: "5"})
    texts = {text.text: text for text in drawn.texts}
    assert "0.501" not in texts
    assert (texts["whom"].x.px, texts["whom"].hue) == (texts["Dan"].x.px, 3)
    assert (texts["Rome"].mark, texts["Rome"].press, texts["Dan"].press) == ("dots", "5", None)


def test_a_part_of_a_sentence_keeps_its_places_and_stands_where_it_is_put():
    whole, part = (
        curves.draw(WORDS, 4, [Glance(0, 4, 5, 1.0)]),
        curves.draw(WORDS[3:], 4, [Glance(0, 4, 5, 1.0)], first=3, top=7),
    )
    assert [text.text for text in part.texts][:4] == ["in", "Rome", "today", "1.000"]
    assert part.texts[0].x.px == width_of("in", 17) / 2
    assert (part.baseline, part.foot) == pytest.approx((whole.baseline + 7, whole.foot + 7))


def test_looks_are_those_of_the_layer_from_1_in_13_on():
    """The trained layer's weights from "thanks": who 0.999, whom 0.990, where 0.935, when 0.940. No other reaches an equal
    weight."""
    trace = Reading(DEFAULT).layer(Config(16, 4, 4, query_len=13)).trace("numpy")
    found = curves.looks(trace, 8)
    assert [(look.head, DEFAULT.words[look.at], round(look.weight, 3)) for look in found] == [
        (0, "she", 0.999), (1, "Carl", 0.990), (2, "Oslo", 0.935), (3, "later", 0.940),
    ]  # fmt: skip


def test_pale_curves_lie_below_the_others():
    drawn = curves.draw(WORDS, 1, LOOKS, pale=[Glance(1, 4, 5, 1.0)])
    assert [one.faded for one in drawn.curves] == [True, False, False, False, False]
