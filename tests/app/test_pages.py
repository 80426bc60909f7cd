"""Every page has the known numbers, and says what it cannot show (tests/visitor tests extreme settings). Also Keras's gate,
window and dropout together, wherever the layer is drawn."""

import re

import pytest
from streamlit.runtime.pages_manager import PagesManager

from components.pages.keras_layer import BY_CODE
from headcount import Config, count_parameters
from tests.app.driver import ALL_PAGES, PAGES, card, charts, come, config, open_page, said, stages, text, title, typed, whole


@pytest.mark.parametrize("page", PAGES)
def test_of_a_layer_too_large_to_compute_no_values_are_drawn_and_the_page_says_so(page):
    at = whole(open_page(page, d_model=4096, num_heads=32))
    assert "no values are drawn" in at.info[0].value
    assert all(plan["grids"] == {} for plan in stages(at))


@pytest.mark.parametrize(("query", "count"), [
    ({}, "1,088"),
    ({"d_model": 512, "num_heads": 256}, "1,050,624"),
    ({"d_model": 512, "num_heads": 8, "use_bias": "false"}, "1,048,576"),
    ({"split": "free", "d_model": 512, "num_heads": 8, "key_dim": 64, "value_dim": 32}, "788,224"),
    ({"d_model": 4096, "num_heads": 32}, "67,125,248"),
    ({"split": "free", "d_model": 512, "num_heads": 256, "key_dim": 512, "value_dim": 512}, "268,829,184"),
])  # fmt: skip
def test_title_ledger_and_picture_say_the_known_count(query, count):
    """512 · 256 · 512 · 4 weights, 3 · 256 · 512 + 512 biases: 268,829,184. The others as Keras printed them."""
    at = whole(open_page(**query))
    assert re.search(rf"heads (have )?{count}\b", stages(at)[0]["alt"])
    assert f"**{count}**" in next(body for body in text(at).split("\n") if "**total**" in body)
    (chosen,) = (panel for row in stages(at)[0]["rows"] for panel in row if panel["on"])
    assert count in [t["text"] for t in chosen["texts"]]
    assert count_parameters(config(at)) == int(count.replace(",", ""))


@pytest.mark.parametrize(("page", "num_heads", "count"), [
    ("heads", 3, "1,046,522"), ("projections", 12, "1,034,216"), ("attention", 100, "1,026,012"),
    ("concatenation", 3, "1,046,522"),
])  # fmt: skip
def test_where_h_does_not_divide_the_page_says_what_keras_builds_and_draws_what_is_left_over(page, num_heads, count):
    at = whole(open_page(page, d_model=512, num_heads=num_heads))
    assert title(at) == f"{num_heads} heads do not divide 512."
    assert f"**{count} parameters**" in text(at)
    assert "1,050,624" in text(at)
    raised = [code.value for code in at.code]
    assert "AssertionError: embed_dim must be divisible by num_heads" in raised
    assert any("is not a multiple of the number of attention heads" in words for words in raised)
    (panel,) = stages(at)[0]["rows"][0]
    assert f"{512 % num_heads} columns left over" in [text["text"] for text in panel["texts"]]
    assert (len(panel["blocks"]), len(stages(at)), charts(at)) == (num_heads + 1, 1, [])
    at = whole(typed(at, "num_heads").set_value(8).run())
    assert not any("left over" in plan["alt"] for plan in stages(at))
    assert config(at) == Config(512, 8, query_len=13)


@pytest.mark.parametrize("page", PAGES)
def test_more_heads_than_columns_are_refused_by_keras_too(page):
    at = whole(open_page(page, d_model=8, num_heads=13))
    assert "Keras refuses, too" in text(at)
    assert [block["id"] for block in stages(at)[0]["rows"][0][0]["blocks"]] == ["left-over"]


