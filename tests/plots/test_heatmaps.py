"""Plotly's heatmaps as data: numbers, places, words, colours. `go.Figure` checks the schema."""

import json
import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import plotly.graph_objects as go
import pytest

from components.widgets.previews import of_layer
from headcount import Config, run
from headcount.explain import Cell
from headcount.names import as_share
from headcount.plots import layer
from headcount.plots.heatmaps import BESIDE, GAP, LONGER, NARROW, WIDE, Matrix, arrange, heatmaps
from headcount.plots.recolour import colours, in_theme
from headcount.stage import svg
from headcount.stage.layout import place
from headcount.stage.plotly_json import as_json
from headcount.stage.scene import Length, Panel, Scene, Text
from headcount.stage.theme import DARK, LIGHT, PRINT
from headcount.trained.sentence import DEFAULT
from headcount.variations import contributions

#: Different primes, a causal mask, more keys than fit between the queries.
PRIMES = Config(d_model=14, num_heads=3, key_dim=5, value_dim=7, query_len=11, key_len=11, mask="causal", seed=2)
FIGURES = {"maps": partial(layer.maps, asking=4)} | {
    name: getattr(layer, name) for name in ("projections", "kernels", "results", "shares")
}
LAYERS = [
    PRIMES,
    Config(d_model=1, num_heads=1),
    Config(d_model=64, num_heads=64),
    Config(d_model=26, num_heads=2, query_len=131, key_len=131),
    Config(d_model=12, num_heads=3, key_dim=5, value_dim=7, query_len=5, key_len=13, use_bias=False),
]


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("cfg", LAYERS, ids=str)
@pytest.mark.parametrize("name", FIGURES)
def test_plotly_takes_every_figure_of_every_layer(name, cfg, width):
    figure, alt = FIGURES[name](run(cfg), width=width)
    go.Figure(figure)
    assert alt.endswith(".")
    assert figure["layout"]["width"] == width


def test_each_map_holds_the_head_s_weights_and_nothing_where_the_mask_forbids():
    trace = run(PRIMES)
    figure, _ = layer.maps(trace)
    allowed = np.tril(np.ones((11, 11), bool))
    assert len(figure["data"]) == 3
    for head, drawn in enumerate(figure["data"]):
        z = np.asarray(drawn["z"])
        assert (np.isnan(z) == ~allowed).all()
        np.testing.assert_allclose(z[allowed], trace.weights.values[0, head][allowed])
        np.testing.assert_allclose(np.nansum(z, axis=1), 1, rtol=1e-5)
    read = json.loads(as_json(figure, packed=False))
    assert read["data"][0]["z"][0][:2] == [pytest.approx(1), None], "an empty cell is null in a list"
    go.Figure(read)


@pytest.mark.parametrize(("draw", "shapes", "ranges", "named"), [
    (layer.kernels, [(14, 15), (14, 15), (14, 21)], ("w_q w_k b_q b_k", "w_v b_v"),
     ("W<sub>Q</sub>, W<sub>K</sub>", "W<sub>V</sub>")),
    (layer.projections, [(11, 15), (11, 15), (11, 21)], ("q k", "v"), ("Q, K", "V")),
])  # fmt: skip
def test_queries_and_keys_have_one_range_and_values_their_own(draw, shapes, ranges, named):
    """Much larger values would make queries pale. Each head has its columns."""
    trace = run(PRIMES)
    figure, _ = draw(trace)
    drawn, words = [np.asarray(one["z"]) for one in figure["data"]], words_of(figure)
    assert [one.shape for one in drawn] == shapes
    q, v = (trace[name].values for name in ("w_q", "w_v")) if draw is layer.kernels else (trace[name].values[0] for name in "qv")
    np.testing.assert_array_equal(drawn[0][:, 5:10], q[:, 1])
    np.testing.assert_array_equal(drawn[2][:, 14:21], v[:, 2])
    for axis, of, said in zip(("coloraxis", "coloraxis2"), ranges, named, strict=True):
        top = max(np.abs(trace[name].values).max() for name in of.split())
        ends = [figure["layout"][axis][end] for end in ("cmin", "cmax")]
        assert ends == [pytest.approx(-top), pytest.approx(top)]
        assert f"{said}  −{top:.2f}" in words
        assert f"+{top:.2f}" in words
    assert [one["coloraxis"] for one in figure["data"]] == ["coloraxis", "coloraxis", "coloraxis2"]


