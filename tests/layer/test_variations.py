"""Variations: another divisor, a head switched off, the embedding split. Compared with plain NumPy, loops and
counts by hand. Also changes of published models to attention (the real classes: parity/test_switches.py)."""

import math
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Config, count_parameters, ledger, run
from headcount.codegen import KerasCall, Unwritable, printed, write
from headcount.keras.layer import layer_of_config
from headcount.switches import Switches, angles, frequencies, gain, slopes
from headcount.variations import (
    contributions,
    divisor,
    largest_gap,
    mean_largest,
    shares_at,
    split_embedding,
    weights_by_divisor,
    with_divisor,
    with_switches,
    without_head,
)
from tests.layer.snippets import run_script

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
LAYERS = [
    PRIMES, replace(PRIMES, mask="causal"), replace(PRIMES, use_bias=False),
    replace(PRIMES, query_len=17, key_len=13, mask="causal"),
]  # fmt: skip
#: What PRIMES's scores are divided by: √5, 1 and √11.
DIVISORS = {"sqrt_d_k": 2.2360679775, "none": 1.0, "sqrt_d_model": 3.3166247904}


def softmax_rows(trace, divisor: float) -> np.ndarray:
    """The attention weights from the scores on, in float64."""
    scores = trace.scores.values[0].astype(np.float64) / divisor
    power = np.exp(scores - scores.max())
    if trace.cfg.mask == "causal":
        for t in range(trace.cfg.query_len):
            power[:, t, t + 1 :] = 0
    return power / power.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("cfg", LAYERS)
@pytest.mark.parametrize("kind", DIVISORS)
def test_weights_are_the_softmax_of_the_scores_over_the_divisor_and_what_comes_after_follows(cfg, kind):
    trace = run(cfg)
    want = softmax_rows(trace, DIVISORS[kind])
    varied = with_divisor(trace, kind)
    assert (varied is trace) == (kind == "sqrt_d_k"), "the layer's own"
    np.testing.assert_allclose(varied.weights.values[0], want, atol=1e-6)
    np.testing.assert_allclose(varied.scaled.values, trace.scores.values / DIVISORS[kind], rtol=1e-6)
    np.testing.assert_allclose(weights_by_divisor(trace)[kind][0], want, atol=1e-6)
    assert mean_largest(trace)[kind] == pytest.approx(want.max(axis=-1).mean(), abs=1e-6)
    v = trace.v.values[0].astype(np.float64)
    joined = np.concatenate([want[i] @ v[:, i] for i in range(3)], axis=1)
    np.testing.assert_allclose(varied.concat.values[0], joined, atol=1e-5)
    output = joined @ np.concatenate(list(trace.params.w_o.values)) + (trace.params.b_o.values if cfg.use_bias else 0)
    np.testing.assert_allclose(varied.output.values[0], output, atol=1e-5)


@pytest.mark.parametrize("cfg", LAYERS)
@pytest.mark.parametrize("head", range(3))
def test_without_a_head_its_columns_of_concat_are_0_and_the_output_is_the_others_shares_and_the_bias(cfg, head):
    """d_v = 7: head i has columns 7 i … 7 i + 6. The original trace stays unchanged."""
    trace = run(cfg)
    before, varied = trace.context.values.copy(), without_head(trace, head)
    np.testing.assert_array_equal(trace.context.values, before)
    kept, others = trace.concat.values.copy(), [other for other in range(3) if other != head]
    assert kept.all()
    kept[:, :, 7 * head : 7 * head + 7] = 0
    np.testing.assert_array_equal(varied.concat.values, kept)
    assert (varied.output.values != trace.output.values).all()
    z, w_o = trace.context.values[0].astype(np.float64), trace.params.w_o.values.astype(np.float64)
    shares = sum(z[:, other] @ w_o[other] for other in others) + (trace.params.b_o.values if cfg.use_bias else 0)
    np.testing.assert_allclose(varied.output.values[0], shares, atol=1e-5)


def test_without_the_only_head_the_output_is_the_bias():
    trace = run(Config(d_model=5, num_heads=1, query_len=3))
    np.testing.assert_array_equal(without_head(trace, 0).output.values[0], [trace.params.b_o.values] * 3)


