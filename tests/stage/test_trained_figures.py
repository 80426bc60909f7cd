"""The pictures of trained heads as data: the table has the network's answers, maps are its weights, curves are the report's."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from headcount import Config
from headcount.arrays import Array
from headcount.reading import Reading
from headcount.settings import STOPS
from headcount.stage.pictures.trained import costs
from headcount.stage.pictures.trained import sentence as pictures
from headcount.stage.theme import EITHER_HEADS
from headcount.trained.sentence import DEFAULT_TEXT, SentenceAnswer, asked_rows, head_names, read
from headcount.trained.store import manifest, report

WORDS = ("Ana", "calls", "Dan", "now")


def layer(heads, weights, **more):
    """A layer that has read WORDS: "calls" attends as `weights` say, (heads, 4), every other word to itself."""
    rows = np.tile(np.eye(4, dtype=np.float32), (heads, 1, 1))
    rows[:, 1] = weights
    cfg = Config(8, heads, query_len=4)
    trace = SimpleNamespace(cfg=cfg, weights=Array(rows[None], "bhts"))
    answers = (SentenceAnswer(1, "calls", "who", "Ana", "Ana", 0), SentenceAnswer(1, "calls", "whom", "Ana", "Dan", 2))
    return pictures.ReadLayer(
        trace,
        answers,
        **({"names": ("who", "whom")[:heads], "rates": {"who": 1.0, "whom": 0.34}, "on_answer": np.zeros((2, heads))} | more),
    )


def words_of(panel):
    return [(text.text, text.role, text.hue) for text in panel.texts]


def test_the_answers_say_what_is_right_and_how_often_with_a_bar_as_long():
    scene = pictures.draw((layer(2, [[1, 0, 0, 0], [0, 0, 0.75, 0.25]]),), WORDS, 1, (1,))
    said = words_of(scene.rows[0][1])
    assert [words for words in said if words[0] in ("“calls” says", "right, in 2,000 sentences")] == [
        ("“calls” says", "muted", None), ("right, in 2,000 sentences", "muted", None),
    ]  # fmt: skip
    assert said[2:] == [
        ("who", "strong", 0), ("✓ Ana", "strong", None), ("100%", "ink", None),
        ("whom", "strong", 1), ("✗ Ana", "warn", None), ("it is Dan", "muted", None), ("34%", "warn", None),
    ]  # fmt: skip
    whole, part = (curve.points[1][0].px - curve.points[0][0].px for curve in scene.rows[0][1].curves)
    assert part / whole == pytest.approx(0.34)
    assert [curve.hue for curve in scene.rows[0][1].curves] == [0, 1]


def test_what_was_not_measured_has_no_bar_and_a_pronoun_counts_with_who():
    scene = pictures.draw((layer(1, [[0.5, 0, 0.5, 0]], rates={}),), WORDS, 1, (1,))
    assert scene.rows[0][1].curves == ()
    meant = replace(layer(1, [[0.5, 0, 0.5, 0]]), answers=(SentenceAnswer(1, "calls", "means", "Ana", "Ana", 0),))
    assert ("counted with who", "muted", None) in words_of(pictures.draw((meant,), WORDS, 1, (1,)).rows[0][1])


def test_curves_lead_to_the_words_that_are_looked_at_and_above_four_heads_one_to_each():
    few = pictures.draw((layer(2, [[0.75, 0, 0.25, 0], [0, 0, 0.75, 0.25]]),), WORDS, 1, (1, 3)).rows[0][0]
    assert sorted((curve.label, curve.thick / 9) for curve in few.curves if not curve.faded) == [
        ("1", 0.25), ("1", 0.75), ("2", 0.25), ("2", 0.75),
    ]  # fmt: skip
    many = pictures.draw((layer(8, [[0.1 * h, 0, 1 - 0.1 * h, 0] for h in range(8)], names=("blends",) * 8),), WORDS, 1, (1,))
    assert [(curve.label, round(curve.thick / 9, 3)) for curve in many.rows[0][0].curves] == [("8", 0.7), ("1", 1.0)]


def test_words_that_ask_are_pressed_and_on_a_phone_the_line_without_curves_names_heads_and_weights():
    sentence = read(DEFAULT_TEXT)
    read_by = Reading(sentence)
    trace = read_by.layer(Config(query_len=13)).trace()
    asked = asked_rows(sentence)
    one = pictures.ReadLayer(
        trace, read_by.answers(trace.cfg, trace.output.values), ("who", "whom", "where", "when"), {}, np.eye(4)
    )
    scene = pictures.draw((one,), sentence.words, 7, asked)
    for panel, *_ in (scene.rows[0], scene.narrow[0]):
        assert {(text.text, text.press) for text in panel.texts if text.press} == {("calls", "2"), ("she", "8"), ("thanks", "9")}
        assert [text.text for text in panel.texts if text.mark == "frame"] == ["she"]
    weights = trace.weights.values[0, :, 7]
    said = [text.text for text in scene.narrow[0][0].texts]
    assert f"1: {weights[0, 0]:.2f}" in said
    assert all(float(text.x.px) <= 350 for (panel,) in scene.narrow for text in panel.texts)
    assert scene.narrow[0][0].curves == (), "from she all looks go to the other line"


def test_below_a_pronoun_stands_whom_the_layer_says_it_means_below_any_weight_near_it():
    asks = (SentenceAnswer(1, "calls", "who", "Ana", "Ana", 0), SentenceAnswer(3, WORDS[3], "means", "Dan", "Ana", 0))
    looked = replace(layer(1, [[0.5, 0, 0.25, 0.25]]), answers=asks)
    for weights, below in (((1, 0, 0, 0), 26), ((0.5, 0, 0.5, 0), 44), ((0.5, 0, 0, 0.5), 44)):
        one = replace(layer(1, [weights]), answers=asks)
        scene = pictures.draw((one,), WORDS, 1, (1, 3))
        for panel in (scene.rows[0][0], scene.narrow[0][0]):
            word, said = (next(text for text in panel.texts if text.text == what) for what in (WORDS[3], "means Dan"))
            assert (said.role, said.x, round(said.y.px - word.y.px)) == ("warn", word.x, below)
            assert panel.height.px > said.y.px
    right = replace(looked, answers=(asks[0], replace(asks[1], given="Ana")))
    assert ("means Ana", "muted", None) in words_of(pictures.draw((right,), WORDS, 1, (1, 3)).rows[0][0])
    assert not any("means" in text for text, *_ in words_of(pictures.draw((right,), WORDS, 3, (1, 3)).rows[0][0]))


def test_only_where_a_word_can_be_pressed_the_picture_says_so():
    notes = [[text.text for text in pictures.draw((layer(1, [[1, 0, 0, 0]]),), WORDS, 1, asked).rows[0][0].texts]
             for asked in ((1, 3), ())]  # fmt: skip
    assert [any("press a dotted word" in text for text in said) for said in notes] == [True, False]


def test_the_maps_are_all_weights_with_the_row_that_asks_in_a_frame():
    layers = (layer(1, [[0.5, 0, 0.5, 0]]), layer(2, [[1, 0, 0, 0], [0, 0, 1, 0]]))
    scene = pictures.draw(layers, WORDS, 1, (1,), pale=(0, 2, 3))
    strip = scene.rows[-1][0]
    assert [text.text for text in strip.texts[2:]] == ["one head", "1 who", "2 whom"]
    assert [text.text for text in strip.texts[:2]] == ["All attention weights", "Press to open the maps."]
    assert pictures.draw(layers, WORDS, 1, ()).rows[-1][0].go is None
    shown = [scene.grids[block.grid].values for block in strip.blocks if block.grid]
    for values, wanted in zip(shown, (layers[0].trace.weights.values[0, 0], *layers[1].trace.weights.values[0]), strict=True):
        np.testing.assert_array_equal(values, wanted)
    frames = [block for block in strip.blocks if not block.grid]
    assert [frame.y.cells for frame in frames] == [1, 2] * 3, "a line above the row, and one below"
    assert strip.go == pictures.OPEN


def test_the_description_says_which_head_looks_where_and_what_is_right_never_rounded_up_to_1():
    alt = pictures.draw((layer(2, [[0.9996, 0, 0, 0], [0, 0, 0.75, 0.25]]),), WORDS, 1, (1,)).alt
    assert "shows where “calls” looks in 2 heads. " in alt
    assert "Head 1 looks at “Ana” (0.999). Head 2 looks at “Dan” (0.750) and “now” (0.250)." in alt
    assert "Right answers: who (Ana). Wrong answers: whom (Ana instead of Dan)." in alt
    assert alt.endswith("Right answers in 2,000 sentences: who 100% and whom 34%.")


def test_a_head_is_called_after_a_question_from_four_fifths_of_its_weight_on():
    assert head_names(np.array([[0.8, 0.2, 0.1], [0.1, 0.79, 0.95]]), ("left", "host")) == ("left", "blends", "host")


def stops(*seeds, slider="key_dim"):
    """Stops 1, 2, 3 … of a slider, with the networks of each: their rates of right answers to who, whom, where and when."""
    at = [*STOPS].index(slider)
    sizes = [tuple(value if place == at else 4 for place in range(4)) for value in range(1, len(seeds) + 1)]
    return [costs.Stop(value, one, runs[0], tuple(runs)) for value, (one, runs) in enumerate(zip(sizes, seeds, strict=True), 1)]


RIGHT, ALMOST, MIXED, NOWHERE = (1.0, 0.97, 1.0, 1.0), (0.92, 0.89, 1.0, 1.0), (0.5, 0.95, 1.0, 1.0), (1.0, 0.3, 0.2, 1.0)


@pytest.mark.parametrize(("seeds", "slider", "wanted"), [
    (([MIXED], [RIGHT]), "key_dim", "Key size 1 mixes up who and whom; 2 is enough."),
    (([MIXED], [RIGHT], [RIGHT]), "num_heads", "1 head mixes up who and whom; 2 are enough."),
    (([RIGHT], [MIXED], [RIGHT]), "num_heads", "1 head is enough, but 2 heads mix up who and whom."),
    (([MIXED], [NOWHERE], [RIGHT]), "d_model", "d_model 2 loses who, whom and where; 3 is enough."),
    (([RIGHT], [RIGHT]), "value_dim", "Value size 1 is enough."),
    (([NOWHERE], [MIXED]), "value_dim", "No value size is enough here: even value size 2, the best, mixes up who and whom."),
    (([ALMOST], [RIGHT], [ALMOST]), "num_heads",
     "1 head sometimes mixes up who and whom; 2 are enough, but 3 heads sometimes mix up who and whom."),
    (([ALMOST, RIGHT, RIGHT], [RIGHT]), "key_dim", "Key size 1 sometimes mixes up who and whom; 2 is enough."),
    ((), "key_dim", "No layer of these sizes was trained."),
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
    assert [bar["marker"]["color"] for bar in figure["data"]] == [*EITHER_HEADS[:4]], "the hues of heads 1 to 4"
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
    assert "Key size 1 (188): who 50%, whom 60%, where 70% and when 80%." in alt


def test_a_slider_leads_to_the_trained_layers_that_differ_in_it_alone_or_in_what_follows_it():
    """16 wide: five head counts in the paper's convention, key sizes to 16 in Keras's. Other widths have only the paper's."""
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


@pytest.mark.parametrize(("slider", "means"), [
    ("num_heads", "each head has its own weights."), ("d_model", "numbers stand for a word."),
    ("key_dim", "numbers a query or key has."), ("value_dim", "numbers a head brings back."),
])  # fmt: skip
def test_below_the_bars_stands_what_the_slider_is_and_how_many_networks_the_line_spans(slider, means):
    stops = costs.stops_of(Config(query_len=13), True, slider)
    first, second, *line = costs.draw(stops, slider, 4)[0]["layout"]["xaxis"]["title"]["text"].split("<br>")
    assert first.endswith(means)
    assert second == "Below each value: the layer’s parameters."
    spread = max(max(runs) - min(runs) for one in stops for runs in zip(*one.seeds, strict=True))
    most = max(len(one.seeds) for one in stops)
    assert line == [f"Thin lines cover up to {most} trained layers."] * (spread > 0.01)
    same = [replace(one, seeds=one.seeds[:1]) for one in stops]
    assert "line" not in costs.draw(same, slider, 4)[0]["layout"]["xaxis"]["title"]["text"]