def words_of(figure: dict) -> list[str]:
    return [note["text"] for note in figure["layout"]["annotations"]]


@pytest.mark.parametrize("width", [BESIDE, NARROW])
def test_beside_the_corner_the_two_other_matrices_are_quiet_but_for_the_row_that_is_read(width):
    """With K in the corner, Q and V have words at every row, names for every head, and the ends of both scales below."""
    words, cell, trace = tuple("abcdefghijk"), Cell("k", 6, 2, 1), run(PRIMES)
    figure, alt = layer.projections(trace, words, cell, "k", width=width)
    above, _ = layer.kernels(trace, cell, width=width)
    columns = {(shape["xref"], *(shape.get(side) for side in ("x0", "x1", "y0", "y1"))) for shape in above["layout"]["shapes"]}
    cuts = [shape.get("path") for shape in above["layout"]["shapes"] if (shape["xref"], shape["type"]) == ("x", "path")]
    assert cuts == ["M5.5 0.5V14.5M10.5 0.5V14.5"]
    assert ("x2", 7.5, 8.5, 0.5, 14.5) in columns
    q, v, *read = figure["data"]
    assert [one["opacity"] for one in (q, v)] == [0.33, 0.33]
    for one, name, over in zip((q, v), "qv", read, strict=True):
        flat = trace[name].values[0].reshape(11, -1)
        np.testing.assert_array_equal(one["z"], flat)
        np.testing.assert_array_equal(over["z"][6], flat[6])
        assert np.isnan(np.delete(over["z"], 6, axis=0)).all()
        assert (over["xaxis"], over["coloraxis"], over.get("opacity")) == (one["xaxis"], one["coloraxis"], None)
    assert alt.startswith("Q and V have a row for each position and the columns of 3 heads")
    named = [(note["xref"], note["text"]) for note in figure["layout"]["annotations"] if note["text"].startswith("head ")]
    assert named == [(f"{axis} domain", f"head {head}") for axis in ("x", "x2") for head in (1, 2, 3)]
    axes = [figure["layout"][f"yaxis{i}"] for i in ("", 2)]
    assert [axis["ticktext"] for axis in axes] == [[*words]] * 2
    tops = [max(np.abs(trace[name].values).max() for name in names) for names in ("qk", "v")]
    said = words_of(figure)
    assert all(
        one in said for top, name in zip(tops, ("Q, K", "V"), strict=True) for one in (f"{name}  −{top:.2f}", f"+{top:.2f}")
    )
    assert all(figure["layout"][axis]["colorbar"]["orientation"] == "h" for axis in ("coloraxis", "coloraxis2"))
    high = (axes[0]["domain"][1] - axes[0]["domain"][0]) * (figure["layout"]["height"] - figure["layout"]["margin"]["b"])
    assert high / 11 >= 11 <= axes[0]["tickfont"]["size"], "words below each other can be read"
    assert q["hovertemplate"] == "Q: ‘%{y}’, column %{x}: %{z:.3f}<extra></extra>"
    cross = run(replace(PRIMES, key_len=7, mask="none"))
    queries, values = layer.projections(cross, words, cell, "k")[0]["data"][2:]
    assert np.isnan(queries["z"]).all(), "a key’s row is no query’s"
    assert np.isfinite(values["z"][6]).all()