@pytest.mark.parametrize("cfg", LAYERS)
def test_contributions_are_each_heads_product_and_sum_to_the_output(cfg):
    trace = run(cfg)
    made = contributions(trace)
    for t, m in ((0, 0), (4, 7), (12, 10)):
        for head in range(3):
            z, column = trace.context.values[0, t, head], trace.params.w_o.values[head, :, m]
            by_hand = math.fsum(float(a) * float(b) for a, b in zip(z, column, strict=True))
            assert made[head, t, m] == pytest.approx(by_hand, abs=1e-5)
    bias = trace.params.b_o.values if cfg.use_bias else 0
    np.testing.assert_allclose(made.sum(axis=0) + bias, trace.output.values[0], atol=1e-5)
    np.testing.assert_allclose(contributions(trace, slice(2)), made[:2], rtol=1e-6)
    np.testing.assert_allclose(shares_at(trace, 4, 7), made[:, 4, 7], atol=1e-5)
    assert largest_gap(trace) < 1e-5
    wrong = replace(trace, output=replace(trace.output, values=trace.output.values + np.float32(0.25)))
    assert largest_gap(wrong) == pytest.approx(0.25 / np.abs(trace.output.values[0]).max(), abs=1e-5)


def test_a_split_embedding_is_block_diagonal_by_hand_and_of_one_head_the_layer():
    """d_model 4, 2 heads of 3: head 1 reads rows 1 and 2, head 2 rows 3 and 4. 12 of 24 weights are left."""
    trace = run(Config(d_model=4, num_heads=2, key_dim=3, query_len=5))
    wrong, w, x, b = split_embedding(trace), trace.params.w_q.values, trace.x_query.values[0], trace.params.b_q.values
    assert wrong.count == 12
    np.testing.assert_array_equal(wrong.kernel[:2, :3], w[:2, 0])
    np.testing.assert_array_equal(wrong.kernel[2:, 3:], w[2:, 1])
    assert not wrong.kernel[2:, :3].any()
    assert not wrong.kernel[:2, 3:].any()
    sliced = np.concatenate([x[:, :2] @ w[:2, 0] + b[0], x[:, 2:] @ w[2:, 1] + b[1]], axis=1)
    np.testing.assert_allclose(wrong.q, sliced, atol=1e-5)
    alone = run(Config(d_model=5, num_heads=1, query_len=3))
    np.testing.assert_allclose(split_embedding(alone).q, alone.q.values[0, :, 0], atol=1e-6)


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(1, 7), st.integers(1, 5), st.booleans())
def test_a_split_embedding_holds_one_hth_of_the_weights(num_heads, slice_width, key_dim, use_bias):
    """h slices of d_model / h rows, each times d_k columns: d_model · d_k weights instead of d_model · h · d_k."""
    d_model = num_heads * slice_width
    wrong = split_embedding(run(Config(d_model, num_heads, key_dim, query_len=2, use_bias=use_bias)))
    assert wrong.count == d_model * key_dim == np.count_nonzero(wrong.kernel)


@pytest.mark.parametrize(("d_model", "num_heads"), [(7, 2), (2, 3), (1, 256), (16, 3)])
def test_there_are_no_equal_slices_where_the_heads_do_not_divide_the_width(d_model, num_heads):
    assert split_embedding(run(Config(d_model, num_heads, 2, query_len=2))) is None


#: Lengths and sizes are different primes; rotary needs an even key size.
LAYER = Config(d_model=11, num_heads=3, key_dim=6, value_dim=5, query_len=7, key_len=13, mask="causal")
EVERY = [
    Switches(rotary="halves"), Switches(rotary="pairs"), Switches(qk_norm="rms"), Switches(qk_norm="rms_wide"),
    Switches(qk_norm="layer"), Switches(soft_cap=0.5), Switches(alibi=True), Switches(sinks=True),
    Switches("pairs", "rms_wide", 2.0, alibi=True, sinks=True), Switches("halves", rotary_scaling="llama3 8 1 4 7"),
    Switches("pairs", rotary_base=5.0, rotary_scaling="yarn 3 19 8 0.5 1.7 0"),
]  # fmt: skip


def test_the_angles_fall_from_1_to_almost_1_in_10_000():
    np.testing.assert_allclose(angles(Config(8, 1, 8, query_len=3), 3)[2], [2, 0.2, 0.02, 0.002])
    np.testing.assert_allclose(angles(Config(8, 1, 8, query_len=3, rotary_base=81.0), 3)[2], [2, 2 / 3, 2 / 9, 2 / 27])


@pytest.mark.parametrize(("scaling", "wanted"), [
    ("linear 5", [0.2, 0.02, 0.002, 0.0002]),
    # In 20 π positions the first pair turns 10 times and stays; the second once, 1/11 of the way from 0.5 to 6; the others less.
    (f"llama3 5 0.5 6 {20 * np.pi:.12f}", [1, 0.1 * (1 / 11 + 10 / 11 / 5), 0.002, 0.0002]),
    # In 20 π positions pair j turns 10 / 10^j times: 10 times at j = 0, once at j = 1; half of 0.1 once at j = 2.
    (f"yarn 5 {20 * np.pi:.12f} 10 0.1 1 0", [1, 0.1 * (1 / 2 + 1 / 2 / 5), 0.002, 0.0002]),
])  # fmt: skip
def test_angles_are_slowed_as_the_models_slow_them(scaling: str, wanted: list[float]):
    np.testing.assert_allclose(frequencies(Config(8, 1, 8, rotary="halves", rotary_scaling=scaling)), wanted, rtol=1e-9)


