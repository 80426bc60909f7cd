"""Drawn by Plotly, every picture of the app holds what the stage writes at rest: each word, each number, and no more."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from itertools import chain
from unittest.mock import patch

import numpy as np
import pytest

from components.export import request
from components.export.figures import FIGURES
from components.export.request import OPTIONS, Request, Unavailable, request_of
from components.figures import plotly as plotly_scene
from components.figures.layout import place
from components.figures.numbers import plain
from components.figures.pictures import attention
from components.figures.pictures.quiz import options as quiz_options
from components.figures.plotly import MOST_CHOSEN
from components.figures.scene import Scene
from components.figures.wire import pack
from components.widgets.choosers import maps_answer_clicks
from components.widgets.explanation import in_short
from lessons.quiz import deck
from mha import Config, run
from mha.explain import explain, parse_cell
from tests.figures.test_scene import unpacked

WORDS = "the cat sat on the mat"
LAYERS = (
    {}, {"num_heads": 1}, {"num_heads": 8, "mask": "causal"}, {"num_heads": 16, "use_bias": False},
    {"d_model": 256, "num_heads": 4, "query_len": 50, "key_len": 50}, {"query_len": 5, "key_len": 7, "num_heads": 2},
    {"d_model": 4096, "num_heads": 32}, {"d_model": 4, "num_heads": 1},
)  # fmt: skip
WIDTHS = (940, 358)


#: For each group of pictures a figure and the number of its layer above, or the quiz and a seed.
GROUPS = [
    *((figure.name, number) for figure in FIGURES.values() for number in range(len(LAYERS) if figure.of_layer else 1)),
    *(("quiz", seed) for seed in range(2)),
]
#: The figures of one layer draw the same numbers.
once = lru_cache(maxsize=4)(run)


@lru_cache(maxsize=1)
def pictures(name: str, number: int) -> dict[str, Scene]:
    """The group's scenes: of the figure, for every value of its own choices; or the quiz's options."""
    if name == "quiz":
        return {question.asks: quiz_options(question, run(question.cfg)) for question in deck(number) if question.drawn}
    figure, ask, made = FIGURES[name], request_of(LAYERS[number]), {}
    with patch.object(request, "run", once):
        for chosen in choices(figure, ask):
            try:
                picture = figure.draw(Request(ask.cfg, ask.paper, tuple(chosen.items())))
            except Unavailable:
                continue
            if picture.is_scene:
                made[f"{chosen}"] = picture.drawing
    return made


class Group:
    """Scenes by their names, and the figures that Plotly draws of them, each drawn once."""

    def __init__(self, scenes: dict[str, Scene]):
        self.scenes, self.drawn = scenes, {}

    def figures(self, width: float) -> Iterator[tuple[str, Scene, dict]]:
        for name, scene in self.scenes.items():
            if (name, width) not in self.drawn:
                self.drawn[name, width] = plotly_scene.draw(scene, width)
            yield name, scene, self.drawn[name, width]


@pytest.fixture(scope="module", params=GROUPS, ids="{0[0]} {0[1]}".format)
def group(request) -> Group:
    """Of each group all tests come one after the other, so that its pictures are made once."""
    return Group(pictures(*request.param))


def choices(figure, ask):
    """The defaults, and each choice of the figure at each other value (words and the last head for what is typed)."""
    yield {}
    typed = {"tokens": (WORDS,), "head": (ask.cfg.num_heads,), "head_off": (1, ask.cfg.num_heads)}
    typed |= {"x": (), "arrays": (), "factor": ()}  # they say nothing without numbers=typed, which shows an example
    typed |= {"soft_cap": (0.7,), "alibi": (True,), "sinks": (True,), "dinner": (7,)}
    for key in figure.options:
        option = OPTIONS[key]
        for value in option.choices if option.kind == "word" else typed[key]:
            if value != option.default:
                yield {key: value}


def on_stage(scene: Scene, width: float) -> Counter:
    """What the stage writes (assets/stage/3_stage.js), read off the bytes that it gets."""
    plan, values = unpacked(pack(scene))
    placed = place(scene, width)
    cell, shown = placed.cell, [panel.id for panel, _ in placed.frames]
    plans = (plan["rows"], plan.get("narrow", []))
    rows = next(rows for rows in plans if [panel["id"] for row in rows for panel in row] == shown)
    written = Counter(word for caption in plan["captions"] for word in caption.split())
    for panel in (panel for row in rows for panel in row):
        written.update(text["text"] for text in panel["texts"])
        for block in panel["blocks"]:
            wide, high = block["width"] * cell / block["cols"], block["height"] * cell / block["rows"]
            if high >= 11:
                written.update(block.get("row_labels", ()))
            if wide >= 11:
                written.update(block.get("col_labels", ()))
            grid = plan["grids"].get(block["grid"])
            if grid and wide >= 26 and high >= 16 and grid["pool"] == 1:
                all_values = values[grid["at"]:][:grid["rows"] * grid["cols"]].reshape(grid["rows"], grid["cols"])
                shown = all_values[block["row"]:block["row"] + block["rows"], block["col"]:block["col"] + block["cols"]]
                written.update(f"{v:.2f}".replace("-0.00", "0.00").replace("-", "−") for v in shown[~np.isnan(shown)])
    for scale in {grid["scale"]: 1 for grid in plan["grids"].values()}:
        top = plan["tops"].get(scale) or 1
        pool = max(grid["pool"] for grid in plan["grids"].values() if grid["scale"] == scale)
        names = {"weight": "weights", "bias": "biases", "signed": "values", "score": "scores", "share": "attention"}
        written.update([names[scale]])
        written.update(["0", "1"] if scale == "share" else [f"−{top:.2f}", f"+{top:.2f}"])
        tall = 1 if scale == "bias" else pool
        written.update([f"each cell shows the mean of {tall} × {pool}"] if pool > 1 else [])
    return Counter({plain(text): count for text, count in written.items()})


def in_figure(scene: Scene, figure: dict) -> Counter:
    """The figure's type; captions, which may be broken into lines, word by word."""
    (words,) = [trace for trace in figure["data"] if trace.get("mode") == "text"]
    texts = [*words["text"], *(one["text"] for one in figure["layout"]["annotations"])]
    texts = [unescape(re.sub(r"<sub>(.*?)</sub>", r"_\1", re.sub(r"<sup>(.*?)</sup>", r"^\1", text))) for text in texts]
    captions, made, left = [plain(caption).split() for caption in scene.captions if caption], Counter(), []
    for text in texts:
        line = text.split()
        if captions and captions[0][: len(line)] == line:  # the next line of the caption that is not yet at its end
            made.update(line)
            captions[0] = captions[0][len(line) :]
            captions = [words for words in captions if words]
        else:
            left.append(text)
    return made + Counter(left)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_word_and_number_of_the_stage_is_in_plotlys_figure_and_no_other(group, width):
    for name, scene, figure in group.figures(width):
        assert in_figure(scene, figure) == on_stage(scene, width), name


