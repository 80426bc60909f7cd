"""The steps in NumPy."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from mha.arrays import Floats, einsum
from mha.config import Config
from mha.steps import Ops, Step, attention_mask

#: From this many numbers on, element-wise work is shared among the cores (NumPy's own runs on one).
SHARE_FROM = 1 << 18


def contract(step: Step, cfg: Config, a: Floats, b: Floats) -> Floats:
    return einsum(step.einsum, a, b)


def project(step: Step, cfg: Config, x: Floats, kernel: Floats, bias: Floats | None) -> Floats:
    if "(hv)m" in step.einsum:
        kernel = kernel.reshape(cfg.size("(hv)"), cfg.d_model)
    projected = einsum(step.einsum, x, kernel)
    if bias is not None:
        projected += bias
    return projected


def scale(step: Step, cfg: Config, scores: Floats, divisor: float | None = None) -> Floats:
    factor = np.float32(1 / (np.sqrt(cfg.key_dim) if divisor is None else divisor))
    scaled = np.empty_like(scores)
    _shared(lambda part: np.multiply(scores[part], factor, out=scaled[part]), scaled)
    return scaled


def mask(step: Step, cfg: Config, scaled: Floats) -> Floats:
    if cfg.mask == "none":
        return scaled
    wall = np.where(attention_mask(cfg), np.float32(0), np.float32(-np.inf))  # to add is faster than to choose number by number
    masked = np.empty_like(scaled)
    _shared(lambda part: np.add(scaled[part], wall, out=masked[part]), masked)
    return masked


def softmax(x: Floats) -> Floats:
    """Softmax over the last axis. A row of -inf only has no softmax: ValueError."""
    shares = np.empty_like(x)
    _shared(lambda part: _softmax_into(x[part], shares[part]), shares)
    return shares


def _softmax_into(x: Floats, out: Floats) -> None:
    top = x.max(axis=-1, keepdims=True)
    if (top == -np.inf).any():
        raise ValueError("softmax: a row is minus infinity throughout; a query that may look nowhere has no weights")
    np.subtract(x, top, out=out)
    np.exp(out, out=out)
    out /= out.sum(axis=-1, keepdims=True)


def weights(step: Step, cfg: Config, masked: Floats) -> Floats:
    return softmax(masked)


def join(step: Step, cfg: Config, context: Floats) -> Floats:
    return context.reshape(*context.shape[:2], cfg.size("(hv)"))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="mha")


def _shared(work: Callable[[Any], object], array: Floats) -> None:
    """`work` on all of a small array, or head by head ("bh…") on all cores for a large one: a head's part stays in the cache."""
    if array.size < SHARE_FROM or array.ndim != 4 or sys.platform == "emscripten":  # a browser's Python has one thread
        work(...)
        return
    parts = [(b, h) for b in range(array.shape[0]) for h in range(array.shape[1])]
    list(_pool().map(work, parts))


OPS: Ops = {"project": project, "contract": contract, "scale": scale, "mask": mask, "join": join, "softmax": weights}
