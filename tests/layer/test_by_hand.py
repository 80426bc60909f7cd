"""The forward pass compared with sums by hand, plain loops, and each step's own record."""

import math
from dataclasses import replace

import numpy as np
import pytest

from headcount import Config, make_inputs, make_params, run
from headcount.arrays import Array, einsum
from headcount.numpy_backend import OPS, SHARE_FROM, softmax
from headcount.steps import BY_NAME, STEPS, attention_mask, steps_of

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2)
LAYERS = [
    PRIMES, replace(PRIMES, mask="causal"), replace(PRIMES, query_len=17, key_len=13, mask="causal"),
    replace(PRIMES, use_bias=False), Config(d_model=12, num_heads=3, query_len=7, mask="causal", seed=5),
    replace(PRIMES, sliding_window=3), replace(PRIMES, sliding_window=2, mask="causal"),
    replace(PRIMES, dropout=0.3, training=True, dropout_seed=19), replace(PRIMES, dropout=0.3), replace(PRIMES, use_gate=True),
    replace(PRIMES, use_gate=True, use_bias=False), Config(d_model=1, num_heads=1, query_len=1),
    Config(d_model=2, num_heads=3, key_dim=1, value_dim=1, query_len=3),
]  # fmt: skip
SHARED = Config(d_model=6, num_heads=5, key_dim=2, value_dim=3, query_len=251, key_len=241, batch=2, mask="causal")


@pytest.mark.parametrize("cfg", [*LAYERS, SHARED])
def test_every_step_is_what_its_own_record_says(cfg):
    """Computed by np.einsum in float64 from the record's einsum and operands, without the app's planner."""
    trace = run(cfg)
    for step in steps_of(cfg):
        needs = [trace[name].values.astype(np.float64) for name in step.needs]
        made = trace[step.name]
        np.testing.assert_allclose(made.values, again(step, cfg, needs), rtol=1e-4, atol=1e-5, err_msg=step.name)
        assert made.values.dtype == np.float32, step.name


def again(step, cfg, needs):
    """One step computed from its operands in the plainest way."""
    if step.name == "output":
        needs[1] = np.concatenate(list(needs[1]), axis=0)
    if step.einsum:
        made = np.einsum(step.einsum.replace("(hv)", "c"), *needs[:2])
        return made + needs[2] if len(needs) == 3 else made
    x = needs[0]
    if step.op == "scale":
        return x / math.sqrt(cfg.key_dim)
    if step.op == "mask":
        x = x.copy()
        for t in range(cfg.query_len):
            for s in range(cfg.key_len):
                if (cfg.mask == "causal" and s > t) or abs(t - s) >= (cfg.sliding_window or 999):
                    x[:, :, t, s] = -np.inf
        return x
    if step.op == "softmax":
        return np.exp(x) / np.exp(x).sum(axis=3, keepdims=True)
    if step.op == "sigmoid":
        return 1 / (1 + np.exp(-x))
    if step.op == "dropout":
        drawn = np.random.default_rng([cfg.dropout_seed, 13]).random(x.shape, dtype=np.float32)
        return np.where(drawn >= cfg.dropout, x / (1 - cfg.dropout), 0)
    if step.op == "multiply":
        return x * needs[1]
    assert step.op == "join"
    return np.concatenate([x[:, :, i] for i in range(cfg.num_heads)], axis=-1)


