"""Parameters against heads: three curves through known counts, the present choice on them."""

import pytest

from components.stage.pictures.curves import draw, parameter_curves
from mha import Config, count_parameters

WIDE = Config(d_model=512, num_heads=8)


def points(cfg: Config) -> list[dict[int, int]]:
    return [dict(zip(curve.heads, curve.counts, strict=True)) for curve in parameter_curves(cfg).curves]


def test_the_papers_curve_is_flat():
    paper, _, _ = points(WIDE)
    assert paper == dict.fromkeys((1, 2, 4, 8, 16), 1_050_624)


def test_keras_curve_goes_straight_up_through_the_counts_that_keras_printed():
    _, keras, _ = points(Config(d_model=512, num_heads=8, key_dim=512))
    assert [keras[h] for h in (1, 2, 4, 8)] == [1_050_624, 2_100_736, 4_200_960, 8_401_408]


def test_the_pinned_curve_falls():
    """2 · 512² + 1,024 for Q and the output; 2 · (512 + 1) · 512 / h for the one key/value head."""
    _, _, pinned = points(WIDE)
    assert pinned == {h: 525_312 + 2 * 513 * 512 // h for h in (1, 2, 4, 8, 16)}


def test_curves_have_no_point_where_there_is_no_layer():
    paper, keras, pinned = points(Config(d_model=12, num_heads=3, key_dim=5))
    assert list(paper) == list(pinned) == [1, 2, 3, 4]
    assert list(keras) == [1, 2, 3, 4, 8, 16]


@pytest.mark.parametrize("cfg", [
    WIDE, Config(d_model=512, num_heads=3, key_dim=170), Config(d_model=1, num_heads=1),
    Config(d_model=7, num_heads=200, key_dim=3),
])  # fmt: skip
def test_the_present_choice_is_marked_and_lies_on_keras_curve(cfg):
    made = parameter_curves(cfg)
    assert made.chosen == (cfg.num_heads, count_parameters(cfg))
    assert points(cfg)[1][cfg.num_heads] == count_parameters(cfg)
    assert f"Chosen: {cfg.num_heads} head" in made.alt
    assert made.alt.endswith(f", {count_parameters(cfg):,} parameters.")


def test_the_drawing_has_every_curve_in_a_line_of_its_own_and_the_choice_with_its_number():
    made = parameter_curves(WIDE)
    figure = draw(made)
    *lines, mark = figure["data"]
    assert [(tuple(line["x"]), tuple(line["y"])) for line in lines] == [(curve.heads, curve.counts) for curve in made.curves]
    assert len({line["line"]["dash"] for line in lines}) == 3, "told apart without colour"
    assert (mark["x"], mark["y"], mark["text"]) == ([8], [1_050_624], ["<b>1,050,624</b>"])
    assert figure["layout"]["yaxis"]["rangemode"] == "tozero", "a flat line is flat, and twice is twice as high"


def test_the_label_of_keras_curve_says_its_key_dim():
    assert any("key_dim = 170" in curve.label for curve in parameter_curves(Config(d_model=512, num_heads=3, key_dim=170)).curves)
