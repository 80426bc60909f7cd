"""The page Attention: it opens with the sentence and trained maps, and says whose numbers it shows and what they mean. Also its
switches for changes in published models: what is shown, counted, explained and kept."""

import base64
import html
import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from components.pages.models.about import changed_sentence
from headcount import Config, count_parameters, run
from headcount.config import MASKS
from headcount.models.entry import entries
from headcount.reading import Reading
from headcount.settings import STOPS, SWITCHES
from headcount.stage.pictures import one_query
from headcount.switches import Switches
from headcount.trained import store
from headcount.trained.network import forward
from headcount.trained.sentence import DEFAULT_TEXT, read
from headcount.variations import with_divisor, with_switches, without_head
from tests.app.driver import config, figures, open_page, said, seen, stages, text, title, value, whole, whole_address
from tests.app.own_layer import numbers, seen_numbers

WORDS = ["the", "cat", "sat", "on", "the", "mat"]
#: Pages that show a trained network's layer.
OF_WORDS = ("projections", "attention", "concatenation")
SEED = {"numbers": "seed"}


def blocks(plan):
    return [block for row in plan["rows"] for panel in row for block in panel["blocks"]]


def named(at, side):
    """The words at one side of each map, or else of each array of the page's other pictures, without the row."""
    plans = [plan for plan in stages(at) if plan["rows"][0][0]["id"] != "row"]
    others = [[block[side] for block in blocks(plan) if block.get(side)] for plan in plans]
    layout = figures(at).get("attention_maps", {}).get("layout", {})
    axis = "yaxis" if side == "row_labels" else "xaxis"
    maps = [
        [html.unescape(re.sub("</?b>", "", word)) for word in layout[name]["ticktext"]]
        for name in layout
        if name.startswith(axis)
    ]
    return [maps, *others] if maps else others


def written(at):
    """All texts above the maps."""
    return [note["text"] for note in figures(at)["attention_maps"]["layout"]["annotations"]]


def shown(array) -> set[int]:
    """The numbers in a picture's array, except masked ones."""
    return numbers(np.asarray(array)[np.asarray(array) != 0])


WORDS_READ = DEFAULT_TEXT.split()


def trained(name="sentence-4", text=DEFAULT_TEXT):
    return forward(store.load(name), read(text).examples.tokens).trace


def test_the_first_visit_shows_four_maps_that_find_four_answers_and_what_each_head_is_called():
    at = seen("attention")
    maps, steps = named(at, "row_labels")
    assert maps == [WORDS_READ] * 4
    assert WORDS_READ in steps
    assert title(at) == "From “thanks”, 4 heads find who, whom, where and when."
    called = [name for name in written(at) if name.startswith("<b>")]
    assert called == [f"<b>{number} {name}</b>" for number, name in enumerate(("who", "whom", "where", "when"), 1)]
    row = WORDS_READ.index("thanks")
    assert [WORDS_READ[key] for key in trained().weights.values[0, :, row].argmax(axis=-1)] == ["she", "Carl", "Oslo", "later"]
    assert whole_address(at) == {}


@pytest.mark.parametrize(("query", "name"), [
    ({}, "sentence-4"), ({"num_heads": 1}, "sentence-1"), ({"num_heads": 16}, "sentence-16"),
    ({"split": "free", "num_heads": 8, "key_dim": 4, "value_dim": 4}, "sentence-8-key4"), ({"seed": 5}, "sentence-4"),
])  # fmt: skip
def test_the_numbers_are_those_of_the_network_trained_with_so_many_heads(query, name):
    text = "in Lima Eli sees Fay soon and he hugged-by Cleo in Oslo now"
    at = whole(open_page("attention", tokens=text, **query))
    assert shown(trained(name, text).weights.values) <= seen_numbers(at)
    assert value(at, "numbers") == "trained"


@pytest.mark.parametrize("page", OF_WORDS)
def test_every_page_of_the_layer_computes_with_the_same_words(page):
    text = "Bea helps Abe in Oslo now and he meets Eva in Lima soon"
    at = whole(open_page(page, tokens=text))
    array = {"projections": "q", "attention": "weights", "concatenation": "output"}[page]
    assert shown(trained(text=text)[array].values) <= seen_numbers(at)
    assert text.split() in named(at, "row_labels")[0]


