"""Cost of a trace: every intermediate in NumPy, against the real Keras layer.

`python -m benchmarks.trace [--seconds N]` prints a table and writes `benchmarks/results.json`. Both get their weights. Keras is
called eagerly and returns its scores, as a page would need. The two take turns of 5 ms or one call, whichever is longer, so that
a busy moment of the machine affects both. Only ratios of medians within one run count.
"""

import statistics
import sys
import time
from collections.abc import Callable

from benchmarks.measured import options, say, write
from headcount import Config, make_inputs, make_params, run

#: Layers, and the largest allowed ratio, trace / Keras.
LAYERS = {
    "tiny": (Config(d_model=16, num_heads=4, query_len=6), 1 / 50),
    "BERT-base": (Config(d_model=768, num_heads=12, query_len=128), 1.0),
    "large": (Config(d_model=1024, num_heads=16, query_len=512), 1.3),
    "large, causal": (Config(d_model=1024, num_heads=16, query_len=512, mask="causal"), 1.3),
}


def turn(call: Callable[[], object], least: float = 0.005) -> list[float]:
    """Measures milliseconds of each call in one turn, `least` seconds long or one call."""
    times, began = [], time.perf_counter()
    while (now := time.perf_counter()) < began + least or not times:
        call()
        times.append(1000 * (time.perf_counter() - now))
    return times


def measure(cfg: Config, seconds: float) -> dict[str, float]:
    """Measures median milliseconds of each, and the ratio."""
    from headcount.keras import backend as keras  # TensorFlow takes seconds, so it comes after the command line is read

    params, inputs = make_params(cfg), make_inputs(cfg)
    layer = keras.build_layer(cfg, params)
    calls: dict[str, Callable[[], object]] = {
        "trace": lambda: run(cfg, params=params, inputs=inputs), "keras": lambda: keras.call_layer(layer, inputs, cfg),
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()  # warm: thread pools, plans, Keras's first call
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, call in calls.items():
            times[name] += turn(call)
    medians = {name: statistics.median(each) for name, each in times.items()}
    ratio = round(medians["trace"] / medians["keras"], 4)
    rounded = {f"{name}_ms": round(value, 4) for name, value in medians.items()}
    return {**rounded, "trace_to_keras": ratio, "calls": len(times["trace"])}


def main() -> int:
    seconds = options(__doc__, seconds=12.0).seconds  # for each layer; medians of some dozens of turns at the largest
    from headcount.keras import backend as keras

    figures, met = {}, {}
    for name, (cfg, most) in LAYERS.items():
        row = figures[name] = measure(cfg, seconds)
        met[name] = row["trace_to_keras"] <= most
        say(f"{name:14} {row}")
    return write("trace", figures, met, **keras.versions())


if __name__ == "__main__":
    sys.exit(main())
