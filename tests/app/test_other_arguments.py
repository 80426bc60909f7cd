"""Keras's other arguments on the pages: gate, window and dropout together, wherever the layer is drawn."""

import pytest

from components.page_settings import BY_CODE
from mha import Config, count_parameters
from tests.app.driver import card, open_page, stages, text, title, whole

ALL = {
    "d_model": 14, "num_heads": 2, "query_len": 7, "key_len": 3, "numbers": "seed", "use_gate": "true", "sliding_window": 2,
    "dropout": 0.4, "training": "true", "dropout_seed": 5,
}  # fmt: skip
LAYER = Config(14, 2, query_len=7, key_len=3, use_gate=True, sliding_window=2, dropout=0.4, training=True, dropout_seed=5)


def page(name: str, **query):
    return whole(open_page(name, **ALL | query))


def test_the_start_page_counts_the_gate():
    """4 · 14 · 14 + 14 · 14 of the gate, 3 · 14 + 14 + 14 biases: 1,050."""
    at = page("heads")
    assert "Paper, PyTorch: 1 head: 1,050 parameters; 2 heads: 1,050 parameters;" in stages(at)[0]["alt"]
    assert count_parameters(LAYER) == 1050
    assert "`gate/kernel` | (14, 2, 7)" in text(at)


def test_attention_says_what_its_rows_sum_to():
    """Seven queries and three keys: the fifth and all after it are two or more past the last key."""
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
        "masks": "The layer's `sliding_window=2` joins it",
        "axes": "Shown without the sliding window",
    }.get(part, "") in said


def test_the_masks_count_the_pairs_that_a_window_leaves():
    """Three queries see 2, 3 and 2 of three keys, the fourth one, the others none: 8 in each of two samples."""
    at = page("keras_layer", part="masks", attention_mask="none")
    assert title(at) == "16 of 42 pairs in 2 samples may look."
    assert "**6 queries may look nowhere**, 2 samples together" in text(at)


def test_the_keras_page_names_what_it_leaves_out():
    said = text(page("keras_layer", part="call"))
    assert "`flash_attention` (it changes how fast the same numbers come" in said
