"""What every head of the language models looks at, as one picture; and names and words at the maps of a layer."""

import numpy as np
import pytest

from components.figures.numbers import of_scene
from components.figures.pictures import attention, concatenation, projections
from components.figures.pictures.trained import charts
from components.figures.pictures.trained.language import draw, measured_layers
from mha import Config, run
from mha.language import heads, store
from mha.language.heads import NAMES, UNNAMED
from mha.language.text import read
from mha.reading import Reading

CODES = tuple(NAMES)
#: Two networks of a width: of one head, which bears a name in its second layer, and of two, which bear none.
LOW, HIGH = 0.01, 0.97


def measured(**values: float) -> dict:
    return {"values": {code: values.get(code, LOW) for code in CODES}}


REPORT = {
    "heads": {
        "d16-h2": [[measured(), measured()], [measured(), measured()]],
        "d16-h1": [[measured()], [measured(verb=HIGH)]],
        "d64-h1": [[measured(same=HIGH)], [measured()]],
    },
    "runs": {
        "d16-h1": [{"seed": 0, "perplexity": 90.0}, {"seed": 1, "perplexity": 94.0}],
        "d16-h2": [{"seed": 0, "perplexity": 80.0}, {"seed": 1, "perplexity": 80.0}],
        "d64-h1": [{"seed": 0, "perplexity": 70.0}],
    },
}


def test_every_head_of_a_width_has_a_column_with_its_measured_shares():
    layers = measured_layers(REPORT, 16)
    assert [(layer.number, layer.heads) for layer in layers] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    scene = draw(layers, 2)
    assert [[panel.go for panel in row] for row in scene.rows] == [[1, 2], [3, 4]]
    assert [[panel.on for panel in row] for row in scene.rows] == [[False, True], [False, True]]
    grid = scene.grids["2/1"].values
    assert grid.shape == (len(CODES), 1)
    assert grid[CODES.index("verb"), 0] == np.float32(HIGH)
    assert "layer 2 of 1 head, head 1: the last verb 0.97." in scene.alt
    assert "1 have a name" in scene.alt


def test_the_clearest_head_is_the_one_furthest_above_its_threshold():
    _, _, named, plain = measured_layers(REPORT, 16)
    assert (named.clearest.head, named.clearest.name) == (0, "the last verb 0.97")
    assert (plain.clearest.head, plain.clearest.name) == (0, UNNAMED)


def test_perplexities_are_by_width_and_their_spread_is_computed():
    points = charts.perplexities(REPORT, 16, 0)
    assert [(point.heads, point.mean, point.shown) for point in points] == [(1, 92.0, 90.0), (2, 80.0, 80.0)]
    assert points[0].deviation == pytest.approx(8**0.5)  # 90 and 94: 2 off the mean each, over one degree of freedom
    figure = charts.draw_spreads(points, 2, charts.PERPLEXITY)
    low, high = figure["layout"]["yaxis"]["range"]
    assert low < 80 < 94 < high
    assert len(figure["data"][0]["x"]) == 4
    assert "1: 92.0 ± 2.8 (2 seeds)" in charts.perplexities_alt(points)


def reading(text: str = "she gave zebra to the man") -> Reading:
    return Reading(read(text), 2)


def test_each_map_has_the_measured_name_of_its_head_below_its_number():
    cfg = reading().config(Config(16, 4))
    layer = reading().layer(cfg)
    assert layer is not None
    scene = attention.maps(cfg, layer.trace(), 0, tokens=reading().labels, layer=2)
    for place, panel in enumerate(scene.panels):
        code, share = heads.named("d16-h4", 2, place)[0]
        name = UNNAMED if code == UNNAMED else f"{NAMES[code].label} {share:.2f}"
        assert name in [text.text for text in panel.texts]
    assert "Measured: head 1 " in scene.alt


def test_maps_of_drawn_numbers_have_no_names():
    cfg = Config(16, 4)
    scene = attention.maps(cfg, run(cfg), 0)
    assert not any(UNNAMED in text.text for panel in scene.panels for text in panel.texts)
    assert "Measured" not in scene.alt


def test_tables_and_files_carry_the_words_of_both_axes():
    cfg = reading().config(Config(16, 4))
    layer = reading().layer(cfg)
    assert layer is not None
    _, table, *_ = of_scene(attention.maps(cfg, layer.trace(), 0, tokens=reading().labels, layer=2))
    words = ("1 start", "2 she", "3 gave", "4 zebra*", "5 to", "6 the", "7 man")
    assert table.heads == ("row", *words)
    assert tuple(row[0] for row in table.rows) == words


@pytest.mark.parametrize(("draw", "title"), [(concatenation.joined, "Z"), (projections.corners, "X")])
def test_rows_of_the_other_pages_are_words_too(draw, title):
    cfg = reading().config(Config(16, 4))
    layer = reading().layer(cfg)
    assert layer is not None
    extra = (None,) if draw is concatenation.joined else ()
    tables = of_scene(draw(cfg, layer.trace(), *extra, reading().labels))
    table = next(table for table in tables if table.title.split(",")[0] == title)
    assert [row[0] for row in table.rows] == ["1 start", "2 she", "3 gave", "4 zebra*", "5 to", "6 the", "7 man"]


def test_the_shipped_report_has_every_head_of_every_network():
    for width in (16, 64):
        layers = measured_layers(store.report(), width)
        assert {layer.heads for layer in layers} == {heads for size, heads in store.SIZES if size == width}
        assert all(len(layer.all) == layer.heads for layer in layers)
