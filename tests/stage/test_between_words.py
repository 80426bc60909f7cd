"""Attention as lines between words: each line is a weight of the trace, and what a mask forbids has none."""

import pytest

from components.export.figures import FIGURES
from components.export.request import Unavailable, request_of
from components.stage.diagram import Arrow
from components.stage.pictures.between_words import LEAST, draw
from components.stage.scene import Text
from mha import Config, run

CFG = Config(d_model=6, num_heads=3, key_dim=2, value_dim=2, query_len=4, key_len=5, mask="causal", seed=3)


def test_a_line_is_as_strong_as_its_weight_and_as_coloured_as_its_head_and_the_table_has_every_weight():
    trace = run(CFG)
    weights = trace.weights.values[0]
    drawn = draw(trace, (0, 2), ("a", "b"))
    heights = {text.text: text.y.px for text in drawn.of(Text) if text.anchor == "start" and text.text != "key"}
    keys = sorted(heights.values())
    left = sorted({arrow.points[0][1] for arrow in drawn.of(Arrow)})
    rows = {(one.hue, left.index(one.points[0][1]), round(one.points[1][1] + 5, 6)): one.strength for one in drawn.of(Arrow)}
    expected = {
        (head, query, round(keys[key], 6)): float(weights[head, query, key])
        for head in (0, 2) for query in range(4) for key in range(query + 1) if weights[head, query, key] >= LEAST
    }  # fmt: skip
    assert rows == expected
    table = draw(trace, (0, 1, 2), ()).tables[0].rows
    assert len(table) == 3 * 4 * 5
    assert sum(weight for head, query, _, weight in table if (head, query) == (2, 3)) == pytest.approx(1)


@pytest.mark.parametrize(("query", "why"), [
    ({"query_len": 21, "key_len": 6}, "up to 20 positions"), ({"d_model": 64, "num_heads": 16}, "Choose lines=one"),
])  # fmt: skip
def test_what_cannot_be_told_apart_is_refused_in_words(query, why):
    with pytest.raises(Unavailable, match=why):
        FIGURES["attention_lines"].draw(request_of({"numbers": "seed"} | query))
    one = {"lines": "one", "head": 9} if "num_heads" in query else {"query_len": 20}
    assert FIGURES["attention_lines"].draw(request_of({"numbers": "seed"} | query | one)).drawing.of(Arrow)
