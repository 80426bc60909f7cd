"""The pictures of the Keras layer page as data, from replies made by hand."""

import numpy as np
import pytest

from components.pages.keras_layer import masks
from headcount.keras.layer import KerasLayer
from headcount.keras.question import reply_of
from headcount.stage.pictures.keras_layer import View, allowed_only, cases, clickable_mask, views

MAPS = np.tril(np.full((2, 2, 5, 7), 0.5, np.float32))
FAR = {"apart": 1.25, "scores": MAPS, "meant": MAPS}
REPLIES = {
    "polarity": FAR | {"inverted": MAPS},
    "additive": FAR | {"inverted": 0.0},
    "causal": {"scores": MAPS, "bottom": MAPS, "top_left": 0.0, "bottom_right": 1.25},
    "empty_row": FAR | {"bias": 0.0, "mean": 2e-7, "others": 0.0},
    "shapes": {"results": [*[FAR | {"reading": MAPS}] * 5, {"error": "ValueError: no"}, FAR]},
}


@pytest.mark.parametrize("case", REPLIES)
def test_each_case_of_the_masks_says_what_was_measured_and_draws_it(case):
    sentence, lines = masks.CASES[case](KerasLayer(2, 3, 5, (3, 5, 11), (3, 7, 11)), reply_of(REPLIES[case]))
    assert "**1.25**" in sentence
    drawn = cases(lines, "alt")
    assert len(drawn.panels) == {"empty_row": 1, "shapes": 7}.get(case, 2)
    assert all(np.isnan(grid.values[0, 1:]).all() and grid.values[0, 0] == 0.5 for grid in drawn.grids.values())
    assert all(panel.least_px <= 320 for panel in drawn.panels)


def test_a_reading_forbids_where_the_weights_say_nothing():
    """A weight may be 0 by rounding; what the mask lets look is drawn all the same."""
    kept = allowed_only(np.zeros((1, 1, 2, 2), np.float32), np.array([[True, False], [True, True]]))
    assert np.isnan(kept).tolist() == [[[[False, True], [False, False]]]]


def test_views_mark_the_query_and_leave_empty_what_it_does_not_see():
    weights = np.full((3, 5), np.nan, np.float32)
    weights[:, 2] = (0.25, 0.5, 0.25)
    drawn = views([View("attention_axes=1", "scores (2, 5, 2, 3, 3)", weights)], "alt")
    grid, mark = drawn.panels[0].blocks
    assert (mark.x.cells, mark.y.cells) == (2, 1)
    assert np.isfinite(drawn.grids[grid.grid].values).sum() == 3


def test_a_square_for_each_pair_and_its_number_is_row_times_keys_plus_column():
    mask = np.ones((2, 3), bool)
    mask[1, 0] = False
    figure, alt = clickable_mask(mask)
    (trace,) = figure["data"]
    assert (trace["x"][3], trace["y"][3], trace["marker"]["symbol"][3]) == (1, 2, "x-thin-open")
    assert "5 of 6 pairs may look" in alt
