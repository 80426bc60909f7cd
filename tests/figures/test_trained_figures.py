"""The pictures of trained heads as data: the table says what the network says, maps are weights, curves the report."""

import json
from statistics import mean, stdev

import numpy as np
import pytest

from components.figures.pictures.trained import charts
from components.figures.pictures.trained.maps import Maps, purpose, scene
from components.figures.pictures.trained.table import guests_of, plan, table
from components.figures.wire import Slider
from mha.trained.dinner import DISHES, NAMES, QUESTIONS
from mha.trained.network import forward
from mha.trained.store import load
from mha.trained.task import Examples, fixed_examples

SEVENTH = 6


@pytest.fixture(scope="module")
def dinner():
    every = fixed_examples(load("dinner-3").task)
    here = slice(SEVENTH, SEVENTH + 1)
    return Examples(every.tokens[here], every.answers[here], every.answer_at[here])


@pytest.fixture(scope="module")
def made(dinner):
    return forward(load("dinner-3"), dinner.tokens)


def test_the_table_says_for_each_guest_whose_dish_is_asked_and_what_the_network_answers(dinner, made):
    drawn = table("3 heads", "each 8 wide", dinner, made, np.array([0.5, 0.25, 1, 0]))
    for seat, answers in enumerate(drawn.answers):
        here = dinner.tokens[0, seat]
        assert drawn.guests[seat].name == NAMES[here[0]]
        assert drawn.guests[seat].dish == DISHES[here[1]]
        assert [answer.question for answer in answers] == list(QUESTIONS)
        assert answers[0].who == drawn.guests[(seat - 1) % 8].name
        assert answers[0].right == drawn.guests[(seat - 1) % 8].dish
        assert answers[1].right == drawn.guests[(seat + 1) % 8].dish
        assert answers[2].who[0] == drawn.guests[seat].name[0]
        assert answers[3].right == next(guest.dish for guest in drawn.guests if guest.host)
        for q, answer in enumerate(answers):
            logits = made.logits[0, seat, q]
            assert answer.predicted == DISHES[logits.argmax()]
            assert answer.sure == pytest.approx(1 / np.exp(logits - logits.max()).sum(), rel=1e-5)
            assert answer.ok == (answer.predicted == answer.right)


def test_what_the_browser_gets_is_json_with_all_guests_at_once(dinner, made):
    sent = json.loads(json.dumps(plan((table("3 heads", "", dinner, made, np.array([0.5, 0.25, 1, 0])),), 4)))
    (one,) = sent["tables"]
    assert sent["guest"] == 4
    assert one["rates"] == ["50%", "25%", "100%", "0%"]
    np.testing.assert_allclose(one["attention"], made.traces[0].weights.values[0], atol=6e-4)
    assert len(one["alts"]) == len(one["answers"]) == 8


def test_what_the_slider_will_show_is_sent_along(dinner, made):
    drawn = table("3 heads", "", dinner, made, np.zeros(4))
    sent = plan((drawn,), 0, Slider("Heads", [1, 3, 7], 3, {1: (drawn, drawn), 7: (drawn,)}))["slider"]
    assert (sent["label"], sent["values"], sent["at"]) == ("Heads", [1, 3, 7], 3)
    assert {heads: len(tables) for heads, tables in sent["tables"].items()} == {"1": 2, "7": 1}
    assert plan((drawn,), 0)["slider"] is None


def test_the_description_names_who_is_looked_at_and_leaves_a_removed_head_out(dinner, made):
    whole = table("3 heads", "", dinner, made, np.zeros(4))
    less = table("3 heads", "", dinner, made, np.zeros(4), off=1)
    rows, guests = made.traces[0].weights.values[0], guests_of(dinner)
    seen = int(rows[1, 5].argmax())
    assert f"head 2 looks most at {guests[seen].name} ({rows[1, 5, seen]:.2f})" in whole.alt(5)
    assert "head 2" not in less.alt(5)
    assert "head 3" in less.alt(5)


def maps(heads=3, size=5, **kwargs):
    weights = np.random.default_rng(0).dirichlet(np.ones(size), (heads, size)).astype(np.float32)
    mass = np.array([[0.95, 0.2, 0.1], [0.05, 0.3, 0.91]])[:, :heads]
    return Maps("3 heads", weights, mass, ("left", "host"), (2,), **kwargs)