def test_the_pictures_are_of_every_kind():
    """Of every registered figure that is a scene, of the quiz; with words, with numbers, with means, without values."""
    found = {one: pictures(*one) for one in GROUPS}
    assert {name for (name, _), scenes in found.items() if scenes} >= {
        "heads", "projections", "cuts", "attention", "steps", "concatenation", "quiz"}  # fmt: skip
    every = [(name, scene) for scenes in found.values() for name, scene in scenes.items()]
    assert any(on_stage(scene, 940)["the"] >= 4 for name, scene in every if WORDS in name)
    assert any(not scene.grids for _, scene in every)
    assert any(grid.pool > 1 for _, scene in every for grid in scene.grids.values())


def test_nothing_stands_outside_the_figure(group):
    for name, _, figure in chain(*map(group.figures, WIDTHS)):
        layout = figure["layout"]
        for trace in figure["data"]:
            for axis, most in (("x", layout["width"]), ("y", layout["height"])):
                assert np.min(trace[axis], initial=0) >= 0, name
                assert np.max(trace[axis], initial=0) <= most, name


def test_a_figure_has_few_traces_and_shapes_whatever_the_number_of_heads(group):
    for name, scene, figure in group.figures(940):
        framed = sum(1 for panel in scene.panels if panel.go)
        assert len(figure["data"]) <= 24, name
        assert len(figure["layout"]["shapes"]) <= 40 + framed, name


def under_pointer(figure: dict) -> dict[tuple, float]:
    """Each heatmap's cells by name, row, column and head as the pointer says them."""
    found = {}
    for trace in figure["data"]:
        if trace["type"] == "heatmap" and "customdata" in trace:
            for at, value in np.ndenumerate(trace["z"]):
                if not np.isnan(value):
                    found[trace["name"], *(int(n) for n in trace["customdata"][at])] = float(value)
    return found


def test_what_is_said_under_the_pointer_is_the_layers_own_number():
    cfg = Config(d_model=12, num_heads=3, key_dim=4, value_dim=4, query_len=5, key_len=7)
    trace = run(cfg)
    said = under_pointer(plotly_scene.draw(attention.steps(cfg, trace, 1, "sqrt_d_k")))
    for (row, col), value in np.ndenumerate(trace.scores.values[0, 1]):
        assert said["QKᵀ", row + 1, col + 1, 2] == float(value)
    for (row, col), value in np.ndenumerate(trace.k.values[0, :, 1]):  # drawn transposed, said as it is
        assert said["K", row + 1, col + 1, 2] == float(value)


