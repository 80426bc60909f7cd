"""Which layer is shown, decided without a session. A visitor's own weights: the same formula, confirmed by the real Keras, and
known only to this visitor."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from headcount import Config, make_inputs, make_params, run
from headcount.arrays import Array
from headcount.comparison import compare
from headcount.custom_layer import CustomLayer, from_arrays
from headcount.forward import overflow
from headcount.layer import Origin
from tests.layer.test_keras_client import wait_until

CFG = Config(6, 2, query_len=5, key_len=5)


def test_where_nothing_is_chosen_the_seeds_numbers_are_shown():
    origin = Origin()
    assert (origin.layer(CFG), origin.reading(CFG), origin.is_private) == (None, None, False)


PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)


def custom_layer(cfg: Config = PRIMES) -> CustomLayer:
    """Weights that the seed of `cfg` does not give."""
    other = replace(cfg, seed=cfg.seed + 1)
    return CustomLayer(cfg, make_params(other), make_inputs(other))


def test_the_given_weights_are_the_ones_that_are_run():
    layer = custom_layer()
    np.testing.assert_array_equal(layer.trace().output.values, run(replace(PRIMES, seed=1)).output.values)
    assert np.abs(layer.trace().output.values - run(PRIMES).output.values).max() > 0.1
    assert layer != custom_layer(), "equal numbers of two visitors are two layers"


def test_what_goes_to_the_worker_comes_out_as_it_went_in():
    layer = custom_layer(replace(PRIMES, use_bias=False))
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
        CustomLayer(PRIMES, replace(make_params(PRIMES), **change), make_inputs(PRIMES))
    with pytest.raises(ValueError, match="x_key must have the shape"):
        CustomLayer(PRIMES, make_params(PRIMES), make_inputs(replace(PRIMES, key_len=19)))


@pytest.mark.parametrize(("cfg", "given", "told"), [
    (Config(), {"params": make_params(Config(num_heads=2))},
     r"w_q \(query/kernel\) must have the shape \(16, 4, 4\), .* of 4 heads, 16 wide; got \(16, 2, 8\)"),
    (PRIMES, {"params": make_params(replace(PRIMES, value_dim=2))}, r"w_v .* \(11, 3, 7\).* got \(11, 3, 2\)"),
    (PRIMES, {"params": make_params(replace(PRIMES, use_bias=False))}, r"b_q .* \(3, 5\).* got None"),
    (replace(PRIMES, use_bias=False), {"params": make_params(PRIMES)}, r"b_q .* must be None .* got \(3, 5\)"),
    (PRIMES, {"inputs": make_inputs(replace(PRIMES, query_len=2))}, r"x_query .* \(1, 13, 11\).* got \(1, 2, 11\)"),
    (PRIMES, {"inputs": make_inputs(replace(PRIMES, batch=2))}, r"x_query .* \(1, 13, 11\).* got \(2, 13, 11\)"),
])  # fmt: skip
def test_a_pass_with_weights_or_inputs_of_another_layer_is_refused_by_name_with_what_was_wanted_and_what_came(cfg, given, told):
    with pytest.raises(ValueError, match=told):
        run(cfg, **given)


@pytest.mark.keras
def test_the_real_layer_holds_exactly_the_given_weights_and_its_answer_goes_with_them(client):
    layer, seeded = custom_layer(), client.answer(PRIMES, wait=120)
    known = len(client._known)
    answer = client.answer(layer, wait=120)
    assert compare(layer.trace(), answer).agrees
    assert compare(run(PRIMES), seeded).agrees
    assert not compare(layer.trace(), seeded).same_values
    trace = client.trace(layer, "tensorflow", wait=120)
    np.testing.assert_allclose(trace.output.values, layer.trace().output.values, atol=1e-5)
    assert len(client._known) == known  # nothing of the given one
    gone = weakref.ref(layer.params.w_q.values)
    del layer, trace, answer
    gc.collect()
    assert wait_until(lambda: gone() is None)


@pytest.mark.parametrize(("large", "step"), [
    ({"w_q": 3e38}, "q"), ({"w_k": 3e38}, "k"), ({"w_v": 3e38}, "v"), ({"w_g": 3e38}, "g"),
    ({"w_q": 1e25, "w_k": 1e25}, "scores"), ({"w_v": 1e25, "w_o": 1e25}, "output"), ({"w_q": 1e15, "w_k": 1e15}, None),
    ({}, None),
])  # fmt: skip
def test_the_first_step_is_named_in_which_a_number_is_too_large_for_float32_and_a_masked_score_is_none(large, step):
    cfg = replace(PRIMES, mask="causal", use_gate=True)
    drawn = make_params(cfg)
    grown = {name: replace(one := getattr(drawn, name), values=np.full_like(one.values, size)) for name, size in large.items()}
    found = overflow(run(cfg, params=replace(drawn, **grown)))
    assert (found and found.name) == step
