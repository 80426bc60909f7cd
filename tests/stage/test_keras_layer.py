"""The picture of the page The Keras layer as data."""

import pytest

from headcount.keras.layer import KerasLayer
from headcount.stage.diagram import Arrow, Box, Diagram
from headcount.stage.pictures import keras_call
from headcount.stage.scene import Text
from headcount.stage.text import width_of

LAYER = KerasLayer(3, 5, 7, (2, 13, 11), (2, 17, 11))


def drawn(layer: KerasLayer = LAYER, part: str = "") -> Diagram:
    wide = keras_call.call(layer, keras_call.with_twice_the_heads(layer), part).wide
    assert wide is not None
    return wide


def areas(diagram: Diagram, begins: str) -> list[float]:
    return [box.rect.w * box.rect.h for box in diagram.of(Box) if box.title.startswith(begins)]


def words(diagram: Diagram) -> str:
    return " | ".join(text.text for text in diagram.of(Text))


def test_every_array_of_the_call_is_drawn_at_one_scale_with_keras_name_and_shape():
    """Areas in numbers: 11 · 5 of a query's slab, 7 · 11 of the output's, 13 · 17 scores, 17 · 11 of the value."""
    picture = drawn()
    sizes = {"query/kernel": [55] * 3, "value/kernel": [77] * 3, "attention_output/kernel": [77] * 3, "scores of head": [221] * 3,
             "value (": [187], "output (": [143]}  # fmt: skip
    unit = areas(picture, "query/kernel")[0] / 55
    for begins, numbers in sizes.items():
        assert areas(picture, begins) == pytest.approx([unit * number for number in numbers]), begins
    for said in ("query/kernel", "(11, 3, 5) = 165", "(3, 7, 11) = 231", "(2, 3, 13, 17)", "(2, 13, 3, 7)"):
        assert said in words(picture)


def test_the_bars_have_one_scale_and_end_in_the_counts():
    """854 parameters, of which 3 · (5 + 5 + 7) + 11 are biases; 1,697 with six heads."""
    picture = drawn()
    widths = {box.title: box.rect.w for box in picture.of(Box) if ", " in box.title and " heads, key_dim " in box.title}
    assert widths["6 heads, key_dim 5, query: 330"] == pytest.approx(2 * widths["3 heads, key_dim 5, query: 165"])
    assert "3 heads, key_dim 5, biases: 62" in widths
    assert "| 854, 62 of them biases |" in words(picture)
    assert words(picture).endswith("| 1,697")


def test_on_a_phone_the_bars_come_before_the_drawing_and_without_bars_there_is_none():
    tops = {text.text: text.y.px for text in keras_call.call(LAYER, keras_call.with_twice_the_heads(LAYER)).of(Text)}
    assert tops["3 heads, key_dim 5"] < tops["6 heads, key_dim 5"] < tops["query, 2 samples"]
    bare = keras_call.call(LAYER, [])
    assert "heads of" not in bare.alt
    assert [table.title for table in bare.tables] == ["Variables", "Arrays"]


def test_parts_write_none_for_the_batch_and_frame_what_is_returned():
    assert "(None, 3, 13, 17)" in words(drawn(part="shapes"))
    frames = {part: [box.title for box in drawn(part=part).of(Box) if box.fill == "before"] for part in ("", "call")}
    assert frames == {"": [], "call": ["returned on request", "returned"]}


def test_a_head_has_one_hue_in_every_array():
    picture = drawn()
    names = ("query/kernel", "key/kernel", "value/kernel", "attention_output/kernel", "scores of head", "head ")
    for name in names:
        assert [box.hue for box in picture.of(Box) if box.title.startswith(name)] == [0, 1, 2], name


@pytest.mark.parametrize("layer", [
    KerasLayer(256, 64, 64, (2, 512, 4096), (2, 512, 4096)), KerasLayer(1, 1, 1, (1, 1, 1), (1, 1, 1), use_bias=False),
    KerasLayer(3, 5, 7, (2, 13, 11), (2, 17, 11), use_gate=True),
    KerasLayer(2, 3, 5, (2, 3, 4, 8), (2, 3, 4, 8), attention_axes=(0,)),
])  # fmt: skip
def test_every_layer_fits_in_the_width_of_the_page_and_of_a_phone(layer):
    narrow = keras_call.call(layer, keras_call.with_twice_the_heads(layer))
    assert narrow.wide is not None
    for picture, width in ((narrow, 352), (narrow.wide, 954)):
        ends = [box.rect.x + box.rect.w for box in picture.of(Box)]
        ends += [text.x.px + width_of(text.text, text.size, "sans", text.role == "strong") for text in picture.of(Text)
                 if text.anchor == "start"]  # fmt: skip
        assert max(ends) <= width + 1


def test_an_arrow_leads_from_the_scores_to_nothing_but_the_heads_and_from_these_to_the_output_kernel():
    """Queries and keys give the scores, which weight the values. The heads' results are joined side by side."""
    picture = drawn()
    top = {word.text: word.y.px for word in picture.of(Text)}
    ends = [arrow.points for arrow in picture.of(Arrow)]
    assert len(ends) == 6, "to the kernels, to scores and heads, between them, to the last kernel, to the output"
    into_scores, into_heads, on = ends[1], ends[2], next(points for points in ends if len(points) == 4)
    assert into_scores[0][1] < top["heads side by side"] < into_heads[0][1]
    assert on[0][1] == into_heads[0][1] != on[-1][1]
