"""Measures the time of one attention layer with 1, 2, 4 … 128 heads at one width. The script needs no other file of the project,
except to measure "numpy".

    python heads_in_time.py --width 512 --tokens 128,512,2048

A way is one implementation of the layer. The script measures each way whose library is installed, and adds a run to the file of
this machine. A head is width / heads wide in the paper's convention and width / 8 in Keras's, so both have the same layer at 8
heads. The layers have no biases, masks or dropout. A point of the file is [median, lower quartile, upper quartile, rounds], with
times in milliseconds. A point without times is a text that says why."""

import argparse
import json
import os
import platform
import re
import statistics
import sys
import time
from collections import namedtuple
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path

#: PyTorch's kernels, and for each way the number of maps in memory, forward and with backward. A fused kernel stores none.
KERNELS = {f"sdpa-{name}": f"{name.upper()}_ATTENTION" for name in ("flash", "efficient", "cudnn")} | {"sdpa-math": "MATH"}
WAYS = dict.fromkeys(KERNELS, (0, 0)) | dict.fromkeys(("sdpa-math", "softmax", "compiled"), (3, 5))
WAYS |= dict.fromkeys(("keras-tensorflow", "keras-torch", "keras-jax"), (4, 6)) | {"numpy": (5, 0)}
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
#: Options: allowed words or the largest number, and the default. `together` is tokens in a batch, `memory` the most gigabytes of
#: a layer, `seconds` those of all rounds of a point. ROUNDS has the least and the largest number of rounds.
OPTIONS = {
    "width": (1 << 14, "512"), "heads": (1 << 10, "1,2,4,8,16,32,64,128"), "tokens": (1 << 17, "128,512,2048"),
    "together": (1 << 20, "1024"), "memory": (4096.0, "4"), "seconds": (60.0, "0.4"), "device": (("cpu", "cuda", "mps"), "cpu"),
    "way": (WAYS, ""), "convention": (("paper", "keras"), "paper,keras"), "passes": (("forward", "backward"), "forward,backward"),
    "dtype": (BYTES, "float32"),
}  # fmt: skip
ROUNDS = 3, 25


class Layer(namedtuple("Layer", "way convention passes dtype width tokens batch heads")):
    @property
    def key_dim(self) -> int:
        return self.width // (self.heads if self.convention == "paper" else 8)

    @property
    def gigabytes(self) -> float:
        """The least memory of a layer: maps, weights, inputs and outputs. With a backward pass, their gradients are added."""
        backward = self.passes == "backward"
        around = (4 + 8 * backward) * self.heads * self.key_dim * (self.width + 2 * self.batch * self.tokens)
        return BYTES[self.dtype] * (WAYS[self.way][backward] * self.batch * self.heads * self.tokens**2 + around) / 1e9


def call_of(one: Layer, device: str) -> Callable[[], object]:
    """Makes a function that runs the layer once, on random numbers."""
    back, shape, inner = one.passes == "backward", (one.batch, one.tokens, one.width), one.heads * one.key_dim
    if one.way == "numpy":  # the app's layer, which keeps every intermediate
        import headcount
        from headcount.params import make_inputs, make_params

        cfg = headcount.Config(one.width, one.heads, one.key_dim, query_len=one.tokens, batch=one.batch, use_bias=False)
        return partial(headcount.run, cfg, params=make_params(cfg), inputs=make_inputs(cfg), limit=None)
    if one.way.startswith("keras"):  # backward is a step of training, as in `fit`
        os.environ["KERAS_BACKEND"] = one.way.removeprefix("keras-")
        import keras
        import numpy as np

        inputs = keras.Input(shape[1:], batch_size=one.batch)
        layer = keras.layers.MultiHeadAttention(one.heads, one.key_dim, use_bias=False, dtype=one.dtype)
        model = keras.Model(inputs, layer(inputs, inputs))
        model.compile("sgd", "mse")
        x = np.random.default_rng(0).normal(size=shape).astype("float32")
        return partial(model.train_on_batch, x, x) if back else partial(model.predict_on_batch, x)
    import torch
    from torch.nn import attention, functional

    sizes = (shape, *[(one.width, inner)] * 3, (inner, one.width))
    arrays = [torch.randn(size, device=device, dtype=getattr(torch, one.dtype)) / one.width**0.5 for size in sizes]
    arrays = [array.requires_grad_(back) for array in arrays]

    def forward():
        x, *kernels, w_o = arrays
        q, k, v = ((x @ w).view(*shape[:2], one.heads, one.key_dim).transpose(1, 2) for w in kernels)
        if one.way in KERNELS:
            with attention.sdpa_kernel(getattr(attention.SDPBackend, KERNELS[one.way])):
                z = functional.scaled_dot_product_attention(q, k, v)
        else:
            z = torch.softmax(q @ k.transpose(-1, -2) / one.key_dim**0.5, -1) @ v
        return z.transpose(1, 2).reshape(*shape[:2], inner) @ w_o

    if one.way == "compiled":
        torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 10_000
        forward = torch.compile(forward, dynamic=False)

    def call():
        with torch.inference_mode(not back):
            return torch.autograd.grad(forward().sum(), arrays) if back else forward()

    return call


def milliseconds(call: Callable[[], object], device: str) -> float:
    """Measures the time of a call. On a GPU, the L2 cache is overwritten first, and events measure the time."""
    if device == "cpu":
        start = time.perf_counter()
        call()
        return (time.perf_counter() - start) * 1e3
    import torch

    begin, end = (getattr(torch, device).Event(enable_timing=True) for _ in range(2))
    torch.zeros(1 << 28, dtype=torch.int8, device=device)
    begin.record()
    call()
    end.record()
    getattr(torch, device).synchronize()
    return begin.elapsed_time(end)


