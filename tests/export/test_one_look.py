"""An attention map looks the same everywhere: on its page, small, on a phone, step by step, in the walk, in a file and on a
slide. Each place is compared with one answer, which is made of the weights."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from components.presenter.walk import picture
from headcount.export.figures import FIGURES
from headcount.export.rendering import sheet_of
from headcount.export.request import request_of
from headcount.export.style import Style
from headcount.plots import layer
from headcount.stage import svg
from headcount.stage.layout import place
from headcount.stage.theme import LIGHT, SLIDE, Theme
from headcount.trained.sentence import DEFAULT
from lessons.walk import STEPS
from tests.export.sheets import SVG

#: The words that ask something, by hand, and the last verb, from which the framed row is.
ASKING, VERB = ("calls", "she", "thanks"), "thanks"
#: Colours (red, green, blue) of each cell; what stands beside the rows, and below the columns; colours of strips.
Seen = tuple[list[tuple[int, ...]], list[str], list[str], set[str]]


def colour(share: float, stops: tuple[str, ...]) -> tuple[int, ...]:
    at = share * (len(stops) - 1)
    low = min(int(at), len(stops) - 2)
    ends = [[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in stops[low : low + 2]]
    return tuple(round(a + (b - a) * (at - low)) for a, b in zip(*ends, strict=True))


def answer(weights: np.ndarray, theme: Theme = LIGHT) -> list[tuple[int, ...]]:
    """The colours of the map, a row for each query: purple in the rows of words that ask, else the pale scale."""
    return [
        colour(float(weights[row, key]), theme.share if word in ASKING else theme.pale)
        for row, word in enumerate(DEFAULT.words) for key in range(13)
    ]  # fmt: skip


def of_figure(figure: dict, head: int, name: str = "") -> Seen:
    """The last of the figure's maps of a head, because thumbnails come after the large one."""
    layout = figure["layout"]
    own = [one for one in figure["data"] if one.get("meta", {}).get("head") == head + 1 or one.get("name", "-") == name][-1]
    greys = [one for one in figure["data"] if one["xaxis"] == own["xaxis"] and one.get("hoverinfo") == "skip"]
    cells = []
    for at, value in np.ndenumerate(own["z"]):
        over = [one for one in greys if np.isfinite(one["z"][at])]
        scale = layout[(over or [own])[-1]["coloraxis"]]["colorscale"]
        assert [stop for stop, _ in scale] == pytest.approx(np.linspace(0, 1, len(scale)))
        cells.append(colour(float(value), tuple(one for _, one in scale)))
    across, down = (layout[own[f"{axis}axis"].replace(axis, f"{axis}axis")] for axis in "xy")
    (first, last), (top, foot) = across["range"], down["range"]
    assert first < last, "the first key is at the left"
    assert top > foot, "the first query is on top"
    strips = {one["fillcolor"] for one in layout["shapes"] if one["xref"] == own["xaxis"] and one.get("ysizemode") == "pixel"}
    rows = layout["yaxis"]["ticktext"]
    return cells, [re.sub("</?b>", "", word) for word in rows], list(across.get("ticktext", ())), strips


def of_file(text: str, names: tuple[str, ...]) -> Seen:
    root = ET.fromstring(text)
    groups = [one for one in root.iter(f"{SVG}g") if (one.findtext(f"{SVG}title") or "") in names]
    rects = groups[0].findall(f"{SVG}rect")[: 13 * 13]
    places = [(float(one.get("y")), float(one.get("x"))) for one in rects]
    assert places == sorted(places), "queries from the top, keys from the left"
    said = {
        anchor: [one.text for one in root.iter(f"{SVG}text") if one.get("text-anchor") == anchor] for anchor in ("end", "middle")
    }
    rows = [word for word in said["end"] if word in DEFAULT.words][:13]
    x, y, at = float(rects[0].get("x")), float(rects[0].get("y")), lambda one, side: float(one.get(side, "0").rstrip("%"))
    thin = [one for one in root.iter(f"{SVG}rect") if at(one, "height") < 5 and 0 < y - at(one, "y") < 13]
    strips = {one.get("fill") for one in thin if abs(at(one, "x") - x) < 3}
    return [tuple(bytes.fromhex(one.get("fill")[1:])) for one in rects], rows, said["middle"], strips


def weights(heads: int) -> np.ndarray:
    return request_of({"num_heads": heads}).on_words().trace().weights.values[0]


def page(heads: int, width: float) -> dict:
    ask = request_of({"num_heads": heads}).on_words()
    how = (ask.switches, "sqrt_d_k", ask.reading, ask.tokens, 1)
    return layer.maps_beside(ask.trace(), *how, width=width)[0]


def drawn_scene(scene) -> str:
    return svg.draw(scene, place(scene, 1240), svg.Ink(LIGHT))


def in_walk() -> str:
    step = next(one for one in STEPS if one.figure == "attention" and not one.settings)
    return f'<svg xmlns="http://www.w3.org/2000/svg">{drawn_scene(replace(picture(step), max_cell=14))}</svg>'


HEAD = 1
IN_FILE = ("head 2", "head 2 · whom", "A of head 2")
PLACES = {
    "page": (4, lambda: of_figure(page(4, 440), HEAD)),
    "phone": (4, lambda: of_figure(page(4, 350), HEAD)),
    "thumbnail": (16, lambda: of_figure(page(16, 440), HEAD)),
    "file": (4, lambda: of_file(sheet_of(FIGURES["attention"], request_of({}), Style()).svg, IN_FILE)),
    "slide": (4, lambda: of_file(sheet_of(FIGURES["attention"], request_of({}), Style(size="slide")).svg, IN_FILE)),
    "steps": (4, lambda: of_file(sheet_of(FIGURES["steps"], request_of({"head": 2}), Style()).svg, IN_FILE)),
    "walk": (4, lambda: of_file(in_walk(), IN_FILE)),
}  # fmt: skip


@pytest.mark.parametrize("where", PLACES)
def test_a_map_has_the_same_strengths_order_words_and_hue_in_every_place(where):
    heads, look = PLACES[where]
    cells, rows, below, strips = look()
    wanted = answer(weights(heads)[HEAD])
    assert max(abs(a - b) for one, other in zip(cells, wanted, strict=True) for a, b in zip(one, other, strict=True)) <= 1
    assert rows in ([*DEFAULT.words], [VERB]), (
        "all words at the rows in their order, or where they have no room the one that asks"
    )
    assert len(strips) == 1
    assert strips <= {LIGHT.heads[HEAD], LIGHT.head_text[HEAD], SLIDE.head_text[HEAD]}
    hit = DEFAULT.words[int(weights(heads)[HEAD, DEFAULT.words.index(VERB)].argmax())]
    assert where == "thumbnail" or hit in below, "of the columns the one that the framed row hits"


def test_a_row_that_does_not_ask_is_far_weaker_than_one_that_does():
    """The ends of its pale scale differ at most a third as much as those of the other scale, in both themes."""
    far = lambda stops: max(abs(a - b) for a, b in zip(colour(0, stops), colour(1, stops), strict=True))  # noqa: E731
    assert 0 < 3 * far(LIGHT.pale) <= far(LIGHT.share)