def test_in_the_shares_the_asked_number_stands_beside_each_and_they_add_up():
    trace = run(PRIMES)
    figure, _ = layer.shares(trace, tuple("abcdefghijk"), Cell("output", 6, 2))
    said = [note["text"][3:-4].replace("−", "-") for note in figure["layout"]["annotations"]]
    level = [note["y"] for note in figure["layout"]["annotations"] if note["text"].endswith("</b>") and note["yref"] == "y2"]
    assert level == [7], "beside its cell"
    *heads, output = [float(text) for text in said if re.fullmatch(r"-?\d+\.\d{3}", text)]
    assert output == round(float(trace.output.values[0, 6, 2]), 3)
    assert math.isclose(sum(heads) + trace["b_o"].values[2], output, abs_tol=0.004)
    axes = [axis for name, axis in figure["layout"].items() if name.startswith("yaxis") and axis["showticklabels"]]
    assert [axis["ticktext"] for axis in axes] == [["g"]] * 4
    narrow = run(Config(d_model=2, num_heads=1, query_len=5))
    figure, _ = layer.shares(narrow, *of_layer(((), Cell("output", 3, 6)), narrow.cfg))
    assert [one["name"] for one in figure["data"]] == ["head 1", "+ bias = output"], "without a number that it lacks"


def test_results_of_heads_have_a_scale_of_their_own_and_a_chosen_number_of_concat_is_framed_in_its_head():
    trace, words = run(PRIMES), tuple("abcdefghijk")
    figure, _ = layer.results(trace, words, Cell("context", 6, 2, 1))
    assert [one["name"] for one in figure["data"]] == ["Z<sub>1</sub>", "Z<sub>2</sub>", "Z<sub>3</sub>"]
    np.testing.assert_array_equal(figure["data"][1]["z"], trace.context.values[0, :, 1])
    assert figure["layout"]["coloraxis"]["cmax"] == pytest.approx(np.abs(trace.concat.values).max())
    framed = [shape for shape in figure["layout"]["shapes"] if (shape.get("x0"), shape.get("y0")) == (2.5, 6.5)]
    assert [shape["xref"] for shape in framed] == ["x2"]
    adds, _ = layer.shares(trace)
    assert adds["layout"]["coloraxis"]["cmax"] != figure["layout"]["coloraxis"]["cmax"]


@pytest.mark.parametrize(("weight", "said"), [(1, "1.000"), (0.99996, "0.999"), (0.9994, "0.999"), (0.12345, "0.123")])
def test_only_1_itself_is_written_as_1(weight: float, said: str):
    assert as_share(weight) == said


def test_a_hover_does_not_round_a_weight_up_to_1():
    trace = run(PRIMES)
    values = trace.weights.values.copy()
    values[0, 0, 1, :2] = 0.9999, 0.0001
    figure, _ = layer.maps(replace(trace, weights=replace(trace.weights, values=values)))
    assert figure["data"][0]["hovertemplate"].endswith("%{customdata}<extra></extra>")
    assert figure["data"][0]["customdata"][1][:2] == ["0.999", "0.000"]
    assert figure["data"][1]["hovertemplate"].endswith("%{z:.3f}<extra></extra>")
    go.Figure(figure)


@pytest.mark.parametrize("heads", [3, 11])
def test_the_heads_shares_sum_to_the_output_less_the_bias_those_beyond_eight_in_one(heads: int):
    trace = run(Config(d_model=22, num_heads=heads, key_dim=5))
    *shares, output = layer.shares(trace)[0]["data"]
    names = ["head 1", *(f"+ head {head}" for head in range(2, min(heads, 8) + 1)), *(["+ 3 more heads"] if heads > 8 else [])]
    assert [one["name"] for one in shares] == names
    np.testing.assert_allclose(sum(one["z"] for one in shares) + trace["b_o"].values, output["z"], atol=1e-5)
    np.testing.assert_allclose(shares[-1]["z"], contributions(trace, slice(len(shares) - 1, heads)).sum(axis=0), atol=1e-5)


@pytest.mark.parametrize(("wide", "heads", "drawn"), [(64, 4, True), (65, 5, False)])
def test_up_to_64_on_a_side_every_weight_is_drawn(wide: int, heads: int, drawn: bool):
    for trace in layer.kernels(run(Config(d_model=wide, num_heads=heads)))[0]["data"]:
        assert np.isfinite(np.asarray(trace["z"])).all() == drawn


