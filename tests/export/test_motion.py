"""How an attention weight comes about: the words are its arithmetic, and the rings are around the numbers that they name."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from components.export import browser
from components.export.figures import FIGURES
from components.export.look import Look
from components.export.motion import frames_of_cell, frames_of_heads, of_cell
from components.export.request import Unavailable, request_of
from mha import run

LOOK = Look(size="own", width=480, height=270, caption=False)
SIZES = {"numbers": "seed", "d_model": 15, "num_heads": 3, "query_len": 7, "key_len": 11, "head": 2}


def titles(row: int, col: int, **query) -> list[str]:
    return [frame.page.title for frame in frames_of_cell(FIGURES["steps"], request_of(SIZES | query), LOOK, row, col)]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_the_frames_add_up_one_product_after_the_other_and_end_at_the_weight():
    """By hand, from the trace: d_k is 5, so five products; then the division and the softmax."""
    trace = run(request_of(SIZES).cfg)
    q, k = trace.q.values[0, 3, 1], trace.k.values[0, 8, 1]
    *products, scaled, weight = titles(3, 8)
    assert len(products) == 5
    for place, words in enumerate(products):
        one, two, total = (number(text) for text in re.search(r"(\S+) · (\S+) = (\S+)$", words).groups())
        assert (one, two) == (pytest.approx(q[place], abs=0.006), pytest.approx(k[place], abs=0.006))
        assert total == pytest.approx((q * k)[: place + 1].sum(), abs=0.006)
    assert number(scaled.rsplit(" ", 1)[1]) == pytest.approx((q @ k) / np.sqrt(5), abs=0.006)
    assert number(weight.rsplit(" ", 1)[1]) == pytest.approx(trace.weights.values[0, 1, 3, 8], abs=0.006)


def test_a_masked_weight_is_told_as_masked():
    assert "Masked: this query may not look at this key" in titles(2, 9, mask="causal")
    assert "The mask leaves it as it is" in titles(2, 1, mask="causal")


def test_the_rings_are_around_one_number_of_the_row_and_one_of_the_column():
    """The first product: the first cell of the query's row of Q, and the first of the key's column of K transposed."""
    frames = frames_of_cell(FIGURES["steps"], request_of(SIZES), LOOK, 3, 8)
    rings = [len(re.findall(r'<rect [^>]*fill="none" stroke="#b3261e"', frame.page.svg)) for frame in frames]
    assert rings == [3] * 5 + [2] * 2
    assert len({frame.page.svg for frame in frames}) == 7


@pytest.mark.parametrize(("name", "row", "col", "said"), [
    ("heads", 0, 0, "in the figure steps"), ("steps", 7, 0, "cell must be from 1.1 to 7.11, got 8.1"),
])  # fmt: skip
def test_what_there_is_not_is_said(name, row, col, said):
    with pytest.raises(Unavailable, match=said):
        frames_of_cell(FIGURES[name], request_of(SIZES), LOOK, row, col)


@pytest.fixture
def blank(monkeypatch):
    """No browser: each frame is a grey of its own."""
    greys = iter(range(10, 250, 20))

    def png(svg, width, height, scale):
        file = io.BytesIO()
        Image.new("RGB", (481, 270), (next(greys),) * 3).save(file, "PNG")
        return file.getvalue()

    monkeypatch.setattr(browser, "png", png)


def test_a_moving_picture_has_every_frame(blank):
    moving = Image.open(io.BytesIO(of_cell(FIGURES["steps"], request_of(SIZES), LOOK, 3, 8)))
    assert moving.n_frames == 7


@pytest.mark.parametrize("name", ["projections", "shares"])
def test_colours_mean_the_same_in_every_frame(name):
    """The scale's ends: of cells the words in the legend, of heatmaps the ends of the colour axis."""
    requests = list(request_of({"numbers": "seed", "d_model": 12, "num_heads": 3}).at_stops().values())
    pages = [frame.page for frame in frames_of_heads(FIGURES[name], requests, LOOK)]
    if name == "shares":
        ends = [page.chart["layout"]["coloraxis"]["cmax"] for page in pages]
    else:
        ends = [re.findall(r">([+−][\d.]+)<", page.svg)[-1] for page in pages]
    assert len(ends) == 4
    assert len(set(ends)) == 1


def test_type_has_the_same_size_in_every_frame():
    """Eight maps stand in two lines, four in one."""
    frames = frames_of_heads(FIGURES["attention"], [request_of({"num_heads": heads}) for heads in (4, 8)], Look())
    seen = [re.search(r'viewBox="0 0 (\S+) .* scale\((\S+)\)"><g class="chart"/>', frame.page.svg, re.S) for frame in frames]
    assert seen[0].groups() == seen[1].groups()


def test_an_axis_stands_still_while_the_heads_move():
    """The layer of 1,088 parameters keeps them with 1, 2, 4 and 8 heads: the ring's words stay at their height."""
    requests = [request_of({"num_heads": heads}) for heads in (1, 2, 4, 8)]
    charts = [frame.page.chart for frame in frames_of_heads(FIGURES["parameters"], requests, LOOK)]
    tops = {tuple(chart["layout"]["yaxis"]["range"]) for chart in charts}
    assert len(tops) == 1
    assert all(chart["data"][-1]["y"] == [1088] for chart in charts)