def test_the_start_page_cuts_one_layer_the_one_trained_with_four_heads():
    for heads in (1, 4, 8):
        assert shown(trained().params.w_q.values) <= seen_numbers(whole(open_page("heads", num_heads=heads)))


@pytest.mark.parametrize(("heads", "says", "kept"), [
    (2, "none keeps to a question.", []), (8, "2 keep to a question: “where” and “when”.", ["when", "where"]),
    (16, "2 keep to a question: “when”.", ["when", "when"]),
])  # fmt: skip
def test_heads_that_share_questions_are_counted_in_the_heading_as_the_manifest_measured_them(heads, says, kept):
    """A head keeps to a question if on average over sentences at least 0.8 of its weight is on the answers."""
    assert title(open_page("attention", num_heads=heads)) == f"Of {heads} heads, {says}"
    measured = np.array(store.manifest("sentence")["networks"][f"sentence-{heads}"]["on_answer"])
    assert sorted(("who", "whom", "where", "when")[row] for row, most in zip(measured.argmax(0), measured.max(0), strict=True)
                  if most >= 0.8) == kept  # fmt: skip


def test_one_tap_changes_the_sentence_and_it_goes_along_to_the_next_page():
    at = open_page("attention")
    next(button for button in at.button if button.label == "place first").click().run()
    text = "Ana calls Dan in Rome today and in Oslo she thanks Carl later"
    assert value(whole(at), "tokens") == text
    assert named(at, "row_labels")[0] == [text.split()] * 4
    assert title(at) == "From “thanks”, 4 heads find who, whom, where and when."
    at.query_params.clear()  # as the browser does
    at = whole(at.switch_page("pages/concatenation.py").run())
    assert value(at, "tokens") == text


def test_a_head_that_is_switched_off_takes_its_answers_with_it():
    at = whole(open_page("concatenation", head_off=4))
    (line,) = [one for one in said(at) if one.startswith("These answers change")]
    assert "calls: when" in line or "thanks: when" in line
    off = without_head(trained(), 3).output.values
    assert shown(off) <= seen_numbers(at)


@pytest.mark.parametrize("off", [1, 2, 4])
def test_the_explained_number_stays_where_it_is_when_a_head_is_switched_off(off):
    """The cell is in the second column of "thanks", also on the card, with all heads or without one. The lead names the missing
    head."""
    without, but = without_head(trained(), off - 1).output.values[0], f"all heads but head {off}, plus the bias."
    for query, of, output in (({}, "all heads, plus the bias.", trained().output.values[0]), ({"head_off": off}, but, without)):
        at = whole(open_page("concatenation", **query))
        cards, number = [one.proto.body for one in at.get("html")], f"<b>{output[8, 1]:.3f}</b>".replace("-", "−")
        card = next(body for body in cards if "terms_of" in body)
        assert "“thanks”, column 2 of output" in card
        assert number in card
        assert any(number in note["text"] for note in figures(at)["shares"]["layout"]["annotations"])
        assert any(f"each column is a sum over {of}" in body for body in cards)


@pytest.mark.parametrize("words", ["Emma was happy; he was not", "<script>alert(1)</script> " * 9, "λόγος " * 33, "$x^2$ **b**"])
def test_what_cannot_be_read_is_said_in_one_line_and_the_default_sentence_is_shown(words):
    at = whole(open_page("attention", tokens=words))
    (warning,) = at.warning
    assert "**Sentence** cannot be read." in warning.value
    assert "It reads two clauses" in warning.value
    assert named(at, "row_labels")[0] == [WORDS_READ] * 4
    assert "<script" not in text(at).replace("`<script>alert(1)</script>`", "")


