"""NumPy implementation of the layer's steps."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from headcount.arrays import Bools, Floats, einsum
from headcount.config import Config
from headcount.steps import Ops, Step, attention_mask, dropout_factors
from headcount.switches import EPSILON, angles, distances, gain, slopes

#: Number of array elements from which element-wise work is spread over all cores. NumPy itself uses one.
SHARE_FROM = 1 << 18
#: Least number of array elements per head for which a thread saves time.
PART_FROM = 1 << 11


def contract(step: Step, cfg: Config, a: Floats, b: Floats) -> Floats:
    return einsum(step.einsum, a, b)


def project(step: Step, cfg: Config, x: Floats, kernel: Floats, bias: Floats | None = None) -> Floats:
    if "(hv)m" in step.einsum:
        kernel = kernel.reshape(cfg.size("(hv)"), cfg.d_model)
    projected = einsum(step.einsum, x, kernel)
    if bias is not None:
        projected += bias
    return projected


def scale(step: Step, cfg: Config, scores: Floats, divisor: float | None = None) -> Floats:
    """Divides scores, axes (batch, head, query, key), by `divisor`. Default: √d_k ("Attention Is All You Need", 3.2.1)."""
    factor = np.float32(1 / (np.sqrt(cfg.key_dim) if divisor is None else divisor))
    scaled = np.empty_like(scores)
    _shared(lambda part: np.multiply(scores[part], factor, out=scaled[part]), scaled)
    return scaled


def mask(step: Step, cfg: Config, scaled: Floats) -> Floats:
    """Sets scores, axes (batch, head, query, key), to -inf where a query may not attend ("Attention Is All You Need", 3.2.3)."""
    if not cfg.masked:
        return scaled
    wall = np.where(attention_mask(cfg), np.float32(0), np.float32(-np.inf))  # addition is faster than a choice number by number
    masked = np.empty_like(scaled)
    _shared(lambda part: np.add(scaled[part], wall, out=masked[part]), masked)
    return masked


def norm(step: Step, cfg: Config, x: Floats, gain: Floats, shift: Floats | None = None) -> Floats:
    """Divides each row by its root mean square and multiplies by `gain` (RMSNorm, arXiv:1910.07467). If `gain` has an axis of
    heads, all heads of a position are one row. If `shift` is given, computes LayerNorm (arXiv:1607.06450)."""
    together = (-2, -1) if gain.ndim == 2 else -1
    centred = x if shift is None else x - x.mean(axis=-1, keepdims=True)
    normed = centred / np.sqrt((centred * centred).mean(axis=together, keepdims=True) + x.dtype.type(EPSILON)) * gain
    return normed if shift is None else normed + shift


def rotate(step: Step, cfg: Config, x: Floats) -> Floats:
    """Rotates pairs in `x`, axes (batch, position, head, number), by `angles` (arXiv:2104.09864), and multiplies by `gain`."""
    turn = angles(cfg, x.shape[1])[:, None, :]  # the same for every head
    cos, sin = (gain(cfg) * np.cos(turn)).astype(x.dtype), (gain(cfg) * np.sin(turn)).astype(x.dtype)
    half = cfg.key_dim // 2
    firsts, seconds = (slice(None, half), slice(half, None)) if cfg.rotary == "halves" else (slice(0, None, 2), slice(1, None, 2))
    one, other, rotated = x[..., firsts], x[..., seconds], np.empty_like(x)
    rotated[..., firsts], rotated[..., seconds] = one * cos - other * sin, other * cos + one * sin
    return rotated


def cap(step: Step, cfg: Config, scaled: Floats) -> Floats:
    """Keeps scores between −soft_cap and soft_cap by a tanh (Gemma 2, arXiv:2408.00118)."""
    most = scaled.dtype.type(cfg.soft_cap)
    return most * np.tanh(scaled / most)


def alibi(step: Step, cfg: Config, scaled: Floats) -> Floats:
    """Subtracts slope · |t − s| from the scores of each head, axes (batch, head, query t, key s) (ALiBi, arXiv:2108.12409)."""
    return scaled - (slopes(cfg.num_heads)[:, None, None] * distances(cfg)).astype(scaled.dtype)


def softmax(x: Floats) -> Floats:
    """Computes the softmax over the last axis ("Attention Is All You Need", 3.2.1). Raises ValueError if a whole row is -inf."""
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


def weights(step: Step, cfg: Config, masked: Floats, sinks: Floats | None = None) -> Floats:
    """Computes the softmax of masked scores, axes (batch, head, query, key). `sinks`: one more score for each head, whose weight
    is then left out (gpt-oss, arXiv:2508.10925). A query without keys gets zeros, as in Keras with return_attention_scores."""
    if sinks is not None:
        sink = sinks[:, None, None]
        top = np.maximum(masked.max(axis=-1, keepdims=True), sink)
        powers = np.exp(masked - top)
        return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(sink - top))
    nowhere: Bools = np.logical_not(np.any(attention_mask(cfg), axis=-1)) if cfg.masked else np.zeros(cfg.query_len, bool)
    if not nowhere.any():
        return softmax(masked)
    shares = softmax(np.where(nowhere[:, None], np.float32(0), masked))
    shares[..., nowhere, :] = 0
    return shares


def dropout(step: Step, cfg: Config, shares: Floats) -> Floats:
    return shares * dropout_factors(cfg)


def sigmoid(step: Step, cfg: Config, g: Floats) -> Floats:
    return np.exp(-np.logaddexp(np.float32(0), -g))  # no overflow for a large negative number


def multiply(step: Step, cfg: Config, context: Floats, gate: Floats) -> Floats:
    return context * gate


def join(step: Step, cfg: Config, context: Floats) -> Floats:
    return context.reshape(*context.shape[:2], cfg.size("(hv)"))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="headcount")


def _shared(work: Callable[[Any], object], array: Floats) -> None:
    """Calls `work((b, h))` for each head on all cores if the array is large and has four axes. If not, calls `work(...)`."""
    small = array.size < SHARE_FROM or array.ndim != 4 or array[0, 0].size < PART_FROM
    if small or sys.platform == "emscripten":  # a browser's Python has one thread
        work(...)
        return
    parts = [(b, h) for b in range(array.shape[0]) for h in range(array.shape[1])]
    list(_pool().map(work, parts))


OPS: Ops = {
    "project": project, "contract": contract, "scale": scale, "mask": mask, "join": join, "softmax": weights,
    "sigmoid": sigmoid, "multiply": multiply, "norm": norm, "rotate": rotate, "cap": cap, "alibi": alibi,
    "dropout": dropout,
}  # fmt: skip
