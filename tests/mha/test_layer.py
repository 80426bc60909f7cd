"""Which layer is shown, decided without a session; and one with weights of its own: the same formula, checked by the real Keras,
and known only to its visitor."""

import gc
import weakref
from dataclasses import dataclass, replace

import numpy as np
import pytest

from mha import Config, make_inputs, make_params, run
from mha.arrays import Array
from mha.comparison import compare
from mha.custom_layer import CustomLayer, from_arrays
from mha.layer import MAX_CUTS, Shown
from mha.typed import typed_of
from tests.mha.test_keras_client import wait_until

CFG = Config(6, 2, query_len=5, key_len=5)


@dataclass(frozen=True)
class Doubled:
    """A source of numbers for one width: the seed's, twice as large, on seven positions."""

    def config(self, cfg: Config) -> Config:
        return Config(cfg.d_model, cfg.num_heads, query_len=7, mask="causal")

    def why_not(self, cfg: Config) -> str:
        return "" if cfg.d_model == 6 else f"it is 6 wide, not {cfg.d_model}"

    def layer(self, cfg: Config) -> CustomLayer | None:
        return CustomLayer(cfg, make_params(cfg), make_inputs(cfg)) if cfg == self.config(cfg) and not self.why_not(cfg) else None


def test_where_nothing_is_chosen_the_seeds_numbers_are_shown():
    shown = Shown()
    assert (shown.layer(CFG), shown.has(CFG), shown.config(CFG), shown.is_private) == (None, False, CFG, False)


def test_another_source_of_numbers_needs_no_change_of_the_module():
    shown, other = Shown(source=Doubled()), Config(10, 2)
    here = shown.config(CFG)
    assert (here.query_len, here.mask, shown.has(CFG), shown.is_private) == (7, "causal", True, False)
    assert shown.layer(here) is not None
    assert (shown.config(other), shown.layer(other), shown.has(other)) == (other, None, False)
    assert not shown.same_weights(here, other)


def test_typed_numbers_are_private_and_the_same_object_each_time():
    typed = typed_of("1 2 3/4 5 7", "identity", "")
    shown = Shown(source=typed)
    here = shown.config(Config(3, 1))
    layer = shown.layer(here)
    assert layer is not None
    assert layer is shown.layer(here)
    assert (shown.is_typed, shown.is_private) == (True, True)
    np.testing.assert_array_equal(layer.trace().q.values.reshape(2, 3), [[1, 2, 3], [4, 5, 7]])


def test_of_typed_numbers_only_the_last_layers_are_kept():
    cuts: dict = {}
    for number in range(MAX_CUTS + 3):
        typed = typed_of(f"1 2 {number}", "identity", "")
        shown = Shown(source=typed, typed=cuts)
        assert shown.layer(shown.config(Config(3, 1))) is not None
    assert [key.x[0][2] for key, _ in cuts] == list(range(3, MAX_CUTS + 3))


def test_what_is_too_large_to_compute_is_no_layer_of_typed_numbers():
    typed = typed_of(" ".join("1" * 16), "identity", "")
    wide = Config(16, 256, 512, 512, query_len=1, key_len=1)
    assert Shown(source=typed).layer(wide) is None


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