@pytest.mark.parametrize(("page", "query", "reason"), [
    ("heads", {"d_model": 96}, "no layer of these sizes was trained"),
    ("projections", {"d_model": 20, "num_heads": 5}, "no layer of these sizes was trained"),
    ("attention", {"num_heads": 3, "split": "free"}, "no layer of these sizes was trained"),
    ("concatenation", {"split": "free", "key_dim": 5}, "no layer of these sizes was trained"),
    ("projections", {"use_bias": "false"}, "the trained layer has biases"),
    ("attention", {"use_gate": "true"}, "the trained layer has no gate"),
    ("concatenation", {"key_len": 9}, "the sentence has 13 words"),
    ("attention", {"query_len": 9, "key_len": 9}, "the sentence has 13 words"),
])  # fmt: skip
def test_where_sizes_leave_the_trained_layer_random_is_pressed_and_the_way_back_is_there(page, query, reason):
    at = whole(open_page(page, **query))
    assert f":gray[{DEFAULT_TEXT}]" in text(at)
    assert f"The numbers are random, because {reason}" in text(at)
    assert page == "heads" or value(at, "numbers_away") == "seed"
    drawn = whole(open_page(page, **query, **SEED))
    assert seen_numbers(at) == seen_numbers(drawn)
    at.button(key="to_network").click().run()
    assert "numbers are random" not in text(whole(at))
    assert Reading(read(DEFAULT_TEXT)).layer(config(at)) is not None
    assert page == "heads" or value(at, "numbers") == "trained"


@pytest.mark.slow
@pytest.mark.parametrize("split", ["paper", "free"])
def test_every_stop_of_every_slider_shows_a_trained_layer_or_says_that_it_does_not(split):
    """Each slider moves alone from the default. The page has words and head names, or a grey sentence and a button."""
    for code in ("d_model", "num_heads", "key_dim", "value_dim")[: 2 if split == "paper" else 4]:
        for stop in [stop for stop in STOPS[code] if stop <= 96]:
            at = open_page("attention", **{"split": split, code: stop})
            cfg, maps = config(at), named(at, "row_labels")
            if cfg is None:  # the heads do not divide the width
                continue
            reading, offered = Reading(read(DEFAULT_TEXT)), [one for one in at.button if one.key == "to_network"]
            assert ("numbers are random" in text(whole(at))) == bool(offered) == (f":gray[{DEFAULT_TEXT}]" in text(at))
            assert bool(offered) == (reading.layer(cfg) is None), (split, code, stop)
            assert (maps[0][0] in (WORDS_READ, ["thanks"])) == (not offered), (split, code, stop)
            if not offered:
                called = [one for one in written(at) if one.startswith("<b>")][-len(reading.head_names(cfg)) :]
                names = [name for name, _ in reading.head_names(cfg)]
                said = [name in one for name, one in zip(names, called, strict=True)]
                assert len(names) > 8 or said == [name != "blends" for name in names], (split, code, stop)


@pytest.mark.parametrize(("page", "array"), [("projections", "q"), ("attention", "weights"), ("concatenation", "output")])
def test_trained_is_never_pressed_over_other_numbers_whatever_slider_is_moved(page, array):
    """Tested after each move, and again after its address is opened, as by a link, a reload or Back."""

    def honest(at):
        cfg = config(at)
        layer = Reading(read(DEFAULT_TEXT)).layer(cfg)
        there = layer.trace() if layer is not None else run(cfg)
        away = [one for one in at.segmented_control if one.key == "numbers_away"]
        assert (away[0].value if away else value(at, "numbers")) == ("seed" if layer is None else "trained"), cfg
        assert shown(there[array].values) <= seen_numbers(at), cfg

    at = whole(open_page(page))
    honest(at)
    for key, stop in (("num_heads", 8), ("key_dim", 4), ("value_dim", 2), ("value_dim", 4), ("num_heads", 2), ("d_model", 32)):
        at.select_slider(key=key).set_value(stop).run()
        honest(whole(at))
        sizes = at.session_state["settings"]
        query = {name: getattr(sizes, name) for name in ("d_model", "num_heads", "key_dim", "value_dim")}
        honest(whole(open_page(page, split=sizes.split, **query)))


def test_pressing_trained_there_leads_back_as_well():
    at = open_page("attention", d_model=17, num_heads=1)
    at.segmented_control(key="numbers_away").set_value("trained").run()
    assert value(whole(at), "numbers") == "trained"
    assert (at.session_state["settings"].d_model, at.session_state["settings"].num_heads) == (16, 1)