def test_a_map_is_the_weights_and_says_what_its_head_is_for():
    drawn = scene((maps(),), tuple("abcde"))
    for head in range(3):
        np.testing.assert_array_equal(drawn.grids[f"weights/{head}"].values, maps().weights[head])
    words = [[text.text for text in panel.texts] for panel in drawn.panels]
    assert words == [["head 1", "left 0.95"], ["head 2", "blends"], ["head 3", "host 0.91"]]
    assert purpose(maps(), 1) == ("host", 0.3)
    assert drawn.tops["share"] == 1.0


def test_the_marked_row_lies_between_two_rails_and_no_cell_is_covered():
    panel = scene((maps(),), tuple("abcde")).panels[1]
    grid, *rails = panel.blocks
    assert [rail.y.cells - grid.y.cells for rail in rails] == [2, 3]
    assert all(rail.grid is None and rail.h == 0 for rail in rails)


def test_under_a_veil_only_what_is_asked_has_a_label():
    block = scene((maps(),), tuple("abcde"), veil=True).panels[0].blocks[0]
    assert block.row_labels == ("", "", "c", "", "")
    assert block.col_labels == tuple("abcde")
    others = scene((maps(),), tuple("abcde"), veil=True).panels[0].blocks[1:]
    assert [other.y.cells - block.y.cells for other in others if other.h == 1] == [0, 1, 3, 4]


def test_only_the_chosen_networks_cells_have_an_address():
    one = maps(explained=False)
    drawn = scene((one, maps()), tuple("abcde"))
    assert {(block.name, block.head) for block in drawn.blocks if block.grid} == {
        ("3 heads", None), ("weights", 0), ("weights", 1), ("weights", 2)}


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
    dots, line, ring = charts.draw_spreads(made, 4)["data"]
    assert list(zip(dots["x"], dots["y"], strict=True)) == [("1", 0.5), ("4", 1.0), ("4", 0.7), ("4", 0.4)]
    assert line["y"] == [0.5, pytest.approx(0.7)]
    assert (ring["x"], ring["y"]) == (["4"], [1.0])
    assert ring["cliponaxis"] is False, "around 100% it is cut at the top"
    assert "4: 70% ± 30% (3 seeds)" in charts.spreads_alt(made)


def test_the_papers_points_are_table_3_a():
    """Vaswani et al. 2017, Table 3, rows (A) and base: h = 1, 4, 8 (base), 16, 32."""
    assert charts.draw_bleu()["data"][0]["y"] == [24.9, 25.5, 25.8, 25.8, 25.4]


def test_what_falls_without_a_head_is_said_and_drawn():
    lost = np.array([[1, 0.125], [0.25, 1], [1, 1]])
    said = charts.removal_alt(lost, ("left", "host"))
    assert said.endswith("without head 1: host 12%, without head 2: left 25%, without head 3: left 100%.")
    drawn = charts.draw_removals(lost, ("left", "host"), 1)
    np.testing.assert_array_equal(drawn["data"][0]["z"], lost)
    assert drawn["data"][0]["y"] == ["without head 1", "without head 2 ◂", "without head 3"]
    assert [a["text"] for a in drawn["layout"]["annotations"]] == ["100%", "12%", "25%", "100%", "100%", "100%"]


def test_the_other_changes_are_drawn_as_they_are_given():
    bars = charts.draw_recut((1, 2, 3), (0.25, 0.5, 1.0), trained=3, chosen=2)["data"][0]
    assert (bars["y"], bars["text"]) == ((0.25, 0.5, 1.0), ["25%", "50%", "100%"])
    assert bars["marker"]["line"]["width"] == [0, 3, 0]
    lines = charts.draw_temperatures(("0", "1", "4"), {"4 heads": (0.1, 1.0, 1.0), "1 head": (0.1, 0.5, 0.2)}, "4")
    assert [(line["name"], line["y"]) for line in lines["data"]] == [("4 heads", (0.1, 1.0, 1.0)), ("1 head", (0.1, 0.5, 0.2))]
    assert lines["layout"]["shapes"][0]["x0"] == 2
    assert charts.movement_alt(("one head", "head 1"), (0.4, 0.001)).endswith("one head 0.400, head 1 0.001.")
