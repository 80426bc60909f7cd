"""Both backends compared with the real keras.layers.MultiHeadAttention with the same weights."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from headcount import Config, count_parameters, ledger, make_params, run
from headcount.arrays import Array
from headcount.backends import BACKENDS
from headcount.comparison import KerasAnswer, compare
from headcount.keras.layer import hits_bias_bug, layer_of_config
from headcount.steps import steps_of

pytestmark = pytest.mark.keras


def ask(backend, cfg: Config) -> KerasAnswer:
    facts, arrays = backend.answer_arrays(cfg)
    return KerasAnswer(Array(arrays["output"], "btm"), Array(arrays["weights"], "bhts"), **facts)


def configs() -> st.SearchStrategy[Config]:
    """Small layers of every kind; half of them self-attention."""
    size = st.integers(1, 9)
    return st.builds(
        Config,
        d_model=st.integers(1, 17),
        num_heads=st.integers(1, 7),
        key_dim=size,
        value_dim=size,
        query_len=size,
        key_len=st.none() | size,
        mask=st.sampled_from(["none", "causal"]),
        use_bias=st.booleans(),
        seed=st.integers(0, 2**32),
        batch=st.integers(1, 3),
        use_gate=st.booleans(),
        sliding_window=st.none() | st.integers(1, 5),
        dropout=st.sampled_from([0.0, 0.4]),
        training=st.booleans(),
        dropout_seed=st.integers(0, 2**32),
    )


def on_random_layers(start: int, count: int, check: Callable[[Config], None]) -> None:
    quiet = settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    seed(start)(quiet(given(cfg=configs())(check)))()


def test_each_backend_equals_the_real_layer_of_every_kind(backend):
    """Count, names and shapes always agree; values to 1e-5 of their scale, except for Keras's known bug. Each kind of layer must
    be among the random ones."""
    met = set()

    def compare_with_keras(cfg: Config) -> None:
        answer = ask(backend, cfg)
        for name in (one.code for one in BACKENDS):
            comparison = compare(run(cfg, backend=name), answer)
            assert comparison.same_count, (name, comparison)
            assert comparison.same_variables, (name, comparison)
            assert comparison.row_sum_error < 1e-5, (name, comparison)
            if not comparison.known_bug:
                assert comparison.same_values, (name, comparison)
        met.update({
            ("mask", cfg.mask), ("bias", cfg.use_bias), ("batch", cfg.batch), ("T and S", np.sign(cfg.query_len - cfg.key_len)),
            ("d_k and d_v", np.sign(cfg.key_dim - cfg.value_dim)), ("bug", hits_bias_bug(layer_of_config(cfg))),
            ("paper", cfg.follows_paper),
        })  # fmt: skip

    on_random_layers(2017, 330, compare_with_keras)
    assert len(met) == 2 + 2 + 3 + 3 + 3 + 2 + 2, met


def test_each_backend_keeps_the_same_intermediates(backend):
    def compare_steps(cfg: Config) -> None:
        ours = run(cfg)
        for other in BACKENDS[1:]:
            theirs = run(cfg, other.code)
            for step in steps_of(cfg):
                values, about = ours[step.name].values, f"{other.label}: {step.name}"
                assert theirs[step.name].axes == step.axes
                scale = np.abs(np.nan_to_num(values, neginf=0)).max()
                np.testing.assert_allclose(theirs[step.name].values, values, rtol=1e-5, atol=1e-5 * scale, err_msg=about)

    on_random_layers(1706, 100, compare_steps)


@pytest.mark.parametrize("num_heads", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_papers_split_agrees_at_a_size_that_is_used(backend, num_heads, mask):
    cfg = Config(d_model=512, num_heads=num_heads, query_len=61, mask=mask)
    if num_heads == 1:
        assert ask(backend, cfg).count == 1_050_624
    assert compare(run(cfg), ask(backend, cfg)).agrees


BUG = {"d_model": 7, "num_heads": 3, "key_dim": 5, "value_dim": 5, "query_len": 11, "key_len": 13, "batch": 2}


@pytest.mark.parametrize(("change", "known"), [
    ({"key_dim": 1, "query_len": 3}, True), ({"key_dim": 1, "key_len": 3}, True), ({"value_dim": 1, "key_len": 3}, True),
    ({"key_dim": 1, "value_dim": 1, "query_len": 3, "key_len": 3}, True),
    # One condition less, and the values agree: the exception is not wider than it must be.
    ({"key_dim": 1}, False), ({"value_dim": 1}, False), ({"value_dim": 1, "query_len": 3}, False),
    ({"query_len": 3, "key_len": 3}, False),
    ({"num_heads": 1, "key_dim": 1, "value_dim": 1, "query_len": 1, "key_len": 1}, False),
])  # fmt: skip
def test_keras_still_has_its_known_bug_and_no_other(backend, change, known):
    """Fails once Keras repairs it; then `hits_bias_bug` can go. Without the biases the same layer agrees."""
    cfg = Config(**BUG | change)
    comparison = compare(run(cfg), ask(backend, cfg))
    assert comparison.known_bug == known
    assert comparison.same_values != known
    assert comparison.same_count
    assert comparison.same_variables
    without = Config(**BUG | change, use_bias=False)
    bare = compare(run(without), ask(backend, without))
    assert (bare.agrees, bare.known_bug) == (True, False)


def test_the_layer_holds_exactly_our_numbers_and_refuses_those_of_another(backend):
    """Keras checks the shape of each given array, so no reshape can hide a wrong axis."""
    cfg = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7)
    params = make_params(cfg)
    layer = backend.build_layer(cfg, params)
    for row, variable in zip(ledger(cfg), layer.weights, strict=True):
        np.testing.assert_array_equal(np.asarray(variable), getattr(params, row.name).values)
    assert layer.count_params() == count_parameters(cfg)
    with pytest.raises(ValueError, match=r"\(11, 3, 5\)"):
        backend.build_layer(cfg, make_params(Config(d_model=11, num_heads=5, key_dim=3, value_dim=7)))