def cells(figure: dict) -> list[tuple[str, str]]:
    return [pair for trace in figure["data"] if trace["name"] == "cells"
            for pair in zip(trace["customdata"], trace["hovertext"], strict=True)]  # fmt: skip


def test_a_click_chooses_the_cell_that_the_pointer_names_with_its_arithmetic():
    cfg = Config(d_model=12, num_heads=3, key_dim=4, value_dim=4, query_len=5, key_len=7)
    trace = run(cfg)
    scene = attention.steps(cfg, trace, 1, "sqrt_d_k")
    found = cells(plotly_scene.draw(scene, in_short=lambda cell: in_short(explain(trace, cell))))
    assert len(found) == 5 * 4 + 7 * 4 + 3 * 5 * 7
    for address, text in found:
        made = explain(trace, parse_cell(address, cfg))
        row, col = re.match(r".+ of head 2, row (\d+), column (\d+) = ", text).groups()
        assert address.endswith(f".{row}.{col}")
        assert float(text.split(" = ")[1].replace("−", "-")) == pytest.approx(made.value, abs=5.1e-4)
    a, b = (float(x) for x in (trace.q.values[0, 2, 1, 0], trace.k.values[0, 4, 1, 0]))
    text = dict(found)["scores.2.3.5"].replace("−", "-").replace("(", "").replace(")", "")
    assert text.split(" = ")[2].startswith(f"{a:.2f}·{b:.2f} + ")


def test_a_sum_in_short_adds_up_where_all_of_it_is_written():
    cfg = Config(d_model=3, num_heads=3, key_dim=2, value_dim=2, query_len=2, key_len=2)
    made = explain(run(cfg), parse_cell("q.2.1.2", cfg))
    text = in_short(made).replace("−", "-").replace(" (bias)", "").replace("(", "").replace(")", "")
    terms = [np.prod([float(factor) for factor in term.split("·")]) for term in text.split(" + ")]
    assert len(terms) == 4
    assert sum(terms) == pytest.approx(made.value, abs=0.03)


def test_the_arithmetic_in_short_stays_short():
    cfg = Config(d_model=512, num_heads=2, key_dim=256, value_dim=256, query_len=5, key_len=67)
    trace = run(cfg)
    for address in ("q.2.5.7", "scores.1.3.61", "scaled.1.3.61", "weights.2.5.67", "context.1.2.3", "concat.5.500", "output.1.9"):
        assert len(in_short(explain(trace, parse_cell(address, cfg)))) <= 90


def test_maps_choose_their_head_and_large_pictures_no_cell():
    cfg = Config(num_heads=4)
    found = cells(plotly_scene.draw(attention.maps(cfg, run(cfg), 0)))
    assert [chosen for chosen, _ in found] == [f"go:{head}" for head in (1, 2, 3, 4) for _ in range(36)]
    large = Config(num_heads=16, query_len=17, key_len=17)
    scene = attention.maps(large, run(large), 0)
    assert MOST_CHOSEN < 16 * 17 * 17
    assert plotly_scene.cells_to_choose(scene) == []
    assert cells(plotly_scene.draw(scene)) == []


def test_the_chosen_cell_is_ringed_with_the_row_and_the_column_that_meet_in_it():
    cfg = Config(num_heads=4)
    scene = attention.steps(cfg, run(cfg), 1, "sqrt_d_k")
    plain_shapes = plotly_scene.draw(scene)["layout"]["shapes"]
    shapes = plotly_scene.draw(scene, chosen=parse_cell("scores.2.3.5", cfg))["layout"]["shapes"][len(plain_shapes):]
    assert [path["path"].count("M") for path in shapes] == [2, 1, 1]
    rects = {block.id: rect for block, rect in place(scene, 940).blocks}
    cell = place(scene, 940).cell
    ring = [float(n) for n in re.findall(r"-?[\d.]+", shapes[1]["path"])]
    assert ring[0] == pytest.approx(rects["scores"].x + 4 * cell - 1, abs=0.01)
    assert ring[1] == pytest.approx(rects["scores"].y + 2 * cell - 1, abs=0.01)


@pytest.mark.parametrize("query", [
    {}, {"num_heads": 16}, {"query_len": 32, "key_len": 32}, {"query_len": 33}, {"num_heads": 2, "query_len": 33, "key_len": 33},
    {"num_heads": 16, "query_len": 16, "key_len": 16}, {"num_heads": 16, "query_len": 17, "key_len": 17},
])  # fmt: skip
def test_the_heads_field_speaks_of_a_click_where_the_maps_answer_one(query):
    cfg = request_of(query).cfg
    assert maps_answer_clicks(cfg) == bool(plotly_scene.cells_to_choose(attention.maps(cfg, run(cfg), 0)))
