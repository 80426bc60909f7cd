"""A Plotly figure in a look: in print nothing is told by colour alone; and its SVG is the same again, cells as rectangles."""

import base64
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
from PIL import Image

from components.export import charts as chart_svg
from components.export import rendering
from components.export.charts import dressed, grey, tidied
from components.export.figure import Picture
from components.export.figures import FIGURES
from components.export.look import Look
from components.export.request import request_of
from components.figures.pictures.trained.charts import draw_removals
from components.figures.theme import EITHER_SIGNED, PRINT, stops

LIGHT_LOOK, PRINT_LOOK = Look(), Look(theme="print")
NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def figure(name: str, **query) -> dict:
    return FIGURES[name].draw(request_of(query)).drawing


def test_a_colour_becomes_a_grey_as_light_as_it_is():
    """0.299 · 255 = 76, 0.587 · 255 = 150, 0.114 · 255 = 29."""
    assert [grey(c) for c in ("#ff0000", "#00ff00", "#0000ff", "#ffffff")] == ["#4c4c4c", "#969696", "#1d1d1d", "#ffffff"]
    assert grey("rgba(255, 0, 0, 0.5)") == "rgba(76,76,76,0.5)"
    assert [grey(word) for word in ("solid", "heads (h)", "x2")] == ["solid", "heads (h)", "x2"]


def colours(part: object, key: str = "") -> set[str]:
    if isinstance(part, dict):
        return {c for k, value in part.items() for c in colours(value, k)}
    if isinstance(part, list | tuple):
        return {c for value in part for c in colours(value, key)}
    return {part} if isinstance(part, str) and part.startswith("#") else set()


def test_in_print_every_colour_is_a_grey():
    for name in ("parameters", "divisors", "right_answers", "head_switched_off"):
        found = colours(dressed(figure(name, head_off=1), PRINT_LOOK))
        assert found
        assert {c for c in found if not c[1:3] == c[3:5] == c[5:7]} == set(), name


def test_in_print_bars_differ_by_hatching_and_lines_by_dash_and_sign():
    bars = dressed(figure("divisors"), PRINT_LOOK)["data"]
    assert len({bar["marker"]["pattern"]["shape"] for bar in bars}) == 3
    lines = dressed(figure("parameters"), PRINT_LOOK)["data"][:3]
    assert len({line["line"]["dash"] for line in lines}) == 3
    assert len({line["marker"]["symbol"] for line in lines}) == 3


def test_in_print_lines_that_only_colour_told_apart_get_a_dash_and_a_sign():
    hues = ("#3f74d8", "#d07a1a", "#1f9a7c")
    plain = [{"type": "scatter", "mode": "lines+markers", "line": {"color": hue}} for hue in hues]
    made = dressed({"data": plain, "layout": {}}, PRINT_LOOK)["data"]
    assert len({line["line"]["dash"] for line in made}) == 3
    assert len({line["marker"]["symbol"] for line in made}) == 3
    assert len({line["line"]["color"] for line in made}) == 3


def test_the_signed_scale_is_as_dark_at_both_ends_in_print():
    made = dressed({"data": [], "layout": {"coloraxis": {"colorscale": stops(EITHER_SIGNED)}}}, PRINT_LOOK)
    assert made["layout"]["coloraxis"]["colorscale"] == stops(PRINT.signed)


def test_the_figure_that_is_given_stays_as_it_is():
    given = figure("divisors")
    before = repr(given)
    dressed(given, PRINT_LOOK)
    assert repr(given) == before


def plotly_like(pixels: np.ndarray, uid: str) -> str:
    made = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(made, "PNG")
    data = base64.b64encode(made.getvalue()).decode()
    return (
        f'<svg class="main-svg" {NAMES} width="9" height="9"><defs id="defs-{uid}"/><clipPath id="clip{uid}xy"/>'
        f'<image preserveAspectRatio="none" height="40" width="60" x="5" y="7" xlink:href="data:image/png;base64,{data}"/></svg>'
    )


def heatmap(values, reverse: bool = True) -> dict:
    layout = {"yaxis": {"autorange": "reversed"}} if reverse else {}
    return {"data": [{"type": "heatmap", "z": values, "xgap": 2, "ygap": 2}], "layout": layout}


