"""The layer as a program: complete scripts for Keras, PyTorch and NumPy that draw the same numbers and print the same results."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent

import numpy as np

from mha.arrays import Bools, Floats, Ints
from mha.custom_layer import CustomLayer
from mha.keras.layer import (
    KerasLayer,
    band,
    compute,
    count_of,
    einsum_in,
    einsum_out,
    einsum_scores,
    hits_bias_bug,
    layer_of_config,
    variables,
)  # fmt: skip
from mha.ledger import ledger
from mha.names import heads_in_words
from mha.params import BIAS_SCALE, STREAMS
from mha.steps import DROPOUT_STREAM

#: The file from which a script takes weights that no seed gives.
WEIGHTS_FILE = "headcount_layer.npz"


class Unwritable(ValueError):
    """A sentence: why a library cannot express these settings."""


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """`mask`: True where a query may look, (B, 1, S) or (T, S), or None; `causal`: Keras's use_causal_mask, which joins it, as
    does the layer's sliding window. `training`: of the call.

    The numbers of a layer that brings its `weights` are read from WEIGHTS_FILE; inputs are drawn all the same. `numbers`: arrays
    by name that are written out in the script.
    """

    layer: KerasLayer
    causal: bool = False
    mask: Bools | None = None
    training: bool = False
    numbers: Mapping[str, Floats] = field(default_factory=dict[str, Floats])

    @property
    def drops(self) -> bool:
        """Whether weights are dropped in the pass."""
        return self.training and self.layer.dropout > 0

    @property
    def plain(self) -> bool:
        """Inputs of rank 3, attended along their positions."""
        return self.layer.rank == 3 and self.layer.axes == (1,)

    @property
    def from_file(self) -> bool:
        """Whether the layer brings weights that no seed draws."""
        return self.layer.weights is not None

    @property
    def masked(self) -> bool:
        return self.causal or self.mask is not None or self.layer.sliding_window is not None

    def allowed(self) -> Bools | None:
        """The whole mask, to broadcast against scores (B, h, T, S); for inputs of rank 3."""
        if not self.masked:
            return None
        length, keys = self.layer.query_shape[1], self.layer.key_shape[1]
        triangle = np.tri(length, keys, dtype=bool) if self.causal else np.ones((length, keys), bool)
        if (window := band(self.layer)) is not None:
            triangle &= window
        return triangle if self.mask is None else triangle & self.mask[..., None, :, :]

    @property
    def some_see_nothing(self) -> bool:
        """Whether some query sees no key. A mask of one row is not spread over all pairs: there may be 4096 × 4096."""
        queries, keys = self.layer.query_shape[1], self.layer.key_shape[1]
        if self.mask is None or self.mask.shape[-2] == 1:
            window = self.layer.sliding_window or queries + keys
            row = np.ones((1, keys), bool) if self.mask is None else np.atleast_2d(self.mask[..., 0, :])
            seen: Ints = np.cumsum(np.pad(row, ((0, 0), (1, 0))), axis=-1)
            first = np.minimum(keys, np.maximum(0, np.arange(queries) + 1 - window))
            behind = np.minimum(keys, np.arange(queries) + (1 if self.causal else window))
            return not bool((seen[:, behind] > seen[:, first]).all())
        allowed = self.allowed()
        return allowed is not None and not bool(allowed.any(axis=-1).all())


#: Numbers of the output that are printed from its start, and from its end: under a causal mask the first row needs no scores.
PRINTED = 6
DRAW = '''
def draw(stream, *shape):
    """Standard normal numbers: one stream for each array."""
    return np.random.default_rng([seed, stream]).standard_normal(shape, dtype=np.float32)
'''
KERNEL = '''

def kernel(stream, width, size):
    """(width, heads, size), variance 1 / width; drawn column by column: one more head appends some."""
    columns = draw(stream, num_heads * size, width) / np.float32(np.sqrt(width))
    return columns.T.reshape(width, num_heads, size)
'''


def head(settings: Settings, library: str, imports: str, helper: str = "") -> str:
    """Docstring, imports, sizes, the functions that are needed, inputs and weights."""
    layer = settings.layer
    what = f"{heads_in_words(layer.num_heads)}, key_dim {layer.key_dim}, value_dim {layer.value_dim}"
    sizes = f"num_heads, key_dim, value_dim = {layer.num_heads}, {layer.key_dim}, {layer.value_dim}"
    parts = [f'"""Multi-head attention in {library}: {what}. Prints what Headcount shows."""', "", *imports.splitlines(), ""]
    inputs, weights = _inputs(settings), _from_file(settings) if settings.from_file else _weights(settings)
    called = "\n".join((*inputs, *weights))
    drawing = DRAW * ("draw(" in called or "kernel(" in called) + KERNEL * ("kernel(" in called)
    seed = [f"seed = {layer.seed}"] if drawing else []
    dropping = [f"dropout, dropout_seed = {layer.dropout}, {layer.dropout_seed}"] if settings.drops else []
    functions = [drawing, helper and f"{helper}\n"] if drawing else [f"{helper}\n"] * bool(helper)
    parts += [*seed, sizes, *dropping, "", *functions, *inputs, "", *weights]
    return "\n".join([*parts, *_mask(settings)]) + "\n"


def _array(settings: Settings, name: str) -> str:
    """Its numbers as nested lists, seven digits each: as many as float32 has."""
    def literal(part: Floats) -> str:
        return f"{float(part):.7g}" if part.ndim == 0 else f"[{', '.join(map(literal, part))}]"

    return f"np.array({literal(settings.numbers[name])}, dtype=np.float32)"


def _inputs(settings: Settings) -> list[str]:
    """As mha.keras.layer.inputs_of: inputs of one shape are one array."""
    layer = settings.layer
    name_of: dict[tuple[int, ...], str] = {}
    lines: list[str] = []
    for name, shape, stream in (
        ("query", layer.query_shape, "x"), ("value", layer.value_shape, "y"), ("key", layer.key_shape, "z"),
    ):  # fmt: skip
        drawn = _array(settings, name) if name in settings.numbers else f"draw({STREAMS[stream]}, {numbers(shape)})"
        lines.append(f"{name} = {name_of.get(shape, drawn)}")
        name_of.setdefault(shape, name)
    return lines


def _weights(settings: Settings) -> list[str]:
    """As mha.keras.layer.weights_of: the order is that of Keras's `.weights`."""
    layer = settings.layer
    lines: list[str] = []
    for row in variables(layer):
        stream = STREAMS[row.name]
        if row.name in settings.numbers:
            lines.append(f"{row.name} = {_array(settings, row.name)}")
        elif row.name.startswith("b_"):
            lines.append(f"{row.name} = {BIAS_SCALE} * draw({stream}, {numbers(row.shape)})")
        elif row.name == "w_o":
            shape = f"num_heads, value_dim, {numbers(row.shape[2:])}"
            columns = int(np.prod(row.shape[2:]))
            drawn = f"draw({stream}, num_heads * value_dim, {columns}) / np.float32(np.sqrt({layer.query_shape[-1]}))"
            lines.append(f"w_o = ({drawn}).reshape({shape})")
        else:
            size = "value_dim" if row.name in ("w_v", "w_g") else "key_dim"
            lines.append(f"{row.name} = kernel({stream}, {row.shape[0]}, {size})")
    return lines


