"""The pictures of trained heads as data: the table says what the network says, maps are weights, curves the report."""

import json
from statistics import mean, stdev

import numpy as np
import pytest

from headcount import Config
from headcount.explain import Cell
from headcount.plots.trained import Maps, draw, purpose
from headcount.settings import STOPS
from headcount.stage.pictures.trained import charts, costs
from headcount.stage.pictures.trained.table import guests_of, table
from headcount.trained.dinner import DISHES, NAMES, QUESTIONS
from headcount.trained.network import forward
from headcount.trained.store import load, manifest, report
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


def stops(*seeds, slider="key_dim"):
    """Stops 1, 2, 3 … of a slider, each with so many networks: their shares of right answers to who, whom, where and when."""
    at = [*STOPS].index(slider)
    sizes = [tuple(value if place == at else 4 for place in range(4)) for value in range(1, len(seeds) + 1)]
    return [costs.Stop(value, one, runs[0], tuple(runs)) for value, (one, runs) in enumerate(zip(sizes, seeds, strict=True), 1)]


RIGHT, MIXED, NOWHERE = (1.0, 0.97, 1.0, 1.0), (0.5, 0.95, 1.0, 1.0), (1.0, 0.3, 0.2, 1.0)


@pytest.mark.parametrize(("seeds", "slider", "wanted"), [
    (([MIXED], [RIGHT]), "key_dim", "Key size 1 mixes up who and whom; 2 is enough."),
    (([MIXED], [RIGHT], [RIGHT]), "num_heads", "1 head mixes up who and whom; 2 are enough."),
    (([RIGHT], [MIXED], [RIGHT]), "num_heads", "1 head is enough, but 2 heads mix up who and whom."),
    (([MIXED], [NOWHERE], [RIGHT]), "d_model", "d_model 2 loses who, whom and where; 3 is enough."),
    (([RIGHT], [RIGHT]), "value_dim", "Value size 1 is enough."),
    (([NOWHERE], [MIXED]), "value_dim", "No value size is enough here: value size 2 mixes up who and whom."),
    (([RIGHT],), "num_heads", "No other number of heads was trained with these sizes."),
    (([RIGHT, MIXED, RIGHT], [RIGHT]), "key_dim", "Key size 1 is enough."),
    (([RIGHT, MIXED, MIXED], [RIGHT]), "key_dim", "Key size 1 mixes up who and whom; 2 is enough."),
])  # fmt: skip
def test_the_heading_names_what_most_networks_lose_and_the_first_stop_that_loses_nothing(seeds, slider, wanted):
    assert costs.headline(stops(*seeds, slider=slider), slider) == wanted


def test_a_layer_cannot_do_what_none_of_at_least_three_networks_does():
    one, two, three = ([MIXED] * count for count in (1, 2, 3))
    assert [stop.cannot_tell for stop in stops(one, two, three, [*two, RIGHT])] == [False, False, True, False]


def test_the_bars_are_the_shown_network_with_the_least_and_the_most_of_all_and_each_stops_parameters():
    found = stops([(0.5, 0.6, 0.7, 0.8), (0.25, 0.9, 0.7, 1.0)], [RIGHT])
    figure, alt = costs.draw(found, "key_dim", 2)
    assert [bar["name"] for bar in figure["data"]] == ["who", "whom", "where", "when"]
    who, whom = figure["data"][:2]
    assert who["y"] == [0.5, 1.0]
    assert (who["error_y"]["arrayminus"], who["error_y"]["array"]) == ([0.25, 0], [0, 0])
    assert whom["error_y"]["array"] == [pytest.approx(0.3), 0]
    # d_model 4, 4 heads, value size 4: W_Q and W_K of 4 × 4 × key size, W_V and W_O of 4 × 4 × 4, a bias for each column.
    counts = [2 * (16 * size + 4 * size) + 2 * 64 + 16 + 4 for size in (1, 2)]
    assert counts == [188, 228]
    assert who["x"] == ["1<br>188", "<b>2<br>228</b>"]
    (band,) = figure["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (0.5, 1.5)
    assert "1 (188 parameters): who 50%, whom 60%, where 70%, when 80%" in alt


def test_a_slider_leads_to_the_trained_layers_that_differ_in_it_alone_or_in_what_follows_it():
    """Width 16: in the paper's way five head counts; in Keras's key sizes up to 16. Elsewhere only the paper's layers."""
    usual = Config()
    for slider, paper, layers in (
        ("num_heads", True, [(16, h, 16 // h, 16 // h) for h in (1, 2, 4, 8, 16)]),
        ("d_model", True, [(w, 4, w // 4, w // 4) for w in (4, 8, 12, 16, 24, 32, 48, 64)]),
        ("key_dim", True, [(16, 4, k, 4) for k in (1, 2, 3, 4, 6, 8, 12, 16)]),
        ("value_dim", False, [(16, 4, 4, v) for v in (1, 2, 3, 4, 6, 8, 12, 16)]),
        ("num_heads", False, [(16, h, 4, 4) for h in (1, 2, 4, 8, 16)]),
        ("d_model", False, [(16, 4, 4, 4)]),
    ):  # fmt: skip
        assert [stop.sizes for stop in costs.stops_of(usual, paper, slider)] == layers
    assert [stop.sizes for stop in costs.stops_of(Config(24, 4), True, "value_dim")] == [(24, 4, 6, 6)]


def test_each_stops_shares_are_the_manifests_and_its_seeds_the_reports():
    for stop in costs.stops_of(Config(), True, "num_heads"):
        name = f"sentence-{stop.value}"
        assert list(stop.right) == manifest("sentence")["networks"][name]["accuracy"]
        assert [list(run) for run in stop.seeds] == [run["accuracy"] for run in report("sentence")["runs"][name]]
