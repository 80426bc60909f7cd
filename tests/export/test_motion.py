"""A figure with ever more heads: what stays is seen to stay."""

import io
import re

import pytest
from PIL import Image

from components.export import browser
from components.export.figures import FIGURES
from components.export.look import Look
from components.export.motion import frames_of_heads, of_heads
from components.export.request import request_of

LOOK = Look(size="own", width=480, height=270, caption=False)


@pytest.mark.parametrize("name", ["projections", "shares"])
def test_colours_mean_the_same_in_every_frame(name):
    """The scale's ends: of cells the words in the legend, of heatmaps the ends of the colour axis."""
    requests = list(request_of({"numbers": "seed", "d_model": 12, "num_heads": 3}).at_stops().values())
    pages = frames_of_heads(FIGURES[name], requests, LOOK)
    if name == "shares":
        ends = [page.chart["layout"]["coloraxis"]["cmax"] for page in pages]
    else:
        ends = [re.findall(r">([+−][\d.]+)<", page.svg)[-1] for page in pages]
    assert len(ends) == 4
    assert len(set(ends)) == 1


def test_type_has_the_same_size_in_every_frame():
    """Eight maps stand in two lines, four in one."""
    pages = frames_of_heads(FIGURES["attention"], [request_of({"num_heads": heads}) for heads in (4, 8)], Look())
    seen = [re.search(r'viewBox="0 0 (\S+) .* scale\((\S+)\)"><g class="chart"/>', page.svg, re.S) for page in pages]
    assert seen[0].groups() == seen[1].groups()


def test_an_axis_stands_still_while_the_heads_move():
    """The layer of 1,088 parameters keeps them with 1, 2, 4 and 8 heads: the ring's words stay at their height."""
    requests = [request_of({"num_heads": heads}) for heads in (1, 2, 4, 8)]
    charts = [page.chart for page in frames_of_heads(FIGURES["parameters"], requests, LOOK)]
    tops = {tuple(chart["layout"]["yaxis"]["range"]) for chart in charts}
    assert len(tops) == 1
    assert all(chart["data"][-1]["y"] == [1088] for chart in charts)


def test_a_moving_picture_stops_at_eight_heads(monkeypatch):
    """32 wide, a layer may have 1, 2, 4, 8, 16 and 32."""
    still = io.BytesIO()
    Image.new("RGB", (2, 2)).save(still, "PNG")
    monkeypatch.setattr(browser, "png", lambda *_: still.getvalue())
    said = []
    of_heads(FIGURES["cuts_schematic"], request_of({"d_model": 32}), LOOK, lambda _, what: said.append(what))
    assert said == [*(f"frame {number} of 4" for number in (1, 2, 3, 4)), "done"]