def test_a_mask_acts_on_the_trained_numbers():
    at = whole(open_page("attention", mask="causal"))
    assert value(at, "numbers") == "trained"
    weights = Reading(read(DEFAULT_TEXT)).layer(Config(query_len=13, mask="causal")).trace().weights.values
    assert shown(weights) <= seen_numbers(at)


def test_nothing_typed_and_six_drawn_positions_are_a_sentence_on_every_map_and_step():
    at = whole(open_page("attention", **SEED, query_len=6, key_len=6))
    assert value(at, "tokens") == ""
    maps, steps = named(at, "row_labels")
    assert maps == [WORDS] * 4
    assert steps == [WORDS] * 3
    hit = run(Config(query_len=6)).weights.values[0, :, -1].argmax(axis=-1)
    assert [words[0] for words in named(at, "col_labels")[0]] == [WORDS[key] for key in hit], (
        "first the word that the row hits most"
    )


@pytest.mark.parametrize("query", [{}, SEED | {"query_len": 7, "key_len": 7}, SEED | {"query_len": 7, "key_len": 5}])
def test_the_lead_says_what_rows_and_columns_are(query):
    assert "Each row shows where one token looks. Press a row." in text(whole(open_page("attention", **query)))


@pytest.mark.parametrize("drops", [False, True])
def test_the_weights_are_said_to_add_up_where_nothing_is_done_to_them_after_the_softmax(drops):
    config_ = Config(query_len=7, dropout=0.3, training=True) if drops else Config(query_len=7)
    scene = one_query.draw(config_, run(config_), 1, 3, "sqrt_d_k")
    said = [text.text for text in scene.panels[0].texts]
    assert ("softmax: exponentials ÷ their sum, adding up to" in said) is not drops
    assert ("sum" in said) is drops


@pytest.mark.parametrize("page", OF_WORDS)
def test_drawn_numbers_are_the_seeds_and_it_says_that_they_mean_nothing(page):
    at = whole(open_page(page, **SEED))
    assert "drawn from the seed: **the pattern means nothing.**" in text(at)
    assert value(at, "numbers") == "seed"
    if page == "attention":
        assert shown(run(Config(query_len=13)).weights.values) <= seen_numbers(at)
        assert not any("blends" in one or "who" in one for one in written(at)), "no head has a name there"


def test_the_same_rows_are_grey_in_each_map_and_the_page_says_so():
    at = seen("attention", cell="weights.1.1.1")
    greys = [one for one in figures(at)["attention_maps"]["data"] if one["coloraxis"] == "coloraxis2"]
    assert len(greys) == 4
    for grey in greys:
        values = np.frombuffer(base64.b64decode(grey["z"]["bdata"]), np.float32).reshape(len(WORDS_READ), -1)
        coloured = [word for word, row in zip(WORDS_READ, values, strict=True) if np.isnan(row).all()]
        assert coloured == ["calls", "she", "thanks"]
    notes = [note["text"] for note in figures(at)["attention_maps"]["layout"]["annotations"]]
    assert any("Grey rows answer no question." in one for one in notes)


def test_under_a_mask_no_head_bears_the_name_that_it_has_without():
    at = whole(open_page("attention", mask="causal"))
    assert [one for one in written(at) if one.startswith("<b>")] == [f"<b>head {i}</b>" for i in range(1, 5)]
    assert title(at).startswith("4 heads have 4 maps of 13 × 13.")
    assert "The layer, trained without a mask, has 1,088 parameters." in text(at)


def test_where_no_row_is_grey_nothing_is_said_of_grey_rows():
    at = whole(open_page("attention", rotary="halves"))
    assert {one["coloraxis"] for one in figures(at)["attention_maps"]["data"]} == {"coloraxis"}
    assert not any("rey rows" in one for one in (text(at), *written(at)))


@pytest.mark.parametrize(("divisor", "said"), [("sqrt_d_k", "÷ √4"), ("none", "÷ 1"), ("sqrt_d_model", "÷ √16")])
def test_the_card_says_what_the_scores_are_divided_by(divisor: str, said: str):
    at = open_page("attention", cell="weights.1.9.8", divisor=divisor)
    assert said in [one["text"] for one in row_of(at)["texts"]]