def test_weights_above_64_on_a_side_are_outlines_with_their_sizes():
    figure, _ = layer.kernels(run(Config(d_model=66, num_heads=3)))
    assert np.isnan(np.asarray(figure["data"][0]["z"])).all()
    assert "66 × 66" in words_of(figure)
    assert figure["data"][1]["meta"] == {"outline": True}
    tints = [shape for shape in figure["layout"]["shapes"] if shape.get("layer") == "below" and shape["xref"] == "x"]
    assert [(one["x0"], one["x1"]) for one in tints] == [(0.5, 11.5), (11.5, 22.5), (22.5, 33.5)], "33 cells of three heads"
    assert len({one["fillcolor"] for one in tints}) == 3
    assert not figure["layout"]["coloraxis"]["showscale"]


def test_a_word_that_comes_twice_is_two_ticks_and_the_title_names_the_key_that_the_asking_one_looks_at_most():
    words, trace = ["in", "Rome", "and", "in", "Oslo"], run(Config(d_model=6, num_heads=2, query_len=5, key_len=5))
    figure, _ = layer.maps(trace, words, asking=3)
    assert figure["layout"]["yaxis2"]["tickvals"] == [1, 2, 3, 4, 5]
    assert figure["layout"]["yaxis2"]["ticktext"] == ["in", "Rome", "and", "<b>in</b>", "Oslo"]
    assert figure["data"][1]["hovertemplate"] == "head 2: query ‘%{y}’ → key ‘%{text}’ %{z:.3f}<extra></extra>"
    assert figure["data"][1]["text"][3] == words
    close, _ = layer.maps(trace, words, asking=3, close=0)
    assert close["data"][1]["hovertemplate"] == "head 2: %{text} %{z:.3f}<extra></extra>"
    assert close["data"][1]["text"][3][4] == "‘in’ → ‘Oslo’"
    row = trace.weights.values[0, 1, 3]
    axis = figure["layout"]["xaxis2"]
    assert axis["tickangle"] == 0, "no word slants"
    hit = dict(zip(axis["tickvals"], axis["ticktext"], strict=True))
    assert (1 + int(row.argmax())) in hit
    assert all(words[key - 1] == word and row[key - 1] >= 0.1 for key, word in hit.items())
    assert f"in → {words[int(row.argmax())]} {row.max():.3f}" in words_of(figure)
    assert layer.looked_at(np.full((2, 2), np.nan), (), (), 1) == "2 may look nowhere"


@pytest.mark.parametrize("width", [WIDE, BESIDE, NARROW])
@pytest.mark.parametrize("name", FIGURES)
def test_maps_have_square_cells_and_matrices_stand_apart_inside_the_figure(name, width):
    trace = run(PRIMES)
    figure, _ = FIGURES[name](trace, width=width)
    layout, places = figure["layout"], []
    area = width - layout["margin"]["l"] - layout["margin"]["r"], layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    for drawn in figure["data"]:
        x, y = (layout[drawn[f"{letter}axis"].replace(letter, f"{letter}axis")] for letter in "xy")
        (left, right), (low, high) = x["domain"], y["domain"]
        rows, columns = np.asarray(drawn["z"]).shape
        wide, tall = (right - left) * area[0] / columns, (high - low) * area[1] / rows
        ratio = y.get("scaleratio", 1)
        assert math.isclose(wide * ratio, tall, rel_tol=0.02)
        assert ratio == 1 if name == "maps" else 1 / LONGER <= y["scaleratio"] <= LONGER
        assert 0 <= left < right <= 1
        assert 0 <= low < high <= 1
        assert y["scaleanchor"] == drawn["xaxis"]
        places.append((left, right, low, high))
    for i, one in enumerate(places):
        for other in places[:i]:
            assert one[1] < other[0] or other[1] < one[0] or one[3] < other[2] or other[3] < one[2]


