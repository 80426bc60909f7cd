"""NumPy's networks are Keras's networks, and training repeats itself."""

import numpy as np
import pytest

from headcount.trained.network import forward
from headcount.trained.store import load, manifest
from headcount.trained.task import fixed_examples
from tests.layer.snippets import run_apart

pytestmark = pytest.mark.keras
NAMES = (*manifest("sentence")["networks"],)


@pytest.mark.parametrize(("dtype", "rounding"), [("float64", 1e-5), ("float32", 1e-4)])
@pytest.mark.parametrize("name", NAMES)
def test_attention_and_probabilities_are_those_of_keras(name, dtype, rounding):
    """In float64 within 1e-5, so only rounding is left. In float32, which the page uses, logits reach 700."""
    from training.recipe import attention_weights, build, probabilities

    network = load(name).as_type(np.dtype(dtype).type)
    tokens = fixed_examples(network.task).tokens[:251]
    model, ours = build(network.task, network.heads, network.weights, dtype), forward(network, tokens)
    assert model.count_params() == network.parameters == manifest(network.task.name)["networks"][name]["parameters"]
    np.testing.assert_allclose(ours.trace.weights.values, attention_weights(model, network.task, tokens), atol=rounding)
    np.testing.assert_allclose(ours.probabilities, probabilities(model, tokens), atol=rounding)


@pytest.mark.parametrize("name", manifest("stops")["networks"])
def test_the_layer_of_every_stop_is_the_real_layer(name):
    """In float64 within 1e-12. In float32, which the page uses, weights within 2e-6, or within the rounding of scores of some
    hundreds, which heads with keys of one number have."""
    import keras

    for dtype, output, least in (("float64", 1e-12, 1e-12), ("float32", 1e-4, 2e-6)):
        network = load(name).as_type(np.dtype(dtype).type)
        trace = forward(network, fixed_examples(network.task).tokens[:31]).trace
        layer = keras.layers.MultiHeadAttention(network.heads, network.key_dim, network.value_dim, dtype=dtype)
        x = trace.x_query.values
        layer.build(x.shape, x.shape)
        layer.set_weights([weight for key, weight in network.weights.items() if key.startswith("layer1")])
        ours, shares = layer(x, x, return_attention_scores=True)
        np.testing.assert_allclose(trace.output.values, ours, atol=output * np.abs(ours).max())
        rounds_off = np.finfo(dtype).eps * np.abs(trace.scaled.values).max()
        np.testing.assert_allclose(trace.weights.values, shares, atol=max(least, rounds_off))


def test_weights_go_into_keras_and_come_back():
    from training.recipe import build, take

    weights = load("sentence-8-key4").weights
    again = take(build(load("sentence-8-key4").task, 8, weights), load("sentence-8-key4").task)
    for name, weight in weights.items():
        np.testing.assert_array_equal(again[name], weight)


def test_a_run_that_is_finished_is_not_trained_again(tmp_path, monkeypatch):
    from training import runs

    monkeypatch.setattr(runs, "BUILD", tmp_path)
    run = next(runs.planned("stops"))
    run.file.parent.mkdir(parents=True)
    np.savez(run.file, answer_b=np.arange(7))
    np.testing.assert_array_equal(run.train()["answer_b"], np.arange(7))


TWICE = """
import numpy as np
from headcount.trained import sentence
from headcount.trained.task import start
from training.recipe import settle, train
settle()
first, again = (train(sentence.TASK, 2, 5, 150) for _ in range(2))
assert all(np.array_equal(first[name], again[name]) for name in first), "two runs of one seed differ"
moved = max(float(np.abs(first[name] - weight).max()) for name, weight in start(sentence.TASK, 2, 5).items())
assert moved > 0.01, "nothing was learnt"
"""


def test_the_same_seed_gives_the_same_network():
    """In a process of its own, because the number of threads is fixed once TensorFlow has started."""
    run_apart(TWICE)