def picture(rows: int, cols: int) -> np.ndarray:
    """A picture of 20 × 20 pixels a cell, each cell of a red of its own; the last cell clear."""
    cells = np.arange(rows * cols).reshape(rows, cols) * 10 + 100
    red = np.kron(cells, np.ones((20, 20)))
    solid = np.kron(np.where(cells == cells.max(), 0, 255), np.ones((20, 20)))
    return np.dstack([red, red * 0, red * 0, solid])


def test_a_heatmaps_cells_become_rectangles_in_the_pictures_own_colours():
    """2 × 3 cells in 60 × 40 pixels at (5, 7): 20 × 20 each, less a gap of 2 around."""
    made = tidied(plotly_like(picture(2, 3), "ab12"), heatmap([[1, 2, 3], [4, 5, None]]), LIGHT_LOOK, "some")
    rects = list(ET.fromstring(f"<svg {NAMES}>{made}</svg>").iter("{http://www.w3.org/2000/svg}rect"))
    assert [rect.get("fill") for rect in rects] == ["#640000", "#6e0000", "#780000", "#820000", "#8c0000"]
    assert [rects[4].get(key) for key in ("x", "y", "width", "height")] == ["26", "28", "18", "18"]


def test_in_print_a_bar_marks_what_is_negative_wherever_the_rows_begin():
    for values, reverse in (([[1, 2, -3], [4, 5, None]], True), ([[4, 5, None], [1, 2, -3]], False)):
        made = tidied(plotly_like(picture(2, 3), "ab12"), heatmap(values, reverse), PRINT_LOOK, "some")
        assert made.count("<path") == 1
        assert 'd="M49 17h12"' in made


def test_small_cells_stand_without_a_gap_and_a_bar_leaves_most_of_the_cell():
    """2 × 30 cells in 60 × 40 pixels: 2 wide. In print, gaps and thick bars hid most of a 64 × 64 kernel."""
    values = -np.ones((2, 30))
    root = ET.fromstring(f"<svg {NAMES}>{tidied(plotly_like(picture(2, 30), 'ab12'), heatmap(values), PRINT_LOOK, 'some')}</svg>")
    assert {rect.get("width") for rect in root.iter("{http://www.w3.org/2000/svg}rect")} == {"2"}
    small = tidied(plotly_like(picture(30, 30), "ab12"), heatmap(-np.ones((30, 30))), PRINT_LOOK, "some")
    (thick,) = {float(width) for width in re.findall(r'stroke-width="([\d.]+)"', small)}
    assert thick <= 40 / 30 * 0.15


def test_plotly_draws_cells_without_gaps_so_that_none_is_read_as_clear(monkeypatch):
    """At two or three pixels a cell, every second column of a large heatmap was lost to its gap."""
    sent = []
    drawn = plotly_like(picture(1, 1), "ab12")
    monkeypatch.setattr(rendering.browser, "chart_svg", lambda figure, *_: sent.append(figure) or drawn)
    shown = draw_removals(np.array([[0.25, 1.0, 0.75]]), ("left", "right", "host"), None)
    assert shown["data"][0]["xgap"] == 2
    rendering.sheet_with(Picture(shown, "", ""), "", PRINT_LOOK, "some")
    assert len(sent[0]["data"]) == 1
    assert not any("xgap" in trace or "ygap" in trace for trace in sent[0]["data"])


def test_ids_of_chance_are_replaced():
    one = tidied(plotly_like(picture(1, 1), "ab12"), heatmap([[1]]), LIGHT_LOOK, "some")
    other = tidied(plotly_like(picture(1, 1), "77fe"), heatmap([[1]]), LIGHT_LOOK, "some")
    assert one == other
    assert 'id="clipsomexy"' in one


def test_too_many_cells_stay_a_picture(monkeypatch):
    monkeypatch.setattr(chart_svg, "MOST_VECTOR_CELLS", 5)
    assert "<image" in tidied(plotly_like(picture(2, 3), "ab12"), heatmap(np.ones((2, 3))), LIGHT_LOOK, "some")