def test_maps_stand_in_lines_of_as_many_as_leave_rows_a_words_height_and_at_most_sixteen_are_drawn():
    """By hand: 13 rows of 12 pixels are 156. Four such maps need more than 440 pixels, two do not."""
    figure, alt = layer.maps(run(Config(d_model=19, num_heads=19)), first=16)
    assert [drawn["name"] for drawn in figure["data"]] == ["head 17", "head 18", "head 19"]
    assert alt.startswith("The picture shows the attention weights of heads 17 to 19 of 19, ")
    for heads, width, line in ((4, WIDE, 4), (4, BESIDE, 2), (4, NARROW, 2), (8, WIDE, 4), (5, WIDE, 5), (1, NARROW, 1)):
        layout = layer.maps(run(Config(d_model=40, num_heads=heads, query_len=13)), width=width)[0]["layout"]
        tops = [layout[f"yaxis{i or ''}"]["domain"][1] for i in (0, *range(2, heads + 1))]
        assert tops.count(tops[0]) == line, (heads, width)


def test_positions_that_are_only_counted_have_as_many_numbers_as_have_room():
    """With 12 pixels a row, type of 14 has room at every second row."""
    trace, named = run(Config(d_model=4, num_heads=4, query_len=13)), [*map(str, range(1, 14))]
    axis = layer.maps(trace, named, asking=11, width=BESIDE)[0]["layout"]["yaxis"]
    assert axis["ticktext"] == ["1", "3", "5", "7", "9", "11", "13"]
    assert layer.maps(trace, named, asking=11, width=NARROW)[0]["layout"]["yaxis"]["ticktext"] == ["12"], "no room: it alone"


def test_above_64_positions_a_cell_is_a_mean_and_the_title_says_so():
    trace = run(Config(d_model=2, num_heads=1, query_len=131, key_len=131))
    figure, _ = layer.maps(trace)
    z = np.asarray(figure["data"][0]["z"])
    assert z.shape == (66, 66)
    assert "means of 2 × 2" in words_of(figure)
    assert figure["layout"]["xaxis"]["ticktext"][:3] == ["1", "33", "65"]
    np.testing.assert_allclose(z[1, 2], trace.weights.values[0, 0, 2:4, 4:6].mean(), rtol=1e-5)
    assert "a cell is the mean of 2 × 2 weights" in figure["layout"]["title"]["text"]
    assert "name" not in figure["data"][0]["meta"]  # a click on a mean explains nothing


def test_the_dark_figure_is_the_same_figure_in_the_dark_theme_s_colours():
    figure, _ = layer.maps(run(PRIMES), asking=1, pale=(0, 1))
    dark = in_theme(figure, DARK, "Source Sans")
    assert [colour for _, colour in dark["layout"]["coloraxis"]["colorscale"]] == [*DARK.share]
    assert dark["data"][0]["z"] is figure["data"][0]["z"]
    text = json.dumps(dark["layout"])
    left = {light for light, other in colours(DARK).items() if light != other and light in text} - set(colours(DARK).values())
    assert not left
    go.Figure(in_theme(figure, PRINT, "Source Sans"))
    names = [LIGHT.ink, LIGHT.muted, LIGHT.line, LIGHT.lift, LIGHT.background, *LIGHT.signed, *LIGHT.share, *LIGHT.head_text]
    assert len(names) == len(set(names)), "no colour of the light theme has two meanings"


def test_matrices_of_different_widths_have_one_cell_size_and_a_figure_without_any_is_refused():
    with pytest.raises(ValueError, match="needs a matrix, got none"):
        heatmaps([], (("", 1),), columns=1, title="")
    places, _, cell, _ = arrange([Matrix("a", np.zeros((3, 5))), Matrix("b", np.zeros((7, 2)))], 2, 308)
    assert (cell, [(place.x, place.w) for place in places]) == (40, [(0, 200), (200 + GAP, 80)])