def measure(layers: Iterable[Layer], device: str, memory: float, seconds: float) -> dict[str, list[float] | str]:
    """Measures the points of a series. A round calls each layer at most once. Calls before the first round do not count."""
    points, calls, rounds, times = {}, {}, {}, {}
    for one in layers:
        h = str(one.heads)
        if one.gigabytes > memory:
            points[h] = f"does not fit: at least {one.gigabytes:.2g} GB, {memory:g} are allowed"
            continue
        try:
            call, settled = call_of(one, device), time.perf_counter() + 0.3 * (device != "cpu")
            once = milliseconds(call, device)
            while once < 1e3 and (h not in times or time.perf_counter() < settled):  # until its clocks are settled
                once, times[h] = milliseconds(call, device), []
            calls[h], times[h], rounds[h] = call, [], max(ROUNDS[0], min(ROUNDS[1], round(seconds * 1e3 / once)))
        except Exception as why:  # each library has its own error for too little memory, and for a missing kernel
            full = re.search("out of memory|OOM|ResourceExhausted|MemoryError", f"{type(why).__name__} {why}")
            points[h] = "does not fit" if full else f"does not run: {' '.join(str(why).split()):.80}"
    for turn, (h, call) in product(range(ROUNDS[1]), calls.items()):
        if turn < rounds[h]:
            times[h].append(milliseconds(call, device))
    for h in calls:
        low, middle, high = (float(f"{ms:.4g}") for ms in statistics.quantiles(times[h], method="inclusive"))
        points[h] = [middle, low, high, rounds[h]]
    return dict(sorted(points.items(), key=lambda point: int(point[0])))


def machine(device: str) -> str:
    if device == "cuda":
        return __import__("torch").cuda.get_device_name()
    about = os.popen("cat /proc/cpuinfo 2>/dev/null || sysctl machdep.cpu").read()
    named = re.search(r"(?:model name|brand_string)\s*:\s*(.+)", about)
    return f"{named[1] if named else platform.processor()}, {os.cpu_count()} cores{', its GPU' if device == 'mps' else ''}"


def allowed(which: object, text: str) -> list:
    """Parses an option of words or numbers, separated by commas. `which`: the allowed words, or the largest number."""
    kind = type(which) if isinstance(which, int | float) else str
    words = f"one of {', '.join(which)}" if kind is str else f"above 0 and at most {which}"
    with suppress(ValueError):
        values = [kind(part) for part in text.split(",")]
        if all(value in which if kind is str else 0 < value <= which for value in values):
            return values
    raise argparse.ArgumentTypeError(f"each must be {words}, got {text!r:.80}")


def main() -> None:
    if (root := Path(__file__).resolve().parents[1]).joinpath("headcount").is_dir():
        sys.path.append(str(root))
    keras = f"keras-{os.environ.get('KERAS_BACKEND', 'tensorflow')}"
    library = dict.fromkeys([*KERNELS, "softmax"], "torch") | {keras: "keras", "numpy": "headcount"}
    ways = ",".join(way for way in library if find_spec(library[way]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, (which, default) in OPTIONS.items():
        parser.add_argument(f"--{name}", type=partial(allowed, which), default=default or ways, help=f"[{default}]")
    parser.add_argument("--out", type=Path, default=Path("heads_in_time.json"))
    asked = parser.parse_args()
    (width,), (device,) = asked.width, asked.device
    if wrong := [heads for heads in (8, *asked.heads) if width % heads]:
        parser.error(f"heads must divide the width {width}, got {wrong[0]}")
    here = {"machine": machine(device), "device": device}
    result = json.loads(asked.out.read_text(encoding="utf-8")) if asked.out.exists() else here | {"runs": []}
    if result | here != result:
        parser.error(f"{asked.out} is not of this machine, but of {result.get('machine')!r:.80}")
    series, load = [], round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0
    for tokens, *kind in product(asked.tokens, asked.way, asked.convention, asked.passes, asked.dtype):
        if kind[0] == "numpy" and kind[2:] != ["forward", "float32"]:
            continue
        layers = [Layer(*kind, width, tokens, max(1, asked.together[0] // tokens), heads) for heads in asked.heads]
        points = measure(layers, device, asked.memory[0], asked.seconds[0])
        if all("does not run" in point for point in points.values()):
            continue
        times = {h: point for h, point in points.items() if isinstance(point, list)}
        spread = max(((high - low) / middle for middle, low, high, _ in times.values()), default=0)
        told = ", ".join(f"{h}: {point[0]:g}" for h, point in times.items())
        print(f"{tokens} tokens, {' '.join(kind)}, ms by heads: {told}; largest spread {spread:.0%}", flush=True)  # noqa: T201
        series.append(dict(zip(Layer._fields[:-1], layers[0], strict=False)) | {"points": points})
    known = [name for name in ("torch", "keras", "tensorflow", "jax", "numpy") if name in sys.modules]
    versions = {"python": platform.python_version()} | {name: sys.modules[name].__version__ for name in known}
    run = {"date": time.strftime("%Y-%m-%d"), "threads": int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))}
    result["runs"].append(run | {"load": load, "versions": versions, "series": series})
    asked.out.write_text(re.sub(r"\s+(?=[^\[\]{}]*\])", " ", json.dumps(result, indent=1)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
