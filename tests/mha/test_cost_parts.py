"""What each part of a pass costs: by sums by hand, by NumPy's own count of each contraction, and by TensorFlow's profiler."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from mha import Config
from mha.arrays import axes_of
from mha.cost import (
    FORMATS,
    MOST_BATCH,
    MOST_LAYERS,
    MOST_LENGTH,
    balanced_length,
    cache_entries,
    multiply_adds,
    pairs,
    part_of,
    parts,
    score_entries,
    seconds_to_read,
)
from mha.steps import steps_of

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2)


def test_every_part_by_hand():
    """B = 2, T = 13, S = 17, h = 3, D = 11, d_k = 5, d_v = 7; the softmax has 2 · 3 · 13 · 17 = 1,326 entries."""
    found = {part.name: (part.multiply_adds, part.flops) for part in parts(PRIMES)}
    projections = 2 * 11 * 3 * (13 * 5 + 17 * 5 + 17 * 7)
    assert found == {
        "projections": (projections, 2 * projections),
        "scores": (2 * 3 * 13 * 17 * 5, 2 * 6_630),
        "softmax": (0, 5 * 1_326),
        "weighting": (2 * 3 * 13 * 17 * 7, 2 * 9_282),
        "output": (2 * 13 * 21 * 11, 2 * 6_006),
    }


def test_numpy_counts_the_same_for_each_contraction():
    """`einsum_path` gives the operations of the plain loop: a product and a sum for each combination of indices."""
    count = {}
    for step in steps_of(PRIMES):
        if step.einsum:
            letters = step.einsum.replace("(hv)", "z")
            inputs = letters.split("->")[0].split(",")
            shapes = [[PRIMES.size("(hv)" if axis == "z" else axis) for axis in axes_of(one)] for one in inputs]
            report = np.einsum_path(letters, *(np.empty(shape) for shape in shapes), optimize=False)[1]
            count[step.name] = float(report.split("Naive FLOP count:")[1].split()[0])
    for part in parts(PRIMES):
        if part.name != "softmax":
            steps = [name for name in count if part_of(name) == part.name]
            assert sum(count[step] for step in steps) == pytest.approx(part.flops, rel=1e-3), part.name
    assert sum(part.multiply_adds for part in parts(PRIMES)) == sum(multiply_adds(PRIMES).values()), "no contraction is left out"


PROFILED = """
import tensorflow as tf
B, T, S, h, D, k, v = 2, 13, 17, 3, 11, 5, 7
with tf.Graph().as_default() as graph:
    x, y = tf.zeros((B * T, D)), tf.zeros((B * S, D))
    q, key, value = x @ tf.zeros((D, h * k)), y @ tf.zeros((D, h * k)), y @ tf.zeros((D, h * v))
    q, key = tf.reshape(q, (B * h, T, k)), tf.reshape(key, (B * h, S, k))
    weights = tf.nn.softmax(tf.reshape(tf.matmul(q, key, transpose_b=True), (B * h * T, S)))
    z = tf.matmul(tf.reshape(weights, (B * h, T, S)), tf.reshape(value, (B * h, S, v)))
    tf.reshape(z, (B * T, h * v)) @ tf.zeros((h * v, D))
    options = tf.compat.v1.profiler.ProfileOptionBuilder(tf.compat.v1.profiler.ProfileOptionBuilder.float_operation())
    print("FLOPS", tf.compat.v1.profiler.profile(graph, options=options.with_empty_output().build()).total_float_ops)
"""


@pytest.mark.keras
def test_tensorflows_profiler_counts_the_same_flops():
    run = subprocess.run([sys.executable, "-c", PROFILED], capture_output=True, text=True, check=True)
    counted = int(run.stdout.split("FLOPS")[1])
    assert counted == sum(part.flops for part in parts(PRIMES))


def test_one_token_more_is_the_difference_of_two_lengths_but_for_the_new_key_of_the_queries_before():
    """Causal: query T + 1 meets T + 1 keys, its projections are one token's. B = 2, h = 3, 17 keys with its own."""
    found = {part.name: part.next_token for part in parts(PRIMES)}
    assert found == {
        "projections": 2 * 11 * 3 * (5 + 5 + 7), "scores": 2 * 3 * 17 * 5, "softmax": 0, "weighting": 2 * 3 * 17 * 7,
        "output": 2 * 21 * 11,
    }  # fmt: skip


def test_all_layers_are_one_layer_as_many_times():
    for one, all_of_them in zip(parts(PRIMES), parts(PRIMES, 23), strict=True):
        assert all_of_them.multiply_adds == 23 * one.multiply_adds
        assert (all_of_them.flops, all_of_them.next_token) == (23 * one.flops, 23 * one.next_token)


def test_scores_and_cache_by_hand():
    """Llama 2 7B, 32 layers of 32 heads of 128, 4,096 tokens, half precision: 2 GiB of cache (0.5 MiB a token)."""
    llama = Config(4096, 32, query_len=4096)
    assert cache_entries(llama, 32) * FORMATS["fp16"] == 2 * 2**30
    assert score_entries(PRIMES) == 1_326
    assert cache_entries(PRIMES) == 2 * 17 * 3 * (5 + 7)
    assert (FORMATS["fp32"], FORMATS["bf16"], FORMATS["int8"]) == (4, 2, 1)


def test_the_largest_load_is_counted_exactly_without_any_memory():
    largest = Config(4096, 256, 512, 512, MOST_LENGTH, MOST_LENGTH, batch=MOST_BATCH)
    assert score_entries(largest, MOST_LAYERS) == 1000 * 65_536 * 256 * 10**12
    assert sum(part.multiply_adds for part in parts(largest, MOST_LAYERS)) > 10**24


def test_from_the_balanced_length_on_pairs_take_more_than_projections():
    """D = 512, 4 D² a token against 2 D a pair: even at 2 D = 1,024 tokens."""
    assert balanced_length(Config(512, 8)) == 1_025
    for length, more in ((1_024, False), (1_025, True)):
        found = {part.name: part.multiply_adds for part in parts(replace(Config(512, 8), query_len=length, key_len=length))}
        assert (found["scores"] + found["weighting"] > found["projections"] + found["output"]) is more


def test_reading_takes_bytes_by_bandwidth():
    assert seconds_to_read(3 * 10**9, 2, 1_500.0) == pytest.approx(0.004)


@pytest.mark.parametrize(("queries", "keys", "window"), [(7, 7, 3), (5, 11, 2), (11, 5, 4), (3, 2, 17), (13, 1, 1)])
def test_pairs_of_a_window_are_those_of_its_mask(queries: int, keys: int, window: int):
    cfg = Config(query_len=queries, key_len=keys, sliding_window=window)
    assert pairs(cfg) == sum(abs(t - s) < window for t in range(queries) for s in range(keys))
