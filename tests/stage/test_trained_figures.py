"""The pictures of trained heads as data: the table says what the network says, maps are weights, curves the report."""

import json
from statistics import mean, stdev

import numpy as np
import pytest

from headcount.explain import Cell
from headcount.plots.trained import Maps, draw, purpose
from headcount.stage.pictures.trained import charts
from headcount.stage.pictures.trained.table import guests_of, table
from headcount.trained.dinner import DISHES, NAMES, QUESTIONS
from headcount.trained.network import forward
from headcount.trained.store import load
from headcount.trained.task import fixed_examples

SEVENTH = 6


@pytest.fixture(scope="module")
def dinner():
    return fixed_examples(load("dinner-3").task)[SEVENTH : SEVENTH + 1]


@pytest.fixture(scope="module")
def made(dinner):
    return forward(load("dinner-3"), dinner.tokens)


def test_the_table_says_for_each_guest_whose_dish_is_asked_and_what_the_network_answers_and_is_sent_at_once(dinner, made):
    drawn = json.loads(json.dumps(table("3 heads", "each 8 wide", dinner, made, np.array([0.5, 0.25, 1, 0]))))
    guests = drawn["guests"]
    for seat, answers in enumerate(drawn["answers"]):
        here = dinner.tokens[0, seat]
        assert guests[seat]["name"] == NAMES[here[0]]
        assert guests[seat]["dish"] == DISHES[here[1]]
        assert [answer["question"] for answer in answers] == list(QUESTIONS)
        assert answers[0]["who"] == guests[(seat - 1) % 8]["name"]
        assert answers[0]["right"] == guests[(seat - 1) % 8]["dish"]
        assert answers[1]["right"] == guests[(seat + 1) % 8]["dish"]
        assert answers[2]["who"][0] == guests[seat]["name"][0]
        assert answers[3]["right"] == next(guest["dish"] for guest in guests if guest["host"])
        for q, answer in enumerate(answers):
            logits = made.logits[0, seat, q]
            assert answer["predicted"] == DISHES[logits.argmax()]
            assert answer["sure"] == pytest.approx(round(1 / np.exp(logits - logits.max()).sum(), 3), rel=1e-5)
            assert answer["ok"] == (answer["predicted"] == answer["right"])
    assert drawn["rates"] == ["50%", "25%", "100%", "0%"]
    np.testing.assert_allclose(drawn["attention"], made.trace.weights.values[0], atol=6e-4)
    assert len(drawn["alts"]) == len(drawn["answers"]) == 8


def test_the_description_names_who_is_looked_at(dinner, made):
    whole = table("3 heads", "", dinner, made, np.zeros(4))
    rows, guests = made.trace.weights.values[0], guests_of(dinner)
    seen = int(rows[1, 5].argmax())
    assert rows[1, 5, seen] > 0.995, "never rounded up to 1"
    assert f"head 2 looks most at {guests[seen].name} (0.99)" in whole["alts"][5]


def maps(heads=3, size=5, title="3 heads", **kwargs):
    weights = np.random.default_rng(0).dirichlet(np.ones(size), (heads, size)).astype(np.float32)
    mass = np.array([[0.95, 0.2, 0.1], [0.05, 0.3, 0.91]])[:, :heads]
    return Maps(title, weights, mass, ("left", "host"), **kwargs)