def test_the_row_of_a_chosen_cell_asks_in_all_maps_and_the_cell_is_framed_in_its_own():
    at = whole(open_page("attention", cell="weights.2.2.1"))
    assert [one.split(" → ")[0] for one in written(at) if " → " in one] == ["calls"] * 4
    shapes = figures(at)["attention_maps"]["layout"]["shapes"]
    assert [(one["xref"], one["x0"], one["y0"]) for one in shapes if one["line"]["width"] == 3] == [("x2", 0.5, 1.5)]


@pytest.mark.parametrize(("heads", "drawn"), [(8, 8), (13, 14), (16, 17), (17, 1), (64, 1)])
def test_above_eight_heads_one_is_large_over_thumbnails_and_above_sixteen_it_is_alone(heads, drawn):
    at = whole(open_page("attention", d_model=heads, num_heads=heads, head=heads - 1, **SEED))
    titles = [one for one in written(at) if one.startswith("<b>")]
    assert len(titles) == drawn
    assert titles[0] == ("<b>head 1</b>" if heads == 8 else f"<b>head {heads - 1}</b>")
    assert heads < 17 or f"head {heads - 1} of {heads}" in figures(at)["attention_maps"]["alt"]


def test_typed_markup_is_shown_as_it_was_typed():
    at = whole(open_page("attention", tokens="<a href='https://a.b'>x</a> b c d e", query_len=6, key_len=6, **SEED))
    ticks = figures(at)["attention_maps"]["layout"]["yaxis"]["ticktext"]
    assert not any("<" in word.removeprefix("<b>").removesuffix("</b>") for word in ticks)
    assert "&lt;a" in ticks


def row_of(at):
    return next(plan["rows"][0][0] for plan in stages(at) if plan["rows"][0][0]["id"] == "row")


def footer(at):
    return next(one.proto.body for one in at.get("html") if "terms_of" in one.proto.body)


def test_the_row_goes_from_the_keys_over_the_products_to_shares_and_the_mix_of_the_values():
    """Computed by NumPy from Q, K and V with prime sizes: the second head, the third of seven queries, eleven keys."""
    at = open_page("attention", d_model=15, num_heads=3, query_len=7, key_len=11, cell="weights.2.3.5", **SEED)
    trace = run(Config(d_model=15, num_heads=3, query_len=7, key_len=11))
    q, k, v = (trace[name].values[0, :, 1].astype(float) for name in "qkv")
    products = k @ q[2]
    shares = np.exp(products / 5**0.5) / np.exp(products / 5**0.5).sum()
    scene = one_query.draw(trace.cfg, trace, 1, 2, "sqrt_d_k")
    wanted = {"q": q[2], "scores": products, "scaled": products / 5**0.5, "weights": shares, "context": shares @ v}
    for name, by_hand in wanted.items():
        np.testing.assert_allclose(scene.grids[name].values.ravel(), by_hand, rtol=2e-4, atol=1e-5, err_msg=name)
    said = [one["text"] for one in row_of(at)["texts"]]
    assert said[-2:] == ["Z", f"= {shares.max():.3f} · value v of position {shares.argmax() + 1} + …"]
    assert said[said.index("softmax: exponentials ÷ their sum, adding up to") + 1] == "1.000"
    assert any("Where does position 3 look in head 2?" in one.proto.body for one in at.get("html"))
    below = f"e<sup>{products[4] / 5**0.5:.3f}</sup> ÷ {np.exp(products / 5**0.5).sum():.2f} = <b>{shares[4]:.3f}</b>"
    assert below in footer(at)


def test_a_rows_sum_that_is_large_is_written_with_its_power_of_ten():
    """The sentence's layer has 13 scores, each ÷ √4, up to 18. NumPy sums their exponentials."""
    at = open_page("attention", cell="weights.1.9.8")
    q, k = (trained()[name].values[0, :, 0].astype(float) for name in ("q", "k"))
    tens = np.log10(np.exp(k @ q[8] / 2).sum())
    assert f"÷ {10 ** (tens % 1):.3f} · 10<sup>{int(tens)}</sup> =" in footer(at)
    assert f"e<sup>{(k @ q[8])[7] / 2:.3f}</sup> ÷" in footer(at)


