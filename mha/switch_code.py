"""The layer with what published models changed, as a program: a complete script for Keras, PyTorch or NumPy that draws the same
numbers and prints the same results. No library has such a layer as it is drawn here, so each script builds it step by step."""

from typing import Any

from mha.codegen import DRAW, KERNEL, both_ends, tail
from mha.config import Config
from mha.forward import Trace
from mha.ledger import count_parameters, ledger
from mha.names import heads_in_words
from mha.params import BIAS_SCALE, GAINS, STREAMS
from mha.switches import EPSILON, slopes

#: How each library spells what the script does.
SPELT: dict[str, dict[str, Any]] = {
    "NumPy": {
        "imports": [], "einsum": "np.einsum", "tensor": "", "tanh": "np.tanh", "where": "np.where", "join": "np.concatenate",
        "stack": "np.stack", "flat": "{}.reshape(q.shape)", "mean": "{}.mean({}, keepdims=True)", "spread": "np.broadcast_to",
        "softmax": "softmax",
    },
    "PyTorch": {
        "imports": ["import torch"], "einsum": "torch.einsum", "tensor": "torch.from_numpy", "tanh": "torch.tanh",
        "where": "torch.where", "join": "torch.cat", "stack": "torch.stack", "flat": "{}.reshape(q.shape)",
        "mean": "{}.mean({}, keepdim=True)", "spread": "torch.broadcast_to", "softmax": "torch.softmax",
    },
    "Keras": {
        "imports": ["from keras import ops"], "einsum": "ops.einsum", "tensor": "ops.convert_to_tensor", "tanh": "ops.tanh",
        "where": "ops.where", "join": "ops.concatenate", "stack": "ops.stack", "flat": "ops.reshape({}, q.shape)",
        "mean": "ops.mean({}, {}, keepdims=True)", "spread": "ops.broadcast_to", "softmax": "ops.softmax",
    },
}  # fmt: skip
LIBRARIES = tuple(SPELT)
SOFTMAX = """
def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)
"""


def write(cfg: Config, library: str, divisor: float) -> str:
    """A whole Python file. `divisor`: what the scores are divided by. For a layer without gate, window and dropout."""
    to = SPELT[library]
    what = f"{heads_in_words(cfg.num_heads)} with what published models changed"
    lines = [f'"""Attention in {library}: {what}. Prints what Headcount shows."""', "", "import numpy as np", *to["imports"], ""]
    lines += [f"seed, num_heads = {cfg.seed}, {cfg.num_heads}", DRAW + KERNEL + (SOFTMAX if library == "NumPy" else "")]
    lines += _drawn(cfg, to["tensor"])
    lines += _heads(cfg, to)
    lines += _scores(cfg, to, divisor)
    lines.append(f'context = {to["einsum"]}("bhts,bshv->bthv", weights, v)')
    lines.append(f'output = {to["einsum"]}("bthv,hvm->btm", context, w_o)' + (" + b_o" if cfg.use_bias else ""))
    lines += ["output = ops.convert_to_numpy(output)"] * (library == "Keras")
    count = f"sum(int(np.prod(part.shape)) for part in [{', '.join(row.name for row in ledger(cfg))}])"
    return "\n".join(lines) + "\n" + tail(count, scores="")


def _drawn(cfg: Config, tensor: str) -> list[str]:
    """Inputs and weights, as mha.params draws them."""
    def put(expression: str) -> str:
        return f"{tensor}({expression})" if tensor else expression

    def drawn(name: str, length: int) -> str:
        return put(f"draw({STREAMS[name]}, {cfg.batch}, {length}, {cfg.d_model})")

    keys = "x" if cfg.is_self_attention else drawn("y", cfg.key_len)
    lines = [f"x = {drawn('x', cfg.query_len)}", f"keys = {keys}"]
    for row in ledger(cfg):
        stream, shape = STREAMS[row.name], ", ".join(map(str, row.shape))
        if row.name in GAINS:
            expression = f"1 + {BIAS_SCALE} * draw({stream}, {shape})"
        elif row.name == "sinks":
            expression = f"draw({stream}, {shape})"
        elif row.name.startswith(("b_", "m_")):
            expression = f"{BIAS_SCALE} * draw({stream}, {shape})"
        elif row.name == "w_o":
            expression = f"(draw({stream}, {row.shape[0] * row.shape[1]}, {cfg.d_model}) / {cfg.d_model}**0.5)"
            expression = f"np.float32({expression}.reshape({shape}))"
        else:
            expression = f"np.ascontiguousarray(kernel({stream}, {cfg.d_model}, {row.shape[-1]}))"
        lines.append(f"{row.name} = {put(expression)}")
    return [*lines, ""]


