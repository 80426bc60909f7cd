"""NumPy's language models are Keras's, from the first embedding to the last logit, and a run of training repeats itself."""

import subprocess
import sys

import numpy as np
import pytest

from mha.language.network import forward
from mha.language.store import SIZES, load, manifest
from tests.sources import ROOT
from training.novels import novels
from training.perplexity import losses, windows

pytestmark = pytest.mark.keras
TEXT = novels()
SEEN, WANTED = windows(TEXT.ids, TEXT.held_out[:: len(TEXT.held_out) // 7])


@pytest.mark.parametrize(("dtype", "rounding"), [("float64", 1e-10), ("float32", 1e-4)])
@pytest.mark.parametrize("size", sorted(SIZES))
def test_every_intermediate_and_the_logits_are_those_of_keras(size, dtype, rounding):
    from training.language import intermediates, keras_intermediates

    network = load(*size).as_type(np.dtype(dtype).type)
    ours = intermediates(forward(network, SEEN))
    theirs = keras_intermediates(dict(network.weights), network.heads, SEEN, dtype)
    assert set(theirs) == set(ours)
    for name, array in ours.items():
        assert array.dtype == dtype
        np.testing.assert_allclose(array, theirs[name], atol=rounding, rtol=rounding, err_msg=name)


@pytest.mark.parametrize("size", sorted(SIZES))
def test_the_loss_is_the_one_that_keras_trains(size):
    from training.language import build, keras

    network = load(*size)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model = build(dict(network.weights), network.heads)
    assert model.count_params() == network.parameters == manifest()["networks"][network.name]["parameters"]
    theirs = loss(WANTED, model(SEEN))
    assert losses(network, SEEN, WANTED).mean() == pytest.approx(float(theirs), rel=1e-5)


def test_keras_starts_from_bit_equal_numbers_for_every_head_count():
    from training.language import build, start

    flat = []
    for heads in (1, 2, 4, 8, 16):
        model = build(start(53, 16, heads, 3), heads)
        flat.append(b"".join(np.asarray(weight).tobytes() for weight in model.get_weights()))
    assert len(set(flat)) == 1


def test_weights_go_into_keras_and_come_back():
    from training.language import build, take

    weights = load(16, 4).weights
    again = take(build(dict(weights), 4), 4)
    for name, weight in weights.items():
        np.testing.assert_array_equal(again[name], weight)


TWICE = """
import numpy as np
from training.recipe import settle
settle()
from training.language import start, train
from training.novels import novels
text = novels()
first, again = (train(text, 16, 2, 5, 240) for _ in range(2))
assert all(np.array_equal(first[name], again[name]) for name in first), "two runs of one seed differ"
moved = max(float(np.abs(first[name] - weight).max()) for name, weight in start(3000, 16, 2, 5).items())
assert moved > 0.01, "nothing was learnt"
"""


def test_the_same_seed_gives_the_same_network():
    """In a process of its own: the number of threads can be set only before TensorFlow has begun."""
    done = subprocess.run([sys.executable, "-c", TWICE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
