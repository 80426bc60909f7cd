"""What an engineer types: a layer of your own imported, run, shown, saved and read back. Also the errors of wrong calls."""

import re
from dataclasses import replace

import numpy as np
import pytest

from headcount import Config, count_parameters, ledger, load, make_inputs, make_params, run
from headcount.arrays import Array
from headcount.export.figures import FIGURES

CFG = Config(d_model=10, num_heads=2, key_dim=3, value_dim=7, query_len=5, key_len=11)
X = np.random.default_rng(17).normal(size=(2, 7, 11)).astype("float32")
MASK = np.random.default_rng(3).random((7, 7)) < 0.6


@pytest.mark.keras
@pytest.mark.parametrize("arguments", [
    {"num_heads": 3, "key_dim": 5, "value_dim": 2}, {"num_heads": 3, "key_dim": 5, "use_bias": False},
    {"num_heads": 2, "key_dim": 3, "use_gate": True}, {"num_heads": 2, "key_dim": 3, "sliding_window": 3},
])  # fmt: skip
@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "a mask"])
def test_a_layer_of_keras_gives_the_numbers_that_keras_gives(backend, arguments, mask):
    layer = backend.keras.layers.MultiHeadAttention(**arguments, bias_initializer="glorot_normal")
    output, weights = layer(X, X, return_attention_scores=True, attention_mask=mask if mask is None else mask[None])
    ours = load(layer)
    trace = ours.run(X, mask=mask)
    np.testing.assert_allclose(trace.output, output, atol=1e-5)
    np.testing.assert_allclose(trace.weights, weights, atol=1e-5)
    assert count_parameters(ours.config) == sum(row.count for row in ledger(ours.config)) == layer.count_params()


@pytest.mark.keras
def test_a_layer_of_keras_whose_heads_share_keys_gives_its_numbers_and_two_sequences_are_taken(backend):
    layer, other = backend.keras.layers.GroupQueryAttention(5, 6, 3), X[:, :4] + 1
    expected = layer(X, other)
    trace = load(layer).run({"x_query": X, "x_key": other})
    assert np.asarray(trace.weights).shape == (2, 6, 7, 4)
    np.testing.assert_allclose(trace.output, expected, atol=1e-5)


@pytest.mark.keras
def test_a_layer_of_keras_that_cannot_be_run_is_refused_in_a_sentence(backend):
    layers, x = backend.keras.layers, np.stack([X, X], axis=2)
    made = [layers.MultiHeadAttention(2, 3), layers.MultiHeadAttention(2, 3, output_shape=5), layers.Dense(3)]
    made.append(layers.MultiHeadAttention(2, 3, attention_axes=(2,)))
    for layer, shown in zip(made[1:], (X, X, x), strict=True):
        layer(shown, shown) if layer is not made[2] else layer(shown)
    said = ("no weights yet", "output are 11, 11, 11 and 5 wide", "model.get_layer", r"attention_axes: \[2\]")
    for layer, sentence in zip(made, said, strict=True):
        with pytest.raises(ValueError, match=sentence):
            load(layer)


def test_a_trace_that_is_saved_is_read_back_as_its_layer_with_its_input_and_mask(tmp_path):
    cfg = replace(CFG, mask=np.random.default_rng(1).random((5, 11)) < 0.7, use_gate=True, qk_norm="rms", sliding_window=7)
    trace, path = run(replace(cfg, seed=13)), tmp_path / "layer.npz"
    trace.save(path)
    layer = load(path)
    assert layer.config == trace.cfg
    again = layer.run()
    for name, values in trace.known.items():
        np.testing.assert_array_equal(again[name], values, strict=True)
    with np.load(path) as file:
        assert {*file} == {*trace.known, "meta"}
    np.testing.assert_array_equal(
        load(str(path)).run(make_inputs(replace(cfg, seed=2))).x_key, make_inputs(replace(cfg, seed=2)).x_key
    )


def test_the_trained_layer_is_there_by_its_name():
    trace = load("trained").run()
    assert trace.weights.shape == (1, 4, 13, 13)
    assert "4 and 8 heads all have 1,088 parameters" in trace.show().html


def test_plain_arrays_are_taken_as_weights_and_input_and_give_the_output_that_a_sum_by_hand_gives():
    params = make_params(CFG).by_name
    x, y = (np.random.default_rng(7).normal(size=(1, length, 10)) for length in (5, 11))
    trace = run(CFG, params=params, inputs={"x_query": x, "x_key": y}, mask=np.tri(5, 11, 6, dtype=bool))
    scores = np.einsum("tm,mhk,sn,nhk->hts", x[0], params["w_q"], y[0], params["w_k"])
    assert np.abs(trace.scores - scores).max() > 0.01, "biases are there"
    plain = {name: np.zeros_like(values) if name.startswith("b_") else values for name, values in params.items()}
    trace = run(CFG, params=plain, inputs={"x_query": x, "x_key": y}, mask=np.tri(5, 11, 6, dtype=bool))
    np.testing.assert_allclose(trace.scores[0], scores, atol=1e-4)
    powers = np.where(np.tri(5, 11, 6), np.exp(scores / 3**0.5), 0)
    expected = np.einsum("hts,sn,nhv,hvm->tm", powers / powers.sum(-1, keepdims=True), y[0], params["w_v"], params["w_o"])
    np.testing.assert_allclose(trace.output[0], expected, atol=1e-4)