@pytest.mark.parametrize("page", ALL_PAGES)
def test_the_first_visitor_of_a_server_who_comes_by_a_link_to_a_page_has_it_in_its_frame(page, monkeypatch):
    """Until a server has run app.py, Streamlit runs the page alone. In a browser: tests/browser/test_deep_links.py."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", True)
    first, later = (whole(come(page, num_heads=8)) for _ in range(2))
    assert first.session_state["settings"].sizes["num_heads"] == 8
    assert len(first.sidebar.number_input) + len(first.sidebar.select_slider) > 0
    assert (said(first), dict(first.query_params)) == (said(later), dict(later.query_params)) != ([], {})


@pytest.mark.parametrize("page", PAGES)
def test_a_second_run_of_the_same_page_still_has_its_frame_and_without_tensorflow_no_count_is_promised(page):
    """Streamlit runs a page of the folder `pages/` alone, unless the app prevents it."""
    at = whole(whole(open_page(page, num_heads=8)).run())
    assert at.session_state["settings"].sizes["num_heads"] == 8
    assert len(at.sidebar.number_input) > 0
    assert "TensorFlow is not installed here" in text(at)
    assert "not known yet" not in text(at)


def test_width_1_has_no_other_head_count_in_the_papers_split_and_more_heads_in_keras_way():
    at = whole(open_page(d_model=1, num_heads=1))
    assert title(at) == "Twice the heads. Twice the parameters?"
    assert "1 head has 8 parameters. Paper, PyTorch: no layer has 2 heads, 4 heads or 8 heads." in stages(at)[0]["alt"]
    at = whole(open_page(d_model=1, num_heads=1, split="free", key_dim=2, value_dim=3))
    assert ", 2 heads 35, 4 heads 69" in stages(at)[0]["alt"], "14 + 6 weights, 14 + 1 biases"


def test_a_cell_of_a_head_that_is_off_is_not_explained_by_products_that_do_not_give_it():
    at = whole(open_page("concatenation", head_off=2, cell="context.2.1.1"))
    assert not any("A, row 1 times" in body and "= 0.000" in body for body in said(at))


@pytest.mark.parametrize("use_bias", [True, False])
def test_words_beside_the_pictures_speak_of_a_bias_exactly_where_there_is_one(use_bias):
    shown = {"use_bias": str(use_bias).lower()}
    assert ("plus that column's bias" in text(whole(open_page("projections", **shown)))) == use_bias
    sums = text(whole(open_page("concatenation", **shown)))
    assert ("b_O" in sums.replace("W_O", "")) == use_bias
    cell = text(whole(open_page(cell="q.2.3.2", **shown)))
    assert "row 3 times column 2 of head 2's slice, column 6 of $W_Q$" in cell
    assert ("column 6 of $W_Q$, plus $b_Q$" in cell) == use_bias
    assert ("_{b_Q}" in cell) == use_bias


def test_a_picture_without_values_says_why():
    at = whole(open_page(d_model=4000, num_heads=1, split="free", key_dim=512, value_dim=512))
    assert [*stages(at)[0]["grids"]] == ["reader/w_q"], "of the trained layer alone"
    lead = "".join(element.proto.body for element in at.get("html"))
    assert "Language models use attention: words look at other words." in lead
    assert (
        "No layer of these sizes was trained. So the picture shows another layer, 16 wide and without a mask."
        in stages(at)[0]["alt"]
    )


ALL = {
    "d_model": 14, "num_heads": 2, "query_len": 7, "key_len": 3, "numbers": "seed", "use_gate": "true", "sliding_window": 2,
    "dropout": 0.4, "training": "true", "dropout_seed": 5,
}  # fmt: skip
LAYER = Config(14, 2, query_len=7, key_len=3, use_gate=True, sliding_window=2, dropout=0.4, training=True, dropout_seed=5)


def page(name: str, **query):
    return whole(open_page(name, **ALL | query))


def test_the_start_page_counts_the_gate():
    """By hand: 4 · 14 · 14 + 14 · 14 of the gate, 3 · 14 + 14 + 14 biases: 1,050."""
    at = page("heads")
    assert "In the paper and PyTorch, 1, 2, 7 and 14 heads all have 1,050 parameters." in stages(at)[0]["alt"]
    assert count_parameters(LAYER) == 1050
    assert "`gate/kernel` | (14, 2, 7)" in text(at)


def test_attention_says_what_its_rows_sum_to():
    """Seven queries and three keys: the fifth query and those after it are two or more positions past the last key."""
    assert title(page("attention")).endswith("Every row that may look sums to 1, before dropout.")
    assert title(page("attention", key_len=7, training="false")).endswith("Every row sums to 1.")


@pytest.mark.parametrize(("cell", "words"), [
    ("gate.2.3.4", "sigmoid of the same place of G"),
    ("gated.1.2.3", "Z times σ(G) at the same place"),
    ("concat.2.9", "the same number as Z ⊙ σ(G) of head 2, row 2, column 2"),
    ("g.1.7.2", "column 2 of its G"),
    ("weights.1.7.2", "lets this query look nowhere"),
])  # fmt: skip
def test_a_cell_of_what_only_this_layer_has_explains_itself(cell, words):
    at = page("concatenation", cell=cell)
    said = (text(at) + card(at)).replace("$", "").replace("\\", "")
    assert words.replace("_G", "") in said.replace("_{G}", "").replace("_G", ""), said[-600:]


@pytest.mark.parametrize("part", BY_CODE["part"].choices)
def test_every_part_of_the_keras_page_stands_with_all_of_them(part):
    said = text(page("keras_layer", part=part))
    assert {
        "variables": "use_gate=True, sliding_window=2, dropout=0.4",
        "call": "drops weights only where",
    }.get(part, "") in said


def test_the_keras_page_names_what_it_leaves_out():
    said = text(page("keras_layer", part="call"))
    assert "`flash_attention`: it saves time and memory" in said


def test_next_leads_through_the_lesson_once_from_the_first_page_to_the_quiz():
    """The order is written by hand. Other pages have no Next."""
    following = {"heads": "Why several", "trained_heads": "Projections", "projections": "Attention", "attention": "Concatenation",
                 "concatenation": "Quiz", "quiz": "", "models": ""}  # fmt: skip
    for page, name in following.items():
        labels = [link.proto.label for link in open_page(page).get("page_link") if link.proto.label.startswith("Next")]
        assert labels == [f"Next: {name}"] * bool(name), page