@pytest.mark.parametrize("cfg", LAYERS)
def test_output_and_weights_equal_plain_loops(cfg):
    """Computed without einsums or arrays: one sum for each number, in Python's own floats."""
    x_q, x_k = (x.values.astype(float) for x in (make_inputs(cfg).x_query, make_inputs(cfg).x_key))
    p = make_params(cfg)
    kernel = lambda name: getattr(p, name).values.astype(float)  # noqa: E731
    bias = lambda name, *at: float(getattr(p, name).values[at]) if cfg.use_bias else 0.0  # noqa: E731
    trace = run(cfg)
    for b in range(cfg.batch):
        for t in range(cfg.query_len):
            out = [bias("b_o", m) for m in range(cfg.d_model)]
            for i in range(cfg.num_heads):
                q = [sum(x_q[b, t] * kernel("w_q")[:, i, j]) + bias("b_q", i, j) for j in range(cfg.key_dim)]
                seen = [s for s in range(cfg.key_len) if s <= t or cfg.mask == "none"]
                seen = [s for s in seen if abs(t - s) < (cfg.sliding_window or 999)]
                shares = []
                for s in seen:
                    k = [sum(x_k[b, s] * kernel("w_k")[:, i, j]) + bias("b_k", i, j) for j in range(cfg.key_dim)]
                    shares.append(math.exp(sum(x * y for x, y in zip(q, k, strict=True)) / cfg.key_dim**0.5))
                shares = [share / sum(shares) for share in shares]
                row = trace.weights.values[b, i, t]
                np.testing.assert_allclose(row[seen], shares, rtol=1e-4, atol=1e-6)
                assert np.count_nonzero(row) == len(seen)
                if cfg.training:
                    kept = trace.dropped.values[b, i, t] != 0
                    shares = [share / (1 - cfg.dropout) if kept[s] else 0.0 for s, share in zip(seen, shares, strict=True)]
                for j in range(cfg.value_dim):
                    z = sum(
                        share * (sum(x_k[b, s] * kernel("w_v")[:, i, j]) + bias("b_v", i, j))
                        for s, share in zip(seen, shares, strict=True)
                    )
                    if cfg.use_gate:
                        z /= 1 + math.exp(-sum(x_q[b, t] * kernel("w_g")[:, i, j]) - bias("b_g", i, j))
                    for m in range(cfg.d_model):
                        out[m] += z * kernel("w_o")[i, j, m]
            np.testing.assert_allclose(trace.output.values[b, t], out, rtol=1e-4, atol=1e-5)