def test_an_array_is_taken_by_numpy_as_its_values():
    trace = run(CFG)
    weights = trace.weights
    assert np.asarray(weights).shape == weights.shape == (1, 2, 5, 11)
    assert (len(weights), weights.dtype, weights[0, 1].shape) == (1, np.float32, (5, 11))
    np.testing.assert_array_equal(weights.sum(axis=-1), np.sum(weights, axis=-1))
    np.testing.assert_array_equal(trace.output - trace.output.values, np.zeros((1, 5, 10)))
    np.testing.assert_array_equal(2 * weights, weights + weights)
    assert (weights == weights.values).all()
    assert np.array(weights, copy=True) is not weights.values
    with pytest.raises(AttributeError, match="no attribute 'smu'"):
        weights.smu()


def test_what_is_printed_fits_a_screen():
    trace = run(
        Config(d_model=64, num_heads=8, use_gate=True, qk_norm="layer", rotary="pairs", soft_cap=2, alibi=True, sinks=True)
    )
    lines = str(trace).splitlines()
    assert max(map(len, lines)) < 100
    assert len(lines) < 45
    assert "  <weights bhts (1, 8, 6, 6) float32>" in lines
    assert len(repr(trace.show("steps"))) < 60


def test_what_is_too_large_is_refused_before_it_is_drawn_and_the_limit_can_be_lifted():
    with pytest.raises(ValueError, match=r"keeps 6,402,081,152 numbers .* at most 8,388,608 .*limit=None"):
        run(Config(d_model=40000, num_heads=8))
    small = Config(d_model=6, num_heads=2)
    with pytest.raises(ValueError, match="at most 100 and"):
        run(small, limit=100)
    assert run(small, limit=None).output.shape == (1, 6, 6)


TRACE = run(Config())
WRONG = [
    (lambda: run("x"), "cfg must be a Config, got 'x'"),
    (lambda: count_parameters(load("trained")), "cfg must be a Config, got <Layer of Config"),
    (lambda: run(Config(), params=make_params(Config(num_heads=2))), r"w_q \(query/kernel\) must have the shape \(16, 4, 4\)"),
    (lambda: run(Config(), params={"W_Q": 1}), "no array 'W_Q' among w_q, .*: did you mean w_q?"),
    (lambda: run(Config(), params={"w_q": np.zeros((16, 4, 4))}), "there must be an array 'w_k', got w_q"),
    (lambda: run(Config(), params=3), "params must be arrays by name, got 3"),
    (lambda: run(Config(use_bias=False), params=make_params(Config())), r"b_q \(query/bias\) must be None"),
    (lambda: run(Config(), params=make_params(Config(use_bias=False))), r"b_q \(query/bias\) must have .* got None"),
    (lambda: run(Config(), params=make_params(Config()).by_name | {"w_o": np.zeros((16, 16))}), r"w_o .* must have 3 axes"),
    (lambda: run(Config(), inputs=np.zeros((9, 16))), r"x_query must have the shape \(1, 6, 16\), .* got \(1, 9, 16\)"),
    (lambda: run(Config(), inputs=np.zeros(16)), r"x_query must have the axes \(positions, width\)"),
    (lambda: run(Config(), inputs="words"), "x_query must be an array of numbers, got 'words'"),
    (lambda: run(Config(), inputs={"x": 1}), "no array 'x' among x_query, x_key"),
    (lambda: run(Config(), mask=np.eye(6)), r"mask must be .* Boolean array of shape \(6, 6\), .* got float64 of shape \(6, 6\)"),
    (lambda: run(Config(), mask=np.eye(3, dtype=bool)), r"got bool of shape \(3, 3\)"),
    (lambda: run(Config(), "tensorfloww"), "backend must be numpy or tensorflow, got 'tensorfloww'"),
    (lambda: TRACE["W_Q"], "no array 'W_Q' in this trace: did you mean w_q?"),
    (lambda: TRACE.figure("heads"), r"got 'heads'; trace.show\('heads'\) draws it"),
    (lambda: TRACE.figure("atention"), "did you mean attention?"),
    (lambda: TRACE.figure("attention", asking=99), "asking must be a whole number from 0 to 5, got 99"),
    (lambda: TRACE.figure("attention", words=["one"]), "words must be 6, one a position, got 1"),
    (lambda: TRACE.figure("kernels", words=["one"]), "kernels takes width, got 'words'"),
    (lambda: TRACE.figure("attention", askin=1), "did you mean asking?"),
    (lambda: TRACE.show("stpes"), "did you mean steps?"),
    (lambda: load("nowhere.npz"), "no file 'nowhere.npz'"),
    (lambda: load(3), "layer must be an attention layer .* got 3"),
]


@pytest.mark.parametrize(("call", "sentence"), WRONG)
def test_a_wrong_call_ends_in_a_sentence_that_says_what_is_allowed(call, sentence):
    with pytest.raises((ValueError, KeyError), match=sentence.replace("?", r"\?")):
        call()


def test_a_file_that_is_none_of_ours_is_refused_and_one_without_heads_asks_for_them(tmp_path):
    path = tmp_path / "some.npz"
    np.savez(path, meta=np.array("{}"), w_q=np.zeros(3))
    with pytest.raises(ValueError, match="none that `save` of a trace wrote: 'config'"):
        load(path)
    np.savez(path, **{f"a.{name}_proj.weight": np.eye(6, dtype="float32") for name in "qkvo"})
    with pytest.raises(ValueError, match=r"num_heads must be said, .*: 1, 2, 3 and 6 fit"):
        load(path)
    assert load(path, num_heads=3).config.key_dim == 2
    with pytest.raises(ValueError, match="layer 2 is not there: it has 1 attention layers"):
        load(path, 2)


def test_the_figures_that_a_trace_has_are_those_that_show_takes():
    for name in [name for name, figure in FIGURES.items() if figure.of_layer][:7]:
        assert re.match("<iframe", TRACE.show(name).html)
    assert repr(Array(np.zeros((2, 3)), "ts")) == "<Array ts (2, 3) float64>"
