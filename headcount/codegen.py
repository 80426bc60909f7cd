"""Generator of programs that compute the layer in NumPy, Keras or PyTorch from the same numbers. The programs print the same
results. Two exceptions are Keras's own dropout, and Keras's bug with biases (`hits_bias_bug`)."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from headcount.arrays import Floats
from headcount.config import Config
from headcount.keras.layer import (
    KerasLayer,
    KerasVariable,
    allowed,
    compute,
    einsum_in,
    einsum_out,
    einsum_scores,
    hits_bias_bug,
    obstacles,
    variables,
)  # fmt: skip
from headcount.ledger import LedgerRow, ledger
from headcount.names import heads_in_words
from headcount.params import BIAS_SCALE, GAINS, STREAMS
from headcount.steps import DROPOUT_STREAM
from headcount.switches import EPSILON, NONE, Switches, frequencies, gain, slopes

#: The file from which a generated program reads weights that are not drawn from a seed.
WEIGHTS_FILE = "headcount_layer.npz"
#: Printed numbers of the output, at its start and at its end. With a causal mask, the first row does not depend on scores.
PRINTED = 6

HEAD = '''
"""Multi-head attention in {library}: {what}. Prints the numbers that Headcount shows."""

?keras import keras
import numpy as np
?torch import torch

seed = {layer.seed}
num_heads, key_dim, value_dim = {layer.num_heads}, {layer.key_dim}, {layer.value_dim}


def draw(stream, *shape):
    """Standard normal numbers: one stream for each array."""
    return np.random.default_rng([seed, stream]).standard_normal(shape, dtype=np.float32)

?kernels
?kernels def kernel(stream, width, size):
?kernels     """A weight matrix (width, heads, size) of variance 1 / width. One more head only appends columns."""
?kernels     columns = draw(stream, num_heads * size, width) / np.float32(np.sqrt(width))
?kernels     return columns.T.reshape(width, num_heads, size)
?kernels

{numbers}
?allowed allowed = {allowed}
'''
KERAS = """
?bug # Keras 3.10 to 3.15 on TensorFlow adds a bias along the wrong axis at these sizes (see Headcount); other backends do not.
?drops # Which weights are dropped Keras's own generator draws from its seed.
layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim{options})
layer.build(query.shape, value.shape, key.shape)
layer.set_weights([{names}])
# The value comes before the key. Scores are asked for in the call, not in the constructor.
output, scores = layer(query, value, key{arguments}, return_attention_scores=True)
output, scores = keras.ops.convert_to_numpy(output), keras.ops.convert_to_numpy(scores)
"""
NUMPY = """
q = np.einsum("{inputs}", query, w_q){add_q}
k = np.einsum("{inputs}", key, w_k){add_k}
v = np.einsum("{inputs}", value, w_v){add_v}
?normed
?normed
?normed def normed(x, gain, shift=0):  # QK-norm
?centred     x = x - x.mean(-1, keepdims=True)
?normed     return x / ((x * x).mean({over_norm}, keepdims=True) + {epsilon}) ** 0.5 * gain + shift
?normed
?normed
?normed q, k = normed(q, {norm_q}), normed(k, {norm_k})
?rotary
?rotary
?rotary def rotated(x):  # rotary positions
?rotary     turn = np.arange(x.shape[1])[:, None] * {frequencies}
?rotary     cos, sin = np.float32({gain}np.cos(turn))[:, None], np.float32({gain}np.sin(turn))[:, None]
?rotary     one, other, result = x[..., {first}], x[..., {second}], np.empty_like(x)
?rotary     result[..., {first}], result[..., {second}] = one * cos - other * sin, other * cos + one * sin
?rotary     return result
?rotary
?rotary
?rotary q, k = rotated(q), rotated(k)
scores = np.einsum("{dot}", {operands}){divided}
?cap scores = {on.soft_cap} * np.tanh(scores / {on.soft_cap})  # soft cap
?alibi away = np.abs(np.arange(query.shape[1])[:, None] - np.arange(key.shape[1]))
?alibi scores = scores - np.float32(np.array({slopes})[:, None, None] * away)  # ALiBi
?nowhere # A query that may look nowhere gets zeros, as in Keras where the scores are asked for.
?nowhere scores = np.where(allowed, scores, np.float32(-1e30))
?nowhere weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * allowed
?nowhere total = weights.sum(axis=-1, keepdims=True)
?nowhere weights = weights / np.where(total == 0, np.float32(1), total)
?somewhere scores = np.where(allowed, scores, -np.inf)
?softmax weights = np.exp(scores - scores.max(axis={over}, keepdims=True))
?softmax weights /= weights.sum(axis={over}, keepdims=True)  # softmax: what Keras calls the scores
?sinks sink = sinks[:, None, None]  # one score more for each head, whose weight goes nowhere
?sinks top = np.maximum(scores.max(axis=-1, keepdims=True), sink)
?sinks weights = np.exp(scores - top)
?sinks weights /= weights.sum(axis=-1, keepdims=True) + np.exp(sink - top)
?drops chance = np.random.default_rng([{layer.dropout_seed}, {stream}]).random(weights.shape, dtype=np.float32)
?drops dropped = weights * np.where(chance >= {layer.dropout}, np.float32(1 / (1 - {layer.dropout})), np.float32(0))
context = np.einsum("{combine}", {mixing}, v)
?gate context = context / (1 + np.exp(-(np.einsum("{inputs}", query, w_g){add_g})))  # each head's result times its gate
output = np.einsum("{joined}", context, w_o){add_o}
"""
TORCH = '''
query, key, value = (torch.from_numpy(array) for array in (query, key, value))


def turned(kernel):
    """PyTorch keeps (out, in): heads and their columns joined, then turned."""
    return torch.from_numpy(kernel.reshape(len(kernel), -1).T.copy())


layer = torch.nn.MultiheadAttention({width}, num_heads{options}, batch_first=True)
with torch.no_grad():
?packed     layer.in_proj_weight.copy_(torch.cat([turned(w_q), turned(w_k), turned(w_v)]))
?apart     layer.q_proj_weight.copy_(turned(w_q))
?apart     layer.k_proj_weight.copy_(turned(w_k))
?apart     layer.v_proj_weight.copy_(turned(w_v))
    layer.out_proj.weight.copy_(torch.from_numpy(w_o.reshape(-1, {width}).T.copy()))
?bias     layer.in_proj_bias.copy_(torch.from_numpy(np.concatenate([b_q.ravel(), b_k.ravel(), b_v.ravel()])))
?bias     layer.out_proj.bias.copy_(torch.from_numpy(b_o))
?allowed allowed = torch.from_numpy(allowed)
?allowed # True forbids here, where it allows in Keras.
# The key comes before the value; the scores are averaged over the heads unless that is switched off.
output, scores = layer(query, key, value, average_attn_weights=False{arguments})
'''
TAIL = """
print("output", tuple(output.shape))
print("scores", tuple({scores}.shape))
print("parameters", {count})
print("first numbers", *(f"{{x:.4f}}" for x in output.reshape(-1)[:{printed}].tolist()))
print("last numbers", *(f"{{x:.4f}}" for x in output.reshape(-1)[-{printed}:].tolist()))
"""


class Unwritable(ValueError):
    """Error: a library cannot express these settings. The message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class KerasCall:
    """One call of a layer, for which programs are generated. If `layer` has weights, the programs read these from WEIGHTS_FILE.
    - `causal`, `training`: the call's use_causal_mask and training. `divisor`: replaces √d_k in NumPy's program, or is None.
    - `cfg`: the Config of a layer with switches (headcount.switches), or None. Only NumPy's program can have switches."""

    layer: KerasLayer
    causal: bool = False
    training: bool = False
    cfg: Config | None = None
    divisor: float | None = None

    @property
    def rows(self) -> tuple[KerasVariable, ...] | tuple[LedgerRow, ...]:
        """The layer's variables in the order of Keras's `.weights`, then the variables of switches (headcount.switches)."""
        return variables(self.layer) if self.cfg is None else ledger(self.cfg)

    @property
    def drops(self) -> bool:
        """Whether this call applies dropout to the attention weights."""
        return self.training and self.layer.dropout > 0

    @property
    def plain(self) -> bool:
        """Whether the inputs have the axes (batch, positions, width) and attention is over the positions."""
        return self.layer.rank == 3 and self.layer.axes == (1,)

    @property
    def masked(self) -> bool:
        return self.causal or self.layer.sliding_window is not None

    @property
    def some_see_nothing(self) -> bool:
        """Whether the sliding window leaves any query without keys. If so, the last query is without keys."""
        queries, keys, window = self.layer.query_shape[1], self.layer.key_shape[1], self.layer.sliding_window
        return window is not None and queries - keys >= window