def test_yarn_lengthens_turned_queries_and_keys_by_a_tenth_of_the_logarithm_or_as_it_says():
    for scaling, wanted in (("yarn 5 64", 1 + math.log(5) / 10), ("yarn 5 64 32 1 1.3", 1.3), ("linear 5", 1.0), ("", 1.0)):
        assert gain(Config(8, 1, 8, rotary_scaling=scaling)) == pytest.approx(wanted)


def test_slopes_of_8_heads_are_halves_and_of_3_those_of_2_and_one_between():
    """arXiv:2108.12409: 8 heads have 1/2, 1/4, … 1/256; 2 heads 1/16, 1/256; 4 heads 1/4, 1/16, 1/64, 1/256."""
    np.testing.assert_allclose(slopes(8), [2.0**-k for k in range(1, 9)])
    np.testing.assert_allclose(slopes(2), [1 / 16, 1 / 256])
    np.testing.assert_allclose(slopes(3), [1 / 16, 1 / 256, 1 / 4])


@pytest.mark.parametrize(("switches", "more"), [
    (Switches(rotary="halves", soft_cap=3.0, alibi=True), 0), (Switches(qk_norm="rms"), 2 * 6),
    (Switches(qk_norm="layer"), 4 * 6), (Switches(qk_norm="rms_wide"), 2 * 3 * 6), (Switches(sinks=True), 3),
])  # fmt: skip
def test_parameters_are_counted_by_hand(switches, more):
    assert count_parameters(switches.on(LAYER)) - count_parameters(LAYER) == more


@pytest.mark.parametrize("switches", EVERY, ids=str)
def test_a_switch_on_a_layers_own_numbers_is_the_layer_that_is_drawn_with_it(switches):
    """The rest is unchanged: the projections and all weight matrices."""
    here, drawn = with_switches(run(LAYER), switches), run(switches.on(LAYER))
    for row in ledger(drawn.cfg):
        np.testing.assert_array_equal(here[row.name].values, drawn[row.name].values)
    np.testing.assert_allclose(here.output.values, drawn.output.values, atol=1e-6)
    assert np.abs(here.weights.values - run(LAYER).weights.values).max() > 1e-4


def test_without_a_switch_it_is_the_layer_itself_and_rotary_is_left_out_where_there_are_no_pairs():
    trace = run(LAYER)
    assert with_switches(trace, Switches()) is trace
    assert not Switches()
    odd = replace(LAYER, key_dim=5)
    assert with_switches(run(odd), Switches(rotary="pairs", sinks=True)).cfg == replace(odd, sinks=True)
    with pytest.raises(ValueError, match="key_dim must be even with rotary=pairs, which turns numbers in pairs, got 5"):
        replace(odd, rotary="pairs")


@pytest.mark.keras
@pytest.mark.parametrize("switches", EVERY, ids=str)
def test_both_backends_compute_the_same(switches):
    cfg = replace(LAYER, **asdict(switches))
    ours, theirs = run(cfg), run(cfg, "tensorflow")
    for name in ("scores", "weights", "output"):
        np.testing.assert_allclose(ours[name].values, theirs[name].values, atol=2e-6, err_msg=name)


#: Layers that have each of the switches.
SCRIPTS = [
    (Switches("halves", "rms", 0.5, alibi=True, sinks=True, rotary_scaling="yarn 3 19"), "sqrt_d_k", True),
    (Switches("pairs", "layer"), "none", False),
    (Switches(qk_norm="rms_wide", sinks=True), "sqrt_d_k", True),
]  # fmt: skip


@pytest.mark.parametrize("case", SCRIPTS, ids=str)
def test_the_script_in_numpy_prints_what_the_page_shows(case):
    switches, kind, use_bias = case
    cfg = switches.on(replace(LAYER, use_bias=use_bias, batch=2, query_len=5, key_len=3))
    settings = KerasCall(layer_of_config(cfg), causal=True, cfg=cfg, divisor=divisor(cfg, kind))
    said, _ = run_script(write(settings, "NumPy"))
    assert said.strip() == printed(settings, with_divisor(run(cfg), kind).output.values)
    for library in ("Keras", "PyTorch"):
        with pytest.raises(Unwritable, match=f"No layer of {library}'s has this"):
            write(settings, library)