def test_a_map_is_the_weights_and_its_title_says_what_its_head_is_for():
    figure, alt = draw((maps(),), tuple("abcde"), asking=(0, 2), pale=(1, 3, 4))
    own = [trace for trace in figure["data"] if trace["coloraxis"] == "coloraxis"]
    for head, trace in enumerate(own):
        np.testing.assert_array_equal(trace["z"], maps().weights[head])
    looked = [f"c → {'abcde'[maps().weights[head, 2].argmax()]} {maps().weights[head, 2].max():.3f}" for head in range(3)]
    assert [note["text"] for note in figure["layout"]["annotations"]] == [
        "<b>head 1 · left</b>", looked[0], "<b>head 2</b>", looked[1], "<b>head 3 · host</b>", looked[2],
    ]  # fmt: skip
    assert purpose(maps(), 1) == ("host", 0.3)
    means = "head 1: left 0.95, head 2: host 0.30, head 3: host 0.91"
    assert alt == f"3 heads. Mean weight where an answer stands: {means}. Asked: a, c."
    scale = figure["layout"]["coloraxis"]
    assert (scale["cmin"], scale["cmax"]) == (0, 1)
    rows = [shape["y0"] - 0.5 for shape in figure["layout"]["shapes"] if shape["xref"] == "x2" and shape["yref"] == "y2"]
    assert rows == [2], "the last row that is asked has a frame"
    grey = next(trace for trace in figure["data"] if (trace["xaxis"], trace["coloraxis"]) == ("x2", "coloraxis2"))
    assert np.isnan(grey["z"][[0, 2]]).all()
    np.testing.assert_array_equal(grey["z"][[1, 3, 4]], maps().weights[1][[1, 3, 4]])
    assert grey["hoverinfo"] == "skip", "the map's own trace is what is hovered and clicked"


def test_one_head_stands_at_the_left_of_all_lines_of_several():
    figure = draw((maps(1, 13, "one head", explained=False), maps(3, 13)), [*"abcdefghijklm"])[0]
    domains = [figure["layout"][f"xaxis{n}"]["domain"][0] for n in ("", 2, 3, 4)]
    assert domains[0] < domains[1] < domains[2]
    assert domains[1] == domains[3], "the third head of three, below the first of them"
    assert figure["layout"]["yaxis4"]["showticklabels"], "nothing stands at its left"
    narrow = draw((maps(1, 13, "one head"), maps(3, 13)), [*"abcdefghijklm"], width=350)[0]
    assert len({narrow["layout"][f"xaxis{n}"]["domain"][0] for n in ("", 2, 3, 4)}) == 1


def test_only_the_chosen_networks_cells_have_an_address_and_a_chosen_one_a_frame():
    one = maps(1, title="one head", explained=False)
    figure = draw((one, maps()), tuple("abcde"), chosen=Cell("weights", 1, 4, 2))[0]
    meant = [(trace["meta"].get("name"), trace["meta"].get("head")) for trace in figure["data"]]
    assert meant == [(None, None), ("weights", 1), ("weights", 2), ("weights", 3)]
    assert [(shape["xref"], shape["x0"], shape["y0"]) for shape in figure["layout"]["shapes"] if shape["line"]["width"] == 3] == [
        ("x4", 4.5, 1.5)
    ]


REPORT = {"runs": {
    "dinner-4": [{"seed": 0, "mean": 1.0}, {"seed": 1, "mean": 0.7}, {"seed": 2, "mean": 0.4}],
    "dinner-1": [{"seed": 0, "mean": 0.5}],
    "sentence-1": [{"seed": 0, "mean": 0.8}],
}}  # fmt: skip


def test_the_curve_is_the_mean_over_seeds_and_the_ring_the_network_on_the_page():
    made = charts.spreads(REPORT, "dinner", 0)
    assert [(one.heads, one.shown, len(one.seeds)) for one in made] == [(1, 0.5, 1), (4, 1.0, 3)]
    assert made[1].mean == pytest.approx(mean([1, 0.7, 0.4]))
    assert made[1].deviation == pytest.approx(stdev([1, 0.7, 0.4]))
    figure, alt = charts.draw_spreads(made, 4)
    dots, line, ring = figure["data"]
    assert list(zip(dots["x"], dots["y"], strict=True)) == [("1", 0.5), ("4", 1.0), ("4", 0.7), ("4", 0.4)]
    assert line["y"] == [0.5, pytest.approx(0.7)]
    assert (ring["x"], ring["y"]) == (["4"], [1.0])
    assert ring["cliponaxis"] is False, "around 100% it is cut at the top"
    assert "4: 70% ± 30% (3 seeds)" in alt


def test_the_papers_points_are_table_3_a():
    """Vaswani et al. 2017, Table 3, rows (A) and base: h = 1, 4, 8 (base), 16, 32."""
    assert charts.draw_bleu()[0]["data"][0]["y"] == [24.9, 25.5, 25.8, 25.8, 25.4]