def fill(template: str, facts: Mapping[str, Any]) -> str:
    """Fills a template with facts. A line that begins with "?name" is left out if the fact `name` is false. If the fact is true,
    only the mark "?name" is left out."""
    lines: list[str] = []
    for line in template.strip("\n").split("\n"):
        name, _, rest = line[1:].partition(" ")
        if not line.startswith("?"):
            lines.append(line)
        elif facts[name]:
            lines.append(rest)
    return "\n".join(lines).format_map(facts)


def numbers(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


def _inputs(settings: KerasCall) -> list[str]:
    """Returns the code that makes query, value and key. Inputs of equal shape are the same array, as in keras.layer.inputs_of."""
    layer = settings.layer
    name_of: dict[tuple[int, ...], str] = {}
    lines: list[str] = []
    for name, shape, stream in (
        ("query", layer.query_shape, "x"), ("value", layer.value_shape, "y"), ("key", layer.key_shape, "z"),
    ):  # fmt: skip
        lines.append(f"{name} = {name_of.get(shape, f'draw({STREAMS[stream]}, {numbers(shape)})')}")
        name_of.setdefault(shape, name)
    return lines


def _weights(settings: KerasCall) -> list[str]:
    """Returns the code that reads the weights from a file or draws them as headcount.params.draw_weights does."""
    names = tuple(row.name for row in settings.rows)
    if settings.layer.weights is not None:
        return [
            f"# Weights of your own: {WEIGHTS_FILE} has to lie beside this script.",
            f'with np.load("{WEIGHTS_FILE}", allow_pickle=False) as file:',
            f"    {', '.join(names)} = (file[name] for name in {names})",
        ]
    lines: list[str] = []
    for row in settings.rows:
        stream, shape = STREAMS[row.name], numbers(row.shape)
        drawn = f"kernel({stream}, {row.shape[0]}, {'value_dim' if row.name in ('w_v', 'w_g') else 'key_dim'})"
        if row.name == "w_o":
            columns = f"draw({stream}, num_heads * value_dim, {math.prod(row.shape[2:])})"
            drawn = f"({columns} / np.float32(np.sqrt({settings.layer.query_shape[-1]}))).reshape({shape})"
        elif not row.name.startswith("w_"):
            start, scale = "1 + " * (row.name in GAINS), f"{BIAS_SCALE} * " * (row.name != "sinks")
            drawn = f"{start}{scale}draw({stream}, {shape})"
        lines.append(f"{row.name} = {drawn}")
    return lines


def _facts(settings: KerasCall, library: str) -> dict[str, Any]:
    layer = settings.layer
    arrays = "\n".join((*_inputs(settings), "", *_weights(settings)))
    queries, keys = layer.query_shape[1], layer.key_shape[1]
    allowed = [f"np.tri({queries}, {keys}, dtype=bool)"] * settings.causal
    if layer.sliding_window is not None:
        allowed.append(f"(abs(np.arange({queries})[:, None] - np.arange({keys})) < {layer.sliding_window})")
    what = f"{heads_in_words(layer.num_heads)}, key_dim {layer.key_dim}, value_dim {layer.value_dim}"
    return {
        "library": library, "what": f"{what}, with what published models changed" if settings.cfg else what, "layer": layer,
        "keras": library == "Keras", "torch": library == "PyTorch", "numbers": arrays, "kernels": "= kernel(" in arrays,
        "drops": settings.drops, "bias": layer.use_bias,
        "allowed": "" if library == "Keras" else " & ".join(allowed),
        "names": ", ".join(row.name for row in settings.rows), "printed": PRINTED, "scores": "scores",
    }  # fmt: skip


def _listed(words: Mapping[str, object]) -> str:
    return "".join(f", {word}" for word, wanted in words.items() if wanted)


def _keras(settings: KerasCall) -> dict[str, Any]:
    layer = settings.layer
    options = {
        "use_bias=False": not layer.use_bias, f"output_shape={layer.output_shape}": layer.output_shape,
        f"attention_axes={layer.attention_axes}": layer.attention_axes, "use_gate=True": layer.use_gate,
        f"sliding_window={layer.sliding_window}": layer.sliding_window is not None,
        f"dropout={layer.dropout}, seed={layer.dropout_seed}": settings.drops,
    }  # fmt: skip
    arguments = {"use_causal_mask=True": settings.causal, "training=True": settings.drops}
    return {"options": _listed(options), "arguments": _listed(arguments), "bug": hits_bias_bug(layer),
            "count": "layer.count_params()"}  # fmt: skip


def no_formula(settings: KerasCall) -> str:
    """Returns a sentence with the reason why NumPy's program cannot be generated. Returns "" if the program can be generated."""
    if not settings.layer.attends_positions:
        return f"Keras accepts attention_axes={settings.layer.attention_axes}, but what it computes then is not attention."
    if settings.masked and not settings.plain:
        return "Masks are written for inputs of rank 3 (batch, positions, width)."
    return ""


def _numpy(settings: KerasCall) -> dict[str, Any]:
    layer, cfg = settings.layer, settings.cfg
    if why := no_formula(settings):
        raise Unwritable(why)
    (dot, combine), out = einsum_scores(layer), "mno"[: len(layer.output_dims)]
    facts = {"inputs": einsum_in(layer.rank), "dot": dot, "operands": "k, q", "combine": combine,
             "joined": einsum_out(layer.rank, len(out))}  # fmt: skip
    if settings.plain:  # the paper's letters: t queries, s keys
        facts = {"inputs": "btm,mhd->bthd", "dot": "bthk,bshk->bhts", "operands": "q, k", "combine": "bhts,bshv->bthv",
                 "joined": f"bthv,hv{out}->bt{out}"}  # fmt: skip
    nowhere, divided = settings.masked and settings.some_see_nothing, " / np.float32(np.sqrt(key_dim))"
    if settings.divisor is not None:
        divided = f" / {settings.divisor!r}" * (settings.divisor != 1)
    facts |= {f"add_{letter}": f" + b_{letter}" * layer.use_bias for letter in "qkvgo"}
    facts |= {f"norm_{of}": ", ".join(row.name for row in settings.rows if row.name in (f"n_{of}", f"m_{of}", f"wide_{of}"))
              for of in "qk"}  # fmt: skip
    on = NONE if cfg is None else Switches(**{name: getattr(cfg, name) for name in asdict(NONE)})
    half = layer.key_dim // 2
    return facts | {
        "divided": divided, "over": -1 if len(layer.axes) == 1 else tuple(range(-len(layer.axes), 0)), "nowhere": nowhere,
        "somewhere": settings.masked and not nowhere, "softmax": not nowhere and not on.sinks, "drops": settings.drops,
        "mixing": "dropped" if settings.drops else "weights", "gate": layer.use_gate, "stream": DROPOUT_STREAM,
        "scores": "weights", "count": f"sum(array.size for array in ({', '.join(row.name for row in settings.rows)}))", "on": on,
        "normed": on.qk_norm != "none", "centred": on.qk_norm == "layer", "epsilon": EPSILON,
        "over_norm": "(-2, -1)" if on.qk_norm == "rms_wide" else -1,
        "frequencies": frequencies(cfg).tolist() if cfg and on.rotary_scaling
        else f"{on.rotary_base!r} ** (-np.arange(0, key_dim, 2) / key_dim)",
        "gain": f"{gain(cfg)!r} * " if cfg and gain(cfg) != 1 else "",
        "rotary": on.rotary != "none", "first": f":{half}" if on.rotary == "halves" else "0::2",
        "second": f"{half}:" if on.rotary == "halves" else "1::2", "cap": on.soft_cap, "sinks": on.sinks, "alibi": on.alibi,
        "slopes": [float(slope) for slope in slopes(layer.num_heads)] if on.alibi else [],
    }  # fmt: skip


def _torch(settings: KerasCall) -> dict[str, Any]:
    """Returns the template's facts for torch.nn.MultiheadAttention. Raises Unwritable if that class cannot compute this call."""
    layer = settings.layer
    why = obstacles(layer)
    if settings.drops:
        why.append("it draws by itself which weights are dropped")
    if not why and settings.some_see_nothing:
        why.append("it answers nan to a query that may look nowhere")
    if why:
        formula = no_formula(settings) or "NumPy's script has the formula."
        raise Unwritable(f"torch.nn.MultiheadAttention cannot be this layer: {'; '.join(why)}. {formula}")
    width, kdim, vdim = layer.query_shape[-1], layer.key_shape[-1], layer.value_shape[-1]
    options = {"bias=False": not layer.use_bias, f"kdim={kdim}": kdim != width, f"vdim={vdim}": vdim != width}
    packed = kdim == vdim == width
    return {
        "width": width, "options": _listed(options), "packed": packed, "apart": not packed,
        "arguments": _listed({"attn_mask=~allowed": settings.masked}), "count": "sum(p.numel() for p in layer.parameters())",
    }  # fmt: skip


#: For each library, its template and the function that returns the template's facts.
LIBRARIES = {"Keras": (KERAS, _keras), "PyTorch": (TORCH, _torch), "NumPy": (NUMPY, _numpy)}


def write(settings: KerasCall, library: str) -> str:
    """Generates a Python program for `library`, a key of LIBRARIES. Raises Unwritable if that library cannot compute it."""
    if settings.cfg is not None and library != "NumPy":
        raise Unwritable(f"No layer of {library}'s has this; NumPy's script has the formula.")
    template, of_library = LIBRARIES[library]
    facts = _facts(settings, library) | of_library(settings)
    return "\n\n".join(fill(part, facts) for part in (HEAD, template, TAIL)) + "\n"


def printed(settings: KerasCall, output: Floats) -> str:
    """Returns the text that a program prints if its layer has this output. Raises ValueError if the output has the wrong size."""
    layer, flat = settings.layer, output.reshape(-1)
    if output.size != math.prod(layer.result_shape):
        raise ValueError(f"output must have the shape {layer.result_shape}, got {output.shape}")
    count = sum(math.prod(row.shape) for row in settings.rows)
    ends = (("first", flat[:PRINTED]), ("last", flat[-PRINTED:]))
    lines = [f"{end} numbers " + " ".join(f"{x:.4f}" for x in some.tolist()) for end, some in ends]
    return "\n".join([f"output {layer.result_shape}", f"scores {layer.score_shape}", f"parameters {count}", *lines])


def expected(settings: KerasCall) -> str:
    """Computes in float64 what a program without switches prints. Returns "" if the layer is too large or has no NumPy
    program."""
    layer = settings.layer
    if layer.too_large or no_formula(settings):
        return ""
    mask = allowed(layer, settings.causal) if settings.plain else None
    return printed(settings, compute(layer, mask, training=settings.training)[0])
