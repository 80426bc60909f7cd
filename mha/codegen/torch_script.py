"""The script in PyTorch: nn.MultiheadAttention where it can express the layer, four Linear layers where it cannot."""

from mha.codegen.common import Settings, Unwritable, head, numbers, tail

IMPORTS = "import numpy as np\nimport torch"
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
    if settings.some_see_nothing:
        return "a query that may look nowhere makes it answer nan"
    return ""


def script(settings: Settings) -> str:
    """Unwritable for masks on inputs of higher rank, and for axes that are none of positions."""
    layer = settings.layer
    if not layer.attends_positions:
        raise Unwritable(f"PyTorch has nothing that does what Keras does with attention_axes={layer.attention_axes}.")
    if settings.masked and not settings.plain:
        raise Unwritable("Masks are written for inputs of rank 3 (batch, positions, width).")
    if why := why_linear(settings):
        return _four_linear(settings, why)
    return _one_layer(settings)


def _start(settings: Settings, helper: str) -> list[str]:
    lines = [head(settings, "PyTorch", IMPORTS, helper)]
    lines.append("query, key, value = (torch.from_numpy(array) for array in (query, key, value))")
    if settings.masked:
        causal = f"torch.ones({settings.layer.query_shape[1]}, {settings.layer.key_shape[1]}, dtype=torch.bool).tril()"
        mask = "torch.from_numpy(mask)"
        lines.append("allowed = " + (causal if settings.mask is None else f"{causal} & {mask}" if settings.causal else mask))
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
    places, back, kept = _orders(settings)
    attended = len(layer.axes)
    joined = f".flatten({kept + 1}, {kept + attended})" if attended > 1 else ""
    lines = _start(settings, LINEAR)
    lines += [f"# nn.MultiheadAttention cannot say this: {why}.", "# Four Linear layers and the attention between them can."]
    for letter in "qkv":
        bias = f", b_{letter}" if layer.use_bias else ""
        lines.append(f"{letter}_proj = linear(w_{letter}.reshape(len(w_{letter}), -1){bias})")
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
    lines.append(f"context = torch.nn.functional.scaled_dot_product_attention(q, k, v{mask})")
    apart = f".unflatten({kept + 1}, ({numbers(tuple(layer.query_shape[a] for a in layer.axes))}))" if joined else ""
    shaped = f".unflatten(-1, ({numbers(layer.output_dims)}))" if out > 1 else ""
    turned = "transpose(1, 2)" if settings.plain else f"permute({numbers(back)})"
    lines.append(f"output = o_proj(context{apart}.{turned}.flatten(-2)){shaped}")
    count = "sum(p.numel() for part in (q_proj, k_proj, v_proj, o_proj) for p in part.parameters())"
    return "\n".join(lines) + "\n" + tail(count, scores="")


def _orders(settings: Settings) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """From (batch, positions…, h, size) to (what is not attended…, h, attended…, size), back, and how many are not attended."""
    layer = settings.layer
    kept = tuple(axis for axis in range(layer.rank - 1) if axis not in layer.axes)
    places = (*kept, layer.rank - 1, *layer.axes, layer.rank)
    return places, tuple(places.index(axis) for axis in range(len(places))), len(kept)
