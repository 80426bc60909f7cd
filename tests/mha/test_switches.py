"""What published models changed about attention, by hand and by properties (the real classes: parity/test_switches.py)."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from mha import Config, count_parameters, ledger, run
from mha.codegen import Settings, Unwritable, printed, write
from mha.keras.layer import layer_of_config
from mha.switches import Switches, angles, slopes
from mha.variations import divisor, with_divisor, with_switches
from tests.mha.snippets import run_script

#: Lengths and sizes are different primes; rotary needs an even key size.
LAYER = Config(d_model=11, num_heads=3, key_dim=6, value_dim=5, query_len=7, key_len=13, mask="causal")
EVERY = [
    Switches(rotary="halves"), Switches(rotary="pairs"), Switches(qk_norm="rms"), Switches(qk_norm="rms_wide"),
    Switches(qk_norm="layer"), Switches(soft_cap=0.5), Switches(alibi=True), Switches(sinks=True),
    Switches("pairs", "rms_wide", 2.0, alibi=True, sinks=True),
]  # fmt: skip


def test_the_angles_fall_from_1_to_almost_1_in_10_000():
    np.testing.assert_allclose(angles(Config(8, 1, 8, query_len=3), 3)[2], [2, 0.2, 0.02, 0.002])
    np.testing.assert_allclose(angles(Config(8, 1, 8, query_len=3, rotary_base=81.0), 3)[2], [2, 2 / 3, 2 / 9, 2 / 27])


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
    """What is not changed stays: the projections and every number of the weights."""
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
    (Switches("halves", "rms", 0.5, alibi=True, sinks=True), "sqrt_d_k", True), (Switches("pairs", "layer"), "none", False),
    (Switches(qk_norm="rms_wide", sinks=True), "sqrt_d_k", True),
]  # fmt: skip


@pytest.mark.parametrize("case", SCRIPTS, ids=str)
def test_the_script_in_numpy_prints_what_the_page_shows(case):
    switches, kind, use_bias = case
    cfg = switches.on(replace(LAYER, use_bias=use_bias, batch=2, query_len=5, key_len=3))
    settings = Settings(layer_of_config(cfg), causal=True, cfg=cfg, divisor=divisor(cfg, kind))
    said, _ = run_script(write(settings, "NumPy"))
    assert said.strip() == printed(settings, with_divisor(run(cfg), kind).output.values)
    for library in ("Keras", "PyTorch"):
        with pytest.raises(Unwritable, match=f"No layer of {library}'s has this"):
            write(settings, library)