@pytest.mark.parametrize(("query", "column"), [
    ({"mask": "causal"}, "mask"), ({"alibi": "true"}, "ALiBi"), ({"soft_cap": 1.5}, "cap 1.5"),
    ({"rotary": "halves"}, "rotated k"), ({"qk_norm": "rms"}, "norm of k"),
    ({"dropout": 0.25, "training": "true"}, "dropout: weight"),
])  # fmt: skip
def test_what_is_switched_on_is_a_column_more_and_only_then(query, column):
    sizes = {"d_model": 8, "num_heads": 2, "query_len": 5, "key_len": 5, **SEED}
    plain, there = (len(row_of(open_page("attention", **sizes, **more))["blocks"]) for more in ({}, query))
    said = [[one["text"] for one in row_of(open_page("attention", **sizes, **more))["texts"]] for more in ({}, query)]
    assert column in said[1]
    assert column not in said[0]
    assert there > plain


def test_above_64_keys_the_ten_largest_are_shown_and_the_rest_is_counted_and_all_add_up():
    trace = run(Config(d_model=6, num_heads=2, query_len=67, key_len=67))
    weights = trace.weights.values[0, 1, 3].astype(float)
    scene = one_query.draw(trace.cfg, trace, 1, 3, "sqrt_d_k")
    drawn = scene.grids["weights"].values.ravel()
    np.testing.assert_allclose(np.sort(drawn), np.sort(weights)[-10:])
    said = [one.text for one in scene.panels[0].texts]
    assert said[said.index("57 more keys") + 1] == f"{weights.sum() - drawn.sum():.3f}"
    assert said[said.index("softmax: exponentials ÷ their sum, adding up to") + 1] == "1.000"
    few = run(Config(d_model=6, num_heads=2, query_len=64, key_len=64))
    assert one_query.draw(few.cfg, few, 1, 3, "sqrt_d_k").grids["weights"].values.size == 64


def test_a_cell_brings_its_head_and_the_field_for_a_head_takes_the_cell_along():
    at = whole(open_page("attention", cell="weights.3.2.5"))
    assert value(at, "head") == 3
    assert any("Where does “calls” look in head 3?" in one.proto.body for one in at.get("html"))
    at.number_input(key="head").set_value(2).run()
    assert value(whole(at), "cell") == "weights.2.2.5"
    assert any("Where does “calls” look in head 2?" in one.proto.body for one in at.get("html"))


def test_the_card_of_an_output_has_a_bar_for_each_head_to_the_side_of_its_sign():
    at = open_page("concatenation", cell="output.3.5")
    card = next(one.proto.body for one in at.get("html") if "terms_of" in one.proto.body)
    bars = re.findall(r'width:(\d+)%;margin-left:(\d+)%"></i></td><td>([−-]?[\d.]+)', card)
    numbers = [float(value.replace("−", "-")) for _, _, value in bars]
    longest = max(map(abs, numbers))
    assert len(bars) == 5, "four heads and the bias"
    for (wide, left, _), share in zip(bars, numbers, strict=True):
        assert int(wide) == pytest.approx(50 * abs(share) / longest, abs=0.6)
        assert int(left) == pytest.approx(50 + 50 * min(share, 0) / longest, abs=0.6)


SEEDED = {"numbers": "seed", "d_model": 12, "num_heads": 3, "seed": 7, "mask": "causal", "query_len": 5, "key_len": 5}
LAYER = Config(12, 3, query_len=5, mask=MASKS[1], seed=7)
CASES = {
    "rotary=halves": Switches(rotary="halves"), "rotary=pairs": Switches(rotary="pairs"), "qk_norm=rms": Switches(qk_norm="rms"),
    "qk_norm=rms_wide": Switches(qk_norm="rms_wide"), "qk_norm=layer": Switches(qk_norm="layer"),
    "soft_cap=1.5": Switches(soft_cap=1.5), "alibi=true": Switches(alibi=True), "sinks=true": Switches(sinks=True),
}  # fmt: skip


