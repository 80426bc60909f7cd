"""Each check of the visitor fails on what it is there for; that it passes what is right is seen on every screen."""

import pytest

from components.widgets.words import AWAY
from mha.settings import Whole
from tests.visitor import held
from tests.visitor.arithmetic import wrong
from tests.visitor.held import breaches, check_line, of_text, tables
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
    keras.turn("missing")
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


def test_trained_that_is_pressed_over_other_numbers_is_found(keras):
    """At sizes that no network has; and random that is pressed over the trained layer."""
    keras.turn("missing")
    visitor = Visitor("projections", {"d_model": "24", "num_heads": "3"}).open()
    visitor.at.session_state[AWAY] = "trained"
    assert len(held.pressed(visitor)) == 2
    visitor = Visitor("attention").open()
    visitor.at.session_state["numbers"] = "seed"
    assert "is not pressed" in held.pressed(visitor)[0]


def test_a_field_that_holds_another_kind_of_value_than_its_setting_reads_is_found(keras, monkeypatch):
    keras.turn("missing")
    visitor = Visitor("trained_heads", {"heads": "2"}).open()
    monkeypatch.setattr(held, "settings", lambda: {"heads": Whole(code="heads", default=4, least=1, most=24)})
    assert held.of_their_settings(visitor) == ["heads holds '2', and its setting reads 2"]
