"""Typed numbers on the pages of the layer: shown as typed, kept in the address, and refused with the field's name."""

import pytest

from components.widgets import chart, previews, stage
from components.widgets.play import as_typed
from headcount.export.request import Unavailable, request_of
from headcount.layer import SEED, Origin
from tests.app.driver import in_address, open_page, preview, text, title, value, whole
from tests.app.test_less_to_read import in_view

PAGES = ("projections", "attention", "concatenation")
#: Three positions of five numbers; the identity as kernels.
TABLE = "3 0 0.5 0 −1\n0 2 0 2 0\n1 1 1 1 1"
SIZES = {"numbers": "typed", "d_model": 5, "num_heads": 1}


@pytest.mark.parametrize("page", PAGES)
def test_each_page_shows_them_in_no_cache_that_visitors_share_and_says_so(page):
    """A cell's arithmetic has the digits as typed."""
    before = len(previews.PICTURES)
    at = whole(open_page(page, **SIZES, x=TABLE, cell="scores.1.1.3"))
    assert "Your own numbers: X as typed." in text(at)
    assert "pattern means nothing" not in text(at)
    if page == "attention":
        assert r"$3 \cdot 1 + 0 \cdot 1 + 0.5 \cdot 1 + 0 \cdot 1 + (-1) \cdot 1 = 2.5$" in text(at)
    assert len(previews.PICTURES) == before
    assert 1 <= len(at.session_state["visit"].typed_layers) <= 6


@pytest.mark.parametrize("page", ["heads", *PAGES])
def test_the_files_of_each_picture_know_that_its_numbers_are_the_visitors(page, monkeypatch):
    """Otherwise their captions would say that the numbers are the seed's."""
    origins: dict[str, Origin] = {}
    for module in (stage, chart):
        monkeypatch.setattr(module, "table_view", lambda key, *_, origin=SEED: origins.update({key: origin}))
    whole(open_page(page, **SIZES, x=TABLE, head_off=1, divisor="none"))
    assert len(origins) >= 3
    of_no_layer = {"time_against_heads"}  # milliseconds of machines
    assert {key for key, origin in origins.items() if not origin.is_typed} <= of_no_layer


@pytest.mark.parametrize(("page", "cell"), [("projections", "q.1.1.3"), ("concatenation", "output.1.3")])
def test_the_card_beside_a_picture_has_the_typed_digits(page, cell):
    (card,) = [body for body in (one.proto.body for one in whole(open_page(page, **SIZES, x=TABLE, cell=cell)).get("html"))
               if 'class="terms"' in body]  # fmt: skip
    assert ".000" not in card


def test_numbers_of_the_seed_keep_three_decimals():
    at = whole(open_page("attention", numbers="seed", num_heads=4, cell="scaled.1.1.1"))
    assert "{2.000}" in text(at)


def test_a_number_is_written_as_typed_only_where_that_is_the_whole_number():
    assert [as_typed(number) for number in (2.0, -0.5, 0.0, -0.0, 0.1234, 1 / 3, 2**0.5, float("-inf"))] == [
        "2", "-0.5", "0", "0", "0.1234", None, None, None,
    ]  # fmt: skip


def test_choosing_them_brings_an_example_and_a_pasted_table_goes_into_the_address_and_its_sizes_follow():
    at = whole(open_page("projections"))
    at = whole(at.segmented_control(key="numbers").set_value("typed").run())
    assert "Your own numbers: X as typed." in text(at)
    assert (in_address(at, "d_model"), in_address(at, "num_heads")) == ("4", "1")
    at = whole(at.text_area(key="x_area").set_value("\ufeff1,5\t0\t7\r\n0\t2\t−3\r\n").run())
    assert in_address(at, "x") == "1.5 0 7/0 2 -3"
    assert in_address(at, "d_model") == "3"
    assert "Decimal commas were read as points." in text(at)


