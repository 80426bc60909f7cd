"""Charts as vectors without a browser: each number at its place, and nothing of a chart passed over."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from components.export.charts import dressed
from components.export.figures import FIGURES
from components.export.look import Look
from components.export.request import request_of
from components.figures import plot
from components.figures.layout import Rect
from components.figures.pictures.published import bars, matrices, sharing, sweeps
from components.figures.pictures.trained import charts
from components.figures.svg import Ink
from components.figures.theme import LIGHT, PRINT
from mha.published.table import entries

INK = Ink(LIGHT)
#: What the drawer reads of each part of a chart, and what has no place on paper.
READ = {
    "trace": {"x", "y", "z", "mode", "line", "marker", "text", "textposition", "textfont", "showlegend", "xaxis", "yaxis",
              "error_y", "orientation", "width", "base", "zmin", "zmax", "colorscale", "showscale", "colorbar", "xgap", "ygap",
              "opacity", "type", "name"},
    "axis": {"domain", "range", "rangemode", "autorange", "tickvals", "ticktext", "nticks", "tickformat", "title", "visible",
             "categoryarray", "categoryorder", "anchor", "showticklabels", "tickfont", "scaleanchor", "constrain", "type",
             "constraintoward", "matches", "tickangle", "showgrid", "zeroline"},
    "shape": {"type", "x0", "x1", "y0", "y1", "xref", "yref", "fillcolor", "line", "layer", "opacity"},
    "annotation": {"text", "x", "y", "xref", "yref", "xanchor", "yanchor", "showarrow", "font"},
    "layout": {"height", "margin", "showlegend", "legend", "bargap", "barmode", "annotations", "shapes"},
}  # fmt: skip
ON_SCREEN_ONLY = {"hovertemplate", "hoverinfo", "customdata", "uid", "fixedrange", "legendgroup", "cliponaxis", "meta",
                  "template", "hovermode", "dragmode", "paper_bgcolor", "plot_bgcolor"}  # fmt: skip
SYMBOLS = {"circle", "square", "diamond", "x", "cross", "triangle-up", "circle-open"}


def every_chart() -> dict[str, dict]:
    """All that have a button for their file: those of the figures, and of the pages on trained and published models."""
    found = {name: figure.draw(request_of({"head_off": 1})) for name, figure in FIGURES.items()}
    named = {name: picture.chart for name, picture in found.items() if picture.is_chart}
    known = {slug: entry.model for slug, entry in entries().items()}
    llama, latent = known["Llama-3-8B"], known["DeepSeek-V3"]
    shares = np.random.default_rng(3).random((11, 4))
    return named | {
        "parts": bars.draw_parts(llama),
        "moved": matrices.draw(matrices.rows_of("", llama.attention, llama.with_heads(16, 8).attention), high=150),
        "latent_matrices": matrices.draw(matrices.rows_of("", latent.attention, latent.attention), high=150),
        "latent_sharing": sharing.draw(latent.attention),
        "sweeps": sweeps.draw_sweeps(sweeps.sweeps(llama, 4096, 1)),
        "removals": charts.draw_removals(shares[:3], ("left", "right", "partner", "host"), 1),
        "many_removals": charts.draw_removals(shares, ("left", "right", "partner", "host"), 1),
        "recut": charts.draw_recut((1, 2, 4), (0.5, 0.75, 1.0), 4, 2),
        "temperatures": charts.draw_temperatures(("½", "1", "2"), {"one": (0.1, 0.2, 0.3)}, "1"),
        "movements": charts.draw_movements(("one", "head 1"), (0.25, 0.5)),
    }


CHARTS = every_chart()


def drawn(figure: dict, width: float = 400, height: float = 300, ink: Ink = INK) -> ET.Element:
    return ET.fromstring(f"<svg>{plot.draw({'layout': {}, **figure}, width, height, ink)}</svg>")


def circles(root: ET.Element) -> list[tuple[float, float]]:
    return [(float(one.attrib["cx"]), float(one.attrib["cy"])) for one in root.iter("circle")]


def said(root: ET.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter("text")]


def rects(root: ET.Element, fill: str) -> list[Rect]:
    return [Rect(*(float(one.attrib[key]) for key in ("x", "y", "width", "height")))
            for one in root.iter("rect") if one.get("fill") == fill]  # fmt: skip


@pytest.mark.parametrize("name", CHARTS)
def test_no_part_of_a_chart_is_passed_over(name):
    figure = CHARTS[name]
    parts = [("trace", trace) for trace in figure["data"]]
    parts += [("axis", part) for key, part in figure["layout"].items() if re.fullmatch(r"[xy]axis\d*", key)]
    parts += [(kind[:-1], part) for kind in ("shapes", "annotations") for part in figure["layout"].get(kind, ())]
    parts.append(("layout", {key: 0 for key in figure["layout"] if not re.fullmatch(r"[xy]axis\d*", key)}))
    assert {(kind, key) for kind, part in parts for key in set(part) - READ[kind] - ON_SCREEN_ONLY} == set()
    assert {trace.get("type") for trace in figure["data"]} <= {"scatter", "bar", "heatmap"}
    symbols = [trace.get("marker", {}).get("symbol", "circle") for trace in figure["data"]]
    assert {one for each in symbols for one in ([each] if isinstance(each, str) else each)} <= SYMBOLS
    assert {shape.get("type") for shape in figure["layout"].get("shapes", ())} <= {"rect", "line"}
    assert not any(note.get("showarrow", True) for note in figure["layout"].get("annotations", ()))


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_drawn_without_a_browser_in_every_theme(name, theme):
    look = Look(theme=theme)
    root = drawn(dressed(CHARTS[name], look), ink=Ink(look.colours))
    assert len(list(root.iter())) > 8
    assert "nan" not in ET.tostring(root, encoding="unicode")
    names = {trace["name"] for trace in CHARTS[name]["data"] if trace.get("showlegend") and trace.get("name")}
    assert {plot.label(name)[0][0].replace("_{", "").replace("}", "") for name in names} <= {*said(root)}


def test_points_stand_where_their_numbers_are_on_both_axes():
    """Equal steps along a line of equal steps; on a logarithmic axis equal factors."""
    x, y = [2, 3, 5, 11], [7, 5, 1, -11]
    figure = {"data": [{"type": "scatter", "mode": "markers", "x": x, "y": y}]}
    places = circles(drawn(figure))
    slope = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(places)]
    assert slope == pytest.approx([slope[0]] * 3, rel=0.01), "y falls by 2 for each 1 along"
    assert places[0][1] < places[3][1], "up is more"
    points = {"type": "scatter", "mode": "markers", "x": [3, 12, 48], "y": [1, 1, 1]}
    logs = {"data": [points], "layout": {"xaxis": {"type": "log"}}}
    across = [x for x, _ in circles(drawn(logs))]
    assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=0.02)


def test_a_tick_stands_beside_its_number():
    """A point at 20 has the height of the word 20."""
    root = drawn({"data": [{"type": "scatter", "mode": "markers", "x": [0, 1], "y": [20, 0]}], "layout": {
        "yaxis": {"range": [0, 30], "tickvals": [0, 20], "ticktext": ["none", "twenty"]}}})  # fmt: skip
    (word,) = [text for text in root.iter("text") if text.text == "twenty"]
    assert float(word.attrib["y"]) - 13 * 0.35 == pytest.approx(circles(root)[0][1], abs=0.1)
    assert "none" in said(root)


def test_numbers_at_the_axes_are_written_as_their_format_says():
    axis = lambda form, low, high: plot.Axis("y", {"tickformat": form, "nticks": 3}, low=low, high=high, start=90, end=0)  # noqa: E731
    assert [word for _, word in axis(",", 0, 3000).ticks()] == ["0", "1,000", "2,000", "3,000"]
    assert [word for _, word in axis(".0%", 0, 1).ticks()] == ["0%", "50%", "100%"]
    assert [word for _, word in axis("", 0, 5e7).ticks()] == ["0", "20M", "40M"]
    assert [word for _, word in axis("", -0.5, 0.5).ticks()] == ["−0.4", "−0.2", "0.0", "0.2", "0.4"] or [
        word for _, word in axis("", -0.5, 0.5).ticks()] == ["−0.5", "0.0", "0.5"]  # fmt: skip


def test_bars_are_as_long_as_their_numbers_and_groups_stand_side_by_side():
    figure = {"data": [
        {"type": "bar", "x": ["a", "b", "c"], "y": [3, 5, 7], "marker": {"color": "#112233"}},
        {"type": "bar", "x": ["a", "b", "c"], "y": [2, 11, 13], "marker": {"color": "#445566"}},
    ], "layout": {"barmode": "group"}}  # fmt: skip
    root = drawn(figure)
    one, two = rects(root, "#112233"), rects(root, "#445566")
    unit = one[0].h / 3
    assert [rect.h / unit for rect in (*one, *two)] == pytest.approx([3, 5, 7, 2, 11, 13], rel=0.01)
    feet = {round(rect.y + rect.h, 1) for rect in (*one, *two)}
    assert len(feet) == 1
    assert all(a.x + a.w == pytest.approx(b.x, abs=0.1) for a, b in zip(one, two, strict=True))


def test_bars_on_bases_are_one_after_the_other():
    """5, then 7 more, then 11 more, of a whole of 23."""
    lying = {"type": "bar", "orientation": "h", "y": [0, 0, 0], "x": [5, 7, 11], "base": [0, 5, 12], "width": 0.5}
    figure = {"data": [lying | {"marker": {"color": "#112233"}}], "layout": {"barmode": "overlay", "xaxis": {"range": [0, 23]}}}
    first, second, third = rects(drawn(figure), "#112233")
    assert [rect.w / first.w * 5 for rect in (second, third)] == pytest.approx([7, 11], rel=0.01)
    assert (second.x, third.x) == (pytest.approx(first.x + first.w, abs=0.1), pytest.approx(second.x + second.w, abs=0.1))


def test_a_deviation_reaches_as_far_up_as_down():
    figure = {"data": [{"type": "scatter", "mode": "markers", "x": [1, 2], "y": [10, 20],
                        "error_y": {"array": [3, 7], "width": 0}}]}  # fmt: skip
    root = drawn(figure)
    (path,) = [one.attrib["d"] for one in root.iter("path") if one.attrib["d"].count("M") == 6]
    ends = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", path)]
    (_, first), (_, second) = circles(root)
    unit = (first - second) / 10
    assert [(first - ends[1]) / unit, (ends[0] - first) / unit] == pytest.approx([3, 3], rel=0.01)
    assert [(second - ends[7]) / unit, (ends[6] - second) / unit] == pytest.approx([7, 7], rel=0.01)


def test_a_maps_cells_have_the_scales_colours_in_the_right_rows():
    """From black at 0 to white at 10: 2 is 51, 4 is 102, of 255."""
    map_of = {"type": "heatmap", "z": [[0, 2, 4], [10, 8, np.nan]], "zmin": 0, "zmax": 10, "showscale": False}
    map_of["colorscale"] = [[0, "#000000"], [1, "#ffffff"]]
    root = drawn({"data": [map_of], "layout": {"yaxis": {"autorange": "reversed"}}})
    found = [(rect.attrib["fill"], float(rect.attrib["x"]), float(rect.attrib["y"])) for rect in root.iter("rect")]
    assert [fill for fill, *_ in found] == ["#000000", "#333333", "#666666", "#ffffff", "#cccccc"]
    assert found[0][2] < found[3][2], "the first row is above"
    assert found[0][1] == found[3][1] < found[1][1] == found[4][1]
    in_print = drawn({"data": [map_of | {"z": [[-1.0, 1.0]], "zmin": -1, "zmax": 1}]}, ink=Ink(PRINT))
    assert sum(one.attrib["d"].count("h") for one in in_print.iter("path")) == 1, "a bar on the one that is negative"


def test_dashes_have_their_lengths_whatever_corner_they_turn():
    """3 long, 3 apart, at a width of 2: strokes of 6. 30 along and 9 down are 39: from 0, 12, 24 and 36, the last one 3 long."""
    path = plot._dashed([(0, 0), (30, 0), (30, 9)], "dash", 2)
    strokes = [[tuple(map(float, point.split())) for point in part.split(" L")] for part in path.removeprefix("M").split("M")]
    long = [sum(abs(b[0] - a[0]) + abs(b[1] - a[1]) for a, b in pairwise(one)) for one in strokes]
    assert long == [6, 6, 6, 3]
    assert [one[0] for one in strokes] == [(0, 0), (12, 0), (24, 0), (30, 6)]


@pytest.mark.parametrize("shape", ["/", "\\", "x", "-", "|", "+", "."])
def test_hatching_stays_in_its_bar(shape):
    rect = Rect(11, 7, 23, 41)
    at = [0.0, 0.0]
    for letter, numbers in re.findall(r"([MLhv])([^MLhv]*)", plot.hatching(rect, shape)):
        values = [float(value) for value in numbers.split()]
        at = values if letter in "ML" else [at[0] + values[0], at[1]] if letter == "h" else [at[0], at[1] + values[0]]
        assert rect.x - 0.7 <= at[0] <= rect.x + rect.w + 0.7
        assert rect.y <= at[1] <= rect.y + rect.h + 0.01
    assert plot.hatching(rect, shape).count("M") > 3


def test_words_of_plotlys_markup_are_words():
    assert plot.label("<b>W<sub>Q</sub></b><br>768×768") == (["W_{Q}", "768×768"], True)
    assert plot.label("a &lt;b&gt; &amp; c") == (["a <b> & c"], False)
    root = drawn({"data": [{"type": "bar", "x": ["&lt;script&gt;alert(1)&lt;/script&gt;", "b"], "y": [1, 2]}]})
    assert "<script>alert(1)</script>" in said(root)
    assert not list(root.iter("script"))
