"""Which shapes of masks Keras takes, and pairs under a triangle (what PyTorch says of masks: parity/test_masks.py)."""

import numpy as np
import pytest

from mha.keras.layer import KerasLayer, triangle
from mha.torch_masks import keras_takes

#: B = 2, h = 3, T = 5, S = 7.
SCORES = (2, 3, 5, 7)


@pytest.mark.keras
@pytest.mark.parametrize("scores", [SCORES, (3, 3, 3, 5), (1, 2, 5, 3), (5, 1, 2, 2)])
def test_keras_takes_the_shapes_that_are_said_to_be_taken(scores, ask):
    b, h, t, s = scores
    layer = KerasLayer(h, 2, 2, (b, t, 4), (b, s, 4)).plain()
    for shape in [(t, s), (b * h, t, s), (b, t, s), (b, h, t, s), (b, 1, t, s), (b, 1, s), (b, s), (s,), (1, s), (h, t, s)]:
        assert keras_takes(scores, shape) == ("error" not in ask("mask_own", layer=layer, mask=np.ones(shape))), shape


@pytest.mark.parametrize(("queries", "keys"), [(5, 7), (7, 5), (3, 3), (1, 11), (11, 1)])
@pytest.mark.parametrize("ahead", [-2, -1, 0, 1, 2, 6])
def test_pairs_under_a_triangle_are_counted_as_one_by_one(queries, keys, ahead):
    assert triangle(queries, keys, ahead) == np.tri(queries, keys, ahead).sum()
