"""The backward pass by hand against finite differences and TensorFlow's, and what cannot move."""

from dataclasses import replace

import numpy as np
import pytest

from mha import STEPS, Config, run
from mha.keras.question import question
from mha.ledger import VARIABLES
from mha.sensitivity import BACKWARD, effects, forward, gradients, in_float64, moved

PRIMES = Config(d_model=7, num_heads=3, key_dim=5, value_dim=2, query_len=4, key_len=6, batch=2, seed=5)
LAYERS = {
    "cross": PRIMES,
    "causal": replace(PRIMES, query_len=5, key_len=5, mask="causal"),
    "no biases": replace(PRIMES, use_bias=False),
    "one key": replace(PRIMES, key_len=1),
    "gate": replace(PRIMES, use_gate=True),
    "gate, no biases": replace(PRIMES, use_gate=True, use_bias=False),
    "window": replace(PRIMES, sliding_window=2),
}
#: What the page does not show, and Keras's layer does not have.
OTHERS = {
    "dropout": replace(PRIMES, dropout=0.3, training=True),
    "halves": replace(PRIMES, key_dim=4, rotary="halves"),
    "pairs": replace(PRIMES, key_dim=4, rotary="pairs"),
    "rms": replace(PRIMES, qk_norm="rms"),
    "rms_wide": replace(PRIMES, qk_norm="rms_wide"),
    "layer": replace(PRIMES, qk_norm="layer"),
    "cap": replace(PRIMES, soft_cap=0.7),
    "alibi": replace(PRIMES, alibi=True),
    "sinks": replace(PRIMES, sinks=True),
}


def loss(cfg, arrays) -> float:
    return 0.5 * float((forward(cfg, arrays)["output"] ** 2).sum())


def test_there_is_a_way_back_for_every_operation_of_the_steps():
    assert {step.op for step in STEPS} <= set(BACKWARD)


@pytest.mark.parametrize("layer", [*LAYERS, *OTHERS])
def test_the_gradient_by_hand_is_what_finite_differences_give(layer):
    """A central difference with a step of 1e-5 is exact to about 1e-9 here."""
    cfg = (LAYERS | OTHERS)[layer]
    arrays = in_float64(run(cfg))
    slopes = gradients(cfg, arrays)
    assert set(slopes) == set(arrays)
    for name, values in arrays.items():
        found = np.empty(values.size)
        for place in range(values.size):
            step = np.zeros(values.size)
            step[place] = 1e-5
            both = [loss(cfg, {**arrays, name: values + sign * step.reshape(values.shape)}) for sign in (1, -1)]
            found[place] = (both[0] - both[1]) / 2e-5
        np.testing.assert_allclose(slopes[name].ravel(), found, rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.keras
@pytest.mark.parametrize("layer", LAYERS)
def test_the_gradient_by_hand_is_the_real_layers(layer, client):
    cfg = LAYERS[layer]
    trace = run(cfg)
    arrays = in_float64(trace)
    given = {name: trace[name].values for name in arrays}
    asked = question("claims_gradients", arrays=given, causal=cfg.mask == "causal", sliding_window=cfg.sliding_window)
    answer = client.result(asked, wait=300)
    assert answer is not None, client.failure(asked)
    slopes = gradients(cfg, arrays)
    assert list(answer["gradients"]) == [one.name for one in VARIABLES if one.name in arrays]
    for name, slope in answer["gradients"].items():
        np.testing.assert_allclose(slopes[name], slope, rtol=1e-5, atol=1e-6, err_msg=name)
    if cfg.use_bias:
        assert np.abs(answer["gradients"]["b_k"]).max() < 1e-12


def test_b_k_moves_every_score_of_a_row_by_the_same_and_no_weight():
    """q · b_K is added to each score of a query's row; the softmax of a row that is shifted is the same."""
    arrays = in_float64(run(PRIMES))
    change = moved(PRIMES, arrays, "b_k", 0.0)
    by_hand = -np.einsum("bthk,hk->bht", forward(PRIMES, arrays)["q"], arrays["b_k"])
    np.testing.assert_allclose(change.by("scores"), np.repeat(by_hand[..., None], 6, axis=-1), atol=1e-12)
    assert np.abs(by_hand).min() > 1e-3
    assert (change.by("weights") == 0).all()
    assert (change.by("output") == 0).all()


@pytest.mark.parametrize(("array", "still"), [
    ("w_q", ()), ("b_q", ()), ("w_k", ()), ("b_k", ("weights", "output")),
    *((name, ("scores", "weights")) for name in ("w_v", "b_v", "w_o", "b_o")),
])  # fmt: skip
def test_an_array_moves_only_what_comes_after_it(array, still):
    one = moved(PRIMES, in_float64(run(PRIMES)), array, 1.1)
    for name in ("scores", "weights", "output"):
        assert (one.largest(name) == 0) == (name in still), name


def test_with_a_single_key_neither_queries_nor_keys_reach_the_output():
    cfg = LAYERS["one key"]
    found = {effect.array: effect for effect in effects(cfg, in_float64(run(cfg)), 0.0)}
    for name in ("w_q", "b_q", "w_k", "b_k"):
        assert found[name].moved["scores"] > 0
        assert (found[name].moved["weights"], found[name].moved["output"], found[name].gradient) == (0, 0, 0)
    assert found["w_v"].gradient > 0
    assert sum(found[name].count for name in ("w_q", "b_q", "w_k", "b_k")) == 2 * 3 * 5 * (7 + 1)
