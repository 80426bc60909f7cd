"""Parameters against heads: three curves through known counts, the present choice on them."""

import pytest

from components.stage.pictures.changes import parameter_curves, parameters
from mha import Config, count_parameters

WIDE = Config(d_model=512, num_heads=8)


def test_the_papers_curve_is_flat_that_of_pinned_keys_falls_and_keras_goes_up_through_the_counts_that_it_printed():
    """2 · 512² + 1,024 for Q and the output; 2 · (512 + 1) · 512 / h for the one key/value head."""
    paper, _, pinned = parameter_curves(WIDE).values()
    assert paper == dict.fromkeys((1, 2, 4, 8, 16), 1_050_624)
    assert pinned == {h: 525_312 + 2 * 513 * 512 // h for h in (1, 2, 4, 8, 16)}
    _, keras, _ = parameter_curves(Config(d_model=512, num_heads=8, key_dim=512)).values()
    assert [keras[h] for h in (1, 2, 4, 8)] == [1_050_624, 2_100_736, 4_200_960, 8_401_408]


def test_curves_have_no_point_where_there_is_no_layer_and_that_of_keras_says_its_key_dim():
    curves = parameter_curves(Config(d_model=12, num_heads=3, key_dim=5))
    assert [[*points] for points in curves.values()] == [[1, 2, 3, 4], [1, 2, 3, 4, 8, 16], [1, 2, 3, 4]]
    assert [*curves][1] == "Keras: key_dim = 5 for each head"


@pytest.mark.parametrize("cfg", [
    WIDE, Config(d_model=512, num_heads=3, key_dim=170), Config(d_model=1, num_heads=1),
    Config(d_model=7, num_heads=200, key_dim=3),
])  # fmt: skip
def test_the_drawing_has_every_curve_in_a_line_of_its_own_and_the_choice_on_that_of_keras(cfg):
    figure, alt = parameters(cfg)
    *lines, mark = figure["data"]
    count, curves = count_parameters(cfg), parameter_curves(cfg)
    assert [dict(zip(line["x"], line["y"], strict=True)) for line in lines] == [*curves.values()]
    assert len({line["line"]["dash"] for line in lines}) == 3, "told apart without colour"
    assert (mark["x"], mark["y"], mark["text"]) == ([cfg.num_heads], [count], [f"<b>{count:,}</b>"])
    assert [*curves.values()][1][cfg.num_heads] == count
    assert f"Chosen: {cfg.num_heads} head" in alt
    assert alt.endswith(f", {count:,} parameters.")
    assert figure["layout"]["yaxis"]["rangemode"] == "tozero", "a flat line is flat, and twice is twice as high"
