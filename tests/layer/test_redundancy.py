"""Directions of parameters that leave every output as it is: counted by formula, and as the missing rank of the layer's
Jacobian."""

from dataclasses import replace

import numpy as np
import pytest

from headcount import Config, count_parameters, run
from headcount.forward import PARAMS, run_steps
from headcount.numpy_backend import OPS
from headcount.redundancy import idle

SMALL = Config(d_model=5, num_heads=2, key_dim=3, value_dim=2, query_len=3, key_len=4, seed=3)
LAYERS = {
    "cross": SMALL,
    "no biases": replace(SMALL, use_bias=False),
    "self": replace(SMALL, query_len=4),
    "causal": replace(SMALL, query_len=4, mask="causal"),
    "two keys": replace(SMALL, key_len=2),
    "one head": replace(SMALL, num_heads=1),
    "d_k above d_model": replace(SMALL, d_model=2, key_dim=3, value_dim=3),
    "d_k above d_model, no biases": replace(SMALL, d_model=2, key_dim=5, value_dim=3, use_bias=False),
    "d_model 1": replace(SMALL, d_model=1, key_dim=2, value_dim=2),
    "one key": replace(SMALL, key_len=1),
    "one key, no biases": replace(SMALL, key_len=1, use_bias=False),
    "one key, wide heads": replace(SMALL, key_len=1, value_dim=7),
    "one query that sees one key": replace(SMALL, query_len=1, mask="causal"),
    "gate": replace(SMALL, use_gate=True),
    "gate, no biases": replace(SMALL, use_gate=True, use_bias=False),
    "gate, one key": replace(SMALL, key_len=1, use_gate=True),
    "gate, wide heads": replace(SMALL, use_gate=True, value_dim=7),
    "window": replace(SMALL, query_len=4, sliding_window=2),
    "window that leaves a query no key": replace(SMALL, query_len=5, key_len=3, sliding_window=2),
    "the same, wide heads": replace(SMALL, query_len=5, key_len=3, sliding_window=2, value_dim=7),
    "window of one": replace(SMALL, query_len=4, sliding_window=1),
    "the paper's": Config(d_model=6, num_heads=3, query_len=4, seed=7),
}


#: NumPy's logaddexp, by which the layer's sigmoid does not overflow, takes no complex numbers.
COMPLEX = OPS | {"sigmoid": lambda step, cfg, g: 1 / (1 + np.exp(-g))}


def rank_of_jacobian(cfg: Config) -> int:
    """The rank of the derivatives of all outputs, for many inputs, with respect to all parameters. Each parameter takes a tiny
    imaginary step: f(w + ih) is f(w) + ih f'(w), without a subtraction (Squire and Trapp, SIAM Review 40, 1998)."""
    rng, step, arrays = np.random.default_rng(1), 1e-30j, run(cfg).params.by_name
    many = replace(cfg, batch=(2 * count_parameters(cfg) + 20) // cfg.d_model)
    x = rng.standard_normal((many.batch, cfg.query_len, cfg.d_model))
    y = x if cfg.is_self_attention else rng.standard_normal((many.batch, cfg.key_len, cfg.d_model))
    given = {name: array.astype(complex) for name, array in {**arrays, "x_query": x, "x_key": y}.items()}
    columns = []
    for name in (name for name in PARAMS if name in arrays):
        for place in np.ndindex(arrays[name].shape):
            moved = given[name].copy()
            moved[place] += step
            columns.append(run_steps(many, {**given, name: moved}, COMPLEX)["output"].imag.ravel() / step.imag)
    values = np.linalg.svd(np.array(columns), compute_uv=False)
    large = values > 1e-9 * values[0]
    assert values[large].min() > 1e3 * values[~large].max(initial=0), "no gap between what counts and rounding"
    return int(large.sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYERS)
def test_the_jacobian_lacks_as_many_dimensions_as_are_counted(name):
    cfg = LAYERS[name]
    assert rank_of_jacobian(cfg) == idle(cfg).effective


def test_inside_a_head_h_dk_squared_and_h_dv_squared_directions_count_and_do_nothing():
    """BERT-base has 12 heads of 64: 12 · 64² twice, and both biases of 768."""
    found = idle(Config(768, 12, query_len=128))
    assert (found.qk, found.vo, found.b_k, found.b_v) == (49152, 49152, 768, 768)
    assert found.alone == 768
    assert (found.count, found.effective) == (2362368, 2362368 - 99840)


def test_with_one_key_a_layer_is_one_dense_layer():
    """16 wide: a matrix of 16 × 16 and a bias of 16 decide everything, so 2 · 16 · 17 numbers of Q and K are idle."""
    found = idle(Config(16, 4, query_len=1))
    assert found.effective == 16 * 16 + 16
    assert found.alone == 2 * 16 * 17
