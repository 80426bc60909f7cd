"""Masks given to the real layer, against how Keras's documentation and PyTorch's read them."""

import numpy as np
import pytest

from mha.keras.layer import KerasLayer, compute
from mha.keras.question import question

pytestmark = pytest.mark.keras
#: B, T, S, widths and sizes are different primes.
CROSS = KerasLayer(2, 3, 5, (3, 5, 11), (3, 7, 11), seed=19)


def test_five_shapes_of_masks_are_read_as_they_say(ask):
    found = {letters: ask("mask_shape", layer=CROSS.plain(), letters=letters) for letters in ("BTS", "B1S", "TS", "B11S", "BhTS")}
    for letters, one in found.items():
        assert one["apart"] == one["outside"] == 0, letters
        assert ((one["scores"] > 0) == (one["reading"] > 0)).all(), letters
    reading = {letters: one["reading"] for letters, one in found.items()}
    assert (reading["TS"][0] == reading["TS"][1]).all()
    assert (reading["B1S"][:, :, 0] == reading["B1S"][:, :, 1]).all()
    assert (reading["BhTS"][:, 0] != reading["BhTS"][:, 1]).any()


def test_a_mask_of_samples_by_keys_is_an_error_or_misread(ask):
    asked = [question("mask_flat", layer=layer.plain()) for layer in (CROSS, CROSS.with_batch(5))]
    refused, square = ask("several", questions=[[one.name, one.arguments] for one in asked])["results"]
    assert refused["error"].startswith("ValueError: The `mask` must be broadcastable to `inputs`.")
    assert square["apart"] > 0.1
    seen = square["scores"][0, 0] > 0
    assert seen.sum(axis=-1).tolist() == [7, 6, 5, 4, 3]  # the samples' lengths, one for each query
    assert ((square["meant"][1, 0] > 0).sum(axis=-1) == 6).all()


def test_true_lets_look(ask):
    found = ask("mask_polarity", layer=CROSS.plain())
    assert (found["scores"][..., :4] > 0).all()
    assert (found["scores"][..., 4:] == 0).all()
    assert (found["inverted"][..., :4] == 0).all()
    assert found["apart"] > 0.1


@pytest.mark.parametrize(("queries", "keys"), [(5, 7), (7, 5)])
def test_the_causal_triangle_starts_top_left(ask, queries, keys):
    layer = KerasLayer(2, 3, 5, (3, queries, 11), (3, keys, 11), seed=19)
    found = ask("mask_causal", layer=layer.plain())
    assert found["top_left"] < 1e-5 < 0.1 < found["bottom_right"]
    assert ((found["scores"][0, 0] > 0) == np.tril(np.ones((queries, keys), bool))).all()


def test_a_query_that_sees_nothing_has_two_answers(ask):
    """With scores the output's bias; without, the mean of the values as equal weights give it (Keras 3.10 and later)."""
    found = ask("mask_empty_row", layer=CROSS.plain())
    assert (found["scores"][..., -1, :] == 0).all()
    assert found["bias"] < 1e-6
    assert found["mean"] < 1e-5
    assert found["apart"] > 0.1
    assert found["others"] < 1e-5


def test_a_mask_to_be_added_is_inverted(ask):
    found = ask("mask_additive", layer=CROSS.plain())
    assert found["inverted"] == 0
    assert found["apart"] > 0.1
    assert not ((found["scores"] > 0) & (found["meant"] > 0)).any()


def test_an_own_mask_and_the_triangle_are_joined(ask):
    mask = np.ones((5, 7), np.float32)
    mask[:, 1] = 0
    found = ask("mask_own", layer=CROSS.plain(), mask=mask, causal=True)
    assert ((found["scores"][0, 0] > 0) == ((mask > 0) & np.tril(np.ones((5, 7), bool)))).all()
    assert "error" in ask("mask_own", layer=CROSS.plain(), mask=np.ones((3, 2, 7), np.float32))
    np.testing.assert_allclose(ask("mask_own", layer=CROSS.plain())["scores"], compute(CROSS)[1], atol=1e-5)