def words_on_axes(figure: dict) -> list[tuple[float, int]]:
    """For each axis with words at its rows: pixels of a row, and the type's size."""
    layout, margin, found = figure["layout"], figure["layout"]["margin"], []
    sides = {"x": layout["width"] - margin["l"] - margin["r"], "y": layout["height"] - margin["t"] - margin["b"]}
    for name, axis in layout.items():
        if name[:5] == "yaxis" and axis.get("showticklabels", True) and not all(map(str.isdigit, axis["ticktext"])):
            if len(axis["ticktext"]) == 1:
                continue  # a word alone has room
            (start, end), (first, last) = axis["domain"], axis["range"]
            found.append((sides[name[0]] * (end - start) / abs(last - first), axis["tickfont"]["size"]))
    return found


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_no_word_stands_beside_a_row_that_is_lower_than_its_type(width: int):
    """For every trained number of heads. At a width between the two that figures are arranged for, the page removes such
    words."""
    words, worded = DEFAULT.words, []
    figures = []
    for heads, value_dim in ((2, 32), (7, 5), (16, 1)):
        trace = run(Config(d_model=16, num_heads=heads, key_dim=3, value_dim=value_dim, query_len=13, key_len=11))
        figures += [draw(trace, words, width=width)[0] for draw in (layer.projections, layer.results)]
    for heads in (2, 3, 5, 7, 8, 9, 16):
        figures.append(layer.maps(run(Config(d_model=heads, num_heads=heads, query_len=13, key_len=13)), words, width=width)[0])
    for figure in figures:
        found, layout = words_on_axes(figure), figure["layout"]
        assert all(high > size - 1 for high, size in found)
        worded.append(bool(found))
        if found and not layout["meta"].get("beside"):
            left = layout["margin"]["l"] + layout["margin"]["r"]
            cell = min(high for high, _ in found) * (layout["meta"]["worded"] - left) / (width - left)
            assert cell == pytest.approx(12 if layout["coloraxis"]["cmin"] == 0 else 11, abs=0.1)
    assert any(worded)


def test_no_index_lies_on_the_next_where_a_matrix_is_low():
    """13 rows beside another matrix's 96: two of them have room for type of 14 pixels."""
    high, low = (Matrix("", np.zeros(sides)) for sides in ((96, 96), (13, 96)))
    layout = heatmaps([high, low], (("", 1),), columns=1, title="", width=300)["layout"]
    start, end = layout["yaxis2"]["domain"]
    area = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    apart = np.diff(layout["yaxis2"]["tickvals"]) * (end - start) * area / 13
    assert min(apart, default=14) >= 13


@pytest.mark.parametrize(("heads", "use_bias", "title"), [
    (4, True, "+ bias<br>= output"), (5, True, "+ bias = output"), (5, False, "= output"),
])  # fmt: skip
def test_the_sum_of_the_shares_is_named_in_two_lines_where_there_is_room(heads: int, use_bias: bool, title: str):
    figure, _ = layer.shares(run(Config(d_model=20, num_heads=heads, use_bias=use_bias)))
    assert f"<b>{title}</b>" in words_of(figure)


def test_beside_a_picture_an_outlines_size_stands_right_of_it_where_no_heads_name_is_and_that_of_equal_ones_once():
    trace = run(Config(512, 8, query_len=13))
    for draw, titles in (
        (partial(layer.projections, of="q"), ("K", "V")),
        (layer.shares, ("+ bias<br>= output", "+ bias = output")),
    ):
        sized = [note for note in draw(trace)[0]["layout"]["annotations"] if "13 × 512" in note["text"]]
        assert all(note["x"] == 1 and note["xanchor"] == "left" for note in sized)
        assert {note["text"] for note in sized} <= {f"<b>{title}</b><br>13 × 512" for title in titles}
        assert len(sized) == (1 if draw is layer.shares else 2)


def row_of(figure: dict, trace: dict, row: int) -> float:
    """The distance of a map's row above the middle of its place, by Plotly's rules for numbers on an axis. Negative: below it."""
    start, end = figure["layout"][trace["yaxis"].replace("y", "yaxis")]["range"]
    assert "autorange" not in figure["layout"][trace["yaxis"].replace("y", "yaxis")]
    return (trace["y0"] + row * trace["dy"] - start) / (end - start) - 0.5