def _from_file(settings: Settings) -> list[str]:
    names = [row.name for row in variables(settings.layer)]
    return [
        f"# Weights of your own: {WEIGHTS_FILE} has to lie beside this script.",
        f'with np.load("{WEIGHTS_FILE}", allow_pickle=False) as file:',
        f"    {', '.join(names)} = (file[name] for name in {tuple(names)})",
    ]


def _mask(settings: Settings) -> list[str]:
    """`mask`, True where a query may look; nothing where there is none, or only the causal one."""
    mask = settings.mask
    if mask is None:
        return []
    lengths: Ints = mask.sum(axis=-1)
    first_keys: Bools = np.less(np.arange(int(mask.shape[-1])), lengths[..., None])
    if mask.ndim == 3 and np.array_equal(mask, first_keys):
        real = ", ".join(str(int(length)) for length in lengths[:, 0])
        return ["", "# True: may look. So many keys of each sample are real.",
                f"mask = np.arange({mask.shape[-1]}) < np.array([{real}])[:, None, None]"]  # fmt: skip
    rows = mask if mask.ndim == 2 else mask.reshape(-1, mask.shape[-1])
    written = [f'    "{"".join("1" if cell else "0" for cell in row)}",' for row in rows]
    shaped = "" if mask.ndim == 2 else f".reshape({numbers(mask.shape)})"
    return ["", "# True (1): may look. A row is a query, a column a key.", "rows = [", *written, "]",
            f'mask = np.array([[letter == "1" for letter in row] for row in rows]){shaped}']  # fmt: skip


