"""Model of keras.layers.MultiHeadAttention without Keras: sizes, shapes, parameter count, and the output in NumPy. Weights and
inputs are drawn as in `headcount.params`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from headcount.arrays import Bools, Floats
from headcount.config import Config
from headcount.ledger import VARIABLES
from headcount.params import draw_weights, sample
from headcount.steps import drawn_factors

#: The inputs of a call, in this order: query, value, key.
Inputs = tuple[Floats, Floats, Floats]
#: The largest head count, size, and number of positions on one axis.
MAX_SIZE = 4096
#: Most numbers (parameters, inputs, intermediates) of one experiment: 17 MB in float32.
MAX_NUMBERS = 1 << 22


@dataclass(frozen=True, slots=True)
class KerasLayer:
    """A layer and the shapes of its inputs, including the batch, in Keras's terms.
    - `key_shape`: by default, `value_shape`. `output_shape`: if empty (Keras's None), the output is as wide as the query.
    - `attention_axes`: if empty (Keras's None), all axes of positions. Wrong axes are allowed, because Keras accepts some.
    - `dropout_seed`: the constructor's `seed`. `seed` draws weights and inputs. `weights`: by name, in place of drawn weights."""

    num_heads: int
    key_dim: int
    value_dim: int
    query_shape: tuple[int, ...]
    value_shape: tuple[int, ...]
    key_shape: tuple[int, ...] = ()
    output_shape: tuple[int, ...] = ()
    attention_axes: tuple[int, ...] = ()
    use_bias: bool = True
    seed: int = 0
    use_gate: bool = False
    sliding_window: int | None = None
    dropout: float = 0.0
    dropout_seed: int = 0
    weights: Mapping[str, Floats] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "key_shape", self.key_shape or self.value_shape)  # the class is frozen: set once, here

    def plain(self) -> dict[str, Any]:
        """Returns the fields as a dict, which is how an experiment gets a layer. If `weights` is None, the dict is without it."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "weights" or self.weights is not None}

    def with_batch(self, batch: int) -> "KerasLayer":
        shapes = {name: (batch, *getattr(self, name)[1:]) for name in ("query_shape", "value_shape", "key_shape")}
        return replace(self, **shapes)

    def with_positions(self, queries: tuple[int, ...], keys: tuple[int, ...] | None = None) -> "KerasLayer":
        """Returns the layer for inputs of other lengths, one per axis of positions. The new layer attends all these axes."""
        keys = queries if keys is None else keys
        lengths = {"query_shape": queries, "value_shape": keys, "key_shape": keys}
        shapes = {name: (getattr(self, name)[0], *each, getattr(self, name)[-1]) for name, each in lengths.items()}
        return replace(self, **shapes, attention_axes=())

    @property
    def rank(self) -> int:
        return len(self.query_shape)

    @property
    def axes(self) -> tuple[int, ...]:
        """The attended axes of the inputs. Negative axes are converted to those from the start."""
        axes = self.attention_axes or tuple(range(1, self.rank - 1))
        return tuple(axis if axis >= 0 else self.rank + axis for axis in axes)

    @property
    def attends_positions(self) -> bool:
        """Whether the attended axes are different axes of positions, as the documentation intends. Keras does not check this."""
        return len(set(self.axes)) == len(self.axes) and all(1 <= axis <= self.rank - 2 for axis in self.axes)

    @property
    def output_dims(self) -> tuple[int, ...]:
        return self.output_shape or self.query_shape[-1:]

    @property
    def result_shape(self) -> tuple[int, ...]:
        """The shape of the output, including the batch."""
        return self.query_shape[:-1] + self.output_dims

    @property
    def score_shape(self) -> tuple[int, ...]:
        """The shape of the scores: batch, unattended axes and heads, attended axes of the query, attended axes of the key. Keras
        counts axes on projected arrays, with heads in place of the width. Raises IndexError for an axis after the heads'."""
        query, key = (*self.query_shape[:-1], self.num_heads), (*self.key_shape[:-1], self.num_heads)
        outer = tuple(size for axis, size in enumerate(query) if axis not in self.axes)
        return (*outer, *(query[axis] for axis in self.axes), *(key[axis] for axis in self.axes))

    @property
    def numbers(self) -> int:
        """The count of all numbers of one call. Scores count twice: before and after the softmax. If an attended axis is not an
        axis of positions, the count is an upper bound."""
        places = math.prod(self.query_shape[:-1]), math.prod(self.key_shape[:-1])
        projections = self.num_heads * ((self.key_dim + self.value_dim) * (places[0] + places[1]))
        scores = math.prod(self.score_shape) if self.attends_positions else self.num_heads**2 * places[0] * places[1]
        inputs = sum(map(math.prod, (self.query_shape, self.value_shape, self.key_shape)))
        gate = 3 * self.num_heads * self.value_dim * places[0] * self.use_gate  # G, its sigmoid, and Z times it
        return count_of(self) + inputs + projections + gate + 2 * scores + math.prod(self.result_shape)

    @property
    def too_large(self) -> bool:
        return self.numbers > MAX_NUMBERS


def layer_of_config(cfg: Config) -> KerasLayer:
    query, key = (cfg.batch, cfg.query_len, cfg.d_model), (cfg.batch, cfg.key_len, cfg.d_model)
    return KerasLayer(
        cfg.num_heads, cfg.key_dim, cfg.value_dim, query, key, use_bias=cfg.use_bias, seed=cfg.seed, use_gate=cfg.use_gate,
        sliding_window=cfg.sliding_window, dropout=cfg.dropout, dropout_seed=cfg.dropout_seed,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class KerasVariable:
    """One variable: its name as in headcount.params, its path in Keras, its shape, and Keras's einsum ("" for a bias)."""

    name: str
    path: str
    shape: tuple[int, ...]
    einsum: str

    @property
    def count(self) -> int:
        return math.prod(self.shape)


def variables(layer: KerasLayer) -> tuple[KerasVariable, ...]:
    """Lists the layer's variables in the order of Keras's `.weights`."""
    heads, out = layer.num_heads, layer.output_dims
    rows: list[KerasVariable] = []
    for letter, path, width, size in (
        ("q", "query", layer.query_shape[-1], layer.key_dim),
        ("k", "key", layer.key_shape[-1], layer.key_dim),
        *((("g", "gate", layer.query_shape[-1], layer.value_dim),) if layer.use_gate else ()),
        ("v", "value", layer.value_shape[-1], layer.value_dim),
    ):
        rows.append(KerasVariable(f"w_{letter}", f"{path}/kernel", (width, heads, size), einsum_in(layer.rank)))
        rows.append(KerasVariable(f"b_{letter}", f"{path}/bias", (heads, size), ""))
    joined = einsum_out(layer.rank, len(out))
    rows.append(KerasVariable("w_o", "attention_output/kernel", (heads, layer.value_dim, *out), joined))
    rows.append(KerasVariable("b_o", "attention_output/bias", out, ""))
    return tuple(row for row in rows if layer.use_bias or row.name.startswith("w_"))


def count_of(layer: KerasLayer) -> int:
    """Returns the parameter count: h·d_k·(D_q + b) + h·d_v·(D_o + g·(D_q + b)) + h·d_k·(D_k + b) + h·d_v·(D_v + b) + b·D_o. With
    biases, b is 1; with a gate, g is 1. D_q, D_k and D_v are the inputs' widths, and D_o is the product of the output's
    lengths."""
    return sum(variable.count for variable in variables(layer))


LETTERS = "abcdefghijklmnop"


def einsum_in(rank: int) -> str:
    """Returns Keras's einsum that projects an input of this rank to heads: "abc,cde->abde" for rank 3."""
    free, summed, new = LETTERS[: rank - 1], LETTERS[rank - 1], LETTERS[rank : rank + 2]
    return f"{free}{summed},{summed}{new}->{free}{new}"


def einsum_out(rank: int, dims: int) -> str:
    """Returns Keras's einsum for the output projection: "abcd,cde->abe" for rank 3 and one output dimension."""
    free, summed, new = LETTERS[: rank - 1], LETTERS[rank - 1 : rank + 1], LETTERS[rank + 1 : rank + 1 + dims]
    return f"{free}{summed},{summed}{new}->{free}{new}"


def einsum_scores(layer: KerasLayer) -> tuple[str, str]:
    """Returns Keras's einsum of keys and queries, and that of scores and values. For an input of rank 3 with attention along axis
    1, they are "aecd,abcd->acbe" and "acbe,aecd->abcd"."""
    query = LETTERS[: layer.rank + 1]
    fresh = iter(LETTERS[layer.rank + 1 :])
    key = "".join(next(fresh) if place in layer.axes else letter for place, letter in enumerate(query))
    outer = "".join(letter for place, letter in enumerate(query[:-1]) if place not in layer.axes)
    scores = outer + "".join(query[axis] for axis in layer.axes) + "".join(key[axis] for axis in layer.axes)
    return f"{key},{query}->{scores}", f"{scores},{key}->{query}"


def obstacles(layer: KerasLayer) -> list[str]:
    """Lists why torch.nn.MultiheadAttention (2.13) cannot compute this layer. That layer has embed_dim = h · head_dim."""
    width, inner = layer.query_shape[-1], layer.num_heads * layer.key_dim
    reasons = {
        f"h · key_dim = {inner} is not d_model = {width}": inner != width,
        f"value_dim = {layer.value_dim} is not key_dim = {layer.key_dim}": layer.value_dim != layer.key_dim,
        f"the output is {' × '.join(map(str, layer.output_dims))} and not {width} wide": layer.output_dims != (width,),
        f"the input has rank {layer.rank} and not 3": layer.rank != 3,
        f"attention_axes={layer.attention_axes} are not the positions": layer.rank == 3 and layer.axes != (1,),
        "it has no gate": layer.use_gate,
    }
    return [reason for reason, holds in reasons.items() if holds]


def torch_place(layer: KerasLayer, variable: KerasVariable) -> tuple[str, tuple[int, ...]]:
    """Returns PyTorch's name and shape for a variable of the layer. In a packed matrix or bias, the shape is that of one third.
    If nn.MultiheadAttention cannot compute the layer, the name is that of a separate nn.Linear."""
    letter, is_kernel = variable.name[2:], variable.name.startswith("w_")
    rows = math.prod(variable.shape[:2]) if variable.name == "w_o" else variable.shape[0]
    shape = (variable.count // rows, rows) if is_kernel else (variable.count,)
    if obstacles(layer):
        return f"{letter}_linear.{'weight' if is_kernel else 'bias'}", shape
    if variable.name in ("w_q", "w_k", "w_v") and len({layer.query_shape[-1], layer.key_shape[-1], layer.value_shape[-1]}) > 1:
        return f"{letter}_proj_weight", shape
    return next(one.torch for one in VARIABLES if one.name == variable.name), shape


def weights_of(layer: KerasLayer) -> dict[str, Floats]:
    """Returns the layer's parameters by name: `layer.weights`, or drawn from the seed. Raises ValueError for wrong shapes."""
    if layer.weights is not None:
        wanted, got = {row.name: row.shape for row in variables(layer)}, {name: a.shape for name, a in layer.weights.items()}
        if wanted != got:
            raise ValueError(f"weights must have the shapes {wanted}, got {got}")
        return {name: layer.weights[name] for name in wanted}
    return draw_weights(layer.seed, {row.name: row.shape for row in variables(layer)}, layer.query_shape[-1])


def inputs_of(layer: KerasLayer) -> Inputs:
    """Draws the query, value and key of a call as float32. Inputs of equal shape are the same array, as in self-attention."""
    query = sample(layer.seed, "x", layer.query_shape)
    value = query if layer.value_shape == layer.query_shape else sample(layer.seed, "y", layer.value_shape)
    same = {layer.query_shape: query, layer.value_shape: value}
    key = same[layer.key_shape] if layer.key_shape in same else sample(layer.seed, "z", layer.key_shape)
    return query, value, key


def band(layer: KerasLayer) -> Bools | None:
    """Returns the sliding window of keras.layers.MultiHeadAttention as booleans (T, S): True if query t may attend to key s. The
    window applies to axis 1 of query and value, whichever axes are attended. Returns None for a layer without a window."""
    if layer.sliding_window is None:
        return None
    apart = np.arange(layer.query_shape[1])[:, None] - np.arange(layer.value_shape[1])
    return np.less(np.abs(apart), layer.sliding_window)


def allowed(layer: KerasLayer, causal: bool) -> Bools:
    """Returns booleans (T, S): True if the window and, with `causal`, the mask let a query attend to a key. Needs rank 3."""
    queries, keys = layer.query_shape[1], layer.key_shape[1]
    pairs = np.tri(queries, keys, dtype=bool) if causal else np.ones((queries, keys), bool)
    return pairs if (window := band(layer)) is None else pairs & window


def compute(layer: KerasLayer, mask: Bools | None = None, training: bool = False) -> tuple[Floats, Floats]:
    """Computes output and scores in float64 with Keras's einsums. The scores are after the softmax and before dropout, as Keras
    returns them. Attended axes must be axes of positions. `mask` is True where a query may attend to a key, and broadcasts
    against the scores. The sliding window also applies. A query without any key gets weights of 0. `training` applies dropout."""
    weights = {name: values.astype(np.float64) for name, values in weights_of(layer).items()}
    query, value, key = (x.astype(np.float64) for x in inputs_of(layer))

    def project(x: Floats, letter: str) -> Floats:
        return np.einsum(einsum_in(layer.rank), x, weights[f"w_{letter}"]) + weights.get(f"b_{letter}", 0.0)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    dot, combine = einsum_scores(layer)
    scores = np.einsum(dot, k, q, optimize=True) / np.sqrt(layer.key_dim)
    over = tuple(range(-len(layer.axes), 0))
    allowed = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    if (window := band(layer)) is not None:
        allowed = allowed & window
    top = np.max(scores, axis=over, keepdims=True, where=allowed, initial=-np.inf)
    shares = np.where(allowed, np.exp(scores - np.where(np.isfinite(top), top, 0.0)), 0.0)
    total = shares.sum(axis=over, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    mixing = shares * drawn_factors(layer.dropout_seed, layer.dropout, shares.shape) if training and layer.dropout else shares
    context = np.einsum(combine, mixing, v, optimize=True)
    if layer.use_gate:
        context /= 1 + np.exp(-project(query, "g"))
    output = np.einsum(einsum_out(layer.rank, len(layer.output_dims)), context, weights["w_o"]) + weights.get("b_o", 0.0)
    return output, shares


def hits_bias_bug(layer: KerasLayer) -> bool:
    """Returns whether Keras on TensorFlow (3.10.0 to 3.15.1) adds a bias along the wrong axis. `keras.ops.add(x, b)` treats a b
    of shape (h, 1) as a bias of axis 1 if x has length h there. In (batch, t, h, 1), axis 1 is the sequence. So the bug needs a
    head size of 1, at least two heads, and as many positions as heads. The same holds for an output bias of shape (n, 1)."""
    if not layer.use_bias:
        return False
    of_keys, of_values = [layer.query_shape[1], layer.key_shape[1]], [layer.value_shape[1]]
    of_values += [layer.query_shape[1]] * layer.use_gate
    small = [lengths for size, lengths in ((layer.key_dim, of_keys), (layer.value_dim, of_values)) if size == 1]
    if layer.num_heads > 1 and any(layer.num_heads in lengths for lengths in small):
        return True
    out = layer.output_dims
    return len(out) > 1 and all(n == 1 for n in out[1:]) and out[0] > 1 and out[0] == layer.query_shape[1]