def column_of(figure: dict, trace: dict, column: int) -> float:
    """The distance of a column to the right of the middle of its place."""
    start, end = figure["layout"][trace["xaxis"].replace("x", "xaxis")]["range"]
    return (trace["x0"] + column * trace["dx"] - start) / (end - start) - 0.5


def painted_hue(head: int) -> str:
    """The colour that the stage gives to a head's word."""
    words = Text("one", Length(), Length(9), hue=head)
    scene = Scene(((Panel("p", Length(9), Length(9), (), (words,)),),), {}, alt="")
    return re.search(r'<text[^>]* fill="(#\w+)"', svg.draw(scene, place(scene, 500), svg.Ink(LIGHT)))[1]


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", FIGURES)
def test_in_every_map_the_first_row_is_on_top_the_first_column_at_the_left_and_each_head_has_the_stages_hue(name, width):
    """Tick labels and hover count the rows from 1."""
    figure, _ = FIGURES[name](run(PRIMES), width=width)
    layout = figure["layout"]
    for trace in figure["data"]:
        high, wide = np.asarray(trace["z"]).shape
        assert row_of(figure, trace, 0) == pytest.approx(0.5 - 0.5 / high)
        assert row_of(figure, trace, high - 1) == pytest.approx(0.5 / high - 0.5)
        assert column_of(figure, trace, 0) == pytest.approx(0.5 / wide - 0.5)
        assert (trace["x0"], trace["y0"]) == (1, 1)
    named = [(note["font"]["color"], re.search(r"(?:head |<b>)(\d+)|Z<sub>(\d)", note["text"])) for note in layout["annotations"]]
    heads = [(colour, int(found[1] or found[2]) - 1) for colour, found in named if found and "more" not in found.string and
             "What each" not in found.string]  # fmt: skip
    assert {head for _, head in heads} == {0, 1, 2} or (name, width) == ("projections", NARROW)
    assert all(colour == painted_hue(head) for colour, head in heads)
    strips = [shape["fillcolor"] for shape in layout["shapes"] if shape["line"].get("width") == 0]
    assert strips == [painted_hue(head) for head in range(3)] * (len(strips) // 3)
    assert strips


def test_the_word_of_a_map_stands_at_its_own_row_and_the_one_that_is_hit_at_its_own_column():
    trace, words = run(PRIMES), [*"abcdefghijk"]
    figure, _ = layer.maps(trace, words, asking=7)
    ticks = dict(zip(figure["layout"]["yaxis"]["tickvals"], figure["layout"]["yaxis"]["ticktext"], strict=True))
    assert [re.sub("</?b>", "", ticks[1 + place]) for place in range(11)] == words
    weights, axis = trace.weights.values[0, 1, 7], figure["layout"]["xaxis2"]
    assert (axis["tickvals"][0], axis["ticktext"][0]) == (1 + int(weights.argmax()), words[int(weights.argmax())])
    z = np.asarray(figure["data"][1]["z"])
    assert z[7, 2] == pytest.approx(weights[2])


def test_a_row_that_asks_and_a_chosen_cell_are_framed_where_they_stand_and_the_key_that_is_most_looked_at_is_named():
    trace, words = run(PRIMES), tuple("abcdefghijk")
    figure, _ = layer.maps(trace, words, asking=6, chosen=Cell("weights", 6, 2, 1))
    frames = [{shape[side] for side in ("x0", "x1", "y0", "y1")} for shape in figure["layout"]["shapes"] if shape["xref"] == "x2"]
    assert {0.5, 11.5, 6.5, 7.5} in frames
    assert {2.5, 3.5, 6.5, 7.5} in frames
    row = {words[key]: float(trace.weights.values[0, 1, 6, key]) for key in range(7)}
    assert layer.looked_at(trace.weights.values[0, 1], words, words, 6).startswith(f"g → {max(row, key=row.__getitem__)} 0.")