def test_the_first_screen_has_one_button_more_and_no_field():
    at = whole(open_page("attention"))
    assert {setting.code for setting in SWITCHES}.isdisjoint(at.session_state._state.filtered_state)
    assert "what-if" not in text(at)


@pytest.mark.parametrize("query", CASES)
def test_a_switch_changes_the_numbers_that_are_drawn_and_says_what_it_costs(query):
    at = whole(open_page("attention", **SEEDED, **dict(parse_qsl(query))))
    changed = with_switches(run(LAYER), CASES[query])
    weights = changed.weights.values[changed.weights.values != 0]
    assert numbers(weights) <= seen_numbers(at)
    more = count_parameters(CASES[query].on(LAYER)) - count_parameters(LAYER)
    assert (f"{more} parameters more: {624 + more}" if more else "no parameters: 624 as before") in text(at)
    assert whole_address(at).items() >= dict(parse_qsl(query)).items()


def test_a_sink_is_in_the_title_and_rows_sum_to_less_than_1():
    at = whole(open_page("attention", **SEEDED, sinks="true"))
    assert title(at) == "3 heads have 3 maps of 5 × 5. Every row and its sink sum to 1."
    low, high = map(float, re.findall(r"The row sums are between ([0-9.]+) and ([0-9.]+)\.", stages(at)[-1]["alt"])[0])
    assert 0 < low <= high < 1


def test_on_the_trained_network_it_is_a_what_if_on_the_networks_own_numbers():
    at = whole(open_page("attention", rotary="pairs", divisor="none"))
    assert "A what-if: the network was trained without it." in text(at)
    cfg = Config(16, 4, query_len=13)
    reading = Reading(read(DEFAULT_TEXT))
    trace = reading.layer(cfg).trace()
    weights = with_divisor(with_switches(trace, Switches(rotary="pairs")), "none").weights.values
    assert numbers(weights[weights != 0]) <= seen_numbers(at)


def test_a_cell_of_a_step_that_is_not_there_is_refused_by_name():
    at = whole(open_page("attention", **SEEDED, cell="q_rotated.1.1.1"))
    assert any("cell must start with one of q, k, v, scores" in warning.value for warning in at.warning)
    at = whole(open_page("attention", **SEEDED, rotary="halves", cell="q_rotated.1.2.1"))
    assert "columns 1 and 3 times cos and −sin of the angle 1.000" in text(at)


def test_without_pairs_rotary_is_left_out_and_the_page_says_so():
    at = whole(open_page("attention", **SEEDED | {"num_heads": 4}, rotary="halves"))
    assert "$d_k$ = 3 is odd: it is left out." in text(at)
    assert "With" not in text(at)


def test_the_check_line_is_about_the_layer_without_it():
    line = [caption.value for caption in open_page("attention", **SEEDED, alibi="true").caption]
    assert any(words.startswith("Of the layer without what is switched on: Numbers by NumPy") for words in line)


@pytest.mark.parametrize("slug", ["Llama-3-8B", "Gemma-2-2B", "gpt-oss-120b", "Qwen3-0.6B", "OLMo-2-7B", "T5-base"])
def test_a_published_model_leads_to_the_layer_with_what_it_changed(slug):
    sentence, more = changed_sentence(entries()[slug].model), entries()[slug].model.attention.extras
    query = dict(parse_qsl(urlsplit(re.search(r"\]\((\S+)\)", sentence)[1]).query))
    assert f"adds {more:,} parameters to each layer" in sentence if more else "adds no parameters" in sentence
    at = whole(open_page("attention", **query))
    assert len(at.warning) == 0
    assert np.isfinite(list(seen_numbers(at))).all()


def test_a_model_that_changed_nothing_says_nothing():
    assert changed_sentence(entries()["BERT-base"].model) == changed_sentence(entries()["DeepSeek-V3"].model) == ""


def test_a_cells_arithmetic_has_three_decimals():
    at = whole(open_page("attention", numbers="seed", num_heads=4, cell="scaled.1.1.1"))
    assert "{2.000}" in text(at)