def _heads(cfg: Config, to: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for letter, source, spec in (
        ("q", "x", "btm,mhk->bthk"), ("k", "keys", "bsm,mhk->bshk"), ("v", "keys", "bsm,mhv->bshv"),
    ):  # fmt: skip
        bias = f" + b_{letter}" if cfg.use_bias else ""
        lines.append(f'{letter} = {to["einsum"]}("{spec}", {source}, w_{letter}){bias}')
    if cfg.qk_norm != "none":
        axes = "(-2, -1)" if cfg.qk_norm == "rms_wide" else "-1"
        lines += ["", "", "def normalised(x, gain, shift=None):  # QK-norm"]
        lines += [f"    x = x - {to['mean'].format('x', '-1')}"] if cfg.qk_norm == "layer" else []
        lines.append(f"    x = x / ({to['mean'].format('(x * x)', axes)} + {EPSILON}) ** 0.5 * gain")
        lines += ["    return x if shift is None else x + shift", "", ""]
        gain = "wide" if cfg.qk_norm == "rms_wide" else "n"
        for letter in "qk":
            shift = f", m_{letter}" if cfg.qk_norm == "layer" else ""
            lines.append(f"{letter} = normalised({letter}, {gain}_{letter}{shift})")
    if cfg.rotary != "none":
        powers = f"{cfg.rotary_base!r} ** (-np.arange(0, {cfg.key_dim}, 2) / {cfg.key_dim})"
        lines += ["", "", "def rotated(q):  # rotary embedding", f"    turn = np.arange(q.shape[1])[:, None] * {powers}"]
        lines.append("    cos, sin = (np.float32(part)[:, None, :] for part in (np.cos(turn), np.sin(turn)))")
        lines += [f"    cos, sin = {to['tensor']}(cos), {to['tensor']}(sin)"] if to["tensor"] else []
        half = cfg.key_dim // 2
        first, second = (f":{half}", f"{half}:") if cfg.rotary == "halves" else ("0::2", "1::2")
        lines.append(f"    one, other = q[..., {first}], q[..., {second}]")
        pair = "[one * cos - other * sin, other * cos + one * sin], -1"
        expression = f"{to['join']}({pair})" if cfg.rotary == "halves" else to["flat"].format(f"{to['stack']}({pair})")
        lines += [f"    return {expression}", "", "", "q, k = rotated(q), rotated(k)"]
    return lines


def _scores(cfg: Config, to: dict[str, Any], divisor: float) -> list[str]:
    put = to["tensor"] or "np.asarray"
    lines = [f'scores = {to["einsum"]}("bthk,bshk->bhts", q, k)' + (f" / {divisor!r}" if divisor != 1 else "")]
    if cfg.soft_cap:
        lines.append(f"scores = {cfg.soft_cap} * {to['tanh']}(scores / {cfg.soft_cap})  # soft cap")
    if cfg.alibi:
        lines.append(f"slopes = np.float32({[float(slope) for slope in slopes(cfg.num_heads)]})")
        lines.append(f"away = np.abs(np.arange({cfg.query_len})[:, None] - np.arange({cfg.key_len}))")
        lines.append(f"scores = scores - {put}(np.float32(slopes[:, None, None] * away))  # ALiBi")
    if cfg.mask == "causal":
        lines.append(f"allowed = {put}(np.tri({cfg.query_len}, {cfg.key_len}, dtype=bool))")
        lines.append(f"scores = {to['where']}(allowed, scores, -np.inf)")
    if cfg.sinks:
        lines.append(f"sink = {to['spread']}(sinks[None, :, None, None], (*scores.shape[:-1], 1))  # one score more a head")
        lines.append(f"weights = {to['softmax']}({to['join']}([scores, sink], -1), -1)[..., :-1]  # whose share goes nowhere")
    else:
        lines.append(f"weights = {to['softmax']}(scores, -1)")
    return lines


def printed(trace: Trace) -> str:
    """What the script prints for this layer."""
    output = trace.output.values
    return f"output {output.shape}\nparameters {count_parameters(trace.cfg)}\n{both_ends(output)}"