def test_a_row_of_softmax_by_hand():
    """The exponentials of ln 1, ln 2, ln 5 are 1, 2, 5, so weights are 1/8, 2/8, 5/8, also with any constant added."""
    row = np.log(np.array([[1.0, 2.0, 5.0]], dtype=np.float32))
    np.testing.assert_allclose(softmax(row), [[0.125, 0.25, 0.625]], rtol=1e-6)
    np.testing.assert_allclose(softmax(row + 100), [[0.125, 0.25, 0.625]], rtol=1e-5)
    assert softmax(np.array([[1000.0, 0.0, -np.inf]], dtype=np.float32)).tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize("shape", [(2, 3), (2, 2, 1 + SHARE_FROM // 12, 3)])
def test_a_row_that_may_look_nowhere_has_no_softmax(shape):
    x = np.zeros(shape, np.float32)
    x[-1] = -np.inf
    with pytest.raises(ValueError, match="a row is minus infinity throughout"):
        softmax(x)


@pytest.mark.parametrize(("query_len", "key_len", "window", "mask", "seen"), [
    (3, 3, None, "causal", [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    (2, 4, None, "causal", [[1, 0, 0, 0], [1, 1, 0, 0]]),
    (4, 2, None, "causal", [[1, 0], [1, 1], [1, 1], [1, 1]]),
    (4, 4, 1, "none", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    (4, 4, 2, "none", [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]),
    (4, 4, 2, "causal", [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]),
    (2, 5, 2, "none", [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]),
    (5, 2, 2, "none", [[1, 1], [1, 1], [0, 1], [0, 0], [0, 0]]),
    (3, 3, 9, "none", [[1, 1, 1], [1, 1, 1], [1, 1, 1]]),
])  # fmt: skip
def test_masks_and_windows_are_counted_from_the_first_query_and_key(query_len, key_len, window, mask, seen):
    """A causal mask begins at the top left, also if lengths differ. A window allows |t − s| < w, with a causal mask only earlier
    keys. A query farther past the last key sees nothing; its weights are 0, as in Keras if scores are returned."""
    cfg = Config(mask=mask, query_len=query_len, key_len=key_len, sliding_window=window)
    assert attention_mask(cfg).tolist() == np.array(seen, bool).tolist()
    trace = run(cfg)
    for head in range(cfg.num_heads):
        assert (trace.weights.at(b=0, h=head).values > 0).tolist() == np.array(seen, bool).tolist()
    empty = ~np.array(seen, bool).any(axis=1)
    forbidden = np.broadcast_to(~attention_mask(cfg), trace.masked.shape)
    np.testing.assert_array_equal(np.isneginf(trace.masked.values), forbidden)
    np.testing.assert_allclose(trace.weights.values.sum(axis=-1), np.broadcast_to(1.0 - empty, (1, 4, query_len)), rtol=1e-6)
    np.testing.assert_array_equal(trace.output.values[0, empty], np.broadcast_to(trace.params.b_o.values, (empty.sum(), 16)))


def test_dropout_drops_its_share_in_training_alone_and_by_its_own_seed():
    cfg = Config(d_model=6, num_heads=2, query_len=101, key_len=103, dropout=0.3)
    calls = ({}, {"training": True}, {"training": True, "dropout_seed": 1})
    still, trained, other = (run(replace(cfg, **more)) for more in calls)
    assert still.dropped is None
    np.testing.assert_array_equal(still.output.values, run(replace(cfg, dropout=0.0)).output.values)
    np.testing.assert_array_equal(still.weights.values, trained.weights.values)
    share = (trained.dropped.values == 0).mean()
    assert abs(share - 0.3) < 0.02  # 20,806 draws: the deviation is 0.003
    kept = trained.dropped.values != 0
    np.testing.assert_allclose(trained.dropped.values[kept], trained.weights.values[kept] / 0.7, rtol=1e-6)
    assert (kept != (other.dropped.values != 0)).any()
    for name in ("q", "weights", "w_q", "x_query"):
        np.testing.assert_array_equal(trained[name].values, other[name].values)


def test_an_einsum_with_two_lengths_for_one_axis_is_refused_with_both_shapes():
    with pytest.raises(ValueError, match=r"'bts,bsv->btv' got shapes \(2, 3, 5\) and \(2, 7, 11\)"):
        einsum("bts,bsv->btv", np.ones((2, 3, 5)), np.ones((2, 7, 11)))


def test_axes_that_do_not_fit_an_array_are_refused():
    with pytest.raises(ValueError, match=r"axes 'bt' do not fit an array of shape \(2, 3, 5\)"):
        Array(np.ones((2, 3, 5)), "bt")


def test_a_trace_keeps_every_step_and_knows_its_axes():
    trace = run(replace(
        PRIMES, key_dim=2, use_gate=True, dropout=0.3, training=True, rotary="halves", qk_norm="layer", soft_cap=3.0, alibi=True,
        sinks=True,
    ))  # fmt: skip
    for step in STEPS:
        cfg = trace.cfg
        lengths = [cfg.size(axis) for axis in ("b", "t", "(hv)")] if step.name == "concat" else map(cfg.size, step.axes)
        assert trace[step.name].shape == tuple(lengths), step.name
        assert trace[step.name].axes == step.axes


def test_a_step_that_a_layer_does_not_have_is_not_in_its_trace_and_hands_on_its_first_operand():
    plain, gated = run(PRIMES), run(replace(PRIMES, use_gate=True))
    assert [step.name for step in steps_of(gated.cfg) if step not in steps_of(PRIMES)] == ["g", "gate", "gated", "concat"]
    assert {step.name: step.needs for step in steps_of(PRIMES)}["concat"] == ("context",)
    assert {step.name: step.needs for step in steps_of(gated.cfg)}["concat"] == ("gated",)
    for name in ("g", "gate", "gated", "w_g", "b_g"):
        assert gated[name].shape, name
        with pytest.raises(KeyError, match=f"no array '{name}' in this trace"):
            plain[name]
    assert (plain.g, plain.params.w_g) == (None, None)


def test_a_gate_leaves_every_array_before_it_as_it_was():
    """Its numbers come from random streams of their own."""
    plain, gated = run(PRIMES), run(replace(PRIMES, use_gate=True))
    for name in ("q", "k", "v", "weights", "context", "w_q", "w_o", "b_o"):
        np.testing.assert_array_equal(plain[name].values, gated[name].values, err_msg=name)


def test_a_gate_of_a_very_negative_number_is_0_and_of_a_very_positive_one_1():
    numbers = np.array([-1e4, -100.0, 0.0, 100.0, 1e4], np.float32)
    made = OPS["sigmoid"](BY_NAME["gate"], PRIMES, numbers)
    assert made.tolist() == [0.0, pytest.approx(math.exp(-100), abs=1e-45), 0.5, 1.0, 1.0]


def test_another_backend_is_refused():
    with pytest.raises(ValueError, match="backend must be numpy or tensorflow, got 'torch'"):
        run(PRIMES, backend="torch")