def test_an_old_link_with_single_arrays_opens_with_the_rule_and_says_that_they_are_gone():
    at = whole(open_page("projections", **SIZES, x=TABLE, arrays="w_q 1 0/0 1/1 1"))
    assert "**arrays** is gone. Single arrays are no longer typed" in text(at)
    assert "Your own numbers: X as typed." in text(at)
    assert "arrays" not in at.query_params


@pytest.mark.parametrize(("typed", "says"), [
    ("1 2 3 nan", "**x**, row 1, column 4 must be a number from −1,000 to 1,000"),
    ("1 2\n3", "**x** must have as many numbers in every row: row 2 has 1 number"),
    ("1 2 " * 9, "**x** must be at most 16 rows of 16 numbers, got 1 × 18"),
    ("1 <script>`**", "got `<script>?**`"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_and_the_numbers_before_stay(typed, says):
    at = whole(open_page("projections", **SIZES, x=TABLE))
    at = whole(at.text_area(key="x_area").set_value(typed).run())
    assert says in text(at)
    assert "The numbers before it are still shown." in text(at)
    assert title(at) == "Each head reads all of X through its own 5 × 5 slice."


@pytest.mark.parametrize(("x", "says"), [
    ("1 2 3 inf", "column 4 must be"),
    ("1 " * 2000, "must be at most 2,600 characters, got more"),
])  # fmt: skip
def test_what_is_wrong_in_the_address_is_named_and_the_example_is_shown(x, says):
    at = whole(open_page("attention", numbers="typed", d_model=4, num_heads=1, x=x))
    assert says in text(at)
    assert "1 head has 1 map of 3 × 3." in title(at)


def test_at_other_sizes_the_page_says_why_and_a_button_leads_back():
    at = whole(open_page("attention", numbers="typed", x=TABLE))
    assert "The numbers are random, because X is 5 wide and d_model is 16" in text(at)
    at = whole(at.button(key="to_typed").click().run())
    assert (value(at, "d_model"), value(at, "num_heads")) == (5, 1)
    assert "Your own numbers" in text(at)


def test_they_come_back_with_their_choice_and_cost_no_field_without_it():
    at = whole(open_page("attention", **SIZES, x=TABLE))
    at = whole(at.segmented_control(key="numbers").set_value("seed").run())
    assert not [field for field in at.text_area if field.key == "x_area"]
    assert not [field for field in at.text_input if field.key == "x"]
    at = whole(at.segmented_control(key="numbers").set_value("typed").run())
    assert value(at, "x") == TABLE
    assert "Your own numbers" in text(at)


def test_files_and_the_command_line_have_the_same_numbers_or_none():
    query = {**SIZES, "x": TABLE}
    request = request_of(query).on_words()
    assert request.trace().scores.values[0, 0, 0, 2] == 2.5
    assert "typed numbers" in request.sizes_in_words()
    assert "x=3+0+0.5" in request_of(query).link("attention", ("numbers", "x"))
    with pytest.raises(Unavailable, match=r"X is 5 wide and d_model is 16\. Set d_model=5, num_heads=1"):
        request_of({**query, "d_model": 16}).on_words()
    with pytest.raises(Unavailable, match="x, row 1, column 2 must be a number"):
        request_of({**query, "x": "1 b"}).on_words()


def test_a_figure_to_take_away_has_them_and_says_so():
    at = whole(open_page("figures", figure="steps", **SIZES, x=TABLE))
    assert "typed numbers" in preview(at)
    assert "--set numbers=typed" in at.code[0].value
    assert "--set 'x=3 0 0.5 0 −1" in at.code[0].value


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize(("numbers", "seen"), [("typed", True), ("seed", False)])
def test_the_page_of_figures_shows_their_fields_only_where_they_are_asked_for(numbers, seen):
    at = whole(open_page("figures", figure="attention", **SIZES | {"numbers": numbers}, x=TABLE))
    assert value(at, "x") == TABLE, "the address keeps it in any case"
    (rest,) = (one for one in at.expander if one.label.startswith("Title"))
    assert ("x" in [one.key for one in in_view(rest) if hasattr(one, "key")]) is seen
