"""A layer with weights of its own: the same formula, checked by the real Keras, and known only to its visitor."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from mha import Config, make_inputs, make_params, run
from mha.arrays import Array
from mha.comparison import compare
from mha.custom_layer import CustomLayer, from_arrays
from tests.mha.test_keras_client import wait_until

CFG = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)


def custom_layer(cfg: Config = CFG) -> CustomLayer:
    """Weights that the seed of `cfg` does not give."""
    other = replace(cfg, seed=cfg.seed + 1)
    return CustomLayer(cfg, make_params(other), make_inputs(other))


def test_the_given_weights_are_the_ones_that_are_run():
    layer = custom_layer()
    np.testing.assert_array_equal(layer.trace().output.values, run(replace(CFG, seed=1)).output.values)
    assert np.abs(layer.trace().output.values - run(CFG).output.values).max() > 0.1
    assert layer != custom_layer(), "equal numbers of two visitors are two layers"


def test_what_goes_to_the_worker_comes_out_as_it_went_in():
    layer = custom_layer(replace(CFG, use_bias=False))
    facts, arrays = layer.message()
    params, inputs = from_arrays(arrays)
    assert Config(**facts["cfg"]) == layer.cfg
    assert params.b_q is None
    np.testing.assert_array_equal(run(layer.cfg, params=params, inputs=inputs).output.values, layer.trace().output.values)
    assert from_arrays({}) == (None, None)


@pytest.mark.parametrize("change", [
    {"w_k": Array(np.zeros((11, 5, 3), np.float32), "mhk")},
    {"b_o": None},
    {"w_o": Array(np.zeros((3, 7, 13), np.float32), "hvm")},
])  # fmt: skip
def test_weights_and_inputs_of_another_layer_are_refused(change):
    with pytest.raises(ValueError, match="must have the shape"):
        CustomLayer(CFG, replace(make_params(CFG), **change), make_inputs(CFG))
    with pytest.raises(ValueError, match="x_key must have the shape"):
        CustomLayer(CFG, make_params(CFG), make_inputs(replace(CFG, key_len=19)))


@pytest.mark.keras
def test_the_real_layer_holds_exactly_the_given_weights_and_its_answer_goes_with_them(client):
    layer, seeded = custom_layer(), client.answer(CFG, wait=120)
    known = len(client._known)
    answer = client.answer(layer, wait=120)
    assert compare(layer.trace(), answer).agrees
    assert compare(run(CFG), seeded).agrees
    assert not compare(layer.trace(), seeded).same_values
    trace = client.trace(layer, "tensorflow", wait=120)
    np.testing.assert_allclose(trace.output.values, layer.trace().output.values, atol=1e-5)
    assert len(client._known) == known  # nothing of the given one
    gone = weakref.ref(layer.params.w_q.values)
    del layer, trace, answer
    gc.collect()
    assert wait_until(lambda: gone() is None)
