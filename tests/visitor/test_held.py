"""Each check of the visitor fails on what it is there for, and passes what is right."""

import pytest

from components.widgets.words import AWAY
from mha.cost import too_large
from mha.settings import Whole
from tests.visitor import held
from tests.visitor.arithmetic import wrong
from tests.visitor.held import breaches, check_line, of_text, shown_config, tables
from tests.visitor.visitor import Visitor


@pytest.mark.parametrize("text", [
    "16 × 4 = 65", "d_k = 16 / 4 = 5", "**3** × 5 = **16** columns", "1 × (16 × 16) = 255", "1,024 / 16 = 65",
    "$(-0.500) \\cdot 0.250 + \\underbrace{0.100}_{\\text{bias}} = -0.035$", "$\\dfrac{1.000}{2.000} = 0.600$",
    "$\\dfrac{e^{0.100}}{e^{0.100} + e^{0.200}} = 0.525$", "2 + 3 · 4 = 20",
    "$1.000 \\cdot 2.1 \\cdot 10^{-5} = 2.4 \\cdot 10^{-5}$",
])  # fmt: skip
def test_what_is_not_equal_is_found(text):
    assert wrong(text)


@pytest.mark.parametrize("text", [
    "16 × 4 = 64", "d_k = 16 / 4 = 4", "1,024 / 16 = **64**", "h × 4 = 17", "a + 2 = 5", "2 + 3 · 4 = 14", "√4 = 3",
    "$(-0.500) \\cdot 0.250 + \\underbrace{0.100}_{\\text{bias}} = -0.025$", "10 / 3 = 3.33", "key_dim=16, 3 = 3",
    "$\\dfrac{e^{0.100}}{e^{0.100} + e^{0.200}} = 0.475$", "16 × (4 · 4) = 16 × 16", "2 · 3 = 6 MB",
])  # fmt: skip
def test_what_is_equal_or_no_equation_of_numbers_is_not(text):
    assert wrong(text) == []


@pytest.mark.parametrize("text", [
    "1 queries of 7 keys", "it has 1 attention modules", "with 1 heads", "off by nan", "the mean is None", "W_{Q} of {heads}",
    "\\cdot between", "Keras refuses this call: `ModuleNotFoundError: No module named 'x'`",
    "Keras refused this layer: ValueError: the layer takes 5,000,000 numbers; up to 4,194,304 are computed live",
])  # fmt: skip
def test_a_text_that_is_wrong_in_itself_is_found(text):
    assert of_text("markdown", text)


@pytest.mark.parametrize("text", [
    "1 query of 7 keys", "11 heads", "head 1 keys", "2 × 1 heads", "(None, 6, 16)", "`None` and `{x}`", "$W_{Q}$", "0.1 heads",
    "This layer takes 5,000,000 numbers; up to 4,194,304 are computed live.", "Keras refused this layer: ValueError: no",
    "a nanny", "`x` = None", "1 of 1 heads", "an object, { … }",
])  # fmt: skip
def test_a_text_that_is_right_in_itself_is_not(text):
    assert of_text("markdown", text) == []


def test_an_index_is_set_on_a_picture_and_nowhere_else():
    assert of_text("on the picture", "W_{Q}^{T}") == []
    assert of_text("markdown", "W_{Q}^{T}")


TABLE = "| variable | shape | parameters |\n|:--|:--|--:|\n| a | (2, 3) | {0} |\n| b | (5,) | 5 |\n| **total** | | **{1}** |"


@pytest.mark.parametrize(("count", "total", "sound"), [(6, 11, True), (7, 12, False), (6, 12, False)])
def test_a_table_counts_its_shapes_and_sums_its_rows(count, total, sound):
    assert (tables(TABLE.format(count, total)) == []) == sound


def test_a_page_that_breaks_and_one_that_says_another_total_are_found(keras, monkeypatch):
    keras.turn("missing")
    assert breaches(Visitor().open()) == []
    monkeypatch.setattr("tests.visitor.held.count_parameters", lambda cfg: 7)
    assert any("the layer has 7" in breach for breach in breaches(Visitor().open()))
    monkeypatch.setattr("components.stage.pictures.start_page.headline", lambda cfg, paper: 1 // 0)
    assert any("ZeroDivisionError" in breach for breach in breaches(Visitor().open()))


def test_said_to_be_checked_while_nobody_answers_is_found(keras, monkeypatch):
    keras.turn("missing")
    said = ("✓ Numbers by NumPy, same as the real layer (K): output within 1e-01, attention within 2e-08, rows sum to 1 within "
            "1e-07, count_params() 1,087 equal.")  # fmt: skip
    monkeypatch.setattr("components.widgets.check.waiting", lambda *_: said)
    found = check_line(Visitor().open())
    assert ["off by 0.1" in found[0], "1,087" in found[1], "missing" in found[2]] == [True] * 3


def test_where_a_trained_network_is_shown_its_layer_is_checked_and_not_that_of_the_sliders(keras):
    """With 8 heads and 512 positions no layer is computed, trained or not; typed numbers have their own positions."""
    keras.turn("missing")
    asked = {"d_model": "64", "num_heads": "8", "query_len": "512", "key_len": "512"}
    drawn, trained = (Visitor("projections", asked | {"numbers": numbers}).open() for numbers in ("seed", "trained"))
    assert (too_large(shown_config(drawn)), too_large(shown_config(trained))) == (True, True)
    typed = Visitor("projections", {"numbers": "typed", "d_model": "4", "query_len": "512", "key_len": "512"}).open()
    assert shown_config(typed).key_len < 10


def test_trained_that_is_pressed_over_other_numbers_is_found(keras):
    """On each page of the layer, at sizes that no network has; and random that is pressed over the trained layer."""
    keras.turn("missing")
    for page in ("projections", "attention", "concatenation"):
        visitor = Visitor(page, {"d_model": "24", "num_heads": "3"}).open()
        assert held.pressed(visitor) == []
        visitor.at.session_state[AWAY] = "trained"
        assert len(held.pressed(visitor)) == 2
    visitor = Visitor("attention").open()
    assert held.pressed(visitor) == []
    visitor.at.session_state["numbers"] = "seed"
    assert "is not pressed" in held.pressed(visitor)[0]


def test_a_field_that_holds_another_kind_of_value_than_its_setting_reads_is_found(keras, monkeypatch):
    keras.turn("missing")
    visitor = Visitor("trained_heads", {"heads": "2"}).open()
    assert held.of_their_settings(visitor) == []
    monkeypatch.setattr(held, "settings", lambda: {"heads": Whole(code="heads", default=4, least=1, most=24)})
    assert held.of_their_settings(visitor) == ["heads holds '2', and its setting reads 2"]