def numbers(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


def tail(count: str, scores: str = "scores") -> str:
    """What every script prints. `count`: the expression for the parameters' number; `scores`: the variable that holds them."""
    prints = dedent(f"""
        print("output", tuple(output.shape))
        print("parameters", {count})
        print("first numbers", *(f"{{x:.4f}}" for x in output.reshape(-1)[:{PRINTED}].tolist()))
        print("last numbers", *(f"{{x:.4f}}" for x in output.reshape(-1)[-{PRINTED}:].tolist()))
    """)
    print_scores = f'print("scores", tuple({scores}.shape))\n' if scores else ""
    return prints.replace('print("parameters"', f'{print_scores}print("parameters"')


def _check(settings: Settings, not_attention: str) -> None:
    """Unwritable for masks on inputs of higher rank, and with `not_attention` for axes that are none of positions."""
    if not settings.layer.attends_positions:
        raise Unwritable(not_attention)
    if settings.masked and not settings.plain:
        raise Unwritable("Masks are written for inputs of rank 3 (batch, positions, width).")


# Keras

BUG = """
# Keras 3.10 to 3.15 on TensorFlow adds a bias along the wrong axis at these sizes (see Headcount); other backends do not.
"""


def _keras(settings: Settings) -> str:
    """The real layer, holding the numbers."""
    layer = settings.layer
    lines = [head(settings, "Keras", "import keras\nimport numpy as np")]
    if hits_bias_bug(layer):
        lines.append(BUG.strip())
    arguments = ["num_heads", "key_dim", "value_dim"]
    if not layer.use_bias:
        arguments.append("use_bias=False")
    if layer.output_shape:
        arguments.append(f"output_shape={layer.output_shape}")
    if layer.attention_axes:
        arguments.append(f"attention_axes={layer.attention_axes}")
    arguments += ["use_gate=True"] * layer.use_gate
    if layer.sliding_window is not None:
        arguments.append(f"sliding_window={layer.sliding_window}")
    arguments += ["dropout=dropout", "seed=dropout_seed"] if settings.drops else []
    call = ["query", "value", "key"]
    if settings.mask is not None:
        call.append("attention_mask=mask")
    if settings.causal:
        call.append("use_causal_mask=True")
    if settings.drops:
        call.append("training=True")
        lines.append("# Which weights are dropped Keras's own generator draws from its seed.")
    lines += [
        f"layer = keras.layers.MultiHeadAttention({', '.join(arguments)})",
        "layer.build(query.shape, value.shape, key.shape)",
        f"layer.set_weights([{', '.join(row.name for row in variables(layer))}])",
        "# The value comes before the key. The scores are asked for here, not in the constructor.",
        f"output, scores = layer({', '.join(call)}, return_attention_scores=True)",
        "output, scores = keras.ops.convert_to_numpy(output), keras.ops.convert_to_numpy(scores)",
    ]
    return "\n".join(lines) + "\n" + tail("layer.count_params()")


# NumPy

#: A softmax that gives a query zeros where it may look nowhere.
ZEROS = """
# A query that may look nowhere gets zeros, as in Keras where the scores are asked for.
scores = np.where(allowed, scores, np.float32(-1e30))
weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * allowed
total = weights.sum(axis=-1, keepdims=True)
weights = weights / np.where(total == 0, np.float32(1), total)
"""


def _numpy(settings: Settings) -> str:
    """The formula itself."""
    layer = settings.layer
    _check(settings, f"Keras accepts attention_axes={layer.attention_axes}, but what it computes then is not attention.")
    lines = [head(settings, "NumPy", "import numpy as np")]
    inputs, output = einsum_in(layer.rank), einsum_out(layer.rank, len(layer.output_dims))
    dot, combine = einsum_scores(layer)
    operands = "k, q"
    if settings.plain:  # the letters of the paper's sizes: t queries, s keys
        inputs, dot, combine, output = "btm,mhd->bthd", "bthk,bshk->bhts", "bhts,bshv->bthv", output
        operands = "q, k"
        output = f"bthv,hv{'mno'[: len(layer.output_dims)]}->bt{'mno'[: len(layer.output_dims)]}"
    for letter, source in (("q", "query"), ("k", "key"), ("v", "value")):
        bias = f" + b_{letter}" if layer.use_bias else ""
        lines.append(f'{letter} = np.einsum("{inputs}", {source}, w_{letter}){bias}')
    lines.append(f'scores = np.einsum("{dot}", {operands}) / np.float32(np.sqrt(key_dim))')
    lines += _softmax(settings)
    if settings.drops:
        lines += [*_kept("weights.shape"), "dropped = weights * kept"]
    lines.append(f'context = np.einsum("{combine}", {"dropped" if settings.drops else "weights"}, v)')
    if layer.use_gate:
        gate = f'np.einsum("{inputs}", query, w_g)' + (" + b_g" if layer.use_bias else "")
        lines.append(f"context = context / (1 + np.exp(-({gate})))  # each head's result times its gate")
    lines.append(f'output = np.einsum("{output}", context, w_o)' + (" + b_o" if layer.use_bias else ""))
    count = " + ".join(f"{row.name}.size" for row in variables(layer))
    return "\n".join(lines) + "\n" + tail(count, "weights")


def _kept(shape: str) -> list[str]:
    """`kept`: 0 for a share `dropout` of the weights, 1 / (1 - dropout) for the others; as mha.steps.drawn_kept."""
    return [f"chance = np.random.default_rng([dropout_seed, {DROPOUT_STREAM}]).random({shape}, dtype=np.float32)",
            "kept = np.where(chance >= dropout, np.float32(1 / (1 - dropout)), np.float32(0))"]  # fmt: skip


def _window(layer: KerasLayer, arrays: str) -> list[str]:
    """`window`: where the sliding window lets a query look, in NumPy ("np") or in PyTorch ("torch")."""
    if layer.sliding_window is None:
        return []
    queries, keys = f"{arrays}.arange({layer.query_shape[1]})", f"{arrays}.arange({layer.key_shape[1]})"
    return [f"window = abs({queries}[:, None] - {keys}) < {layer.sliding_window}"]


def _softmax(settings: Settings) -> list[str]:
    lines: list[str] = []
    if settings.masked:
        causal = f"np.tri({settings.layer.query_shape[1]}, {settings.layer.key_shape[1]}, dtype=bool)"
        lines += _window(settings.layer, "np")
        allowed = _joined(settings, causal, "window", "mask[..., None, :, :]")
        lines.append(f"allowed = {allowed}  # for every head the same")
        if settings.some_see_nothing:
            return [*lines, ZEROS.strip()]
        lines.append("scores = np.where(allowed, scores, -np.inf)")
    axes = tuple(range(-len(settings.layer.axes), 0))
    over = axes[0] if len(axes) == 1 else axes
    return [
        *lines,
        f"weights = np.exp(scores - scores.max(axis={over}, keepdims=True))",
        f"weights /= weights.sum(axis={over}, keepdims=True)  # softmax: what Keras calls the scores",
    ]


def _joined(settings: Settings, causal: str, window: str, mask: str) -> str:
    """Those of the three masks that there are."""
    there = (settings.causal, settings.layer.sliding_window is not None, settings.mask is not None)
    return " & ".join(part for part, is_there in zip((causal, window, mask), there, strict=True) if is_there)


# PyTorch

TURNED = '''
def turned(kernel):
    """PyTorch keeps (out, in): heads and their columns joined, then turned."""
    return torch.from_numpy(kernel.reshape(len(kernel), -1).T.copy())
'''
LINEAR = '''
def linear(kernel, bias=None):
    """(in, out) as a Linear layer, which keeps (out, in)."""
    layer = torch.nn.Linear(*kernel.shape, bias=bias is not None)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(kernel.T.copy()))
        if bias is not None:
            layer.bias.copy_(torch.from_numpy(bias.reshape(-1)))
    return layer
'''


def why_linear(settings: Settings) -> str:
    """What nn.MultiheadAttention cannot express of this layer, in words; "" where it can express it."""
    layer = settings.layer
    width, joined = layer.query_shape[-1], layer.num_heads * layer.key_dim
    if not settings.plain:
        return f"its inputs are (batch, positions, width), here {layer.query_shape}"
    if layer.value_dim != layer.key_dim:
        return f"its values are as wide as its keys; here value_dim is {layer.value_dim} and key_dim {layer.key_dim}"
    if joined != width:
        return f"h · key_dim must be embed_dim; here {layer.num_heads} · {layer.key_dim} = {joined} and {width}"
    if layer.output_dims != (width,):
        return f"its output is as wide as its query, {width}; here it is {numbers(layer.output_dims)}"
    if layer.use_gate:
        return "it has no gate"
    if settings.drops:
        return "it draws by itself which weights are dropped; here they are those of the page"
    if settings.some_see_nothing:
        return "a query that may look nowhere makes it answer nan"
    return ""


def _torch(settings: Settings) -> str:
    """nn.MultiheadAttention where it can express the layer, four Linear layers where it cannot."""
    _check(settings, f"PyTorch has nothing that does what Keras does with attention_axes={settings.layer.attention_axes}.")
    why = why_linear(settings)
    return _four_linear(settings, why) if why else _one_layer(settings)


def _start(settings: Settings, helper: str) -> list[str]:
    lines = [head(settings, "PyTorch", "import numpy as np\nimport torch", helper)]
    lines.append("query, key, value = (torch.from_numpy(array) for array in (query, key, value))")
    if settings.masked:
        causal = f"torch.ones({settings.layer.query_shape[1]}, {settings.layer.key_shape[1]}, dtype=torch.bool).tril()"
        lines += _window(settings.layer, "torch")
        lines.append("allowed = " + _joined(settings, causal, "window", "torch.from_numpy(mask)"))
    return lines


def _one_layer(settings: Settings) -> str:
    layer = settings.layer
    width, kdim, vdim = layer.query_shape[-1], layer.key_shape[-1], layer.value_shape[-1]
    other = (f", kdim={kdim}" if kdim != width else "") + (f", vdim={vdim}" if vdim != width else "")
    bias = "" if layer.use_bias else ", bias=False"
    lines = _start(settings, TURNED)
    lines += [f"layer = torch.nn.MultiheadAttention({width}, num_heads{bias}{other}, batch_first=True)", "with torch.no_grad():"]
    if other:
        lines += [f"    layer.{letter}_proj_weight.copy_(turned(w_{letter}))" for letter in "qkv"]
    else:
        lines.append("    layer.in_proj_weight.copy_(torch.cat([turned(w_q), turned(w_k), turned(w_v)]))")
    lines.append(f"    layer.out_proj.weight.copy_(torch.from_numpy(w_o.reshape(-1, {width}).T.copy()))")
    if layer.use_bias:
        lines.append("    biases = [torch.from_numpy(bias.reshape(-1)) for bias in (b_q, b_k, b_v)]")
        lines.append("    layer.in_proj_bias.copy_(torch.cat(biases))")
        lines += ["    layer.out_proj.bias.copy_(torch.from_numpy(b_o))"]
    mask = ""
    if settings.masked:
        if settings.mask is not None:
            shape = numbers((*layer.query_shape[:2], layer.key_shape[1]))
            lines.append("# A mask for each sample has to be there for each of its heads: (batch · heads, T, S).")
            lines.append(f"allowed = allowed.expand({shape}).repeat_interleave(num_heads, dim=0)")
        lines.append("# True forbids here, where it allows in Keras.")
        mask = ", attn_mask=~allowed"
    lines += [
        "# The key comes before the value; the scores are averaged over the heads unless that is switched off.",
        f"output, scores = layer(query, key, value, average_attn_weights=False{mask})",
    ]
    return "\n".join(lines) + "\n" + tail("sum(p.numel() for p in layer.parameters())")


def _four_linear(settings: Settings, why: str) -> str:
    layer = settings.layer
    places, back, outer = _orders(settings)
    attended = len(layer.axes)
    joined = f".flatten({outer + 1}, {outer + attended})" if attended > 1 else ""
    lines = _start(settings, LINEAR)
    how_many = "Five" if layer.use_gate else "Four"
    lines += [f"# nn.MultiheadAttention cannot say this: {why}.",
              f"# {how_many} Linear layers and the attention between them can."]  # fmt: skip
    for letter in "qkv":
        bias = f", b_{letter}" if layer.use_bias else ""
        lines.append(f"{letter}_proj = linear(w_{letter}.reshape(len(w_{letter}), -1){bias})")
    if layer.use_gate:
        lines.append(f"g_proj = linear(w_g.reshape(len(w_g), -1){', b_g' if layer.use_bias else ''})")
    out = len(layer.output_dims)
    lines.append(f"o_proj = linear(w_o.reshape(num_heads * value_dim, -1){', b_o' if layer.use_bias else ''})")
    lines.append(f"# Each head's positions and numbers last{', attended positions in one row' if joined else ''}.")
    for letter, source, size in (("q", "query", "key_dim"), ("k", "key", "key_dim"), ("v", "value", "value_dim")):
        cut = f"{letter}_proj({source}).unflatten(-1, (num_heads, {size}))"
        turned = "transpose(1, 2)" if settings.plain else f"permute({numbers(places)})"
        lines.append(f"{letter} = {cut}.{turned}{joined}")
    mask = ", attn_mask=allowed" if settings.masked else ""
    if settings.mask is not None:
        mask = ", attn_mask=allowed[..., None, :, :]"
    if settings.drops:
        lines.append("weights = q @ k.transpose(-2, -1) / key_dim**0.5")
        if mask:
            lines.append(f"weights = weights.masked_fill(~{mask.removeprefix(', attn_mask=')}, -torch.inf)")
        nowhere = ".nan_to_num(0.0)  # a query that may look nowhere gets zeros" if settings.some_see_nothing else ""
        lines.append(f"weights = torch.softmax(weights, dim=-1){nowhere}")
        lines += [*_kept(str(layer.score_shape)), "context = (weights * torch.from_numpy(kept).reshape(weights.shape)) @ v"]
    else:
        lines.append(f"context = torch.nn.functional.scaled_dot_product_attention(q, k, v{mask})")
    apart = f".unflatten({outer + 1}, ({numbers(tuple(layer.query_shape[a] for a in layer.axes))}))" if joined else ""
    shaped = f".unflatten(-1, ({numbers(layer.output_dims)}))" if out > 1 else ""
    turned = "transpose(1, 2)" if settings.plain else f"permute({numbers(back)})"
    if layer.use_gate:
        lines.append("gate = torch.sigmoid(g_proj(query))")
    gate = " * gate" if layer.use_gate else ""
    lines.append(f"output = o_proj(context{apart}.{turned}.flatten(-2){gate}){shaped}")
    projections = f"(q_proj, k_proj, {'g_proj, ' * layer.use_gate}v_proj, o_proj)"
    count = f"sum(p.numel() for part in {projections} for p in part.parameters())"
    return "\n".join(lines) + "\n" + tail(count, scores="")


def _orders(settings: Settings) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """From (batch, positions…, h, size) to (what is not attended…, h, attended…, size), back, and how many are not attended."""
    layer = settings.layer
    outer = tuple(axis for axis in range(layer.rank - 1) if axis not in layer.axes)
    places = (*outer, layer.rank - 1, *layer.axes, layer.rank)
    return places, tuple(places.index(axis) for axis in range(len(places))), len(outer)


#: Library, and what writes its script.
LIBRARIES = {"Keras": _keras, "PyTorch": _torch, "NumPy": _numpy}


def written_out(layer: CustomLayer, library: str) -> str:
    """The script of a layer with typed numbers, which has every number in it. Unwritable where the library cannot express it."""
    named = {"query": layer.inputs.x_query} | {row.name: getattr(layer.params, row.name) for row in ledger(layer.cfg)}
    numbers = {name: np.asarray(array.values) for name, array in named.items()}
    return write(Settings(layer_of_config(layer.cfg), causal=layer.cfg.mask == "causal", numbers=numbers), library)


def write(settings: Settings, library: str) -> str:
    """A whole Python file. Unwritable says why the library cannot do what Keras does at these settings."""
    return LIBRARIES[library](settings)


def printed(settings: Settings, output: Floats) -> str:
    """What every script prints for a layer with this output; PyTorch without the scores where it does not give any."""
    layer = settings.layer
    if output.size != math.prod(layer.result_shape):
        raise ValueError(f"output must have the shape {layer.result_shape}, got {output.shape}")
    return f"output {layer.result_shape}\nscores {layer.score_shape}\nparameters {count_of(layer)}\n{both_ends(output)}"


def both_ends(output: Floats) -> str:
    """The last two lines that every script prints."""
    flat = output.reshape(-1)
    ends = (("first", flat[:PRINTED]), ("last", flat[-PRINTED:]))
    return "\n".join(f"{end} numbers " + " ".join(f"{x:.4f}" for x in some.tolist()) for end, some in ends)


def expected(settings: Settings) -> str:
    """The same by the formula in float64; "" where that has no answer: too large, or not attention along positions."""
    layer = settings.layer
    if layer.too_large or not layer.attends_positions or (settings.masked and not settings.plain):
        return ""
    return printed(settings, compute(layer, settings.allowed() if settings.plain else None, training=settings.training)[0])
