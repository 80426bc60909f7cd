"""Each rule of the visitor fails on its fault; every screen shows that it passes what is right. Also the faults that random
visitors found, each as the few steps that led there."""

import pytest

from components.widgets.words import AWAY
from headcount.settings import Whole
from tests.visitor import held
from tests.visitor.arithmetic import wrong
from tests.visitor.held import breaches, check_line, of_text, screen, tables
from tests.visitor.visitor import Visitor, put, widgets


@pytest.mark.parametrize("text", [
    "16 × 4 = 65", "d_k = 16 / 4 = 5", "**3** × 5 = **16** columns", "1 × (16 × 16) = 255", "1,024 / 16 = 65",
    "$(-0.500) \\cdot 0.250 + \\underbrace{0.100}_{\\text{bias}} = -0.035$", "$\\dfrac{1.000}{2.000} = 0.600$",
    "$\\dfrac{e^{0.100}}{e^{0.100} + e^{0.200}} = 0.525$", "2 + 3 · 4 = 20",
    "$1.000 \\cdot 2.1 \\cdot 10^{-5} = 2.4 \\cdot 10^{-5}$",
])  # fmt: skip
def test_what_is_not_equal_is_found(text):
    assert wrong(text)


@pytest.mark.parametrize("text", [
    "1 queries of 7 keys", "it has 1 attention modules", "with 1 heads", "**1** rows", "1 key/value heads", "1 head share one",
    "off by nan", "the mean is None", "W_{Q} of {heads}",
    "\\cdot between", "W_{Q}^{T}", "Keras refuses this call: `ModuleNotFoundError: No module named 'x'`",
    "Keras refused this layer: ValueError: the layer takes 5,000,000 numbers; up to 4,194,304 are computed live",
])  # fmt: skip
def test_a_text_that_is_wrong_in_itself_is_found(text):
    assert of_text("markdown", text)


TABLE = "| variable | shape | parameters |\n|:--|:--|--:|\n| a | (2, 3) | {0} |\n| b | (5,) | 5 |\n| **total** | | **{1}** |"


@pytest.mark.parametrize(("count", "total"), [(7, 12), (6, 12)])
def test_a_table_counts_its_shapes_and_sums_its_rows(count, total):
    assert tables(TABLE.format(count, total))


def test_a_page_that_breaks_and_one_that_says_another_total_are_found(keras, monkeypatch):
    monkeypatch.setattr("tests.visitor.held.count_parameters", lambda cfg: 7)
    assert any("the layer has 7" in breach for breach in breaches(Visitor().open()))
    monkeypatch.setattr("headcount.stage.pictures.start_page.lead", lambda *how: 1 // 0)
    assert any("ZeroDivisionError" in breach for breach in breaches(Visitor().open()))


def test_said_to_be_checked_while_nobody_answers_is_found(keras, monkeypatch):
    said = ("✓ Numbers by NumPy, same as the real layer (K): output within 1e-01 of its largest number, attention within 2e-08, "
            "rows sum to 1 within 1e-07, count_params() 1,087 equal.")  # fmt: skip
    monkeypatch.setattr("components.widgets.check.waiting", lambda *_: said)
    found = check_line(Visitor().open())
    assert ["off by 0.1" in found[0], "1,087" in found[1], "missing" in found[2]] == [True] * 3


def test_trained_that_is_pressed_over_other_numbers_is_found(keras):
    """At sizes that no network has. Also "random", pressed over the trained layer."""
    visitor = Visitor("projections", {"d_model": "28", "num_heads": "7"}).open()
    visitor.at.session_state[AWAY] = "trained"
    assert len(held.pressed(visitor)) == 2
    visitor = Visitor("attention").open()
    visitor.at.session_state["numbers"] = "seed"
    assert "is not pressed" in held.pressed(visitor)[0]


def test_a_field_that_holds_another_kind_of_value_than_its_setting_reads_is_found(keras, monkeypatch):
    visitor = Visitor("trained_heads", {"sentence": "2"}).open()
    monkeypatch.setattr(held, "settings", lambda: {"sentence": Whole(code="sentence", default=4, least=1, most=24)})
    assert held.of_their_settings(visitor) == ["sentence holds '2', and its setting reads 2"]


def test_a_page_found_again_shows_its_cell_though_the_page_before_holds_the_key(keras):
    """Streamlit lets nobody set a key that a field is bound to, and the field of the last page may still be there."""
    visitor = Visitor("concatenation", {"cell": "output.1.1"}).open()
    for page in ("quiz", "heads", "concatenation"):
        assert breaches(visitor.go(page)) == []
    assert visitor.address == "/concatenation?cell=output.1.1"
    assert widgets(visitor.at)["cell"].value == "output.1.1"


def test_a_head_that_is_off_stays_in_the_address_of_a_layer_too_large_to_compute(keras):
    visitor = Visitor("concatenation", {"split": "free"}).open()
    for key, number in (("head_off", 3), ("d_model", 4096), ("key_dim", 512), ("value_dim", 512)):
        put(widgets(visitor.at)[key], number)  # all in one message, as a browser sends what was changed within a moment
    visitor.run()
    said = [*visitor.at.info, *visitor.at.caption, *visitor.at.markdown]
    assert "Too large to compute here" in " ".join(node.value for node in said)
    assert "head_off=3" in visitor.address
    assert widgets(visitor.at)["head_off"].value == 3  # the address forgets a field that is not drawn
    assert screen(visitor.at) == screen(visitor.fresh().at)


@pytest.mark.parametrize("narrowed", [{"find": "2,1"}, {}])
def test_a_topic_chosen_in_a_session_stays_chosen_for_who_opens_its_address(keras, narrowed):
    visitor = Visitor("questions", {"question": "c7", "topic": "heads", **narrowed}).open()
    put(widgets(visitor.at)["topic"], "All")
    visitor.run()
    assert breaches(visitor) == []
    assert screen(visitor.at) == screen(visitor.fresh().at)


def test_the_page_of_trained_heads_is_found_again_with_its_heads(keras):
    visitor = Visitor("trained_heads", {"num_heads": 2, "slider": "d_model"}).open()
    there = screen(visitor.at)
    visitor.go("figures")
    put(widgets(visitor.at)["figure"], "right_answers")
    assert breaches(visitor.run()) == []
    assert breaches(visitor.go("trained_heads")) == []
    assert widgets(visitor.at)["num_heads"].value == 2
    assert screen(visitor.at) == there


@pytest.mark.parametrize("query", ["1,2", "none,1,1,2", "5,3"])
def test_the_shape_of_an_input_that_is_found_needs_no_plural(keras, query):
    assert breaches(Visitor("questions", {"find": query}).open()) == []
