"""What a trace costs: every intermediate in NumPy, against the real Keras layer and against the bare matrix products.

`python -m benchmarks.trace [--seconds N]` prints a table and writes `benchmarks/results/trace.json`. Weights are given in all
three; Keras is called eagerly with its scores returned (what a page would have to do); the bare products are the layer's six
np.matmul on contiguous arrays prepared beforehand, with the same BLAS and nothing else. The three take turns of 5 ms or one
call, whichever is longer, so that a busy moment of the machine meets all of them; only ratios of medians within one run count.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.serving import options, say, write
from mha import Config, make_inputs, make_params, run

LAYERS = {
    "tiny": Config(d_model=16, num_heads=4, query_len=6),
    "BERT-base": Config(d_model=768, num_heads=12, query_len=128),
    "large": Config(d_model=1024, num_heads=16, query_len=512),
    "large, causal": Config(d_model=1024, num_heads=16, query_len=512, mask="causal"),
}
#: Largest allowed (trace / Keras, trace / bare products). At the tiny size Python's calls dominate: no bound on the second.
TARGETS = {"tiny": (1 / 50, None), "BERT-base": (1.0, 2.0), "large": (1.3, 2.0), "large, causal": (1.3, 2.0)}


def bare(cfg: Config) -> Callable[[], np.ndarray]:
    """The six products on contiguous operands: three projections at once would be another algorithm, so one by one."""
    batch, t, s, d = cfg.batch, cfg.query_len, cfg.key_len, cfg.d_model
    rng = np.random.default_rng(0)
    make = lambda *shape: rng.standard_normal(shape, dtype=np.float32)  # noqa: E731
    x, y = make(batch * t, d), make(batch * s, d)
    w_q, w_k = make(d, cfg.num_heads * cfg.key_dim), make(d, cfg.num_heads * cfg.key_dim)
    w_v, w_o = make(d, cfg.size("(hv)")), make(cfg.size("(hv)"), d)
    q, k = make(batch, cfg.num_heads, t, cfg.key_dim), make(batch, cfg.num_heads, cfg.key_dim, s)
    a, v = make(batch, cfg.num_heads, t, s), make(batch, cfg.num_heads, s, cfg.value_dim)
    z = make(batch * t, cfg.size("(hv)"))

    def products() -> np.ndarray:
        for left, right in ((x, w_q), (y, w_k), (y, w_v), (q, k), (a, v)):
            np.matmul(left, right)
        return np.matmul(z, w_o)

    return products


def turn(call: Callable[[], object], least: float = 0.005) -> list[float]:
    """Milliseconds of each call in one turn, `least` seconds long or one call."""
    times, began = [], time.perf_counter()
    while (now := time.perf_counter()) < began + least or not times:
        call()
        times.append(1000 * (time.perf_counter() - now))
    return times


def measure(cfg: Config, seconds: float) -> dict[str, float]:
    """Median milliseconds of each, and the ratios."""
    from mha.keras import backend as keras  # TensorFlow takes seconds: not before the command line is read

    params, inputs = make_params(cfg), make_inputs(cfg)
    layer = keras.build_layer(cfg, params)
    calls: dict[str, Callable[[], object]] = {
        "trace": lambda: run(cfg, params=params, inputs=inputs), "keras": lambda: keras.call_layer(layer, inputs, cfg),
        "bare": bare(cfg),
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()  # warm: thread pools, plans, Keras's first call
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, call in calls.items():
            times[name] += turn(call)
    medians = {name: statistics.median(each) for name, each in times.items()}
    return {
        **{f"{name}_ms": round(value, 4) for name, value in medians.items()},
        "trace_to_keras": round(medians["trace"] / medians["keras"], 4),
        "trace_to_bare": round(medians["trace"] / medians["bare"], 3),
        "calls": len(times["trace"]),
    }


def main() -> int:
    seconds = options(__doc__, seconds=12.0).seconds  # for each layer; medians of some dozens of turns at the largest
    from mha.keras import backend as keras

    load = round(os.getloadavg()[0], 1)  # well above 0: other work took part of the cores, see it before you trust a ratio
    figures, met = {}, {}
    say(f"{'layer':14} {'trace ms':>9} {'Keras ms':>9} {'bare ms':>9} {'/ Keras':>9} {'/ bare':>7}")
    for name, cfg in LAYERS.items():
        row = figures[name] = measure(cfg, seconds)
        against_keras, against_bare = TARGETS[name]
        met[name] = row["trace_to_keras"] <= against_keras and (against_bare is None or row["trace_to_bare"] <= against_bare)
        say(f"{name:14} {row['trace_ms']:9.3f} {row['keras_ms']:9.3f} {row['bare_ms']:9.3f} {row['trace_to_keras']:9.4f} "
            f"{row['trace_to_bare']:7.2f}")
    return write("trace", figures, met, load_before=load, **keras.versions())


if __name__ == "__main__":
    sys.exit(main())
